"""What `rankwise label` labels: a store that is there, or one made of data with features or of texts alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli._output import print_notes, working
from rankwise.errors import DataError

if TYPE_CHECKING:
    from rankwise.data import RankingData
    from rankwise.labels import LabelStore


@dataclass(frozen=True)
class NewStore:
    """All that a store is made of."""

    data: RankingData
    texts: Mapping[str, object]
    query_texts: Mapping[Any, object]
    grades: list[str] | None

    def create(self, db: Path) -> LabelStore:
        """Make it."""
        from rankwise.labels import LabelStore

        with working("making the label store"):
            return LabelStore.create(db, self.data, self.texts, self.query_texts, grade_names=self.grades)


@dataclass(frozen=True)
class LabelSources:
    """What the command line says of documents, queries and grades."""

    data: RankingData | None
    text: Path | None
    queries: Path | None
    pool: int
    grades: str | None

    @property
    def grade_names(self) -> list[str] | None:
        """The words for grades, from 0 up."""
        return None if self.grades is None else [name.strip() for name in self.grades.split(",")]

    def read(self, db: Path) -> NewStore:
        """What a new store is to hold: data with features, or a pool and features made of texts."""
        from rankwise.labels import read_texts
        from rankwise.labels._checks import check_grade_names

        grades = check_grade_names(self.grade_names)
        if self.data is None:
            if self.text is None or self.queries is None:
                raise DataError(
                    f"there is no label store {db} yet, and nothing to make it of; name DATA, or --text and --queries "
                    "to start from texts alone"
                )
            return _of_texts(self.text, self.queries, self.pool, grades)
        if self.queries is not None:
            raise DataError("--queries is for texts alone, got DATA too; put what queries say into the file of --text")
        texts, query_texts = ({}, {}) if self.text is None else read_texts(self.text, self.data)
        return NewStore(self.data, texts, query_texts, grades)

    def check_store(self, store: LabelStore, db: Path) -> None:
        """Refuse a store of other data or grades, and say what is not read again."""
        if self.data is not None:
            store.check_data(self.data)
        if self.grades is not None and self.grade_names != store.grade_names:
            held = ",".join(store.grade_names or map(str, range(store.highest_grade + 1)))
            raise DataError(f"{db} was made with the grades {held}, got --grades {self.grades}; leave out --grades")
        given = [name for name, path in (("--text", self.text), ("--queries", self.queries)) if path is not None]
        if given:
            contents = "texts" if self.data is not None else "documents, queries and texts"
            verb = "is" if len(given) == 1 else "are"
            print_notes(
                [f"{db} keeps the {contents} that it was made with; {' and '.join(given)} {verb} not read again"]
            )


def _of_texts(text: Path, queries: Path, pool: int, grades: list[str] | None) -> NewStore:
    from rankwise.data import TextIndex, read_documents, read_queries

    with working("reading texts"):
        documents, query_texts = read_documents(text), read_queries(queries)
    with working("making features"):
        data = TextIndex(documents).pool(query_texts, pool)
    print_notes(data.notes)
    return NewStore(data, documents, query_texts, grades)


def existing_store(db: Path) -> LabelStore | None:
    """The store that is there; one that was killed while it was made holds nothing, and is made again."""
    from rankwise.labels import LabelStore
    from rankwise.labels._database import UnfinishedError

    try:
        return LabelStore.open(db) if db.exists() else None
    except UnfinishedError:
        return None
