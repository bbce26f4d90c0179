"""How AutoRanker should choose: rules that see the training parts of MQ2008 alone, compared on the validation parts.

    python benchmarks/auto_rules.py [--metrics "ndcg@10 map auc"] [--cache out/auto_rules] [--json]

Every candidate of the portfolio is judged on five folds of the three training parts of each of MQ2008's folds, and
fitted to all of them. Each rule then names one candidate or several, by what the folds say, whose scores are averaged
(each divided by its spread within queries) and evaluated on the validation part. Test parts are never read. Finished
candidates are kept in the folder of `--cache`.
"""

from __future__ import annotations

import argparse
import pickle
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from harness import machine, write
from lambdamart import Fold, folds_of_mq2008
from rich.console import Console
from rich.table import Table

import rankwise as rw
from rankwise.metrics import parse
from rankwise.metrics.comparison._statistics import paired_t
from rankwise.selection import portfolio
from rankwise.selection._choice import spread as spread_of
from rankwise.selection._fold_fits import fit_fold, refit
from rankwise.selection._folds import make_folds
from rankwise.selection._portfolio import family_of
from rankwise.selection._rows import Rows

FOLDS, MAX_MEMBERS, NOT_WORSE_P = 5, 3, 0.2
STRICTNESS = (0.1, 0.3, 1.0)  # p below which the best candidate is kept rather than the best blend
Members = tuple[str, ...]


def candidate_record(fold: Fold, metric: str, name: str, estimator: Any) -> dict[str, Any]:
    rows = Rows.of(fold.train)
    folds = make_folds(rows, FOLDS, 0)
    fits = [fit_fold(estimator, rows, folds, number, parse(metric)) for number in range(FOLDS)]
    held_out = np.empty(len(rows))
    for number, fit in enumerate(fits):
        held_out[folds.held_out(number)] = fit.scores
    scores = refit(estimator, rows, fits).predict(fold.valid)
    cpu = sum(fit.cpu_seconds for fit in fits)
    return {"name": name, "family": family_of(estimator), "held_out": held_out, "valid": scores, "cpu_seconds": cpu}


def records(fold: Fold, place: int, metric: str, cache: Path) -> dict[str, dict[str, Any]]:
    found = {}
    for name, estimator in portfolio(metric, random_state=0, n_jobs=1).items():
        path = cache / f"{metric} {place} {name}.pickle"
        if not path.exists():
            cache.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pickle.dumps(candidate_record(fold, metric, name, estimator)))
        found[name] = pickle.loads(path.read_bytes())
    return found


def values(data: rw.RankingData, scores: Any, metric: str) -> Any:
    per_query = rw.evaluate(data, scores, metrics=metric).per_query[metric]
    return per_query[~np.isnan(per_query)]


def choices(fold: Fold, metric: str, found: dict[str, dict[str, Any]]) -> dict[str, Members]:
    """What each rule chooses."""
    spread = {name: spread_of(record["held_out"], fold.train.groups.query_of_row()) for name, record in found.items()}

    def judged(members: Members) -> Any:
        return values(fold.train, sum(found[name]["held_out"] / spread[name] for name in members), metric)

    by_members: dict[Members, Any] = {(name,): judged((name,)) for name in found}
    single = max(by_members, key=lambda members: by_members[members].mean())
    best_of: dict[str, str] = {}
    for name, record in found.items():
        held = best_of.setdefault(record["family"], name)
        if by_members[(name,)].mean() > by_members[(held,)].mean():
            best_of[record["family"]] = name
    blends = {
        members: judged(members)
        for size in range(2, MAX_MEMBERS + 1)
        for members in combinations(best_of.values(), size)
    }
    blend = max(blends, key=lambda members: blends[members].mean())
    ahead = by_members[single].mean() - blends[blend].mean()
    p = paired_t(by_members[single], blends[blend])
    cheapest = min(
        (members for members in by_members if paired_t(by_members[members], by_members[single]) > NOT_WORSE_P),
        key=lambda members: found[members[0]]["cpu_seconds"],
    )
    return {
        "best candidate": single,
        **{f"best blend unless p < {limit:g}": single if ahead > 0 and p < limit else blend for limit in STRICTNESS},
        "best blend always": blend,
        "cheapest not significantly worse": cheapest,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=shared / "MQ2008", help="folder with S1.txt to S5.txt")
    parser.add_argument("--metrics", default="ndcg@10 map auc")
    parser.add_argument("--cache", type=Path, default=Path("out/auto_rules"))
    parser.add_argument("--json", action="store_true", help="write benchmarks/results/auto_rules.json")
    options = parser.parse_args()
    folds, result = folds_of_mq2008(options.data), {}
    for metric in options.metrics.split():
        by_rule: dict[str, list[Any]] = {}
        for place, fold in enumerate(folds):
            found = records(fold, place, metric, options.cache)
            for rule, members in choices(fold, metric, found).items():
                lists = fold.train.groups.query_of_row()
                total = sum(found[name]["valid"] / spread_of(found[name]["held_out"], lists) for name in members)
                by_rule.setdefault(rule, []).append(values(fold.valid, total, metric))
        result[metric] = {rule: float(np.concatenate(per_query).mean()) for rule, per_query in by_rule.items()}
    table = Table(title="MQ2008: mean over the queries of the validation parts")
    for column in ("rule", *result):
        table.add_column(column)
    for rule in next(iter(result.values())):
        table.add_row(rule, *(f"{result[metric][rule]:.4f}" for metric in result))
    Console(width=120).print(table)
    if options.json:
        write("auto_rules", {"rows": result, "machine": machine()})


if __name__ == "__main__":
    main()
