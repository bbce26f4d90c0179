"""Absurd values of every parameter of every estimator, sampler, loss and function that trains: what comes of them?

    python benchmarks/fuzz_settings.py [--only NAME ...]

Each value is set alone, the other parameters being those of a small sound model, which is then trained on a few rows.
What raises anything but an error of rankwise.errors, dies, or does not hear Ctrl-C (sent after two CPU seconds) is bad.
"""

from __future__ import annotations

import argparse
import inspect
import json
import logging
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import torch

os.environ["OMP_NUM_THREADS"] = "1"
from fuzz_batches import CPU_SECONDS, MEMORY_BYTES, Tally, run

import rankwise as rw
from rankwise import losses, rankers, sampling, selection
from rankwise.data import web
from rankwise.errors import RankwiseError
from rankwise.kernels._threads import limit_threads
from rankwise.losses._rate_loss import RateLossOptions
from rankwise.rankers import RankBoost, RankSVM
from rankwise.sampling import Pool, sampler_kinds
from rankwise.selection import peers

INTERRUPT_SECONDS = 2.0  # of CPU time after which Ctrl-C comes
GOOD = ("accepted", "refused", "interrupted")
BAD = ("killed by a signal", "hang", "exit", "raw exception")
DATA = web(queries=6, documents=12, features=4, seed=1)
BINARY = (DATA.y > 1).astype(float)

VALUES: list[object] = [
    None, True, -1, 0, 1, 2, 0.5, -0.5, float("nan"), float("inf"), 1e300, -1e300, 1e-300, 10**6, 10**9, 2**63,
    -(2**63), 10**400, "x", "", "auc", "\ud800", b"x", [], {}, set(), [None], [1], [0.5], [float("nan")],
    [10**6, 10**6], [10**6] * 101, [[]], {0: 5}, {None: 1}, np.float32("nan"), np.int64(2), np.bool_(True),
    np.array([1, 2]), np.array("x"), 1 + 2j, object(), len, lambda X: None, range(3), "cuda", "meta",
    torch.nn.Linear(9, 1), torch.nn.Linear(4, 1), torch.tensor(2.0), np.random.default_rng(0),
]  # fmt: skip
NOT_SETTINGS = ("callbacks", "checkpoint", "data", "test", "train", "estimator", "eval_set", "space")
FIRST = {
    "RecallAtPrecisionLoss": {"precision": 0.8},
    "PrecisionAtRecallLoss": {"recall": 0.8},
    "TPRAtFPRLoss": {"rate": 0.1},
    "RateLoss": {"objective": "r@p=0.8"},
}


def fitted(model: Any) -> None:
    model.fit(DATA.X, DATA.y, qid=DATA.qid)
    model.predict(DATA.X)


def fitted_with_eval_set(model: Any) -> None:
    model.fit(DATA, eval_set=DATA)
    model.predict(DATA)


def classified(model: Any) -> None:
    model.fit(DATA.X, BINARY)
    model.predict(DATA.X)


def selected(sampler: Any, **options: Any) -> None:
    y = DATA.y.copy()
    y[::2] = -1
    known = y >= 0
    model = RankSVM().fit(DATA.X[known], y[known], qid=DATA.qid[known])
    sampler.select(Pool.from_arrays(DATA.X, y, DATA.qid, model), **options)


def backward(loss: Any) -> None:
    scores = torch.tensor(DATA.X[:, 0], requires_grad=True)
    if isinstance(loss, losses.RateLoss):
        loss(scores, torch.tensor(BINARY)).backward()
    else:
        loss(scores, torch.tensor(DATA.y), torch.tensor(DATA.qid)).backward()


# By name: what takes the parameters, those of a small sound model, and what is done with it.
Case = tuple[Callable[..., Any], dict[str, Any], Callable[[Any], object]]
TREES = {"n_estimators": 3, "num_leaves": 4, "min_child_samples": 2, "random_state": 0, "n_jobs": 1}
RATE = {"n_estimators": 5, "folds": 2, "epochs": 2, "random_state": 0, "n_jobs": 1}


def cases() -> dict[str, Case]:
    found: dict[str, Case] = {
        "LambdaMART": (rankers.LambdaMART, TREES, fitted),
        "LambdaMART with eval_set": (rankers.LambdaMART, TREES | {"bags": 2}, fitted_with_eval_set),
        "LambdaRank": (rankers.LambdaRank, {"epochs": 2, "random_state": 0}, fitted),
        "RankNet": (rankers.RankNet, {"epochs": 2, "random_state": 0}, fitted_with_eval_set),
        "RankSVM": (rankers.RankSVM, {}, fitted),
        "AUCSVM": (rankers.AUCSVM, {}, fitted),
        "RankBoost": (rankers.RankBoost, {"n_estimators": 3}, fitted),
        "SmoothRankBoost": (rankers.SmoothRankBoost, {"n_estimators": 3}, fitted),
        "MarginRanker": (rankers.MarginRanker, {}, fitted),
        "RateClassifier of trees": (rankers.RateClassifier, RATE | {"model": "trees"}, classified),
        "RateClassifier, linear": (rankers.RateClassifier, RATE | {"model": "linear"}, classified),
        "RateClassifier of a net": (rankers.RateClassifier, RATE | {"model": "net"}, classified),
        "AutoRanker": (selection.AutoRanker, {"candidates": {"a": RankSVM(), "b": RankBoost(n_estimators=2)}}, fitted),
        "LightGBMRanker": (peers.LightGBMRanker, TREES, fitted_with_eval_set),
        "LogisticRanker": (peers.LogisticRanker, {}, fitted),
    }
    for kind, sampler in sampler_kinds().items():
        found[f"sampler {kind}"] = (sampler, {}, selected)
    found["Sampler.select"] = (partial(selected, sampling.TopRanked()), {"per_query": 2, "random_state": 0}, _nothing)
    for name in losses.__all__:
        loss = getattr(losses, name)
        if inspect.isclass(loss) and issubclass(loss, torch.nn.Module):
            found[name] = (loss, FIRST.get(name, {}), backward)
    small = {"rounds": 2, "per_query": 2, "seeds": 1, "start": (1, 2), "n_jobs": 1}
    found["simulate"] = (partial(rw.simulate, DATA, DATA), {"sampler": "random", "ranker": None, **small}, _nothing)
    found["cross_validate"] = (partial(rw.cross_validate, RankSVM(), DATA), {"folds": 2}, _nothing)
    found["tune"] = (partial(rw.tune, RankSVM(), DATA), {"space": {"C": [0.1, 1.0]}, "trials": 2, "folds": 2}, _nothing)
    found["trade_off"] = (
        partial(rw.trade_off, RankSVM(), DATA, DATA), {"metrics": "ndcg@5 auc", "weights": 2}, _nothing,
    )  # fmt: skip
    return found


def _nothing(_: object) -> None:
    """What is called does all the work itself."""


def parameters_of(make: Callable[..., Any], base: dict[str, Any]) -> list[str]:
    """Names of all that can be set; those of `**options` are the base's."""
    found = inspect.signature(make).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    named = [parameter.name for parameter in found if parameter.kind in kinds and parameter.name not in NOT_SETTINGS]
    if inspect.isclass(make) and issubclass(make, losses.RateLoss):
        named += [*RateLossOptions.__annotations__]
    return list(dict.fromkeys([*named, *base]))


class Tries:
    """Every value of every parameter, by number."""

    def __init__(self, chosen: dict[str, Case], log: TextIO) -> None:
        self.cases, self.log = chosen, log
        self.all = [
            (name, parameter, value)
            for name, (make, base, _) in chosen.items()
            for parameter in parameters_of(make, base)
            for value in VALUES
        ]

    def __call__(self, number: int) -> tuple[str, str]:
        """One try; an interruption after two seconds must end it, and counts as its own outcome."""
        name, parameter, value = self.all[number]
        make, base, use = self.cases[name]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGVTALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
        signal.setitimer(signal.ITIMER_VIRTUAL, INTERRUPT_SECONDS)
        try:
            use(make(**{**base, parameter: value}))
        except RankwiseError as problem:
            if "\n" in str(problem):
                raise ValueError(f"more than a sentence: {problem}") from problem
            return name, "refused"
        except KeyboardInterrupt:
            return name, "interrupted"
        except Exception as problem:
            where = traceback.extract_tb(problem.__traceback__)[-1]
            self.log.write(
                f"{name} {parameter}={value!r:.60}: {type(problem).__name__} {problem!s:.100} "
                f"({Path(where.filename).name}:{where.lineno})\n".replace("\ud800", "?")
            )
            self.log.flush()
            raise
        finally:
            left = signal.setitimer(signal.ITIMER_VIRTUAL, 0)[0]
        return name, "accepted" if left else "interrupted"


def main() -> None:
    """Try all, and write how they ended after each estimator; those not tried now stay as they were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="names of estimators")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    for name, case in cases().items():
        if options.only and name not in options.only:
            continue
        make, base, use = case
        with limit_threads(1):  # others would be lost by a fork
            use(make(**base))
        tries = Tries({name: case}, sys.stderr)
        tally = run(tries, len(tries.all), batch=400, quiet=True)
        print(name, len(tries.all), dict(tally.outcomes), flush=True)
        for example in tally.examples:
            _, parameter, value = tries.all[example["try"]]
            example |= {"kind": name, "detail": f"{parameter}={value!r:.60}: {example['detail']}"}
        _write(name, len(parameters_of(make, base)), tally)


def _write(name: str, n_parameters: int, tally: Tally) -> None:
    from harness import RESULTS, machine, write

    path = RESULTS / "fuzz_settings.json"
    before = json.loads(path.read_text()) if path.exists() else {"by_estimator": {}, "examples": []}
    found = {"parameters": n_parameters} | {outcome: tally.outcomes.get(outcome, 0) for outcome in (*GOOD, *BAD)}
    write(
        "fuzz_settings",
        {
            "machine": machine("torch"),
            "values": len(VALUES),
            "limits": {"cpu_seconds": CPU_SECONDS, "bytes": MEMORY_BYTES, "interrupt_seconds": INTERRUPT_SECONDS},
            "by_estimator": before["by_estimator"] | {name: found},
            "examples": [*(one for one in before["examples"] if one["kind"] != name), *tally.examples],
        },
    )


if __name__ == "__main__":
    main()
