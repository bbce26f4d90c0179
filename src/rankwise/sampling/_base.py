"""What every sampler is: a value that says how useful a label of each document would be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankwise._docstrings import inherit_sections
from rankwise._validation import is_finite_number, register
from rankwise.errors import DataError
from rankwise.sampling._near_duplicates import skip_near_duplicates
from rankwise.sampling._pool import Pool
from rankwise.types import FloatArray, IntArray

_KINDS: dict[str, type[Sampler]] = {}


@dataclass(frozen=True)
class Sampler(ABC):
    """Chooses documents to be labelled; a subclass with a `kind` is known by that name everywhere.

    A subclass defines `utilities`: one number per candidate of the pool, the higher the sooner to be labelled, compared
    within a query only. `select` takes the highest of each query, equal ones at random.

    Parameters
    ----------
    min_distance : float, default=0.0
        If above 0, a batch has no near-duplicates: a document whose features are within `min_distance` standard
        deviations (root mean square over features) of one chosen before is passed over, while there are others.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from rankwise.rankers import RankSVM
    >>> from rankwise.sampling import Pool, Sampler
    >>> @dataclass(frozen=True)
    ... class LowestRanked(Sampler):
    ...     def utilities(self, pool, rng):
    ...         return -pool.scores
    >>> X, y, qid = [[0.0], [1.0], [2.0], [3.0], [0.5]], [0, 1, -1, -1, -1], [1, 1, 1, 1, 2]
    >>> LowestRanked().select(Pool.from_arrays(X, y, qid, RankSVM().fit(X[:2], y[:2])), per_query=1)
    array([2, 4])
    """

    min_distance: float = field(default=0.0, kw_only=True)

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if not (is_finite_number(self.min_distance) and self.min_distance >= 0):
            raise DataError(
                f"min_distance must be a number of deviations from 0, got {self.min_distance!r}; pass for example 0.1"
            )

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        register(cls, "kind", _KINDS)
        if "utilities" in cls.__dict__:
            inherit_sections(Sampler.utilities)(cls.utilities)

    @abstractmethod
    def utilities(self, pool: Pool, rng: np.random.Generator) -> FloatArray:
        """How useful a label of each candidate of the pool would be.

        Parameters
        ----------
        pool : Pool
            The documents, the labels so far and the fitted ranker.
        rng : numpy.random.Generator
            For what is left to chance; `pool.random_numbers(rng)` does not depend on the order of the rows.

        Returns
        -------
        ndarray of float64, shape (n_candidates,)
            One number per candidate, the higher the sooner to be labelled.
        """

    def select(self, pool: Pool, per_query: int = 5, random_state: int = 0) -> IntArray:
        """Rows to be labelled next: the most useful candidates of each query.

        Parameters
        ----------
        pool : Pool
            The documents, the labels so far and the fitted ranker.
        per_query : int, default=5
            Documents to choose per query; a query with fewer candidates gives all it has.
        random_state : int, default=0
            Seed of what is left to chance, such as the order of equal utilities.

        Returns
        -------
        ndarray of int64
            Rows of the pool's data, by query, the most useful first.

        Raises
        ------
        DataError
            If a parameter is wrong, or `utilities` does not return one number per candidate.

        Examples
        --------
        >>> from rankwise.rankers import RankSVM
        >>> from rankwise.sampling import Pool, TopRanked
        >>> X, y, qid = [[0.0], [1.0], [2.0], [3.0], [0.5]], [0, 1, -1, -1, -1], [1, 1, 1, 1, 2]
        >>> TopRanked().select(Pool.from_arrays(X, y, qid, RankSVM().fit(X[:2], y[:2])), per_query=1)
        array([3, 4])
        """
        check_count("per_query", per_query, 1, example=5)
        try:
            rng = np.random.default_rng(random_state)
        except (TypeError, ValueError):
            raise DataError(
                f"random_state must be a whole number from 0, got {random_state!r}; pass for example 0"
            ) from None
        utilities = np.asarray(self.utilities(pool, rng), dtype=np.float64)
        name = type(self).__name__
        if utilities.shape != pool.candidates.shape:
            raise DataError(
                f"{name}.utilities must return one number per candidate, got shape {utilities.shape} for "
                f"{pool.candidates.size}"
            )
        if np.isnan(utilities).any():
            raise DataError(f"{name}.utilities must return numbers, got NaN; return a number for every candidate")
        if self.min_distance > 0:
            order = skip_near_duplicates(pool, pool.descending(utilities, rng), int(per_query), self.min_distance)
            return pool.candidates[pool.first_per_query(order, int(per_query))]
        return pool.candidates[pool.best_per_query(utilities, int(per_query), rng)]


MAX_COUNT = 10**9


def check_count(name: str, value: object, minimum: int, example: int) -> None:
    """Refuse what is not a whole number from `minimum` on."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not minimum <= value <= MAX_COUNT:
        raise DataError(
            f"{name} must be a whole number from {minimum} to {MAX_COUNT}, got {value!r:.100}; "
            f"pass for example {example}"
        )


def sampler_kinds() -> dict[str, type[Sampler]]:
    """Every sampler class by its text name.

    Returns
    -------
    dict of str to type
        The classes, sorted by name; those of users that have a `kind` included.

    Examples
    --------
    >>> from rankwise.sampling import sampler_kinds
    >>> sampler_kinds()["top"].__name__
    'TopRanked'
    """
    return dict(sorted(_KINDS.items()))


def get_sampler(sampler: str | Sampler) -> Sampler:
    """A sampler by its text name, with default parameters.

    Parameters
    ----------
    sampler : str or Sampler
        The name; a sampler is returned as it is.

    Returns
    -------
    Sampler
        The sampler.

    Raises
    ------
    DataError
        If no sampler has this name.

    Examples
    --------
    >>> from rankwise.sampling import get_sampler
    >>> get_sampler("lossmin")
    LossMin(min_distance=0.0, trade_off=0.6, thresholds=None)
    """
    if isinstance(sampler, Sampler):
        return sampler
    if not isinstance(sampler, str) or sampler not in _KINDS:
        raise DataError(
            f"there is no sampler {sampler!r:.60}, known are {', '.join(sampler_kinds())}; name one of these"
        )
    return _KINDS[sampler]()
