"""Donmez 2009 section 3: samplers side by side, on data like topic distillation, on MQ2008 and on the MSLR sample.

    python benchmarks/papers/donmez.py curves [--data topics,mq2008,mslr] [--rankers svmlight,ranksvm] [--quick]
    python benchmarks/papers/donmez.py graded [--quick]
    python benchmarks/papers/donmez.py entropy [--quick]
    python benchmarks/papers/donmez.py times [--quick]

- curves: Donmez 2009's protocol (donmez_data.py), all samplers, AUC, MAP and NDCG@10 by round; the relations of table 1
  with their p-values; a picture like figure 3. Results go to results/donmez-<data>-<ranker>.json, pictures of topics
  beside them.
- graded: its future work, thresholds by grade and answers that are orders (donmez_graded.py).
- entropy: other readings of the Entropy baseline (donmez_entropy.py).
- times: table 2, and choosing from 1,000 queries of 1,000 documents (donmez_times.py). Nothing else may run.

`figure_3` runs the paper's own experiment on folds that users own (TD2003, TD2004).
"""

from __future__ import annotations

import os

if __name__ == "__main__":  # `figure_3` may be imported by others, whose threads are their own
    os.environ["RANKWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
import harness
from papers import donmez_entropy, donmez_graded, donmez_times
from papers.donmez_data import DATA, Fold

import rankwise as rw
from rankwise.data import RankingData, normalize
from rankwise.reports._learning_curves import write_learning_curves
from rankwise.sampling import Simulation, get_sampler, sampler_kinds

RANKERS = {
    "svmlight": rw.RankSVM(C="svmlight"),  # Donmez 2009's own
    "ranksvm": rw.RankSVM(),
    "rankboost": rw.RankBoost("map", n_estimators=100),
    "lambdamart": rw.LambdaMART(
        "map", n_estimators=50, num_leaves=31, split_noise=0.0, surrogate="swap", random_state=0, n_jobs=1
    ),
}
PAPER_SAMPLERS = ("lossmin", "entropy", "diverse", "uncertain", "random")


def figure_3(folds: Sequence[tuple[RankingData, RankingData]], seeds: int, quick: bool) -> list[dict[str, Any]]:
    """Donmez 2009's figure 3 and table 1: its samplers and its ranker on the (train, test) folds of one data set.

    Features go from 0 to 1 within a query; a query starts with one relevant document and ten others, five are labelled
    per query and round, twenty rounds; the runs of all folds are joined. One entry per sampler and metric: the mean
    curve with its interval (round 0 first), its mean over the rounds, and the relation of table 1. `quick` runs two
    rounds of one fold.
    """
    simulations = [
        rw.simulate(
            normalize(train),
            normalize(test),
            PAPER_SAMPLERS,
            RANKERS["svmlight"],
            rounds=2 if quick else 20,
            per_query=5,
            seeds=1 if quick else seeds,
            start=(1, 10),
            n_jobs=1,
        )
        for train, test in folds[: 1 if quick else None]
    ]
    joined = Simulation.concat(simulations)
    rows = []
    for metric in joined.metrics:
        for sampler in joined.samplers:
            low, high = joined.interval(sampler, metric)
            rows.append(
                {
                    "sampler": sampler,
                    "metric": metric,
                    "runs": len(joined.seeds),
                    "mean": joined.mean(sampler, metric).tolist(),
                    "low": low.tolist(),
                    "high": high.tolist(),
                    "over_range": float(joined.over_range(sampler, metric).mean()),
                    "all_labels": joined.full[metric],
                    "relation": joined.relation(metric),
                }
            )
    return rows


def curves(name: str, folds: list[Fold], ranker: str, samplers: list[str], options: argparse.Namespace) -> None:
    """One data set and ranker."""
    parts = []
    for fold in folds:
        checkpoint = None if options.keep is None else options.keep / f"{fold.name}-{ranker}.json"
        parts.append(
            rw.simulate(
                fold.train,
                fold.test,
                samplers,
                RANKERS[ranker],
                rounds=3 if options.quick else 20,
                seeds=[fold.seed],
                n_jobs=options.jobs,
                checkpoint=checkpoint,
            )
        )
        print(f"{fold.name} {ranker}: done", flush=True)
    simulation = Simulation.concat(parts)
    print(simulation)
    if not options.quick:
        title = f"donmez-{name}-{ranker}"
        if name == "topics" and ranker in ("svmlight", "ranksvm"):  # as Donmez 2009's figure 3
            write_learning_curves((harness.RESULTS / title).with_suffix(".png"), simulation)
        about = {"machine": harness.machine(), "data": name, "ranker": repr(RANKERS[ranker]), "folds": len(folds)}
        about["settings"] = {name: repr(get_sampler(name)) for name in samplers}
        harness.write(title, about | shortened(simulation.to_dict()))


def shortened(result: dict[str, Any]) -> dict[str, Any]:
    """Without the values of every run and round, rounded to what is meant."""
    for sampler in result["samplers"].values():
        for metric in sampler["metrics"].values():
            del metric["runs"]
    return dict(json.loads(json.dumps(result), parse_float=lambda text: float(f"{float(text):.6g}")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("RANKWISE_DATA", str(Path(__file__).parents[3] / "shared" / "data"))
    parser.add_argument("what", choices=["curves", "graded", "entropy", "times"])
    parser.add_argument("--shared", type=Path, default=Path(shared), help="folder with MQ2008 and MSLR-sample")
    parser.add_argument("--data", default=",".join(DATA), help="data sets with commas between")
    parser.add_argument("--rankers", default=",".join(RANKERS), help=f"of {', '.join(RANKERS)}")
    parser.add_argument("--samplers", default=",".join(sampler_kinds()), help="samplers with commas between")
    parser.add_argument("--worlds", type=int, default=5, help="draws of the artificial data, five folds each")
    parser.add_argument("--folds", type=int, help="so many folds of each data set, by default all")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--keep", type=Path, help="folder for finished runs, to go on from")
    parser.add_argument("--quick", action="store_true", help="one fold and little work, nothing written")
    options = parser.parse_args()
    if options.what == "times":
        donmez_times.run(quick=options.quick)
    elif options.what == "graded":
        donmez_graded.run(options.shared, quick=options.quick)
    elif options.what == "entropy":
        donmez_entropy.run(1 if options.quick else options.worlds, RANKERS["svmlight"], quick=options.quick)
    else:
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
        for name in options.data.split(","):
            folds = DATA[name](options.shared, options.worlds)[: 1 if options.quick else options.folds]
            for ranker in options.rankers.split(","):
                curves(name, folds, ranker, options.samplers.split(","), options)


if __name__ == "__main__":
    main()
