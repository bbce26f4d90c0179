"""Certificates: every number against its definition, the same from scratch, and a forged file is found out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from rankwise.errors import DataError
from rankwise.models import load, save
from rankwise.rankers import MarginRanker
from rankwise.rankers._pair_rows import pair_rows
from rankwise.rankers.pairs.margin._programs import METHODS
from tests.models.rewritten import read, write
from tests.objectives.margins.factories import KINDS, QueryData, make_data
from tests.rankers.pairs.margin.factories import fitted, noisy
from tests.reference import margin_lists as slow
from tests.reference import stumps_by_definition as stumps

NUMBERS = ("pairs", "rho", "share", "guaranteed", "value", "bound")
SETTINGS = [(method, hypotheses) for method in METHODS for hypotheses in ("features", "stumps")]


def assert_same(one, other, close=1e-9) -> None:
    for name in NUMBERS:
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=close), name
    assert np.allclose(one.margins, other.margins, rtol=0.0, atol=close)
    assert np.allclose(one.shares, other.shares, rtol=0.0, atol=close)


def fit_of(data: QueryData, **parameters) -> MarginRanker:
    return MarginRanker(**parameters).fit(data.H, data.y, qid=data.qid, sample_weight=data.weight)


def verify(model: MarginRanker, data: QueryData):
    return model.verify(data.H, data.y, qid=data.qid, sample_weight=data.weight)


def in_own_order(data: QueryData) -> QueryData:
    """Queries as the ranker orders them, so that its ν+ are of blocks in this order."""
    rows = pair_rows("", data.H, data.y, data.qid, data.weight, None)
    qid = np.repeat(np.arange(rows.offsets.size - 1), np.diff(rows.offsets))
    return QueryData(data.H[rows.order], rows.y, qid, rows.weight)  # type: ignore[arg-type]


def all_hypotheses(model: MarginRanker, rows: np.ndarray, data: QueryData) -> np.ndarray:
    """What the model could have combined, on these rows: stumps are those of the rows themselves."""
    if model.hypotheses == "features":
        scale: Any = model.scale_
        H = (rows - scale.middle) * scale.factor
    else:
        H = np.column_stack([stumps.side(rows[:, f], t) for f, t in stumps.all_stumps(data.H)])
    return np.hstack([H, -H])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("method", "hypotheses"), SETTINGS)
def test_verified_from_scratch_it_is_the_same(method, hypotheses, kind) -> None:
    """Whether it was solved or broken off; value and bound are those of an optimum that they enclose."""
    seed = 10 * list(KINDS).index(kind) + METHODS.index(method)
    data, epsilon = make_data(seed, **{**KINDS[kind], "shift": 1.0}), [0.05, 0.3, 0.8][seed % 3]
    for most in (1, 2, 1000):
        model = fit_of(data, method=method, hypotheses=hypotheses, epsilon=epsilon, max_iter=most)
        assert_same(verify(model, data), model.certificate_)
    assert model.certificate_.gap <= 1e-6


def _end(values, weights, mass):
    """The value at which the weight of the lowest reaches the mass."""
    order = np.argsort(values)
    return values[order][min(np.searchsorted(np.cumsum(weights[order]), mass), values.size - 1)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
def test_every_number_is_by_its_definition(method, kind) -> None:
    data, epsilon = in_own_order(make_data(3, **{**KINDS[kind], "shift": 1.0})), 0.2
    model = fit_of(data, method=method, epsilon=epsilon)
    told, scores, epsilon = model.certificate_, model.predict(data.H), model.epsilon_
    better, worse = slow.pairs_of(data.y, data.qid)
    margins, weights = 0.5 * (scores[better] - scores[worse]), data.weight[better] * data.weight[worse]

    def share(rho):
        return weights[margins >= rho - 1e-12].sum() / weights.sum()

    assert told.method == method
    assert told.pairs == pytest.approx(weights.sum())
    assert len(told.margins) == len(told.shares) == 101
    assert np.allclose(told.shares, [share(rho) for rho in told.margins])
    assert told.margins[0] == pytest.approx(-0.5 * np.ptp(scores))
    assert told.margins[-1] == pytest.approx(0.5 * np.ptp(scores))
    assert told.gap == told.bound - told.value
    assert told.holds
    rows = (data.y, data.qid, data.weight, epsilon)
    if method in ("pairs", "hard"):
        assert told.share == pytest.approx(share(told.rho))
        assert told.guaranteed == (1.0 if method == "hard" else 1.0 - epsilon)
        dual = slow.hard(scores[:, None], *rows[:2]) if method == "hard" else slow.over_pairs(scores[:, None], *rows)
        assert told.value == pytest.approx(dual.value, abs=1e-6)
        return
    assert told.value == pytest.approx(slow.over_rows(scores[:, None], *rows, model.nu_).value, abs=1e-8)
    guaranteed, rho, reached = 0.0, np.zeros(2), np.zeros(2)
    for nu, (first, second) in zip(model.nu_, slow.blocks_of(data.y, data.qid), strict=True):  # type: ignore[arg-type]
        of_first, of_second = data.weight[first], data.weight[second]
        p, n = of_first.sum(), of_second.sum()
        other = epsilon * p * n / nu
        guaranteed += (p - nu) * (n - other) / told.pairs
        for k, rounding in enumerate((-1e-6, 1e-6)):  # where ν is the weight of whole rows, ρ is between two of them
            gap = _end(scores[first], of_first, nu + rounding) + _end(-scores[second], of_second, other + rounding)
            rho[k] += 0.5 * gap * p * n / told.pairs
            apart = np.subtract.outer(scores[first], scores[second]) >= gap - 1e-12
            reached[k] += of_first @ apart @ of_second / told.pairs
    assert told.guaranteed == pytest.approx(guaranteed)
    assert rho[0] - 1e-9 <= told.rho <= rho[1] + 1e-9
    assert reached[1] - 1e-9 <= told.share <= reached[0] + 1e-9
    if method == "reduced":
        assert told.guaranteed == pytest.approx((1.0 - np.sqrt(epsilon)) ** 2)


@pytest.mark.parametrize("kind", ["one list", "queries, weights, ties", "grades"])
@pytest.mark.parametrize(("method", "hypotheses"), SETTINGS)
def test_on_other_rows_it_says_what_holds_of_those(method, hypotheses, kind) -> None:
    """The value is theirs, and the bound is one for them, however many queries and grades they have."""
    data, epsilon = make_data(5, **{**KINDS[kind], "shift": 1.0}), 0.3
    model = fit_of(data, method=method, hypotheses=hypotheses, epsilon=epsilon)
    for seed, other_kind in enumerate((kind, "queries", "queries and grades", "few rows")):
        other = in_own_order(make_data(20 + seed, **{**KINDS[other_kind], "shift": 1.0}))
        told = verify(model, other)
        assert any(getattr(told, name) != getattr(model.certificate_, name) for name in ("pairs", "value", "bound"))
        rows = (other.y, other.qid, other.weight, epsilon)
        scores, H = model.predict(other.H)[:, None], all_hypotheses(model, other.H, other)
        if method == "pairs":
            value, best = (slow.over_pairs(one, *rows).value for one in (scores, H))
        elif method == "hard":
            value, best = (slow.hard(one, *rows[:2]).value for one in (scores, H))
        elif method == "reduced":
            value, best = (slow.over_rows(one, *rows).value for one in (scores, H))
        else:  # ν+ within its limits where there are such blocks, else as in corollary 4
            p = np.array([other.weight[better].sum() for better, _ in slow.blocks_of(other.y, other.qid)])
            nu = np.clip(model.nu_, epsilon * p, p) if p.size == model.nu_.size else None  # type: ignore[arg-type, union-attr]
            value, best = (slow.over_rows(one, *rows, nu).value for one in (scores, H))
        assert told.value == pytest.approx(value, abs=1e-6)
        assert told.bound >= best - 1e-8
        assert told.holds


def test_only_fitted_models_are_verified() -> None:
    rows, y = noisy()
    with pytest.raises(NotFittedError):
        MarginRanker().verify(rows, y)
    with pytest.raises(DataError, match="no query has documents of different labels"):
        fitted().verify(rows, np.zeros(y.size))


def test_it_is_shown_as_a_table() -> None:
    told = str(fitted().certificate_)
    for words in ("pairs at rho or more", "guaranteed", "no combination exceeds", "duality gap"):
        assert words in told


# --- files made to deceive ---


def forged(model, path, change):
    save(model, path)
    manifest, members = read(path)
    change(manifest["summary"]["learned"])
    return load(write(path, manifest, members))


@pytest.mark.parametrize("name", ["rho", "share", "guaranteed", "value", "bound", "pairs"])
def test_a_forged_certificate_is_found_out(tmp_path, name) -> None:
    model = fitted()
    lie = forged(
        model, tmp_path / "m.rw", lambda told: told["certificate"].update({name: 0.9 * told["certificate"][name]})
    )
    assert getattr(lie.certificate_, name) != getattr(model.certificate_, name)
    assert_same(lie.verify(*noisy()), model.certificate_)


CUTS = {
    "one cut": lambda told: told.update(cuts=told["cuts"][:1]),
    "other shares": lambda told: [cut.update(share=0.3) for cut in told["cuts"]],
    "a smaller epsilon": lambda told: [cut.update(epsilon=1e-3) for cut in told["cuts"]],
    "no epsilon": lambda told: [cut.update(epsilon=0.0) for cut in told["cuts"]],
    "a larger epsilon": lambda told: [cut.update(epsilon=0.9) for cut in told["cuts"]],
    "another number": lambda told: [cut.update(number=7) for cut in told["cuts"]],
    "other places": lambda told: [cut.update(alpha=cut["alpha"][::-1]) for cut in told["cuts"]],
    "more blocks": lambda told: told.update(nu=[1.0, 2.0]),
    "a nu beyond all rows": lambda told: told.update(nu=[1e9]),
    "a nu of 0": lambda told: told.update(nu=[0.0]),
}


@pytest.mark.parametrize("case", CUTS)
@pytest.mark.parametrize("method", METHODS)
def test_whatever_a_file_says_the_bound_is_one(tmp_path, method, case) -> None:
    """The bound may be worse than the true one, never better."""
    rows, y = noisy()
    model = fitted(method=method)
    lie = forged(model, tmp_path / "m.rw", CUTS[case])
    told = lie.verify(rows, y)
    scale: Any = model.scale_
    H = (rows - scale.middle) * scale.factor
    data = (np.hstack([H, -H]), y, np.zeros(y.size))
    if method == "hard":
        best = slow.hard(*data).value
    elif method == "pairs":
        best = slow.over_pairs(*data, np.ones(y.size), 0.3).value
    else:
        p = np.array([y.sum()])
        given = lie.nu_ if lie.nu_.size == 1 else None
        nu = np.clip(given, 0.3 * p, p) if given is not None and method == "heuristic" else None
        best = slow.over_rows(*data, np.ones(y.size), 0.3, nu).value
    assert told.bound >= best - 1e-8
    assert told.value <= best + 1e-8
