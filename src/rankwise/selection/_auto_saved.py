"""A fitted AutoRanker as plain values and bytes: those of its members under names of their own, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from rankwise.errors import DataError, ModelFileError
from rankwise.metrics import parse
from rankwise.rankers._base import Ranker, SavableModel, SavedModel, model_kinds
from rankwise.rankers._persistence import make_saved, read_float, read_int, unfitted_model
from rankwise.selection._leaderboard import read_leaderboard
from rankwise.types import JsonObject

R = TypeVar("R", bound=Ranker)
MAX_WEIGHT = 1e300
MEMBER_FIELDS = {"name": str, "kind": str, "metric": str, "parameters": dict, "summary": dict}


def to_saved(model: Any) -> SavedModel:
    """What is needed to predict, explain and report."""
    fields: list[JsonObject] = []
    files: dict[str, bytes] = {}
    for place, (name, member) in enumerate(model.members_.items()):
        if type(member) not in model_kinds().values():
            raise DataError(
                f"the chosen {name!r} is a {type(member).__name__}, which a .rw file cannot hold; "
                "leave it out of candidates"
            )
        saved = member.to_saved()
        files |= {f"member_{place}_{file}": data for file, data in saved.members.items()}
        fields.append(
            {
                "name": name,
                "kind": saved.kind,
                "metric": saved.metric,
                "parameters": saved.parameters,
                "summary": saved.summary,
                "weight": model.weights_[name],
            }
        )
    summary = {
        "engine": "rankwise",
        "rows": int(model.n_rows_),
        "queries": int(model.n_queries_),
        "best_score": float(model.best_score_),
        "interrupted": bool(model.interrupted_),
        "members": fields,
        "leaderboard": model.leaderboard_.to_dict(),
    }
    return make_saved(model, str(parse(model.metric)), summary, files)


def from_saved(cls: type[R], saved: SavedModel) -> R:
    """A fitted model; each member checks what is its own."""
    model = unfitted_model(cls, saved)
    summary = saved.summary
    fields = summary.get("members")
    if not isinstance(fields, list) or not fields:
        raise ModelFileError("the model must consist of at least one member; save it again")
    model.members_, model.weights_ = {}, {}
    used: set[str] = set()
    for place, entry in enumerate(fields):
        prefix = f"member_{place}_"
        own = {name: data for name, data in saved.members.items() if name.startswith(prefix)}
        used |= set(own)
        name, member = _member(entry, saved, {name.removeprefix(prefix): data for name, data in own.items()})
        if name in model.members_:
            raise ModelFileError(f"the model must consist of different members, got {name[:40]!r} twice; save it again")
        model.members_[name] = member
        model.weights_[name] = read_float(entry, "weight", low=0.0, high=MAX_WEIGHT)
    if used != set(saved.members):
        odd = sorted(set(saved.members) - used)[:3]
        raise ModelFileError(f"the model has members that it does not use, {odd}; save it again")
    model.n_rows_, model.n_queries_ = read_int(summary, "rows"), read_int(summary, "queries")
    model.best_score_ = read_float(summary, "best_score")
    model.interrupted_ = summary.get("interrupted") is True
    model.leaderboard_ = read_leaderboard(saved.metric, summary.get("leaderboard"))
    return model


def _member(entry: JsonObject, saved: SavedModel, files: dict[str, bytes]) -> tuple[str, SavableModel]:
    for field, kind in MEMBER_FIELDS.items():
        if not isinstance(entry, dict) or not isinstance(entry.get(field), kind):
            raise ModelFileError(f"{field} of a member of the model must be a {kind.__name__}; save it again")
    cls = model_kinds().get(entry["kind"])
    if cls is None or entry["kind"] == saved.kind or not issubclass(cls, Ranker):
        raise ModelFileError(
            f"a member of the model is of kind {entry['kind'][:40]!r}, which is none that it can have; save it again"
        )
    own = replace(
        saved,
        kind=entry["kind"],
        metric=entry["metric"],
        parameters=entry["parameters"],
        feature_names=None,
        categories={},
        summary=entry["summary"],
        members=files,
    )
    return entry["name"], cls.from_saved(own)
