"""Train models on the ranking metric they are judged by, and judge any ranking exactly and fast.

>>> import rankwise as rw
>>> result = rw.evaluate(y=[2, 0, 1, 0], scores=[0.9, 0.8, 0.3, 0.1], metrics=["ndcg@10", "auc"])
>>> result["auc"]
0.75
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from rankwise._version import __version__ as __version__

# LightGBM's threads wait for each other by spinning, for so long that beside other programs they use up the very cores
# that they wait for (benchmarks/busy_machine.py). The library reads this when it is loaded.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")

if TYPE_CHECKING:
    from rankwise import plot as plot
    from rankwise.analysis import LocalOptimum, TradeOff, local_optimum, trade_off
    from rankwise.data import RankingData, load_example, read, write
    from rankwise.errors import RankwiseError
    from rankwise.fusion import fit_fusion, fuse
    from rankwise.metrics import Certificate, Comparison, Evaluation, Metric, certify, compare, evaluate, parse
    from rankwise.models import load, save
    from rankwise.objectives import diagnose, lambda_gradients
    from rankwise.rankers import (
        AUCSVM,
        LambdaMART,
        LambdaRank,
        MarginRanker,
        RankBoost,
        RankNet,
        RankSVM,
        RateClassifier,
        SmoothRankBoost,
    )
    from rankwise.sampling import Simulation, simulate
    from rankwise.selection import AutoRanker, cross_validate, tune

__all__ = [
    "AUCSVM",
    "AutoRanker",
    "Certificate",
    "Comparison",
    "Evaluation",
    "LambdaMART",
    "LambdaRank",
    "LocalOptimum",
    "MarginRanker",
    "Metric",
    "RankBoost",
    "RankNet",
    "RankSVM",
    "RankingData",
    "RankwiseError",
    "RateClassifier",
    "Simulation",
    "SmoothRankBoost",
    "TradeOff",
    "certify",
    "compare",
    "cross_validate",
    "diagnose",
    "evaluate",
    "fit_fusion",
    "fuse",
    "lambda_gradients",
    "load",
    "load_example",
    "local_optimum",
    "parse",
    "read",
    "save",
    "simulate",
    "trade_off",
    "tune",
    "write",
]

# Names are fetched when first used: numba and scipy take most of a second, which `rankwise --help` need not wait for.
_HOMES = {
    "analysis": "LocalOptimum TradeOff local_optimum trade_off",
    "data": "RankingData load_example read write",
    "errors": "RankwiseError",
    "fusion": "fit_fusion fuse",
    "metrics": "Certificate Comparison Evaluation Metric certify compare evaluate parse",
    "models": "load save",
    "objectives": "diagnose lambda_gradients",
    "rankers": "AUCSVM LambdaMART LambdaRank MarginRanker RankBoost RankNet RankSVM RateClassifier SmoothRankBoost",
    "sampling": "Simulation simulate",
    "selection": "AutoRanker cross_validate tune",
}


if not TYPE_CHECKING:  # to which any name would be right

    def __getattr__(name: str) -> object:
        if name == "plot" or name in _HOMES:  # a package, as in `rw.data.split`
            return import_module(f"rankwise.{name}")
        for home, names in _HOMES.items():
            if name in names.split():
                value: object = getattr(import_module(f"rankwise.{home}"), name)
                globals()[name] = value
                return value
        raise AttributeError(f"module 'rankwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "plot"])
