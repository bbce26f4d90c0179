"""Reading and writing: LETOR text, tables, TREC files."""
