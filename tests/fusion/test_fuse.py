"""Rank fusion against its definitions and against ranx."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankwise as rw
from rankwise.errors import DataError, MetricError
from tests.reference import fusion_by_definition as reference

DOCUMENTS = [f"d{i}" for i in range(6)]
run_of_query = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 3).map(float), min_size=1, max_size=5)
COMB = ["combsum", "combmnz", "combanz", "combmax", "combmin", "combmed"]


def same_scores(found: dict[str, float], expected: dict[str, float]) -> bool:
    return found.keys() == expected.keys() and all(abs(found[d] - expected[d]) < 1e-12 for d in expected)


@given(st.lists(st.tuples(run_of_query, run_of_query), min_size=2, max_size=3), st.sampled_from([0, 1, 60]))
@settings(max_examples=40, deadline=None)
def test_places_count_as_defined(runs: list[tuple[dict[str, float], ...]], k: int) -> None:
    tables = [{"q1": first, "q2": second} for first, second in runs]
    for method, of_query in (("rrf", lambda rows: reference.rrf(rows, k)), ("borda", reference.borda)):
        fused = rw.fuse(tables, method, k=k)  # type: ignore[call-overload]
        for query in ("q1", "q2"):
            assert same_scores(fused[query], of_query([table[query] for table in tables])), method


@pytest.mark.parametrize("normalize", ["min-max", "z-score", "rank", "none"])
@given(st.lists(run_of_query, min_size=2, max_size=3))
@settings(max_examples=30, deadline=None)
def test_scores_combine_as_defined(normalize: str, runs: list[dict[str, float]]) -> None:
    for method in COMB:
        values = [v for run in runs for v in reference.normalized(run, normalize).values()]
        if method == "combmnz" and min(values) < 0:
            with pytest.raises(DataError, match=r"combmnz multiplies scores .* 0 or more, got -"):
                rw.fuse([{"q": run} for run in runs], method, normalize=normalize)  # type: ignore[call-overload]
            continue
        fused = rw.fuse([{"q": run} for run in runs], method, normalize=normalize)  # type: ignore[call-overload]
        assert same_scores(fused["q"], reference.comb(runs, method, normalize)), method


def distinct_runs(queries: int, seed: int, everything: bool) -> list[dict[str, dict[str, float]]]:
    rng = np.random.default_rng(seed)
    runs: list[dict[str, dict[str, float]]] = [{}, {}, {}]
    for query in range(queries):
        for run in runs:
            size = 12 if everything else int(rng.integers(2, 10))
            documents = rng.choice(12, size, replace=False)
            scores = np.sort(rng.permutation(100)[:size])[::-1] / 7
            run[f"q{query}"] = {f"d{d}": float(s) for d, s in zip(documents, scores, strict=True)}
    return runs


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # ranx's own numba code warns
@pytest.mark.parametrize(
    ("theirs", "norm", "method", "normalize", "everything"),
    [
        ("rrf", None, "rrf", None, False),
        ("bordafuse", None, "borda", None, False),
        ("sum", "min-max", "combsum", "min-max", False),
        ("mnz", "min-max", "combmnz", "min-max", False),
        ("sum", "zmuv", "combsum", "z-score", True),  # ranx gives 0, an average score, for documents not retrieved
    ],
)
def test_fused_scores_are_those_of_ranx(
    theirs: str, norm: str | None, method: Any, normalize: Any, everything: bool
) -> None:
    from tests.reference.interpreted_ranx import interpreted, ranx

    runs = distinct_runs(8, seed=0, everything=everything)
    with interpreted():
        expected = ranx.fuse([ranx.Run(run) for run in runs], norm=norm, method=theirs).to_dict()
    fused = rw.fuse(runs, method, normalize=normalize)
    assert fused.keys() == expected.keys()
    for query in fused:
        assert fused[query] == pytest.approx(expected[query], abs=1e-9)


def test_arrays_dictionaries_and_frames_give_the_same() -> None:
    runs = distinct_runs(4, seed=1, everything=False)
    named = dict(zip("abc", runs, strict=True))
    fused = rw.fuse(named, "combsum", weights={"c": 0.5, "a": 1, "b": 2})
    keys = [(query, document) for query in fused for document in fused[query]]
    mixed = [keys[at] for at in np.random.default_rng(0).permutation(len(keys))]
    arrays = [[run[q].get(d, -np.inf) for q, d in mixed] for run in runs]
    rows = rw.fuse(arrays, "combsum", qid=[q for q, _ in mixed], weights=[1, 2, 0.5])
    assert rows.tolist() == [fused[q][d] for q, d in mixed]
    frames = [
        pd.DataFrame([(q, d, s) for q in run for d, s in run[q].items()], columns=["qid", "docno", "score"])
        for run in runs
    ]
    assert rw.fuse(frames, "combsum", weights=[1, 2, 0.5]) == fused


def test_the_run_is_best_first_and_ties_by_falling_id() -> None:
    fused = rw.fuse([{"q": {"a": 2, "b": 1, "c": 0}}, {"q": {"b": 2, "a": 1, "c": 0}}])
    assert list(fused["q"]) == ["b", "a", "c"]
    assert fused["q"]["a"] == fused["q"]["b"]


def test_the_same_places_in_other_runs_tie_to_the_last_bit() -> None:
    ranks = [{"x": 3.0, "y": 2.0, "z": 1.0}, {"y": 3.0, "z": 2.0, "x": 1.0}, {"z": 3.0, "x": 2.0, "y": 1.0}]
    for method in ("rrf", "borda", "combsum"):
        fused = rw.fuse([{"q": run} for run in ranks], method)
        assert len(set(fused["q"].values())) == 1, method


def test_a_query_that_one_run_lacks_and_rows_that_none_retrieved() -> None:
    fused = rw.fuse([{"q1": {"a": 1}, "q2": {"b": 5}}, {"q1": {"a": 2, "c": 1}}])
    assert fused == {"q1": {"a": 2 / 61, "c": 1 / 62}, "q2": {"b": 1 / 61}}
    assert rw.fuse([[1, -np.inf, 2], [3, -np.inf, 1]]).tolist() == [1 / 61 + 1 / 62, -np.inf, 1 / 61 + 1 / 62]


def test_huge_scores_do_not_overflow() -> None:
    for normalize in ("min-max", "z-score"):
        fused = rw.fuse([[1.7e308, -1.7e308, 0.0], [1.0, 2.0, 3.0]], "combsum", normalize=normalize)
        assert np.isfinite(fused).all()


TWO: list[Any] = [[1, 2], [2, 1]]


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ([[1, 2]], {}, "two or more runs to fuse, got run 1"),
        ({}, {}, "two or more runs to fuse, got none"),
        ([[1, 2], [1, 2, 3]], {}, "same rows, got 2 scores of run 1 and 3 of run 2"),
        ([{"q": {"a": 1}}, [1]], {}, "run 2 must be a dictionary"),
        ([{"q": {"a": 1}}, {"q": {"a": 1}}], {"qid": [1]}, "name their queries too"),
        ([{"q": {}}, {"q": {}}], {}, "no documents to fuse"),
        (TWO, {"method": "rrf", "normalize": "rank"}, "rrf sees the places of documents alone"),
        (TWO, {"method": "combmax", "weights": [1, 2]}, "weights are for rrf, borda, combsum"),
        (TWO, {"weights": [1]}, "a weight for each of 2 runs, got 1"),
        (TWO, {"weights": [0, 0]}, "not all 0"),
        (TWO, {"weights": [1, -1]}, "0 or more"),
        (TWO, {"weights": {"a": 1}}, "weights must be for run 1, run 2, got a"),
        (TWO, {"k": -1}, "k must be a number from 0"),
        ([[1, np.nan], [1, 2]], {}, "scores of run 1 must be finite, got nan"),
    ],
)
def test_bad_input_gets_one_sentence(runs: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        rw.fuse(runs, **options)


@pytest.mark.parametrize("options", [{"method": "condorcet"}, {"method": "combsum", "normalize": "softmax"}])
def test_unknown_words_are_answered_by_the_known_ones(options: dict[str, Any]) -> None:
    with pytest.raises(MetricError, match=r"must be one of .*, got"):
        rw.fuse(TWO, **options)
