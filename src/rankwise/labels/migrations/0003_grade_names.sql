-- JSON, a word per grade from 0 up; NULL where grades are shown as numbers.
ALTER TABLE facts ADD COLUMN grade_names TEXT;
