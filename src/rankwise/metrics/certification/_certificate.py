"""A threshold with a guarantee, or why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rankwise.metrics.catalogue._rates import Demand
from rankwise.metrics.certification._operating_point import demand_of

RATES = {"precision": "precision", "recall": "recall", "fpr": "false positive rate"}


@dataclass(frozen=True)
class Certificate:
    """What `certify` found; without a threshold all that describes one is None.

    **The guarantee** is the target: in the population, precision (recall, FPR) of "score ≥ threshold" is at least
    (at most) `target`, and the chance that a sample leads to a threshold of which this is false is at most
    1 − confidence. `bound` is the one-sided exact bound at the threshold, never worse than the target.
    `expected` is what the data say of the rate to maximize (recall for r@p and tpr@fpr, precision for p@r), with
    the exact interval of that threshold alone: an estimate, not a part of the guarantee.
    Counts and observed rates are of the rows tested: `guide_rows`, which chose the thresholds, are not among them.
    Without a threshold, `rows_needed` with `positives_needed` among them would do if the rates stayed as observed;
    these are None if no number would.
    """

    objective: str
    confidence: float
    target: float
    rows: int
    positives: int
    guide_rows: int
    thresholds_tried: int
    threshold: float | None = None
    bound: float | None = None
    tp: int | None = None
    fp: int | None = None
    fn: int | None = None
    tn: int | None = None
    precision: float | None = None
    recall: float | None = None
    fpr: float | None = None
    expected: float | None = None
    interval: tuple[float, float] | None = None
    rows_needed: int | None = None
    positives_needed: int | None = None

    @property
    def certified(self) -> bool:
        """Is there a threshold?"""
        return self.threshold is not None

    @property
    def demand(self) -> Demand:
        """The rate that holds and the one that was maximized."""
        return demand_of(self.objective)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; the interval as a list."""
        return {"certified": self.certified} | asdict(self) | {"interval": self.interval and list(self.interval)}

    def __str__(self) -> str:
        rate, limit = RATES[self.demand.rate], "at most" if self.demand.rate == "fpr" else "at least"
        claim = f"a {rate} of {limit} {self.target:g}"
        if self.threshold is not None:
            assert self.interval is not None
            low, high = self.interval
            return (
                f"With confidence {self.confidence:.4g}, score >= {self.threshold!r} has {claim}; "
                f"expect a {self.demand.gain} of {self.expected:.3f} ({low:.3f} to {high:.3f})."
            )
        said = f"No threshold can be certified to have {claim} with confidence {self.confidence:.4g}"
        if self.rows_needed is not None:
            return (
                f"{said}. At the observed rates {self.positives_needed:,} positives in {self.rows_needed:,} rows "
                f"would suffice; there are {self.positives:,} in {self.rows:,}."
            )
        if self.demand.level == 1:
            return f"{said}: no number of rows can prove a rate without exceptions."
        return f"{said}: at the observed rates no number of rows would suffice, the scores must become better."
