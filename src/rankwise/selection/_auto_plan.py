"""What AutoRanker tries on given rows, what tells one search from another, and what is said while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from rankwise.errors import DataError
from rankwise.metrics import Metric, parse
from rankwise.rankers._base import Ranker
from rankwise.rankers._checkpoint import fingerprint
from rankwise.rankers._features import categorical_columns
from rankwise.selection._portfolio import portfolio
from rankwise.selection._rows import Callback, Rows, check_ranker
from rankwise.selection._search import Search
from rankwise.selection._search_state import SearchState


def candidates_for(model: Ranker, metric: Metric, rows: Rows, seed: int, state: SearchState) -> dict[str, Any]:
    """What to try on these rows; what cannot take their categories is dropped."""
    classes = np.unique(np.maximum(rows.y, 0.0))
    two_classes = bool(rows.qid[-1] == 0 and classes.size == 2 and classes[0] == 0.0)
    tried = model.candidates
    if tried is None:
        tried = portfolio(metric, random_state=seed, n_jobs=model.n_jobs, two_classes=two_classes)
    if not tried:
        raise DataError("candidates must have at least one ranker, got none; leave it at None for the portfolio")
    tried = {name: _seeded(estimator, name, seed) for name, estimator in tried.items()}
    columns = categorical_columns(model)
    if not columns:
        return tried
    for name, estimator in tried.items():
        if "categorical_feature" not in estimator.get_params(deep=False):
            state.dropped[name] = f"not possible: {type(estimator).__name__} needs numbers, got categories"
    return {
        name: estimator if name in state.dropped else clone(estimator).set_params(categorical_feature=columns)
        for name, estimator in tried.items()
    }


def _seeded(estimator: Any, name: object, seed: int) -> Any:
    """A ranker that leaves nothing to chance: a search that is resumed must fit what the first would have fitted."""
    check_ranker(f"the candidate {name!r}", estimator)
    if estimator.get_params(deep=False).get("random_state", 0) is not None:
        return estimator
    return clone(estimator).set_params(random_state=seed)


def search_fingerprint(model: Ranker, candidates: dict[str, Any], rows: Rows) -> str:
    """A hash of all that decides the outcome."""
    described = [
        (name, type(candidate).__name__, sorted((key, repr(value)) for key, value in candidate.get_params().items()))
        for name, candidate in candidates.items()
    ]
    parameters = {
        "metric": str(parse(model.metric)),
        "folds": model.folds,
        "budget": model.budget,
        "max_fits": model.max_fits,
        "candidates": described,
    }
    X = rows.X
    arrays = [X.data, X.indices, X.indptr] if hasattr(X, "indptr") else [X]
    return fingerprint(parameters, [*arrays, rows.y, rows.qid, rows.sample_weight, rows.query_weight])


def reporter(search: Search, callbacks: list[Callback]) -> Callable[[SearchState], None]:
    """What happens after each fit: callbacks hear of the best candidate so far."""

    def report(state: SearchState) -> None:
        done = [name for name in state.finished if len(state.fits[name]) == search.folds.count]
        best: dict[str, float] = {}
        if callbacks and done:
            scores = (state.scores(name, search.folds) for name in done)
            values = [search.folds.evaluate(search.rows, one, search.metric)[search.metric] for one in scores]
            best = {str(search.metric): max(values)}
        for callback in callbacks:
            callback(state.count, best)

    return report
