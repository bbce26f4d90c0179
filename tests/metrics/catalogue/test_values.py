"""Every metric against its textbook definition, and against the libraries that people use."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

import rankwise as rw
from rankwise.metrics import metric_classes, parse
from tests.reference.metrics_by_definition import DISTINCT, TIE_AWARE

labels = st.lists(st.integers(0, 3).map(float), min_size=1, max_size=12)
BY_GRID = {name for name in TIE_AWARE if "[0" in name and ("aucpr" in name or "pauc" in name)}


@st.composite
def lists(draw: st.DrawFn, ties: bool) -> tuple[list[float], list[float]]:
    y = draw(labels)
    if ties:
        return y, draw(st.lists(st.integers(-3, 3).map(float), min_size=len(y), max_size=len(y)))
    return y, [float(x) for x in draw(st.permutations(range(len(y))))]


def same(found: float, expected: float, tolerance: float = 1e-12) -> bool:
    return (math.isnan(found) and math.isnan(expected)) or abs(found - expected) <= tolerance


@pytest.mark.parametrize("name", sorted(DISTINCT))
@given(example=lists(ties=False))
@settings(max_examples=60)
def test_value_is_the_definition(name: str, example: tuple[list[float], list[float]]) -> None:
    y, s = example
    assert same(rw.evaluate(y, s, metrics=[name])[name], DISTINCT[name](y, s))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TIE_AWARE))
@given(example=lists(ties=True))
@settings(max_examples=40)
def test_value_with_ties_is_the_definition(name: str, example: tuple[list[float], list[float]]) -> None:
    y, s = example
    tolerance = 2e-4 if name in BY_GRID else 1e-12  # the reference integrates on a grid
    assert same(rw.evaluate(y, s, metrics=[name])[name], TIE_AWARE[name](y, s), tolerance)


def test_every_metric_has_a_textbook_version() -> None:
    covered = {type(parse(name)) for name in [*DISTINCT, *TIE_AWARE]}
    assert {cls for cls in metric_classes() if cls.__module__.startswith("rankwise.")} == covered


@pytest.mark.slow
@given(lists(ties=True))
@settings(max_examples=100)
def test_agrees_with_scikit_learn(example: tuple[list[float], list[float]]) -> None:
    y, s = np.array(example[0]), np.array(example[1])
    relevant = (y > 0).astype(int)
    names = ["ndcg", "ndcg@3", "dcg@3", "map", "auc", "pauc[0,0.4]"]
    found = rw.evaluate(y, s, metrics=names, convention="sklearn")
    if len(y) > 1:
        assert same(found["ndcg"], sk.ndcg_score([y], [s]), 1e-9)
        assert same(found["ndcg@3"], sk.ndcg_score([y], [s], k=3), 1e-9)
        assert same(found["dcg@3"], sk.dcg_score([y], [s], k=3), 1e-9)
    if relevant.any():
        assert same(found["map"], sk.average_precision_score(relevant, s), 1e-12)
    if relevant.any() and not relevant.all():
        assert same(found["auc"], sk.roc_auc_score(relevant, s), 1e-12)
        # scikit-learn rescales the partial area (McClish): 1/2 (1 + (area − low)/(high − low))
        lowest, highest = 0.4**2 / 2, 0.4
        rescaled = 0.5 * (1 + (found["pauc[0,0.4]"] * 0.4 - lowest) / (highest - lowest))
        assert same(rescaled, sk.roc_auc_score(relevant, s, max_fpr=0.4), 1e-12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # ranx's own numba code warns
def test_agrees_with_ranx() -> None:
    from tests.reference.interpreted_ranx import interpreted, ranx

    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(40), 15)
    y = rng.integers(0, 4, qid.size)
    y[qid % 5 == 0] = np.minimum(y[qid % 5 == 0], 1)
    s = rng.permutation(qid.size).astype(float)
    ids = [f"d{i}" for i in range(qid.size)]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for q, d, label, score in zip(qid, ids, y, s, strict=True):
        run.setdefault(f"q{q}", {})[d] = float(score)
        if label > 0:
            qrels.setdefault(f"q{q}", {})[d] = int(label)
    theirs = {
        "map": "map",
        "map@5": "map@5",
        "mrr": "mrr",
        "precision@5": "p@5",
        "recall@5": "r@5",
        "ndcg_burges@10": "ndcg@10",
        "hit_rate@3": "success@3",
        "r-precision": "r-precision",
    }
    found = rw.evaluate(y, s, qid, list(theirs.values()))
    with interpreted():
        judged = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), list(theirs))
    for name, ours in theirs.items():
        assert found[ours] == pytest.approx(judged[name], abs=1e-9), name


def test_micro_and_macro_precision_coincide_as_printed() -> None:
    """Welleck 2016 (2) and (4): with the same k for every grade, pooling and averaging give one number."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(20), 8)
    y, s = rng.integers(0, 5, qid.size), rng.normal(size=qid.size)
    found = rw.evaluate(y, s, qid, "p-micro@5 p-macro@5")
    assert found["p-micro@5"] == found["p-macro@5"]
