"""The only compiled code: sorting, loops over queries, parsing of text. Imports numpy and numba alone."""
