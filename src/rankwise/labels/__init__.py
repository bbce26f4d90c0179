"""The label store: what is to be labelled, who judged what, and how far they agree, in one SQLite file."""

from rankwise.labels._agreement import Agreement, PairAgreement, fleiss_kappa
from rankwise.labels._files import ImportResult, read_texts
from rankwise.labels._items import Item
from rankwise.labels._judgements import Judgement
from rankwise.labels._rounds import LabelRound, StoredModel
from rankwise.labels._store import LabelStore

__all__ = [
    "Agreement",
    "ImportResult",
    "Item",
    "Judgement",
    "LabelRound",
    "LabelStore",
    "PairAgreement",
    "StoredModel",
    "fleiss_kappa",
    "read_texts",
]
