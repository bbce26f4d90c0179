"""What docs/clicks.md says was measured is what benchmarks/clicks.py wrote, and its code runs."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from tests.doc_tables import ROOT, check_table, markdown

DOCUMENT = "docs/clicks.md"
RESULTS = json.loads((ROOT / "benchmarks" / "results" / "clicks.json").read_text())


def told_p(p: float | None) -> str:
    return "" if p is None else "<.0001" if p < 1e-4 else f"{p:.4f}"


@pytest.mark.parametrize("setting", ["few", "many", "fixed"])
def test_the_tables_are_those_measured(setting: str) -> None:
    told = RESULTS["settings"][setting]
    rows = []
    for name, one in told["models"].items():
        p, error = one["ndcg@10 p"], one.get("propensity_error")
        told_error = ""
        if error is not None:
            told_error = f"{max(error['by_position']):.0%} ({max(error['largest_of_a_run']):.0%})"
        rows.append(
            [
                name,
                f"{one['ndcg@10']:.4f}",
                f"{one['ndcg@10 above raw']:+.4f}" if p is not None else "",
                told_p(p),
                told_p(one["ndcg@10 p against ours"]),
                f"{one['map']:.4f}",
                told_error,
                f"{one['seconds']:.1f}",
            ]
        )
    name = f"{setting}: {told['sessions']} lists per query, {told['rows']:,} rows, {told['clicks']:,} clicks"
    header = [name, "NDCG@10", "above raw clicks", "p", "p against ours", "MAP", "largest error of a θ", "s"]
    check_table(DOCUMENT, setting, markdown(header, rows))


def test_where_positions_do_not_pay_is_what_was_measured() -> None:
    found = json.loads((ROOT / "benchmarks" / "results" / "clicks_digits.json").read_text())
    rows, lists = [], found["shown_by"]
    for name in next(iter(lists.values()))["models"]:
        cells = [name]
        for of in lists.values():
            model = of["models"][name]
            cells += [f"{model['ndcg@10']:.4f}", told_p(model.get("p"))]
        rows.append(cells)
    header = [f"{found['sessions']} lists per query, {found['seeds']} logs, NDCG@10"]
    for shown_by, of in lists.items():
        header += [f"shown by {shown_by} ({of['shown']:.4f}), {round(np.mean(of['clicks'])):,} clicks", "p"]
    check_table(DOCUMENT, "digits", markdown(header, rows))
    for of in lists.values():  # as the text says
        raw, known, ours = (
            of["models"][f"rankwise, {name}"]["ndcg@10"] for name in ("raw clicks", "known", "position=")
        )
        assert raw > known > ours
        assert max(of["propensity_error"]) < 0.5


@pytest.mark.slow
def test_the_code_runs_and_finds_the_truth(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / DOCUMENT).read_text(), re.DOTALL)
    exec(code, {})
    *_, debiased, raw = (text := capsys.readouterr().out).split()
    assert float(debiased) > float(raw)
    found = np.array([float(number) for number in re.findall(r"\d\.\d*", text.split("]")[0])])
    assert found == pytest.approx(1 / np.arange(1, 9), rel=0.15)
