"""Ranking data: its one validated form, and how it is read, written, split, described and made."""

from rankwise.data.atomic import atomic_path
from rankwise.data.clicks import ClickLog, simulate_clicks
from rankwise.data.groups import QueryGroups
from rankwise.data.normalise import normalise
from rankwise.data.parquet_stream import ParquetRows
from rankwise.data.ranking_data import RankingData
from rankwise.data.read import read
from rankwise.data.split import split
from rankwise.data.stats import Stats, describe
from rankwise.data.synthetic import cubic, r_of_k, topics, web
from rankwise.data.write import write

__all__ = [
    "ClickLog",
    "ParquetRows",
    "QueryGroups",
    "RankingData",
    "Stats",
    "atomic_path",
    "cubic",
    "describe",
    "normalise",
    "r_of_k",
    "read",
    "simulate_clicks",
    "split",
    "topics",
    "web",
    "write",
]
