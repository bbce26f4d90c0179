"""Suehiro 2011 section 5: margins over pairs, exactly and in linear size, against boosting and SVMs.

    python benchmarks/papers/suehiro.py balanced|skewed|uci|reuters|times|mq2008 [--quick] [--only X,Y] [--methods X]

- balanced, skewed: tables 1 and 2, r-of-k threshold functions with noisy labels (suehiro_data.py).
- uci, reuters: tables 3 and 4 (suehiro_reuters.py); methods in suehiro_methods.py, ways of judging in suehiro_run.py.
- times: table 5 (suehiro_times.py).
- mq2008: Welleck 2016's SVM-Perf column (suehiro_mq2008.py).

Results go to results/suehiro-<table>.json after each data set and method; `--only` and `--methods` measure a part anew
and leave the others as they are.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from papers import suehiro_mq2008, suehiro_published, suehiro_run, suehiro_times
from papers.eban_data import table
from papers.suehiro_data import UCI, ceiling, r_of_k
from papers.suehiro_methods import methods
from papers.suehiro_reuters import TOPICS, reuters
from papers.suehiro_run import picked

# Of RankBoost: Suehiro 2011 5.1 and the heads of tables 3 and 4.
ROUNDS = {table: (500 if table in ("balanced", "skewed") else 1000, 5000, 10_000) for table in suehiro_published.TABLES}
ROUNDS["reuters"] = (1000, 5000)  # Suehiro 2011 has 10,000 too
RS, NOISES = (1, 8, 15), (0.05, 0.1, 0.15)


def artificial(ratios: tuple[str, ...], quick: bool) -> dict[str, suehiro_run.Loader]:
    found: dict[str, suehiro_run.Loader] = {}
    for ratio in ratios:
        for noise in NOISES:
            print(f"{ratio} with noise {noise:g}: no ranking is expected to pass {ceiling(ratio, noise):.4f}")
            for r in RS:
                make = partial(r_of_k, 200 if quick else 1000, ratio, r, noise)
                found[f"{ratio} r={r} noise={noise:g}"] = make
    return found


def tables(options: argparse.Namespace) -> dict[str, suehiro_run.Loader]:
    if options.table == "balanced":
        return artificial(("5:5",), options.quick)
    if options.table == "skewed":
        return artificial(("7:3", "9:1"), options.quick)
    if options.table == "uci":
        return {name: lambda seed, name=name: table(name, options.data) for name in UCI}  # type: ignore[misc]
    articles = reuters(options.data)
    return {topic: lambda seed, topic=topic: articles.about(topic) for topic in TOPICS}  # type: ignore[misc]


def accuracy(options: argparse.Namespace) -> None:
    """Tables 1 to 4."""
    data = tables(options)
    names = picked(options.only, data)[: 1 if options.quick else None]
    rounds = (5, 20) if options.quick else ROUNDS[options.table]
    known = {method.name: method for method in methods(rounds, stumps=options.table == "uci")}
    chosen = [known[name] for name in picked(options.methods, known)]
    published = suehiro_published.TABLES[options.table]
    suehiro_run.run(
        options.table, {name: data[name] for name in names}, chosen, options.seeds, published, keep=not options.quick
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
    parser.add_argument("table", choices=["balanced", "skewed", "uci", "reuters", "times", "mq2008"])
    parser.add_argument(
        "--data", type=Path, default=Path(shared), help="folder with uci, reuters21578.tar.xz and MQ2008"
    )
    parser.add_argument("--only", help="data sets (or numbers of rows, for times) with commas between")
    parser.add_argument("--methods", help="names with commas between")
    parser.add_argument("--seeds", type=int, default=1, help="draws of artificial data, shuffles of folds")
    parser.add_argument("--quick", action="store_true", help="one data set and little work, nothing written")
    options = parser.parse_args()
    if options.table == "times":
        sizes = (100, 200) if options.quick else (*suehiro_times.PAPER_SIZES, *suehiro_times.SIZES)
        known = {name: suehiro_times.METHODS[name] for name in picked(options.methods, suehiro_times.METHODS)}
        suehiro_times.run(picked(options.only, sizes), known, keep=not options.quick)
    elif options.table == "mq2008":
        names = picked(options.methods, suehiro_mq2008.METHODS)[: 1 if options.quick else None]
        suehiro_mq2008.run(
            options.data / "MQ2008", {name: suehiro_mq2008.METHODS[name] for name in names}, keep=not options.quick
        )
    else:
        accuracy(options)


if __name__ == "__main__":
    main()
