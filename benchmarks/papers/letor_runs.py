"""Which published experiments run on which of the data sets that users own, and what was published.

- Welleck 2016's tables 1 to 3 and figure 2 on every ranking data set (LETOR 3.0's Gov collection: AUC and MAP, section
  5.2).
- Burges 2006's figure 3 on MSLR: its web search data was never published, and MSLR is of the same kind.
- Donmez 2009's figure 3 and table 1 on TD2003 and TD2004.
- Eban 2017's section 7.2 on logits of ImageNet: linear heads for AUCPR (eban_imagenet.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import harness
from papers import welleck
from papers.letor_data import Fold, Release, check_counts, counts, folds
from papers.welleck_published import GOV_AUC, GOV_MAP
from rich.console import Console
from rich.table import Table

import rankwise as rw

QUICK_QUERIES = 12
SEEDS = (0, 1, 2)
TABLE_1_OF_DONMEZ = {
    "TD2003": "MAP: LossMin ≫ Entropy ≫ Uncertain ≫ Diverse; NDCG@10, AUC: LossMin ≈ Entropy ≫ Uncertain > Diverse",
    "TD2004": "MAP: LossMin ≫ Entropy ≫ Diverse ≫ Uncertain; NDCG@10: LossMin ≫ Entropy ≫ Diverse ≈ Uncertain; "
    "AUC: LossMin > Entropy > Diverse ≫ Uncertain",
}
FIGURE_3_OF_BURGES = "figure 3, other data: LambdaRank above RankNet, linear and two layers, at NDCG@1 to NDCG@10"


@dataclass(frozen=True)
class Options:
    """How much is run, and whether counts that differ from the published ones stop it."""

    quick: bool = False
    unchecked: bool = False


def run(release: Release, folder: Path, options: Options) -> None:
    """All experiments of a ranking data set."""
    queries, rows, whole = counts(folder, release)
    print(f"{folder}\n" + check_counts(release, queries, rows, whole and not options.unchecked), flush=True)
    run_welleck(release, folder, options)
    if release.name.startswith("MSLR"):
        run_burges(release, folder, options)
    if release.name in TABLE_1_OF_DONMEZ:
        run_donmez(release, folder, options)


def read(release: Release, folder: Path, quick: bool) -> Iterator[Fold]:
    """The folds; with `quick`, some queries of the first."""
    if not quick:
        return folds(folder, release)
    return (Fold(*map(few_queries, fold)) for fold in islice(folds(folder, release), 1))


def few_queries(data: rw.RankingData) -> rw.RankingData:
    return data.rows(data.groups.query_of_row() < QUICK_QUERIES)


def run_welleck(release: Release, folder: Path, options: Options) -> None:
    metric = "auc" if release.binary else "mauc"
    found = welleck.measure(read(release, folder, options.quick), metric, options.quick)
    welleck.show(release.name, found)
    if release.name in GOV_AUC:
        print(f"published, the higher one: AUC {GOV_AUC[release.name]}, MAP {GOV_MAP[release.name]}")
    if not options.quick:
        welleck.keep(release.name, found)


def run_burges(release: Release, folder: Path, options: Options) -> None:
    from papers.burges_ndcg import figure_3

    train, valid, test = next(read(release, folder, options.quick))
    rows = figure_3(train, valid, test, SEEDS[:1] if options.quick else SEEDS, options.quick)
    report(f"Burges 2006 figure 3, {release.name}", rows, FIGURE_3_OF_BURGES, options)


def run_donmez(release: Release, folder: Path, options: Options) -> None:
    from papers.donmez import figure_3

    pairs = [(fold.train, fold.test) for fold in read(release, folder, options.quick)]
    rows = figure_3(pairs, len(SEEDS), options.quick)
    report(f"Donmez 2009 figure 3, {release.name}", rows, TABLE_1_OF_DONMEZ[release.name], options)


def report(title: str, rows: Iterable[dict[str, Any]], published: str, options: Options) -> None:
    """Print rows beside what was published, and keep them in results/letor.json by title."""
    rows = list(rows)
    table = Table(title=title)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*(cell(row.get(column)) for column in columns))
    Console(width=160).print(table)
    print(f"published: {published}")
    if not options.quick:
        path = harness.RESULTS / "letor.json"
        before = json.loads(path.read_text()) if path.exists() else {}
        machine = harness.machine()
        harness.write("letor", before | {title: {"rows": rows, "published": published, "machine": machine}})


def cell(value: object) -> str:
    """A value, an interval, or where a curve starts and ends."""
    if isinstance(value, list | tuple):
        return " ".join(map(cell, value if len(value) <= 2 else (value[0], "to", value[-1])))
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
