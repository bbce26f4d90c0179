"""Ranking data: its one validated form, and how it is read, written, split, described and made."""

from rankwise.data._atomic import atomic_path
from rankwise.data._examples import load_example
from rankwise.data._groups import QueryGroups
from rankwise.data._ranking_data import RankingData
from rankwise.data._sources import ParquetRows
from rankwise.data.io._read import read
from rankwise.data.io._write import write
from rankwise.data.make._clicks import ClickLog, simulate_clicks
from rankwise.data.make._synthetic import cubic, polynomial, r_of_k, topics, web
from rankwise.data.prepare._normalize import normalize
from rankwise.data.prepare._split import split
from rankwise.data.prepare._stats import Stats, describe, overlap
from rankwise.data.text._files import read_documents, read_queries
from rankwise.data.text._index import TextIndex

__all__ = [
    "ClickLog",
    "ParquetRows",
    "QueryGroups",
    "RankingData",
    "Stats",
    "TextIndex",
    "atomic_path",
    "cubic",
    "describe",
    "load_example",
    "normalize",
    "overlap",
    "polynomial",
    "r_of_k",
    "read",
    "read_documents",
    "read_queries",
    "simulate_clicks",
    "split",
    "topics",
    "web",
    "write",
]
