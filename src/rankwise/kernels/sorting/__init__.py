"""Sorting: ranks within queries, radix sorts, lists kept in order."""
