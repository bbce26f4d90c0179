"""What every sampler is: a value that says how useful a label of each document would be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rankwise._validation import is_finite_number
from rankwise.errors import DataError
from rankwise.sampling._pool import Pool
from rankwise.sampling._spread import spread
from rankwise.types import FloatArray, IntArray

_KINDS: dict[str, type[Sampler]] = {}


@dataclass(frozen=True)
class Sampler(ABC):
    """Chooses documents to be labelled; a subclass with a `kind` is known by that name everywhere.

    A subclass states `utilities`: one number per candidate of the pool, the higher the sooner to be labelled, compared
    within a query only. `select` takes the highest of each query, equal ones at random by seed.

    With `apart` above 0, documents of a batch are no near-duplicates: one whose features are within `apart` deviations
    (root mean square over features) of one chosen before is passed over, while there are others.
    """

    apart: float = field(default=0.0, kw_only=True)

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not (is_finite_number(self.apart) and self.apart >= 0):
            raise DataError(f"apart must be a number of deviations from 0, got {self.apart!r}; pass for example 0.1")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__dict__.get("kind"):
            _KINDS[cls.kind] = cls

    @abstractmethod
    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """How useful a label of each candidate of the pool would be.

        `rng` is for what is left to chance; `pool.drawn(rng)` draws so that the order of the rows does not matter.
        """

    def select(self, pool: Pool, per_query: int = 5, seed: int = 0) -> IntArray:
        """Rows to be labelled next: of each query its `per_query` most useful candidates (or all it has), best first.

        >>> from rankwise.sampling import Top
        >>> from rankwise.rankers import RankSVM
        >>> X, y, qid = [[0.0], [1.0], [2.0], [3.0], [0.5]], [0, 1, -1, -1, -1], [1, 1, 1, 1, 2]
        >>> Top().select(Pool.of(X, y, qid, RankSVM().fit(X[:2], y[:2])), per_query=1)
        array([3, 4])
        """
        if isinstance(per_query, bool) or not isinstance(per_query, int | np.integer) or per_query < 1:
            raise DataError(f"per_query must be a whole number from 1, got {per_query!r}; pass for example 5")
        try:
            rng = np.random.default_rng(seed)
        except (TypeError, ValueError):
            raise DataError(f"seed must be a whole number from 0, got {seed!r}; pass for example 0") from None
        found = np.asarray(self.utilities(pool, rng), dtype=np.float64)
        if found.shape != pool.candidates.shape:
            raise DataError(
                f"{type(self).__name__}.utilities must give one number per candidate, got shape {found.shape} for "
                f"{pool.candidates.size}"
            )
        if np.isnan(found).any():
            raise DataError(f"{type(self).__name__}.utilities gave NaN; give every candidate a number")
        if self.apart > 0:
            order = spread(pool, pool.falling_by(found, rng), int(per_query), self.apart)
            return pool.candidates[pool.first_of(order, int(per_query))]
        return pool.candidates[pool.best_of_each(found, int(per_query), rng)]


def sampler_kinds() -> dict[str, type[Sampler]]:
    """Every sampler, by name."""
    return dict(sorted(_KINDS.items()))


def sampler_named(sampler: str | Sampler) -> Sampler:
    """A sampler by its name, with its default settings; one that is given as such is returned."""
    if isinstance(sampler, Sampler):
        return sampler
    if sampler not in _KINDS:
        raise DataError(f"there is no sampler {sampler!r}, known are {', '.join(sampler_kinds())}; name one of these")
    return _KINDS[sampler]()
