"""Model files that are wrong in what they mean, by the thousand: loaded, scored, explained, exported, verified, saved.

    python benchmarks/fuzz_models.py [--files 100000] [--first 0]

Each file ends in an error of the package, or in a model that works: none may kill the process, take over five CPU
seconds or two gigabytes, or raise anything else. Results: results/fuzz_models.json.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # a forked process must not inherit threads
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import rankwise as rw
from benchmarks.fuzz_batches import CPU_SECONDS, MEMORY_BYTES, Tally, Try, run
from benchmarks.fuzz_model_mutations import mutated
from benchmarks.fuzz_model_seeds import TRAIN, write_seeds
from rankwise.errors import RankwiseError
from rankwise.models import info
from rankwise.models.export import FORMATS, export

BAD = ("killed by a signal", "hang", "exit", "raw exception")


def use(path: Path, rng: random.Random) -> None:
    """Load and score a model file, then all else that can be done with it; what fails must be an error of the package.

    A model that scores works, also where it is of a kind that a format cannot express or that has nothing to verify.
    """
    info(path)
    model = rw.load(path)
    rows = _rows(model)
    model.scores(rows)
    model.predict(rows)
    exported = path.with_suffix(rng.choice((".json", ".onnx")))  # vespa takes a kind of model by the suffix
    to = rng.choice([*FORMATS])
    tasks = [
        lambda: rw.save(model, path.with_suffix(".again")),
        lambda: export(model, exported, to=to),
        lambda: getattr(model, "feature_importances_", None),
        lambda: str(getattr(model, "certificate_", "")) + str(getattr(model, "leaderboard_", "")) + repr(model),
    ]
    if hasattr(model, "explain"):
        tasks.append(lambda: model.explain(rows, 0, 1))
    if hasattr(model, "predict_proba"):
        tasks.append(lambda: model.predict_proba(rows))
    if hasattr(model, "verify") and model.n_features_in_ == TRAIN.X.shape[1]:
        tasks.append(lambda: model.verify(TRAIN.X, (TRAIN.y > np.median(TRAIN.y)) * 1.0))
    for task in tasks:
        with suppress(RankwiseError):
            task()


def _rows(model: Any) -> Any:
    columns = model.n_features_in_
    rows = np.resize(VALUES, (3, columns)) if columns <= 10**5 else np.zeros((2, columns), dtype=np.float32)
    if getattr(model, "feature_names_in_", None) is None:
        return rows
    import pandas as pd

    frame = pd.DataFrame(rows, columns=model.feature_names_in_)
    for name, values in model.categories_.items():
        frame[name] = pd.Categorical([values[0]] * len(frame), categories=[*values])
    return frame


VALUES = np.array([0.3, -1.2, 0.0, 4.0, 0.5, -0.1, 1e6])


def model_tries(seeds: dict[str, bytes], folder: Path) -> Try:
    """A try by its number: a mutation of one of the seeds, which the number decides, and its use."""
    names = sorted(seeds)

    def attempt(number: int) -> tuple[str, str]:
        rng = random.Random(number)
        name = names[number % len(names)]
        data, _ = mutated(seeds[name], rng)
        path = folder / "mutated.rw"
        path.write_bytes(data)
        try:
            use(path, rng)
        except RankwiseError:
            return name, "refused"
        return name, "accepted"

    return attempt


def fuzz(files: int, first: int = 0, quiet: bool = False) -> tuple[Tally, dict[str, bytes]]:
    """The tally of so many files."""
    with TemporaryDirectory() as name, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        folder = Path(name)
        paths = write_seeds(folder)
        for path in paths.values():
            with suppress(RankwiseError):  # of formats that cannot express the model
                use(path, random.Random(0))  # compiles what forked processes would each compile again
        seeds = {name: path.read_bytes() for name, path in paths.items()}
        return run(model_tries(seeds, folder), files, first=first, quiet=quiet), seeds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    start = time.process_time()
    tally, seeds = fuzz(options.files, options.first)
    from harness import machine, write

    times = os.times()
    for example in tally.examples:
        print(example)
    write(
        "fuzz_models",
        {
            "machine": machine(),
            "files": options.files,
            "first": options.first,
            "limits": {"cpu_seconds": CPU_SECONDS, "bytes": MEMORY_BYTES},
            "cpu_seconds": round(time.process_time() - start + times.children_user + times.children_system),
            "outcomes": {name: tally.outcomes.get(name, 0) for name in ("accepted", "refused", *BAD)},
            "by_model": {name: dict(tally.by_kind.get(name, {})) for name in seeds},
            "examples": tally.examples,
        },
    )


if __name__ == "__main__":
    main()
