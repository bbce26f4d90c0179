"""`--label --positive --qid --drop --no-header`: tables whose columns have other names, in every command that reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rankwise.cli.support._reading import ReadOptions
from rankwise.data import RankingData, read
from rankwise.errors import DataError
from rankwise.models import save
from rankwise.rankers import MarginRanker, RankSVM
from tests.cli.conftest import Run

OPTIONS = ("--label", "income", "--positive", ">50K", "--qid", "town", "--drop", "id", "--drop", "note")
BY_PLACE = ("--no-header", "--label", "3", "--positive", ">50K", "--qid", "2", "--drop", "1", "--drop", "6")
RANKER = ("--set", "n_estimators=5")


@pytest.fixture(autouse=True)
def tables(folder: Path) -> None:
    """The same rows as a table with names of its own, as one without a header, and as one with the usual names."""
    rng = np.random.default_rng(0)
    lines, plain = [], []
    for row in range(120):
        age, hours = rng.normal(size=2).round(3).tolist()
        label = int(age + hours + rng.normal() > 0)
        lines.append(f"{row},{row // 12},{'>50K' if label else '<=50K'},{age},{hours},text {row}")
        plain.append(f"{row // 12},{label},{age},{hours}")
    Path("t.csv").write_text("\n".join(["id,town,income,age,hours,note", *lines]) + "\n")
    Path("bare.csv").write_text("\n".join(lines) + "\n")
    Path("plain.csv").write_text("\n".join(["qid,label,age,hours", *plain]) + "\n")


def run_json(run: Run, *arguments: str) -> dict[str, object]:
    result = run(*arguments, "--json")
    assert result.exit_code in (0, 3), result.output
    parsed: dict[str, object] = json.loads(result.stdout)
    return parsed


@pytest.mark.parametrize(
    "command",
    [
        "train {} -o out.rw",
        "train test.txt --valid {} -o out.rw",
        "train {} --objective f1 --model linear -o out.rw",
        "predict m.rw {}",
        "predict m.rw {} --trec-run",
        "eval {} --feature 1",
        "compare {} --scores model.txt --scores old.txt",
        "certify m.rw {} --objective p@r=0.5",
        "explain m.rw {} --query 1",
        "export m.rw --to onnx -o out.onnx --check {}",
        "info margin.rw --verify {}",
        "simulate {} --test test.txt",
        "label {} --db labels.db --no-open",
        "data stats {}",
        "data convert {} out.txt",
        "data split {} --out parts",
        "data normalize {} out.txt",
        "data make clicks out.txt --judged {} --scores model.txt",
    ],
)
def test_every_command_that_reads_passes_the_options_on(
    run: Run, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = read("test.txt")
    save(RankSVM().fit(data), "m.rw")
    if "margin.rw" in command:
        save(MarginRanker(epsilon=0.9).fit(data), "margin.rw")

    def read_only_tables(*paths: Path, **options: object) -> RankingData:
        if paths != (Path("t.csv"),):
            return data
        raise DataError(json.dumps(options))

    monkeypatch.setattr("rankwise.data.read", read_only_tables)
    for given, expected in (
        (OPTIONS, {"label": "income", "positive": ">50K", "qid": "town", "drop": ["id", "note"]}),
        (("--no-header", "--skip-bad"), {"header": False, "skip_bad": True}),
        ((), {}),
    ):
        result = run(*command.format("t.csv").split(), *given)
        assert result.exit_code == 2, result.output
        assert json.loads(result.stderr.removeprefix("rankwise: ")) == expected


def test_options_say_which_columns_are_what() -> None:
    options = ReadOptions(label="income", positive=">50K", qid="town", drop=["id", "note"])
    table, plain = options.read([Path("t.csv")]), read("plain.csv")
    assert table.feature_names == plain.feature_names == ["age", "hours"]
    assert np.array_equal(table.y, plain.y)
    assert np.array_equal(table.X, plain.X)
    assert table.groups.sizes.tolist() == plain.groups.sizes.tolist()


@pytest.mark.parametrize("file", ["t.csv", "bare.csv"])
def test_commands_read_the_same_rows(run: Run, file: str) -> None:
    options = OPTIONS if file == "t.csv" else BY_PLACE
    stats = run_json(run, "data", "stats", file, *options)
    assert stats == run_json(run, "data", "stats", "plain.csv")
    for command in (("convert",), ("normalize",)):
        for source, name in ((file, "a.txt"), ("plain.csv", "b.txt")):
            assert run("data", *command, source, name, *(options if source == file else ())).exit_code == 0
        assert Path("a.txt").read_text() == Path("b.txt").read_text()
    assert run("data", "split", file, "--out", "parts", *options).exit_code == 0
    assert len(read("parts/train.txt")) == 72


@pytest.mark.slow
def test_models_are_trained_applied_and_evaluated(run: Run) -> None:
    for file, options, model in (("t.csv", OPTIONS, "a.rw"), ("plain.csv", (), "b.rw")):
        result = run("train", file, "--valid", file, "-o", model, *RANKER, *options)
        assert result.exit_code == 0, result.output
        assert run("predict", model, file, "-o", f"{model}.txt", *options).exit_code == 0
    assert Path("a.rw").read_bytes() == Path("b.rw").read_bytes()
    assert Path("a.rw.txt").read_text() == Path("b.rw.txt").read_text()
    for command in (
        ("eval", "--scores", "a.rw.txt"),
        ("compare", "--scores", "a.rw.txt", "--scores", "other=b.rw.txt"),
    ):
        name, *arguments = command
        assert run_json(run, name, "t.csv", *arguments, *OPTIONS) == run_json(run, name, "plain.csv", *arguments)
    for name, arguments in (("explain", ("--query", "3")), ("certify", ("--objective", "p@r=0.5"))):  # type: ignore[assignment]
        got = run_json(run, name, "a.rw", "t.csv", *arguments, *OPTIONS)
        assert got == run_json(run, name, "a.rw", "plain.csv", *arguments)
    checked = run_json(run, "export", "a.rw", "--to", "lightgbm", "-o", "a.txt", "--check", "t.csv", *OPTIONS)
    assert checked["check"]["agrees"]  # type: ignore[index]


@pytest.mark.slow
def test_classifiers_certificates_and_simulations(run: Run) -> None:
    rate = ("train", "t.csv", "--objective", "p@r=0.5", "--model", "linear", "-o", "rate.rw", *OPTIONS)
    assert run(*rate).exit_code == 0
    assert run("train", "t.csv", "--model", "margin", "--set", "epsilon=0.9", "-o", "m.rw", *OPTIONS).exit_code == 0
    assert run("info", "m.rw", "--verify", "t.csv", *OPTIONS).exit_code == 0
    simulated = run(
        *("simulate", "t.csv", "--test", "t.csv", "--samplers", "random", "--rounds", "1", "--per-query", "1"),
        *("--seeds", "1", "--start", "1,1", "--jobs", "1", *OPTIONS),
    )
    assert simulated.exit_code == 0, simulated.output


def test_parquet_with_other_names_is_read_into_memory(run: Run) -> None:
    import pyarrow.csv
    from pyarrow import parquet

    parquet.write_table(pyarrow.csv.read_csv("t.csv"), "t.parquet")
    assert run("train", "t.parquet", "-o", "a.rw", *RANKER, *OPTIONS).exit_code == 0
    assert run("train", "plain.csv", "-o", "b.rw", *RANKER).exit_code == 0
    assert Path("a.rw").read_bytes() == Path("b.rw").read_bytes()
    refused = run("train", "t.parquet", "-o", "c.rw", "--dask", "local:2", *OPTIONS)
    assert (refused.exit_code, "usual names" in refused.stderr) == (2, True)


def test_a_column_that_is_not_there(run: Run) -> None:
    result = run("data", "stats", "t.csv", "--label", "wages")
    assert result.exit_code == 2
    assert "wages" in result.stderr
