"""The command for data that users own, on tiny folders laid out as each release is."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from benchmarks.papers import letor

NEW, OLD = ("train.txt", "vali.txt", "test.txt"), ("trainingset.txt", "validationset.txt", "testset.txt")
data, runs = letor.letor_data, letor.letor_runs
ALL = [release for releases in letor.RELEASES.values() for release in releases]


def text(first: int, queries: int, grades: int, documents: int = 20, features: int = 4) -> str:
    """LETOR text; the first feature says something about the grade, the last is 0 in every other file."""
    random = np.random.default_rng(first)
    lines = []
    for query in range(first, first + queries):
        for document in range(documents):
            grade = document % grades
            values = [grade + random.normal(), *random.normal(size=features - 2), float(first % 2)]
            cells = " ".join(f"{index}:{value:.6f}" for index, value in enumerate(values, 1) if value)
            lines.append(f"{grade} qid:{query} {cells} #docid = d{document}")
    return "\n".join(lines) + "\n"


def write_split(folder: Path, names: tuple[str, ...], grades: int, first: int = 1, queries: int = 3) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        (folder / name).write_text(text(first + 100 * number, queries, grades))


def write_folds(folder: Path, names: tuple[str, ...], grades: int) -> None:
    for fold in range(5):
        write_split(folder / f"Fold{fold + 1}", names, grades, first=1 + 1000 * fold)


def write_parts(folder: Path, grades: int) -> None:
    folder.mkdir(parents=True)
    for part in range(1, 6):
        (folder / f"S{part}.txt").write_text(text(10 * part + part % 2, 3, grades))


# Where the files of each release lie below the folder that is passed.
LAYOUTS: dict[str, Callable[[Path], None]] = {
    **{
        name: lambda root, name=name: write_folds(  # type: ignore[misc]
            root / "Gov" / "QueryLevelNorm" / f"{name[2:]}_{name[:2].lower()}_dataset", OLD, 2
        )
        for name in ("TD2003", "TD2004", "NP2003", "NP2004", "HP2003", "HP2004")
    },
    "OHSUMED": lambda root: write_folds(root / "OHSUMED" / "QueryLevelNorm", OLD, 3),
    "MQ2007": lambda root: write_folds(root / "MQ2007", NEW, 3),
    "MQ2008": lambda root: write_parts(root / "MQ2008", 3),
    "MSLR-WEB10K": lambda root: write_folds(root / "MSLR-WEB10K", NEW, 5),
    "MSLR-WEB30K": lambda root: write_folds(root / "MSLR-WEB30K", NEW, 5),
    "Yahoo V1": lambda root: write_split(root, ("set1.train.txt", "set1.valid.txt", "set1.test.txt"), 5),
    "Yahoo V2": lambda root: write_split(root, ("set2.train.txt", "set2.valid.txt", "set2.test.txt"), 5),
    "Istella": lambda root: write_split(root / "full", ("train.txt", "test.txt"), 5, queries=10),
    "Istella-S": lambda root: write_split(root / "sample", NEW, 5),
}


def test_every_release_has_a_layout() -> None:
    assert sorted(LAYOUTS) == sorted(release.name for release in ALL)


@pytest.mark.parametrize("release", ALL, ids=lambda release: release.name)
def test_a_release_is_found_and_read(release: Any, tmp_path: Path) -> None:
    LAYOUTS[release.name](tmp_path)
    folder = data.find(tmp_path, release)
    assert folder is not None
    assert [other.name for other in ALL if other is not release and data.find(tmp_path, other)] == []
    folds = list(data.folds(folder, release))
    split = release.name.startswith(("Yahoo", "Istella"))
    assert len(folds) == (1 if split else 5)
    for train, valid, test in folds:
        assert {part.n_features for part in (train, valid, test)} == {4}
        assert not {*train.qid} & {*valid.qid} | {*train.qid} & {*test.qid} | {*valid.qid} & {*test.qid}
    queries, rows, whole = data.counts(folder, release)
    assert (queries, rows, whole) == ((20 if release.name == "Istella" else 9 if split else 15), queries * 20, True)


def test_the_normalized_version_is_taken(tmp_path: Path) -> None:
    for version in ("Feature_null", "QueryLevelNorm"):
        write_folds(tmp_path / "OHSUMED" / version, OLD, 3)
    release = next(release for release in data.LETOR if release.name == "OHSUMED")
    assert data.find(tmp_path, release) == tmp_path / "OHSUMED" / "QueryLevelNorm"


def test_parts_make_the_published_folds(tmp_path: Path) -> None:
    """Fold 2 trains on S2 to S4, validates on S5 and tests on S1."""
    write_parts(tmp_path / "MQ2008", 3)
    train, valid, test = list(data.folds(tmp_path / "MQ2008", data.LETOR[-1]))[1]
    assert sorted({*train.qid // 10}) == [2, 3, 4]
    assert ({*valid.qid // 10}, {*test.qid // 10}) == ({5}, {1})


def test_counts_are_compared_with_the_published_ones(tmp_path: Path) -> None:
    release = data.LETOR[-1]
    assert "784 queries, 15,211 rows, as published" in data.check_counts(release, 784, 15_211, True)
    write_parts(tmp_path / "MQ2008", 3)
    with pytest.raises(SystemExit, match="MQ2008 must have 784 queries, got 15; unpack"):
        letor.main(["--letor", str(tmp_path), "--quick"])
    gov = data.LETOR[0]
    assert "no published number of rows" in data.check_counts(gov, 50, 1, True)
    assert data.counts(tmp_path / "MQ2008", release)[2]
    write_split(tmp_path / "MQ2007" / "Fold1", NEW, 3)
    assert not data.counts(tmp_path / "MQ2007", release)[2]


def test_real_counts_are_the_published_ones(shared_data: Path) -> None:
    release = data.LETOR[-1]
    folder = data.find(shared_data, release)
    assert folder == shared_data / "MQ2008"
    assert data.counts(folder, release) == (784, 15_211, True)


def test_nothing_to_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="must hold one of MSLR-WEB10K"):
        letor.main(["--mslr", str(tmp_path)])
    with pytest.raises(SystemExit, match="there must be a folder"):
        letor.main(["--yahoo", str(tmp_path / "nowhere")])
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "train.txt").write_text(text(1, 2, 2))
    with pytest.raises(SystemExit, match=r"must hold test\.txt or testset\.txt"):
        letor.main(["--istella", str(tmp_path), "--unchecked"])


def stub(calls: list[Any]) -> Any:
    def figure_3(*arguments: Any) -> list[dict[str, Any]]:
        calls.append(arguments)
        return [{"system": "one", "ndcg@10": 0.5, "interval": (0.4, 0.6), "curve": [0.1, 0.2, 0.3]}]

    return SimpleNamespace(figure_3=figure_3)


def test_graded_data_has_welleck_tables_and_mslr_figure_3(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    calls: list[Any] = []
    monkeypatch.setitem(sys.modules, "papers.burges_ndcg", stub(calls))
    LAYOUTS["MSLR-WEB10K"](tmp_path)
    letor.main(["--mslr", str(tmp_path), "--quick", "--unchecked"])
    ((train, valid, test, seeds, quick),) = calls
    assert all(isinstance(part, rw.RankingData) for part in (train, valid, test))
    assert (seeds, quick) == ((0,), True)
    printed = capsys.readouterr().out
    for line in (
        "MSLR-WEB10K, 1 folds",
        "auc[4]",
        "p-micro@10",
        "Burges 2006 figure 3, MSLR-WEB10K",
        "0.4000 0.6000",
        "0.1000 to 0.3000",
    ):
        assert line in printed


def test_binary_data_has_auc_and_donmez(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    calls: list[Any] = []
    monkeypatch.setitem(sys.modules, "papers.donmez", stub(calls))
    monkeypatch.setattr(runs.harness, "RESULTS", tmp_path / "results")
    quick_systems = runs.welleck.systems("auc", quick=True)
    monkeypatch.setattr(runs.welleck, "systems", lambda metric, quick: quick_systems)
    LAYOUTS["TD2003"](tmp_path)
    letor.main(["--letor", str(tmp_path), "--unchecked"])
    ((pairs, seeds, quick),) = calls
    assert ([len(pair) for pair in pairs], seeds, quick) == ([2] * 5, 3, False)
    assert all(isinstance(part, rw.RankingData) for pair in pairs for part in pair)
    printed = capsys.readouterr().out
    assert "published, the higher one: AUC LambdaMART, MAP LambdaMART" in printed
    found = json.loads((tmp_path / "results" / "welleck.json").read_text())["data"]["TD2003"]
    assert (found["metric"], found["queries"], found["folds"]) == ("auc", 15, 5)
    assert set(found["systems"]["LambdaMART-AUC"]["auc"]) == {"mean", "interval", "mean of folds"}
    kept = json.loads((tmp_path / "results" / "letor.json").read_text())
    assert kept["Donmez 2009 figure 3, TD2003"]["published"].startswith("MAP: LossMin ≫ Entropy")


def test_heads_on_logits(tmp_path: Path, capsys: Any) -> None:
    random = np.random.default_rng(0)
    for part in ("train", "valid", "test"):
        labels = random.integers(0, 4, 400)
        np.savez(tmp_path / f"{part}.npz", logits=np.eye(4)[labels] * 2 + random.normal(size=(400, 4)), labels=labels)
    letor.main(["--imagenet-logits", str(tmp_path), "--quick"])
    printed = capsys.readouterr().out
    for line in ("softmax, logits", "softmax, log odds", "head for AUCPR, seed 0", "AUCPR .822 by softmax"):
        assert line in printed
    np.savez(tmp_path / "test.npz", logits=np.zeros((3, 2)), labels=np.array([0, 1, 2]))
    with pytest.raises(SystemExit, match="a class from 0 for each image"):
        letor.main(["--imagenet-logits", str(tmp_path)])


def test_log_odds_are_those_of_softmax() -> None:
    logits = np.random.default_rng(1).normal(size=(5, 3)) * 4
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(letor.eban_imagenet.log_odds(logits), np.log(shares / (1 - shares)))
