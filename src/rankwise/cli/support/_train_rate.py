"""`rankwise train --objective`: from data to a classifier for an operating point."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rankwise.cli._output import place_for, print_json, print_table, working
from rankwise.cli.support._model_data import read_features


def train_rate(
    data: list[Path],
    valid: list[Path] | None,
    out: Path,
    objective: str,
    model: str,
    settings: list[str],
    seed: int,
    json: bool,
    skip_bad: bool,
) -> None:
    """Train on the rows of all files, labels above 0 being positive; queries play no part."""
    began = time.monotonic()
    with working("loading"):
        from rankwise.cli.support._settings import make_classifier
        from rankwise.models import save

        classifier = make_classifier(model, objective, seed, settings)
    with place_for(out) as place:
        rows = read_features(data, skip_bad)
        eval_set = read_features(valid, skip_bad) if valid else None
        with working("training"):
            classifier.fit(rows, eval_set=eval_set)
        save(classifier, place)
    chosen = classifier.history_
    summary: dict[str, Any] = {
        "model": str(out),
        "objective": str(classifier.objective),
        "rows": len(rows),
        "positives": int((rows.y > 0).sum()),
        "chosen": chosen["chosen"],
        "baseline": chosen.get("baseline"),
        "tuned": chosen.get("tuned"),
        "threshold": classifier.threshold_,
        "seconds": round(time.monotonic() - began, 3),
    }
    if json:
        print_json(summary)
        return
    told = {name: f"{value:.4f}" if isinstance(value, float) else str(value) for name, value in summary.items()}
    told |= {"baseline": _on_unseen(summary["baseline"]), "tuned": _on_unseen(summary["tuned"])}
    told["seconds"] = f"{summary['seconds']:.1f}"
    print_table(("what", "value"), list(told.items()))


def _on_unseen(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f} on rows not trained on"
