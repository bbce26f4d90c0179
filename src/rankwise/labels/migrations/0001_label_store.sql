-- Times are UTC in ISO 8601; order is always by id, since clocks go back.

PRAGMA application_id = 1920429154;  -- "rwlb"

CREATE TABLE facts (  -- one row: what holds for the whole store
    id INTEGER PRIMARY KEY CHECK (id = 1),
    created TEXT NOT NULL,
    highest_grade INTEGER NOT NULL CHECK (highest_grade >= 1),
    n_features INTEGER NOT NULL,
    is_sparse INTEGER NOT NULL CHECK (is_sparse IN (0, 1)),
    qid_type TEXT NOT NULL,
    feature_names TEXT,  -- JSON
    digest TEXT NOT NULL  -- of all ids and features
);

CREATE TABLE queries (
    id INTEGER PRIMARY KEY,  -- in order of appearance, from 0
    qid TEXT NOT NULL UNIQUE,
    weight REAL,
    fields TEXT  -- JSON
);

CREATE TABLE items (
    id INTEGER PRIMARY KEY,  -- the row of the data, from 0
    query INTEGER NOT NULL REFERENCES queries,
    doc_id TEXT NOT NULL,
    fields TEXT,  -- JSON
    feature_columns BLOB,  -- little-endian int32; only where the data are sparse
    feature_values BLOB NOT NULL,  -- little-endian float32
    UNIQUE (query, doc_id)
);

CREATE TABLE rounds (
    number INTEGER PRIMARY KEY CHECK (number >= 0),  -- round 0 is what was known before anything was chosen
    at TEXT NOT NULL,
    sampler TEXT,
    ranker TEXT,
    metrics TEXT NOT NULL,  -- JSON: values of the ranker that the labels before this round gave
    gain REAL,  -- what labelling this round was estimated to add
    labelled INTEGER NOT NULL  -- items with a label when the round began
);

CREATE TABLE choices (  -- what the sampler chose for a round, in its order
    round INTEGER NOT NULL REFERENCES rounds,
    place INTEGER NOT NULL,
    item INTEGER NOT NULL REFERENCES items,
    PRIMARY KEY (round, place),
    UNIQUE (round, item)
) WITHOUT ROWID;

CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    round INTEGER NOT NULL REFERENCES rounds,
    at TEXT NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64)
);

-- A row is one act of one labeller on one item. Grade, skipped and note are what holds for the two AFTER the act,
-- previous is the grade that held before it; so the last row of a labeller and an item is their present state,
-- and undoing is one more row, which brings back the state before the act that it undoes.
CREATE TABLE judgements (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL REFERENCES items,
    who TEXT NOT NULL CHECK (who <> ''),
    at TEXT NOT NULL,
    act TEXT NOT NULL CHECK (act IN ('grade', 'skip', 'note', 'undo')),
    grade INTEGER CHECK (grade IS NULL OR (typeof(grade) = 'integer' AND grade >= 0)),
    previous INTEGER,
    skipped INTEGER NOT NULL CHECK (skipped IN (0, 1)),
    note TEXT,
    round INTEGER NOT NULL REFERENCES rounds,
    undoes INTEGER UNIQUE REFERENCES judgements,
    CHECK ((act = 'undo') = (undoes IS NOT NULL)),
    CHECK (skipped = 0 OR grade IS NULL)
);

CREATE INDEX judgements_by_item ON judgements (item, who, id);
CREATE INDEX judgements_by_labeller ON judgements (who, id);

CREATE TRIGGER judgements_stay_as_they_are BEFORE UPDATE ON judgements
BEGIN
    SELECT RAISE(ABORT, 'judgements are never changed');
END;

CREATE TRIGGER judgements_stay BEFORE DELETE ON judgements
BEGIN
    SELECT RAISE(ABORT, 'judgements are never deleted');
END;
