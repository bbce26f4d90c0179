"""How much recall a certified precision costs: `rw.certify` against other ways to search for the threshold.

The mean over populations and samples of the recall at the certified threshold (0 where there is none), as a share
of that of the population's best threshold. Bonferroni tests 20 ranks at α / 20 each. Multi-start tests a fine grid of
ranks in five fixed sequences at α / 5 each, which is not exact for ranks of the rows tested themselves.

    python benchmarks/certify.py
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from harness import machine

import rankwise as rw
from rankwise.metrics import thresholds_to_try
from rankwise.metrics.certification._certify import binomial_tail as tail

ALPHA, SAMPLES = 0.05, 200
RESULT = Path(__file__).parent / "results" / "certify.json"


def shifted(distance, positive):
    def draw(rng, rows):
        y = rng.random(rows) < positive
        return y, rng.normal(size=rows) + distance * y

    return draw


def calibrated(rng, rows):
    scores = rng.beta(0.3, 1.2, rows)
    return rng.random(rows) < scores, scores


def flat(rng, rows):
    scores = rng.random(rows)
    return rng.random(rows) < np.where(scores > 0.6, 0.93, np.where(scores > 0.3, 0.5, 0.05)), scores


POPULATIONS = [shifted(1.5, 0.3), shifted(2.5, 0.3), shifted(2.5, 0.05), shifted(3.5, 0.05), calibrated, flat]


def ours(y, scores, target):
    return rw.certify(y, scores, f"r@p={target}").threshold


def half_guides(y, scores, target):
    half = y.size // 2  # rows are drawn in random order
    order = thresholds_to_try(y[:half], scores[:half], f"r@p={target}")
    return rw.certify(y[half:], scores[half:], f"r@p={target}", thresholds=order).threshold


def ranks(y, scores, target, alpha, count):
    """Thresholds at ranks from the first that can pass to the last, and their p-values."""
    descending = np.argsort(-scores)
    fewest = min(y.size, int(np.ceil(np.log(alpha) / np.log(target))))
    cuts = np.unique(np.geomspace(fewest, y.size, count).round().astype(int))
    return scores[descending][cuts - 1], tail(np.cumsum(y[descending])[cuts - 1], cuts, target)


def bonferroni(y, scores, target):
    thresholds, p = ranks(y, scores, target, ALPHA / 20, 20)
    return thresholds[p <= ALPHA / 20].min(initial=np.inf)


def multi_start(y, scores, target):
    thresholds, p = ranks(y, scores, target, ALPHA / 5, 100)
    best, carried = np.inf, 0.0
    for part in np.array_split(np.arange(p.size), 5):
        level = ALPHA / 5 + carried  # a sequence that passes to its end leaves its level to the next
        failed = np.flatnonzero(p[part] > level)
        passed = part[: failed[0]] if failed.size else part
        carried = 0.0 if failed.size else level
        best = min(best, thresholds[passed].min(initial=np.inf))
    return best


RULES = {
    "rankwise: a fifth guides": ours,
    "a half guides": half_guides,
    "Bonferroni, 20 ranks": bonferroni,
    "multi-start, 5 sequences (not exact)": multi_start,
}


def main() -> None:
    shares: dict[tuple[str, int], list[float]] = {}
    for draw in POPULATIONS:
        y, scores = draw(np.random.default_rng(99), 1_000_000)
        order = np.argsort(-scores)
        found = np.cumsum(y[order])
        for target in (0.7, 0.9):
            right = np.flatnonzero(found / np.arange(1, y.size + 1) >= target)
            best = found[right[-1]] / found[-1]
            if best < 0.02:
                continue
            rng = np.random.default_rng(1)
            for rows in (500, 2000, 10_000):
                for _ in range(SAMPLES):
                    labels, values = draw(rng, rows)
                    for name, rule in RULES.items():
                        threshold = rule(labels, values, target)
                        taken = np.count_nonzero(labels[values >= threshold]) if threshold is not None else 0
                        shares.setdefault((name, rows), []).append(taken / np.count_nonzero(labels) / best)
    table = [{"rule": name, "rows": rows, "share": float(np.mean(all_))} for (name, rows), all_ in shares.items()]
    RESULT.write_text(json.dumps({"machine": machine(), "rows": table}, indent=2) + "\n")
    for row in table:
        print(f"{row['rule']:40s} {row['rows']:6d} rows  {row['share']:.3f} of the best recall")


if __name__ == "__main__":
    main()
