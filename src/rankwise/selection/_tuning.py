"""What `tune` gives back: the trials, the best of them, and the estimator."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from rankwise.metrics._evaluation import finite_or_none, format_table
from rankwise.types import JsonObject


@dataclass(frozen=True)
class Trial:
    """Parameters that were tried, and what came of it.

    Parameters
    ----------
    params : dict
        Values of the parameters of the space; empty for the estimator as it was passed.
    value : float or None
        Mean of the metric over all queries, each held out once; None if the trial was pruned or failed.
    interval : tuple of float
        Its 95% interval.
    folds : int
        Folds that were fitted.
    fit_seconds : float
        CPU seconds of these fits.
    note : str
        Why there is no value.
    """

    params: JsonObject
    value: float | None
    interval: tuple[float, float]
    folds: int
    fit_seconds: float
    note: str = ""


@dataclass(frozen=True, eq=False)
class Tuning:
    """What `tune` returns.

    Parameters
    ----------
    metric : str
        What the trials were judged by.
    trials : list of Trial
        All trials in their order; the first is the estimator as it was passed.
    best : Trial
        The trial of the highest value.
    estimator : estimator
        Fitted to all rows with the parameters of the best trial.
    notes : tuple of str
        Why there are fewer trials than asked for.
    interrupted : bool
        Whether Ctrl-C ended the search early.
    """

    metric: str
    trials: list[Trial]
    best: Trial
    estimator: Any
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def best_params(self) -> JsonObject:
        """Parameters of the best trial; empty if the estimator was best as it was passed."""
        return self.best.params

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and rows of a table of the trials, the best first.

        Returns
        -------
        tuple
            The header, and a row of texts for each trial.
        """
        names = list(dict.fromkeys(name for trial in self.trials for name in trial.params))
        ranked = sorted(self.trials, key=lambda trial: -math.inf if trial.value is None else -trial.value)
        ranked.sort(key=lambda trial: trial.value is None)
        rows = []
        for trial in ranked:
            low, high = trial.interval
            value = (trial.note, "") if trial.value is None else (f"{trial.value:.4f}", f"{low:.4f}–{high:.4f}")
            given = [_text(trial.params[name]) if name in trial.params else "as passed" for name in names]
            rows.append((str(self.trials.index(trial) + 1), *value, *given, f"{trial.fit_seconds:.2f}"))
        return ("trial", self.metric, "95% interval", *names, "fit seconds"), rows

    def to_dict(self) -> JsonObject:
        """Return all but the estimator in plain Python types that `json.dumps` takes.

        Returns
        -------
        dict
            The trials and the best of them.
        """
        return {
            "metric": self.metric,
            "best": _plain(self.best),
            "trials": [_plain(trial) for trial in self.trials],
            "notes": list(self.notes),
            "interrupted": self.interrupted,
        }

    def __str__(self) -> str:
        header, rows = self.table()
        return "\n".join([format_table([header, *rows]), *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__


def _text(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _plain(trial: Trial) -> JsonObject:
    params = {
        name: value if isinstance(value, str | int | float | bool | list | None) else str(value)
        for name, value in trial.params.items()
    }
    return asdict(trial) | {"params": params, "interval": [finite_or_none(end) for end in trial.interval]}
