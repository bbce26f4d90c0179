"""Donmez 2009 section 3: samplers side by side, on data like topic distillation, on MQ2008 and on the MSLR sample.

    python benchmarks/papers/donmez.py curves [--data topics,mq2008,mslr] [--rankers ranksvm,rankboost] [--quick]
    python benchmarks/papers/donmez.py times [--quick]

- curves: Donmez 2009's protocol (donmez_data.py), all samplers, AUC, MAP and NDCG@10 by round; the relations of table 1
with their
  p-values; a picture like figure 3. Results go to results/donmez-<data>-<ranker>.json, the picture of topics beside it.
- times: table 2, and choosing from 1,000 queries of 1,000 documents (donmez_times.py). Nothing else may run.
"""

from __future__ import annotations

import os

os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
import harness
from papers import donmez_times
from papers.donmez_data import DATA, Fold

import rankwise as rw
from rankwise.reports._learning_curves import write_learning_curves
from rankwise.sampling import Simulation, sampler_kinds

RANKERS = {
    "ranksvm": rw.RankSVM(),
    "rankboost": rw.RankBoost("map", n_estimators=100),
    "lambdamart": rw.LambdaMART(
        "map", n_estimators=50, num_leaves=31, split_noise=0.0, surrogate="swap", random_state=0, n_jobs=1
    ),
}


def curves(name: str, folds: list[Fold], ranker: str, samplers: list[str], options: argparse.Namespace) -> None:
    """One data set and ranker."""
    parts = []
    for fold in folds:
        kept = None if options.keep is None else options.keep / f"{fold.name}-{ranker}.json"
        parts.append(
            rw.simulate(
                fold.train,
                fold.test,
                samplers,
                RANKERS[ranker],
                rounds=3 if options.quick else 20,
                seeds=[fold.seed],
                n_jobs=options.jobs,
                checkpoint=kept,
            )
        )
        print(f"{fold.name} {ranker}: done", flush=True)
    found = Simulation.concat(parts)
    print(found)
    if not options.quick:
        place = harness.RESULTS / f"donmez-{name}-{ranker}"
        if (name, ranker) == ("topics", "ranksvm"):  # as Donmez 2009's figure 3
            write_learning_curves(place.with_suffix(".png"), found)
        about = {"machine": harness.machine(), "data": name, "ranker": repr(RANKERS[ranker]), "folds": len(folds)}
        place.with_suffix(".json").write_text(json.dumps(about | _short(found.to_dict()), indent=1) + "\n")


def _short(told: dict[str, Any]) -> dict[str, Any]:
    """Without the values of every run and round, rounded to what is meant."""
    for sampler in told["samplers"].values():
        for metric in sampler["metrics"].values():
            del metric["runs"]
    return dict(json.loads(json.dumps(told), parse_float=lambda text: float(f"{float(text):.6g}")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
    parser.add_argument("what", choices=["curves", "times"])
    parser.add_argument("--shared", type=Path, default=Path(shared), help="folder with MQ2008 and MSLR-sample")
    parser.add_argument("--data", default=",".join(DATA), help="data sets with commas between")
    parser.add_argument("--rankers", default="ranksvm,rankboost,lambdamart", help=f"of {', '.join(RANKERS)}")
    parser.add_argument("--samplers", default=",".join(sampler_kinds()), help="samplers with commas between")
    parser.add_argument("--worlds", type=int, default=5, help="draws of the artificial data, five folds each")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--keep", type=Path, help="folder for finished runs, to go on from")
    parser.add_argument("--quick", action="store_true", help="one fold and little work, nothing written")
    options = parser.parse_args()
    if options.what == "times":
        donmez_times.run(quick=options.quick)
        return
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    for name in options.data.split(","):
        folds = DATA[name](options.shared, 1 if options.quick else options.worlds)[: 1 if options.quick else None]
        for ranker in options.rankers.split(","):
            curves(name, folds, ranker, options.samplers.split(","), options)


if __name__ == "__main__":
    main()
