-- CRC-32 of what the row says: SQLite keeps none of its pages, so a byte that a disk gets wrong would be another grade.
-- NULL in rows that version 1 wrote.
ALTER TABLE judgements ADD COLUMN checksum INTEGER;
