"""What `rankwise train --model auto` and `rankwise info` say of a model that chose itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli._output import print_table

if TYPE_CHECKING:
    from rankwise.selection import Leaderboard
    from rankwise.types import JsonObject


def auto_summary(ranker: Any, on_train: float, out: Path) -> JsonObject:
    """What there is to say of it, by name."""
    return {
        "model": str(out),
        "metric": str(ranker.metric),
        "members": ranker.weights_,
        "train": on_train,
        "held_out": ranker.best_score_,
        "leaderboard": ranker.leaderboard_.to_dict(),
        "interrupted": ranker.interrupted_,
    }


def auto_lines(summary: JsonObject) -> list[tuple[str, str]]:
    """The same as lines of a table, without the leaderboard."""
    return [
        ("model", summary["model"]),
        *_member_lines(summary["members"]),
        (f"{summary['metric']} on train", f"{summary['train']:.4f}"),
        (f"{summary['metric']} on queries held out", f"{summary['held_out']:.4f}"),
        ("seconds", f"{summary['seconds']:.1f}"),
    ]


def manifest_lines(manifest: JsonObject) -> list[tuple[str, str]]:
    """What a model file says of it, without the leaderboard."""
    summary = manifest["summary"]
    return [
        ("trained on", f"{summary['rows']} rows, {summary['queries']} queries"),
        *_member_lines({member["name"]: member["weight"] for member in summary["members"]}),
        (f"{manifest['metric']} on queries held out", f"{summary['best_score']:.4f}"),
        *([("training", "stopped by Ctrl-C")] if summary["interrupted"] else []),
    ]


def print_leaderboard(leaderboard: Leaderboard) -> None:
    """Every candidate, what it is worth, and why it was chosen or not."""
    print_table(*leaderboard.table())
    print()


def _member_lines(weights: dict[str, float]) -> list[tuple[str, str]]:
    if len(weights) == 1:
        return [("chosen", *weights)]  # type: ignore[list-item]
    return [("member", f"{name}, times {weight:.4g}") for name, weight in weights.items()]
