"""What `rankwise train` says of a model when it is done."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any


def summary_of(ranker: Any, on_train: float, out: Path) -> dict[str, Any]:
    """All of it, by name."""
    histories = [values for result in ranker.evals_result_.values() for values in result.values()]
    return {
        "model": str(out),
        "metric": str(ranker.metric),
        "rounds": max(map(len, histories), default=ranker.best_iteration_),
        "best_round": ranker.best_iteration_,
        "train": None if math.isnan(on_train) else on_train,
        "valid": ranker.best_score_,
        "interrupted": ranker.interrupted_,
    } | _propensities(ranker)


def _propensities(ranker: Any) -> dict[str, Any]:
    found = getattr(ranker, "propensities_", None)
    return (
        {} if found is None else {"propensities": dict(zip(map(str, ranker.positions_), found.tolist(), strict=True))}
    )


def lines_of(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """The same as lines of a table."""
    metric = summary["metric"]
    values = [(f"{metric} on {name}", summary[name]) for name in ("train", "valid")]
    return [
        ("model", summary["model"]),
        ("rounds", str(summary["rounds"])),
        ("best round", str(summary["best_round"])),
        *((name, f"{value:.4f}") for name, value in values if value is not None),
        *((f"position {place} is seen", f"{share:.3f}") for place, share in summary.get("propensities", {}).items()),
        ("seconds", f"{summary['seconds']:.1f}"),
    ]
