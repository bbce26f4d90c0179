"""Every sampler through every check, and deliberately wrong samplers that fail those meant for them, and no others."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from rankwise.checks import check_sampler, sampler_checks
from rankwise.errors import DataError
from rankwise.sampling import Pool, Sampler, get_sampler, sampler_kinds

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "random": [{}, {"min_distance": 0.5}],
    "top": [{}, {"min_distance": 0.5}],
    "lossmin": [{}, {"trade_off": 0.3, "min_distance": 0.5}],
    "uncertain": [{}, {"min_distance": 1000.0}],
    "entropy": [{}, {"min_distance": 0.5}],
    "contested": [{}, {"first": 0, "depth": 0}, {"first": 1, "folds": 20, "min_distance": 0.5}],
    "diverse": [{}, {"folds": 2, "min_distance": 0.5}, {"folds": 20}],
    "change": [
        {},
        {"metric": "auc", "n_draws": 2, "min_distance": 0.5},
        {"metric": "map"},
        {"metric": "err@5", "n_draws": 1},
    ],
    "lookahead": [{}, {"first": 1, "min_distance": 0.5}, {"first": 100, "among": 200}],
}
CASES = [
    pytest.param(kind, number, check, id=f"{kind}-{number}-{check.__name__}")
    for kind, settings in SETTINGS.items()
    for number in range(len(settings))
    for check in sampler_checks()
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "number", "check"), CASES)
def test_contract(kind: str, number: int, check: Callable[[Any], None]) -> None:
    check(sampler_kinds()[kind](**SETTINGS[kind][number]))


def test_every_shipped_kind_is_checked() -> None:
    shipped = {kind for kind, cls in sampler_kinds().items() if cls.__module__.startswith("rankwise.")}
    assert shipped == set(SETTINGS)


def test_samplers_are_known_by_name() -> None:
    for kind, cls in sampler_kinds().items():
        assert get_sampler(kind) == cls()
        assert get_sampler(cls(min_distance=0.5)) == cls(min_distance=0.5)
    with pytest.raises(DataError, match=r"there is no sampler 'best', known are change, .*; name one of these"):
        get_sampler("best")


@dataclass(frozen=True)
class Right(Sampler):
    """The documents whose scores are nearest to the highest but `skip`, counted in gaps between neighbours."""

    skip: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.skip, int) or self.skip < 0:
            raise DataError(f"skip must be a whole number from 0, got {self.skip!r}")

    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        order = pool.ascending
        return -np.abs(order.by_candidate(order.ranks) - np.diff(order.offsets)[order.query] + self.skip)


class GivesNaN(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        found = super().utilities(pool, rng)
        return np.where(np.arange(found.size) == 5, np.nan, found)

    def select(self, pool: Pool, per_query: int = 5, random_state: int = 0) -> Any:
        return Right().select(pool, per_query, random_state)


class GivesOneColumn(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return super().utilities(pool, rng)[:, None]


class GivesWholeNumbers(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return (2 * super().utilities(pool, rng)).astype(int)


class Rewrites(Right):
    """What the base chooses, rewritten by `change`."""

    def select(self, pool: Pool, per_query: int = 5, random_state: int = 0) -> Any:
        return self.change(pool, super().select(pool, per_query, random_state))

    def change(self, pool: Pool, rows: Any) -> Any:
        return rows


class ChoosesLabelled(Rewrites):
    def change(self, pool: Pool, rows: Any) -> Any:
        return np.append(rows[:-1], pool.labelled[:1]) if rows.size == 24 else rows


class ChoosesTwice(Rewrites):
    def change(self, pool: Pool, rows: Any) -> Any:
        return np.append(rows[:-1], rows[:1]) if rows.size == 24 else rows


class ChoosesTooFew(Rewrites):
    def change(self, pool: Pool, rows: Any) -> Any:
        return rows[:-1] if rows.size == 8 else rows


class ChoosesClosed(Right):
    def select(self, pool: Pool, per_query: int = 5, random_state: int = 0) -> Any:
        return super().select(Pool(pool.data, pool.y, pool.ranker), per_query, random_state)


class GivesFloats(Rewrites):
    def change(self, pool: Pool, rows: Any) -> Any:
        return rows.astype(float) if rows.size == 56 else rows


class WorstFirst(Rewrites):
    def change(self, pool: Pool, rows: Any) -> Any:
        query = pool.data.groups.query_of_row()[rows]
        return rows[np.lexsort((-np.arange(rows.size), query))]


class ChoosesTheWorst(Right):
    def select(self, pool: Pool, per_query: int = 5, random_state: int = 0) -> Any:
        return Right(skip=4).select(pool, per_query, random_state)


class ForgetsTheSeed(Right):
    def select(self, pool: Pool, per_query: int = 5, random_state: int = 0) -> Any:
        super().select(pool, per_query, random_state)
        return super().select(pool, per_query, 0)


class DrawsWithoutSeed(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return np.random.default_rng().random(pool.candidates.size)


class ChangesLabels(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        pool.y[pool.labelled] = 0
        return super().utilities(pool, rng)


class ChangesTheRanker(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        found = super().utilities(pool, rng)
        if hasattr(pool.ranker, "weights_"):
            pool.ranker.weights_ = 2 * pool.ranker.weights_
        return found


class ReadsRowNumbers(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return pool.candidates.astype(float)


class DrawsByPlace(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return rng.random(pool.candidates.size)


class ReadsQueryNames(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        sign = 1 if str(max(pool.data.qid)) < "8" else -1
        return sign * super().utilities(pool, rng)


class ReadsScores(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return -np.abs(pool.scores)


class ReadsDenseFeatures(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return super().utilities(pool, rng) * (1 + 0 * np.isnan(pool.data.X[pool.candidates]).any(axis=1))


class TakesSparseForOthers(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return (-1 if pool.data.is_sparse else 1) * super().utilities(pool, rng)


class NeedsTwoCandidates(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        found = super().utilities(pool, rng)
        return np.where(np.diff(pool.offsets)[pool.query] == 1, np.nan, found)


class NeedsDifferentScores(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        if pool.scores.std() == 0 and pool.data.X.std() > 0:
            raise ZeroDivisionError
        return super().utilities(pool, rng)


class NeedsCandidates(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return super().utilities(pool, rng) + 0 * pool.scores.max()


class NeedsLabels(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return super().utilities(pool, rng) + 0 * pool.y[pool.labelled].max()


class NeedsWeights(Right):
    def utilities(self, pool: Pool, rng: np.random.Generator) -> Any:
        return super().utilities(pool, rng) + 0 * pool.ranker.weights_[0]


class EqualsNothing(Right):
    __hash__ = Right.__hash__

    def __eq__(self, other: object) -> bool:
        return False


class EqualsEverything(Right):
    __hash__ = Right.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualsEverything)


class ShowsNoSettings(Right):
    def __repr__(self) -> str:
        return "<a sampler>"


@dataclass(frozen=True)
class TrustsSettings(Right):
    def __post_init__(self) -> None:
        pass


@dataclass(frozen=True)
class TalksTooMuch(Right):
    def __post_init__(self) -> None:
        try:
            super().__post_init__()
        except DataError as problem:
            raise DataError("This is wrong. Try another.") from problem


class TakesHalfDocuments(Right):
    def select(self, pool: Pool, per_query: Any = 5, random_state: int = 0) -> Any:
        return super().select(pool, int(per_query) if isinstance(per_query, float) else per_query, random_state)


WRONG: dict[type[Sampler], str] = {
    Right: "",
    EqualsNothing: "check_value",
    EqualsEverything: "check_value",
    ShowsNoSettings: "check_value",
    TrustsSettings: "check_settings",
    TalksTooMuch: "check_settings",
    TakesHalfDocuments: "check_settings",
    GivesNaN: "check_utilities check_best_first",
    GivesWholeNumbers: "check_utilities check_best_first",
    ChoosesTooFew: "check_select check_seed",
    GivesFloats: "check_select",
    WorstFirst: "check_best_first",
    ChoosesTheWorst: "check_best_first",
    ForgetsTheSeed: "check_seed",
    DrawsByPlace: "check_row_order",
    ReadsRowNumbers: "check_seed check_row_order",
    ChangesLabels: "check_untouched",
    ChangesTheRanker: "check_untouched",
    ReadsQueryNames: "check_query_names",
    ReadsScores: "check_added_scores",
    ReadsDenseFeatures: "check_utilities check_edge_cases",
    TakesSparseForOthers: "check_edge_cases",
    NeedsTwoCandidates: "check_utilities check_edge_cases",
    NeedsDifferentScores: "check_utilities check_edge_cases",
    NeedsCandidates: "check_utilities check_edge_cases",
    NeedsLabels: "check_utilities check_edge_cases",
    NeedsWeights: "check_rankers",
}
ALWAYS_WRONG: dict[type[Sampler], str] = {  # nothing that needs a right choice of rows can pass
    GivesOneColumn: "check_utilities",
    ChoosesLabelled: "check_select",
    ChoosesTwice: "check_select",
    ChoosesClosed: "check_select",
    DrawsWithoutSeed: "check_seed",
}


def failures(sampler: Sampler) -> dict[str, str]:
    said = {}
    for check in sampler_checks():
        try:
            check(sampler)
        except AssertionError as problem:
            said[check.__name__] = str(problem)
    return said


@pytest.mark.parametrize("wrong", WRONG, ids=lambda cls: cls.__name__)
def test_a_wrong_sampler_fails_the_checks_meant_for_it(wrong: type[Sampler]) -> None:
    said = failures(wrong())
    assert list(said) == WRONG[wrong].split(), said
    assert all(wrong.__name__ in sentence for sentence in said.values())
    with pytest.raises(AssertionError, match=wrong.__name__) if said else nullcontext():
        check_sampler(wrong())


@pytest.mark.parametrize("wrong", ALWAYS_WRONG, ids=lambda cls: cls.__name__)
def test_a_sampler_that_is_always_wrong_fails_at_least_the_check_meant_for_it(wrong: type[Sampler]) -> None:
    said = failures(wrong())
    assert ALWAYS_WRONG[wrong] in said
    assert all(wrong.__name__ in sentence for sentence in said.values())


def test_only_samplers_are_checked() -> None:
    with pytest.raises(AssertionError, match="takes a sampler of rankwise, got str"):
        check_sampler("lossmin")  # type: ignore[arg-type]
