"""The label store: what is to be labelled, who judged what, and how far they agree, in one SQLite file."""

from rankwise.labels.agreement import Agreement, PairAgreement, cohen_kappa, fleiss_kappa
from rankwise.labels.exchange import Imported
from rankwise.labels.items import Item
from rankwise.labels.judgements import Judgement
from rankwise.labels.rounds import Round, StoredModel
from rankwise.labels.store import LabelStore
from rankwise.labels.texts import read_texts

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
