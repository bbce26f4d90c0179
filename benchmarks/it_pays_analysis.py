"""From values of queries to the matrix of it_pays.py, and whether it keeps what issue 17 promised.

`values[model][metric]` has a value per test query, averaged over seeds. A difference is that of a model to ours trained
on the judged metric, with Fisher's randomization p, and Holm's correction over the family that it is compared within:
the other models of ours, or the peers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent))
from it_pays_models import Model

from rankwise.metrics.comparison._statistics import fisher_randomization, holm

Values = Mapping[str, Mapping[str, NDArray[np.float64]]]
WITHIN = 0.002
"""How far below the best of ours the model trained on the judged metric may be; of DCG, as a share of its value."""


def mean_over_seeds(folds: Mapping[int, Iterable[list[float | None]]]) -> NDArray[np.float64]:
    """The values of all test queries, fold after fold; each is the mean over seeds, NaN where it is not defined."""
    return np.concatenate(
        [np.mean(np.array(list(runs), dtype=np.float64), axis=0) for _, runs in sorted(folds.items())]
    )


def matrix(models: Iterable[Model], metrics: Iterable[str], values: Values) -> list[dict[str, Any]]:
    """A row per model: by metric its mean, and its difference to ours trained on it, with p."""
    rows = [{"model": model.name, "kind": model.kind, "trained_on": model.trained_on, "judged": {}} for model in models]
    for metric in metrics:
        own = next((row for row in rows if row["kind"] == "ours" and row["trained_on"] == metric), None)
        for row in rows:
            row["judged"][metric] = {"mean": float(np.nanmean(values[row["model"]][metric]))}
        for kind in ("ours", "before", "peer"):
            family = [row for row in rows if row["kind"] == kind and row is not own and own is not None]
            tests = [difference(values[row["model"]][metric], values[own["model"]][metric]) for row in family if own]
            for row, (gap, p), corrected in zip(family, tests, holm([p for _, p in tests]).tolist(), strict=True):
                row["judged"][metric] |= {"difference": gap, "p": p, "p_holm": corrected}
    return rows


def difference(its: NDArray[np.float64], own: NDArray[np.float64]) -> tuple[float, float]:
    """Mean of its − own over the queries where both are defined, and how likely chance alone gives as much."""
    both = ~np.isnan(its) & ~np.isnan(own)
    return float(np.mean(its[both] - own[both])), fisher_randomization(its[both], own[both])


def bars(data: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Issue 17's bars on this data set, as far as these rows can tell: what was found, and whether the bar is kept."""
    by_name = {row["model"]: row for row in rows}
    own = {row["trained_on"]: row for row in rows if row["kind"] == "ours"}
    found = [within_ours(metric, own) for metric in own]
    if data == "MQ2008":
        for metric in ("ndcg@10", "map", "auc"):
            found += against(
                by_name, metric, "CatBoost YetiRank", lambda gap, p: gap <= 0 or (gap <= WITHIN and p > 0.3)
            )
            found += against(by_name, metric, f"as it was, {metric}", lambda gap, p: gap < 0 and p < 0.01)
    if data == "digits":
        for metric, other in (("auc", "ndcg@10"), ("ndcg@10", "auc")):
            found += against(by_name, metric, f"LambdaMART, {other}", lambda gap, p: gap < 0 and p < 0.05)
    if data == "web" and (peers := [row for row in rows if row["kind"] == "peer"]):
        for metric in own:
            best = max(peers, key=lambda row: row["judged"][metric]["mean"])
            found += against(by_name, metric, best["model"], lambda gap, p: gap < 0)
    return [{"data": data, **bar} for bar in found]


def within_ours(metric: str, ours: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Is the model trained on a metric the best of ours on it, or near, and none significantly better?"""
    others = [row["judged"][metric] for trained_on, row in ours.items() if trained_on != metric]
    best = max((judged["difference"] for judged in others), default=0.0)
    better = [judged["p_holm"] for judged in others if judged["difference"] > 0]
    unit = ours[metric]["judged"][metric]["mean"] if metric.startswith("dcg") else 1.0
    kept = best <= WITHIN * unit and min(better, default=1.0) >= 0.05
    return {"metric": metric, "against": "all of ours", "difference": best, "p": min(better, default=1.0), "kept": kept}


def against(
    rows: Mapping[str, dict[str, Any]], metric: str, other: str, keeps: Callable[[float, float], bool]
) -> list[dict[str, Any]]:
    """One model against ours trained on the metric, if both are there."""
    judged = rows[other]["judged"].get(metric, {}) if other in rows else {}
    if "difference" not in judged:
        return []
    kept = bool(keeps(judged["difference"], judged["p"]))
    return [{"metric": metric, "against": other, **{k: judged[k] for k in ("difference", "p")}, "kept": kept}]
