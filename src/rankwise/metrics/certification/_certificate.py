"""A threshold with a guarantee, or why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rankwise.metrics.catalogue._rates import Demand
from rankwise.metrics.certification._operating_point import demand_of
from rankwise.types import JsonObject

RATES = {"precision": "precision", "recall": "recall", "fpr": "false positive rate"}


@dataclass(frozen=True)
class Certificate:
    """What `certify` returns: a threshold with a guarantee, or how many rows would be needed for one.

    Parameters
    ----------
    objective : str
        The metric, such as `r@p=0.95`.
    confidence : float
        The confidence of the guarantee.
    target : float
        The level of the rate that is held.
    rows, positives : int
        How many rows there were, and how many of them positive.
    guide_rows : int
        Rows that chose the thresholds; counts and observed rates are of the others.
    thresholds_tried : int
        How many were tested until one failed.
    threshold : float, optional
        The threshold; None, as all that describes one, if none could be certified.
    bound : float, optional
        The one-sided exact bound of the held rate at the threshold, never worse than the target.
    tp, fp, fn, tn : int, optional
        The rows tested, by label and by prediction.
    precision, recall, fpr : float, optional
        Observed rates at the threshold.
    expected : float, optional
        The observed rate that was maximized: recall for `r@p` and `tpr@fpr`, precision for `p@r`.
    interval : tuple of float, optional
        The exact interval of `expected` for that threshold alone: an estimate, not covered by the guarantee.
    rows_needed, positives_needed : int, optional
        Without a threshold, how many rows with how many positives would do if the rates stayed as observed; None if no
        number would.

    Notes
    -----
    The guarantee is the target: in the population, precision (recall, FPR) of "score ≥ threshold" is at least
    (at most) `target`, and the chance that a sample leads to a threshold of which this is false is at most
    1 − confidence.

    Examples
    --------
    >>> from rankwise.metrics import certify
    >>> certificate = certify([1] * 60, range(60), "p@r=0.95")
    >>> certificate.certified, certificate.threshold, round(certificate.bound, 4)
    (True, 0.0, 0.9513)
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
        """Whether there is a threshold."""
        return self.threshold is not None

    @property
    def demand(self) -> Demand:
        """The rate that holds and the one that was maximized."""
        return demand_of(self.objective)

    def to_dict(self) -> JsonObject:
        """Return all of it in plain Python types that `json.dumps` takes.

        Returns
        -------
        dict
            The fields, and `certified`.
        """
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
        refusal = f"No threshold can be certified to have {claim} with confidence {self.confidence:.4g}"
        if self.rows_needed is not None:
            return (
                f"{refusal}. At the observed rates {self.positives_needed:,} positives in {self.rows_needed:,} rows "
                f"would suffice; there are {self.positives:,} in {self.rows:,}."
            )
        if self.demand.level == 1:
            return f"{refusal}: no number of rows can prove a rate without exceptions."
        return f"{refusal}: at the observed rates no number of rows would suffice, the scores must become better."
