"""Ranking data sets that users own: where their files lie in each release, and how many rows and queries they have.

None of them is part of this project. A folder is searched for the names that a release goes by, unpacked as it comes:

- LETOR 3.0: Gov/QueryLevelNorm/2003_td_dataset/Fold1/trainingset.txt, validationset.txt, testset.txt; OHSUMED likewise.
- LETOR 4.0: MQ2008/Fold1/train.txt, vali.txt, test.txt; or the five parts MQ2008/S1.txt to S5.txt, which make folds.
- MSLR: MSLR-WEB10K/Fold1/train.txt, vali.txt, test.txt.
- Yahoo: set1.train.txt, set1.valid.txt, set1.test.txt; set2 likewise.
- Istella: full/train.txt, test.txt (a fifth of the training queries validates); sample/train.txt, vali.txt, test.txt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import rankwise as rw
from rankwise.data import split

TRAIN, VALID, TEST = ("train.txt", "trainingset.txt"), ("vali.txt", "validationset.txt"), ("test.txt", "testset.txt")
FOLDS = 5


class Fold(NamedTuple):
    """Three parts of a data set."""

    train: rw.RankingData
    valid: rw.RankingData
    test: rw.RankingData


@dataclass(frozen=True)
class Release:
    """A data set as it was published; counts are of all its parts together, None where we know none for certain."""

    name: str
    folders: tuple[str, ...]  # names that its folder goes by, in lower case
    queries: int | None
    rows: int | None
    binary: bool = False  # labels 0 and 1
    prefix: str = ""  # of its files, where one folder holds several data sets


def gov(name: str, queries: int) -> Release:
    """A data set of LETOR 3.0's Gov collection, such as TD2003."""
    kind, year = name[:2].lower(), name[2:]
    return Release(name, (name.lower(), f"{year}_{kind}_dataset"), queries, None, binary=True)


GOV_QUERIES = {"TD2003": 50, "TD2004": 75, "NP2003": 150, "NP2004": 75, "HP2003": 150, "HP2004": 75}
LETOR = (
    *(gov(name, queries) for name, queries in GOV_QUERIES.items()),
    Release("OHSUMED", ("ohsumed",), 106, 16_140),
    Release("MQ2007", ("mq2007",), 1692, 69_623),
    Release("MQ2008", ("mq2008",), 784, 15_211),
)
MSLR = (
    Release("MSLR-WEB10K", ("mslr-web10k",), 10_000, 1_200_192),
    Release("MSLR-WEB30K", ("mslr-web30k",), 31_531, 3_771_125),
)
YAHOO = (
    Release("Yahoo V1", (), 19_944 + 2_994 + 6_983, 473_134 + 71_083 + 165_660, prefix="set1."),
    Release("Yahoo V2", (), 1_266 + 1_266 + 3_798, 34_815 + 34_881 + 103_174, prefix="set2."),
)
ISTELLA = (
    Release("Istella", ("full", "istella"), 33_018, 10_454_629),
    Release("Istella-S", ("sample", "istella-s"), 33_018, 3_408_630),
)


def find(root: Path, release: Release) -> Path | None:
    """The folder below `root`, or `root` itself, with the files of a release; LETOR's normalized version if several."""
    if not root.is_dir():
        raise SystemExit(f"there must be a folder of data, got {root}; unpack the release there")
    folders = [root, *sorted(path for path in root.rglob("*") if path.is_dir())]
    if release.prefix:
        return next((folder for folder in folders if (folder / f"{release.prefix}train.txt").exists()), None)
    named = [folder for folder in folders if release.folders and folder.name.lower() in release.folders]
    inner = [path for folder in named for path in (folder, *sorted(path for path in folder.iterdir() if path.is_dir()))]
    usable = [folder for folder in inner if fold_folders(folder) or parts(folder) or file_of(folder, TRAIN)]
    usable = [folder for folder in usable if not folder.name.startswith("Fold")]
    return min(usable, key=lambda folder: "QueryLevelNorm" not in folder.parts, default=None)


def fold_folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("Fold[1-5]") if file_of(path, TRAIN))


def parts(folder: Path) -> list[Path]:
    """LETOR 4.0's five parts, if all are there."""
    files = [folder / f"S{number}.txt" for number in range(1, FOLDS + 1)]
    return files if all(file.exists() for file in files) else []


def file_of(folder: Path, names: tuple[str, ...]) -> Path | None:
    return next((folder / name for name in names if (folder / name).exists()), None)


def folds(folder: Path, release: Release) -> Iterator[Fold]:
    """Read one fold after the other, so that one alone is in memory."""
    if release.prefix:
        yield aligned(*(rw.read(folder / f"{release.prefix}{part}.txt") for part in ("train", "valid", "test")))
    elif among := fold_folders(folder):
        for path in among:
            yield aligned(*(rw.read(needed(path, names)) for names in (TRAIN, VALID, TEST)))
    elif files := parts(folder):
        for first in range(FOLDS):
            turned = files[first:] + files[:first]
            yield aligned(rw.read(*turned[:3]), rw.read(turned[3]), rw.read(turned[4]))
    else:
        train, test = rw.read(needed(folder, TRAIN)), rw.read(needed(folder, TEST))
        valid = file_of(folder, VALID)
        if valid is None:
            train, held = split(train, (0.8, 0.2), seed=0)
            yield aligned(train, held, test)
        else:
            yield aligned(train, rw.read(valid), test)


def needed(folder: Path, names: tuple[str, ...]) -> Path:
    path = file_of(folder, names)
    if path is None:
        raise SystemExit(f"{folder} must hold {' or '.join(names)}, got no such file; unpack the release anew")
    return path


def aligned(*data: rw.RankingData) -> Fold:
    """The parts with as many features as the widest: a text file ends with the last feature that is not 0."""
    width = max(part.n_features for part in data)
    train, valid, test = (part.with_features(None, width) for part in data)
    return Fold(train, valid, test)


def counts(folder: Path, release: Release) -> tuple[int, int, bool]:
    """Queries and rows of all parts, and whether these are the whole release."""
    folded = fold_folders(folder)
    if release.prefix:
        files = [folder / f"{release.prefix}{part}.txt" for part in ("train", "valid", "test")]
    elif folded:
        files = [needed(path, TEST) for path in folded]  # of five folds each query tests once
    else:
        files = parts(folder) or [path for names in (TRAIN, VALID, TEST) if (path := file_of(folder, names))]
    read = [rw.read(file) for file in files]
    return sum(part.groups.n_queries for part in read), sum(map(len, read)), len(folded) in (0, FOLDS)


def check_counts(release: Release, queries: int, rows: int, whole: bool) -> str:
    """Say what was read beside what was published; SystemExit if it should be the whole release and is not."""
    size = f"{release.name}: {queries:,} queries, {rows:,} rows"
    if not whole:
        return f"{size}, not compared with the published counts"
    pairs = {"queries": (queries, release.queries), "rows": (rows, release.rows)}
    for noun, (read, published) in pairs.items():
        if published is not None and read != published:
            raise SystemExit(
                f"{release.name} must have {published:,} {noun}, got {read:,}; unpack the release anew, or pass "
                "--unchecked to go on with what is there"
            )
    unknown = [noun for noun, (_, published) in pairs.items() if published is None]
    return f"{size}, as published{f' (no published number of {unknown[0]} known here)' if unknown else ''}"
