"""The label store: what is to be labelled, who judged what, and how far they agree, in one SQLite file."""

from rankwise.labels._agreement import Agreement, PairAgreement, cohen_kappa, fleiss_kappa
from rankwise.labels._exchange import Imported
from rankwise.labels._items import Item
from rankwise.labels._judgements import Judgement
from rankwise.labels._rounds import Round, StoredModel
from rankwise.labels._store import LabelStore
from rankwise.labels._texts import read_texts

__all__ = [
    "Agreement",
    "Imported",
    "Item",
    "Judgement",
    "LabelStore",
    "PairAgreement",
    "Round",
    "StoredModel",
    "cohen_kappa",
    "fleiss_kappa",
    "read_texts",
]
