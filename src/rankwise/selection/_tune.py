"""`tune`: parameters of an estimator, chosen by queries that it was not trained on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from rankwise._validation import check_real, check_whole
from rankwise.data._ranking_data import RankingData
from rankwise.errors import DataError, RankwiseError
from rankwise.metrics import Metric, parse
from rankwise.rankers.rates._classifier import RateClassifier
from rankwise.selection._fold_fits import FoldFit, fit_fold, refit
from rankwise.selection._folds import Folds, make_folds
from rankwise.selection._rows import Callback, Rows, as_rows, check_ranker
from rankwise.selection._samplers import ParameterSampler, Sampler, make_sampler
from rankwise.selection._space import as_space
from rankwise.selection._stopwatch import Stopwatch
from rankwise.selection._tuning import Trial, Tuning
from rankwise.types import JsonObject

MAX_TRIALS, MIN_BUDGET = 10**6, 1e-3
MAX_REPEATS = 100  # suggestions in a row that were tried before, after which the space is taken for exhausted


def tune(
    estimator: Any,
    data: RankingData,
    space: Mapping[str, object],
    metric: str | Metric | None = None,
    *,
    trials: int = 20,
    budget: float | None = None,
    folds: int = 5,
    sampler: Sampler = "auto",
    random_state: int = 0,
    callbacks: Iterable[Callback] = (),
) -> Tuning:
    """Search for parameters by out-of-fold values of a metric, and fit the best to all rows.

    The first trial is the estimator as it is, so that the result is never below it on the folds. All trials share the
    folds, which never split a query; training that stops early does so on a fifth of the training queries of each
    fold, and the fit to all rows takes the median of their rounds times folds / (folds − 1). Ctrl-C ends the search,
    and keeps the best so far.

    Parameters
    ----------
    estimator : Ranker or RateClassifier
        What to tune; it is cloned, and stays as it is.
    data : RankingData
        Rows with labels and queries.
    space : dict of str to list or tuple
        By name of a parameter: a list of values to choose from, or a range (low, high) or (low, high, "log") of
        numbers, whole ones if both ends are.
    metric : str or Metric, default=None
        What trials are judged by; None is the estimator's own metric, which it trains on in any case.
    trials : int, default=20
        How many settings to try.
    budget : float, default=None
        Seconds by the clock on the wall for everything, the last fit included; a trial that would not end in time is
        not begun.
    folds : int, default=5
        Number of folds.
    sampler : {"auto", "tpe", "random"}, default="auto"
        "random" draws every setting anew; "tpe" is Optuna's sampler, with trials pruned that are below the median
        after a fold (extra `tune`); "auto" is "tpe" where Optuna is installed.
    random_state : int, default=0
        Seed of the folds and of the sampler.
    callbacks : iterable of callable, default=()
        Each is called after every trial with its number, from 1, and {metric: value} of the best so far.

    Returns
    -------
    Tuning
        The trials, the best of them, and the estimator fitted to all rows with its parameters.

    Raises
    ------
    DataError
        If the space is not one of the estimator's parameters, or no trial can be fitted.

    Examples
    --------
    >>> import rankwise as rw
    >>> data = rw.data.web(queries=30, documents=10, features=5, seed=0)
    >>> tuned = rw.tune(rw.RankSVM(), data, {"C": (0.01, 100.0, "log")}, "ndcg@10", trials=4, folds=3)
    >>> len(tuned.trials), tuned.best.value >= tuned.trials[0].value
    (4, True)
    >>> tuned.estimator.predict(data).size == len(data)
    True
    """
    check_ranker("tune", estimator)
    rows = as_rows("tune", data)
    if metric is None:
        metric = str(estimator.objective) if isinstance(estimator, RateClassifier) else estimator.metric
    judged = parse(metric)
    axes = as_space(space, estimator.get_params(deep=False))
    check_whole("trials", trials, 1, MAX_TRIALS)
    if budget is not None:
        check_real("budget", budget, MIN_BUDGET, 1e9)
    check_whole("random_state", random_state, 0, 2**32 - 1)
    parts = make_folds(rows, folds, random_state)
    source = make_sampler(sampler, axes, random_state)
    done: list[tuple[Trial, list[FoldFit]]] = []
    notes: list[str] = []
    interrupted, best = False, 0
    try:
        with Stopwatch() as watch:
            done.append(_run(estimator, rows, parts, judged, {}, None))
            for params in _suggestions(source, notes):
                if len(done) >= trials:
                    break
                slowest = max(sum(fit.seconds for fit in fits) for _, fits in done)
                if budget is not None and budget - watch.seconds < slowest * (1.0 + 1.0 / folds):
                    notes.append(
                        f"{len(done)} of {trials} trials fitted into the budget of {budget:g} s; raise it for more"
                    )
                    break
                try:
                    done.append(_run(estimator, rows, parts, judged, params, source))
                except RankwiseError as problem:
                    done.append((_unfinished(params, [], f"failed: {problem}"), []))
                source.tell(done[-1][0].value)
                best = max(range(len(done)), key=lambda number: _rank(done[number][0]))
                for callback in callbacks:
                    callback(len(done), {str(judged): _rank(done[best][0])})
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True
        notes.append("stopped by Ctrl-C: the best so far is kept")
    winner, fits = done[best]
    fitted = refit(clone(estimator).set_params(**winner.params), rows, fits)
    if getattr(fitted, "interrupted_", False) and not interrupted:
        interrupted = True
        notes.append("stopped by Ctrl-C: the fit to all rows is the best so far of it")
    return Tuning(str(judged), [trial for trial, _ in done], winner, fitted, tuple(notes), interrupted)


def _run(
    estimator: Any, rows: Rows, parts: Folds, metric: Metric, params: JsonObject, sampler: ParameterSampler | None
) -> tuple[Trial, list[FoldFit]]:
    """A trial with these parameters, which the sampler may end after any fold."""
    model = clone(estimator).set_params(**params)
    scores, fits = np.empty(len(rows)), []
    for fold in range(parts.count):
        fits.append(fit_fold(model, rows, parts, fold, metric))
        if fits[-1].interrupted:
            raise KeyboardInterrupt
        scores[parts.held_out(fold)] = fits[-1].scores
        evaluation = parts.evaluate(rows, scores, metric, of=range(fold + 1))
        value = evaluation[metric]
        if sampler is not None and fold + 1 < parts.count and sampler.is_hopeless(fold, value):
            return _unfinished(params, fits, f"pruned after {fold + 1} of {parts.count} folds"), fits
    if math.isnan(value):
        raise DataError(f"no query has {metric.needs}, which {metric} needs; pass other data or another metric")
    return Trial(params, value, evaluation.interval(metric), parts.count, _seconds(fits)), fits


def _suggestions(source: ParameterSampler, notes: list[str]) -> Iterator[JsonObject]:
    """Parameters that were not tried before, until the sampler has no others; one that repeats itself is told so."""
    tried: set[str] = set()
    repeats = 0
    while repeats < MAX_REPEATS:
        params = source.ask()
        if repr(params) in tried:
            repeats += 1
            source.tell(None)
            continue
        repeats = 0
        tried.add(repr(params))
        yield params
    notes.append(f"the space has no more than {len(tried)} settings, all of which were tried")


def _unfinished(params: JsonObject, fits: list[FoldFit], note: str) -> Trial:
    return Trial(params, None, (math.nan, math.nan), len(fits), _seconds(fits), note)


def _seconds(fits: list[FoldFit]) -> float:
    return sum(fit.cpu_seconds for fit in fits)


def _rank(trial: Trial) -> float:
    return -math.inf if trial.value is None else trial.value
