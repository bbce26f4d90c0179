"""Files of data that are wrong, by the thousand: read by the library and by the command line.

    python benchmarks/fuzz_inputs.py [--files 50000] [--first 0]

LETOR and LightGBM text, CSV, TSV, Parquet, Arrow, TREC files, packed ones, scores, texts for labelling, checkpoints,
label stores and names of metrics. Each is read or refused by an error of the package: none may kill the process, take
over five CPU seconds or two gigabytes, or raise anything else. Results: results/fuzz_inputs.json.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a forked process must not inherit threads
os.environ.setdefault("RANKWISE_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import rankwise as rw
from benchmarks import fuzz_input_mutations as made
from benchmarks.fuzz_batches import CPU_SECONDS, MEMORY_BYTES, Tally, run
from rankwise.cli.support._scores import read_scores
from rankwise.data import RankingData
from rankwise.data.io._qrels import read_qrels
from rankwise.errors import RankwiseError
from rankwise.labels import LabelStore, read_texts
from rankwise.metrics import parse
from rankwise.rankers import _checkpoint
from rankwise.rankers._checkpoint import read_checkpoint
from rankwise.rankers.trees._training import TrainingState

BAD = ("killed by a signal", "hang", "exit", "raw exception")
ROWS = RankingData(
    np.zeros((12, 1)), np.arange(12) % 3, [f"q{row // 4}" for row in range(12)], [f"d{row}" for row in range(12)]
)
CLI_SHARE = 0.1  # of the files also go through a command


class Exit70Error(Exception):
    """A command that takes a bad file for a mistake of its own."""


def command(*arguments: str) -> None:
    """A command of rankwise, in this process."""
    from rankwise.cli import app

    output = io.StringIO()
    try:
        with redirect_stdout(output), redirect_stderr(output):
            app([*arguments], prog_name="rankwise")
    except SystemExit as end:
        if end.code == 70 or "Traceback" in output.getvalue():
            raise Exit70Error(output.getvalue()[-300:]) from None


class Inputs:
    """What each kind of input is, in a folder of its own."""

    def __init__(self, folder: Path, bombs: bool = True) -> None:
        self.folder = folder
        data = rw.data.cubic(queries=6, documents=6, features=3, seed=0)
        self.checkpoint = folder / "seed.npz"
        stop = iter([False, False, True])

        def interrupt(*_: object) -> None:
            if next(stop, True):
                raise KeyboardInterrupt

        usual, _checkpoint.CHECKPOINT_SECONDS = _checkpoint.CHECKPOINT_SECONDS, 0.0
        rw.LambdaMART(n_estimators=5, num_leaves=3, min_child_samples=3, random_state=0, n_jobs=1).fit(
            data, checkpoint=self.checkpoint, callbacks=[interrupt]
        )
        _checkpoint.CHECKPOINT_SECONDS = usual
        self.store = folder / "seed.labels"
        with LabelStore.create(self.store, ROWS, highest_grade=2) as store:
            for item in range(6):
                store.judge(item, item % 3, "ann")
            # The log is copied while it is there.
            self.log = Path(f"{self.store}-wal").read_bytes()
            self.pages = self.store.read_bytes()
        self.bombs = made.bombs() if bombs else {}
        self.kinds: dict[str, Callable[[random.Random], None]] = {
            "LETOR text": lambda rng: self.data(rng, made.letor, ".txt"),
            "LightGBM text with .query": self.lightgbm,
            "CSV": lambda rng: self.data(rng, made.table, ".csv"),
            "TSV": lambda rng: self.data(rng, lambda r: made.table(r, "\t"), ".tsv"),
            "Parquet": lambda rng: self.binary(rng, made.parquet_bytes, ".parquet"),
            "Arrow": lambda rng: self.binary(rng, made.arrow_bytes, rng.choice((".arrow", ".parquet", ".txt"))),
            "TREC": self.trec,
            "packed": self.packed,
            "scores": self.scores,
            "texts": self.texts,
            "checkpoint": self.damaged_checkpoint,
            "label store": self.label_store,
            "metric": self.metric,
        }
        self.kinds |= {f"bomb {name}": lambda rng, name=name: self.bomb(name) for name in self.bombs}

    def file(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def read(self, rng: random.Random, path: Path) -> None:
        options = {"skip_bad": rng.random() < 0.3}
        if path.suffix in (".csv", ".tsv") and rng.random() < 0.1:
            options["header"] = False
        try:
            rw.data.read(path, **options)
        finally:
            if rng.random() < CLI_SHARE:
                command("data", "stats", str(path))

    def data(self, rng: random.Random, grammar: Callable[[random.Random], str], ending: str) -> None:
        text = grammar(rng)
        if "\t" in text:
            content = made.mutated_text(text.replace("\t", ","), rng).replace(b",", b"\t")
        else:
            content = made.mutated_text(text, rng)
        self.read(rng, self.file(f"data{ending if rng.random() < 0.95 else '.txt'}", content))

    def lightgbm(self, rng: random.Random) -> None:
        path, beside = self.folder / "lgb.txt", self.folder / "lgb.txt.query"
        text, sizes = made.lightgbm(rng), made.query_sizes(rng)
        path.write_bytes(made.mutated_text(text, rng) if rng.random() < 0.4 else text.encode())
        beside.write_bytes(made.mutated_text(sizes, rng))
        if rng.random() < 0.2:  # sizes that wrap around 64 bits
            count = rng.choice((2**63 - 1, 2**62, 2**61, 10**18, 10**18 - 1))
            times = rng.choice((1, 2, 4, 8, 20))
            rest = (8 - count * times) % 2**64
            beside.write_text(
                f"{count}\n" * times
                + "".join(f"{size}\n" for size in (10**18 - 1,) * (rest // 10**18))
                + f"{rest % 10**18}\n"
            )
        self.read(rng, path)

    def binary(self, rng: random.Random, maker: Callable[[random.Random], bytes], ending: str) -> None:
        content = maker(rng)
        self.read(rng, self.file(f"data{ending}", made.mutated_bytes(content, rng) if rng.random() < 0.8 else content))

    def trec(self, rng: random.Random) -> None:
        judged, run = made.qrels(rng), made.trec_run(rng)
        paths = [
            self.file("a.qrels", made.mutated_text(judged, rng) if rng.random() < 0.6 else judged.encode()),
            self.file("a.run", made.mutated_text(run, rng) if rng.random() < 0.6 else run.encode()),
        ]
        if rng.random() < 0.3:
            read_qrels(paths[0])
        try:
            rw.data.read(*paths, skip_bad=rng.random() < 0.3)
        finally:
            if rng.random() < CLI_SHARE:
                command("eval", str(paths[0]), "--scores", str(paths[1]))

    def packed(self, rng: random.Random) -> None:
        text = rng.choice((made.letor, made.table, made.qrels))(rng)
        content, ending = made.packed(made.mutated_text(text, rng) if rng.random() < 0.3 else text.encode(), rng)
        self.read(rng, self.file(f"data{rng.choice(('.txt', '.csv'))}{ending}", content))

    def scores(self, rng: random.Random) -> None:
        maker = made.parquet_bytes if rng.random() < 0.15 else None
        content = maker(rng) if maker else made.mutated_text(made.scores(rng), rng)
        path = self.file(
            f"scores{rng.choice(('.txt', '.csv', '.csv', '.tsv', '.parquet' if maker else '.csv'))}", content
        )
        try:
            read_scores(path, ROWS, rng.random() < 0.3, [])
        finally:
            if rng.random() < CLI_SHARE:
                command("eval", str(self.file("sound.csv", made.table(rng).encode())), "--scores", str(path))

    def texts(self, rng: random.Random) -> None:
        content = made.mutated_text(made.texts(rng), rng)
        if rng.random() < 0.2:
            deep = rng.choice(
                (
                    "[" * 100_000,
                    '{"doc_id": ' + "[" * 20_000,
                    '{"doc_id": ' + "9" * 5000 + "}",
                    '{"qid": NaN}',
                    '{"a": "\\ud800"}',
                )
            )
            content += deep.encode() + b"\n"
        texts, query_texts = read_texts(self.file("docs.jsonl", content), ROWS)
        if rng.random() < 0.1:
            path = self.folder / "new.labels"
            for suffix in ("", "-wal", "-shm"):
                Path(f"{path}{suffix}").unlink(missing_ok=True)
            LabelStore.create(path, ROWS, texts=texts, query_texts=query_texts).close()

    def damaged_checkpoint(self, rng: random.Random) -> None:
        content = self.checkpoint.read_bytes()
        content = made.mutated_bytes(content, rng) if rng.random() < 0.5 else _with_header(content, rng)
        read_checkpoint(self.file("damaged.npz", content), TrainingState)

    def label_store(self, rng: random.Random) -> None:
        path = self.folder / "damaged.labels"
        pages, log = self.pages, self.log
        what = rng.randrange(4)
        if what == 0:
            log = log[: rng.randrange(len(log))]
        elif what == 1:
            log = made.mutated_bytes(log, rng)
        elif what == 2:
            pages = made.mutated_bytes(pages, rng)
        path.write_bytes(pages)
        Path(f"{path}-wal").write_bytes(log)
        Path(f"{path}-shm").unlink(missing_ok=True)
        if what == 3:
            _change_values(path, rng)
        with LabelStore.open(path) as store:
            store.data  # noqa: B018
            store.training_data()
            store.rounds()
            store.models()
            store.agreement()
            for item in range(2):
                store.item(item)
                store.history(item)
            store.judge(0, 1, "bob")

    def metric(self, rng: random.Random) -> None:
        text = rng.choice(made.METRICS)
        for _ in range(rng.choice((1, 2, 3))):
            at = rng.randrange(len(text) + 1)
            put = rng.choice([*made.ODD_WORDS[:40], "@", "[", "]", "*", "+", "=", ",", " "])[:6000]
            text = text[:at] + put + text[at + rng.choice((0, 1, 3)) :]
        metric = parse(text)
        rw.evaluate(ROWS, np.linspace(1.0, 0.0, 12), metric)

    def bomb(self, name: str) -> None:
        """A file below a megabyte; what it takes in memory is bounded by the process's limit."""
        rw.data.read(self.file(name, self.bombs[name]))


def _with_header(content: bytes, rng: random.Random) -> bytes:
    """A checkpoint whose JSON says something else, its checksum right."""
    from benchmarks.fuzz_model_mutations import _mutated_json, _mutated_trees

    with np.load(io.BytesIO(content)) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(arrays["header"].tobytes())
    if rng.random() < 0.5:
        header = _mutated_json(header, rng)
    else:
        rounds = header["state"]["bags"][0]["rounds"]
        rounds["trees"] = [_mutated_trees(tree, rng) for tree in rounds["trees"]]
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    file_ = io.BytesIO()
    np.savez(file_, **arrays)
    return file_.getvalue()


def _change_values(path: Path, rng: random.Random) -> None:
    """A value of a table that is another's, or the version of a later rankwise."""
    import sqlite3

    connection = sqlite3.connect(path)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    table = rng.choice(tables)
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    value = rng.choice((None, -1, 0, 2**62, 1.5, "", "x", "{", b"\x00\xff", "[1]", "é" * 50))
    try:
        if rng.random() < 0.15:
            connection.execute(f"PRAGMA user_version = {rng.choice((99, -1, 0))}")
        else:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute(f'UPDATE {table} SET "{rng.choice(columns)}" = ?', (value,))
        connection.commit()
    except sqlite3.Error:
        pass  # a constraint or a trigger holds
    connection.close()


def input_tries(inputs: Inputs) -> Callable[[int], tuple[str, str]]:
    """A try by its number; every thousandth is a bomb."""
    usual = [name for name in inputs.kinds if not name.startswith("bomb")]
    bombs = [name for name in inputs.kinds if name.startswith("bomb")]

    def attempt(number: int) -> tuple[str, str]:
        rng = random.Random(number)
        kind = bombs[number // 1000 % len(bombs)] if bombs and number % 1000 == 999 else usual[number % len(usual)]
        try:
            inputs.kinds[kind](rng)
        except RankwiseError:
            return kind.partition(" ")[0] if kind.startswith("bomb") else kind, "refused"
        return kind.partition(" ")[0] if kind.startswith("bomb") else kind, "accepted"

    return attempt


def fuzz(files: int, first: int = 0, quiet: bool = False) -> Tally:
    """The tally of so many files."""
    with TemporaryDirectory() as name, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        inputs = Inputs(Path(name))
        attempt = input_tries(inputs)
        for number in range(50):  # compiles what forked processes would each compile again
            with suppress(Exception):
                attempt(number)
        return run(attempt, files, first=first, quiet=quiet)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    start = time.process_time()
    tally = fuzz(options.files, options.first)
    from harness import machine, write

    times = os.times()
    for example in tally.examples:
        print(example)
    write(
        "fuzz_inputs",
        {
            "machine": machine(),
            "files": options.files,
            "first": options.first,
            "limits": {"cpu_seconds": CPU_SECONDS, "bytes": MEMORY_BYTES},
            "cpu_seconds": round(time.process_time() - start + times.children_user + times.children_system),
            "outcomes": {name: tally.outcomes.get(name, 0) for name in ("accepted", "refused", *BAD)},
            "by_format": {name: dict(outcomes) for name, outcomes in sorted(tally.by_kind.items())},
            "examples": tally.examples,
        },
    )


if __name__ == "__main__":
    main()
