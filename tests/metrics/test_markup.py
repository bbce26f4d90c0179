"""Tables for papers: what is bold, what superscripts mean, and that LaTeX and Markdown take them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rankwise as rw
from rankwise.errors import DataError
from rankwise.metrics import Comparison
from rankwise.metrics._markup import latex_text, markdown_text


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Two systems that are much alike, and one far below them."""
    rng = np.random.default_rng(0)
    qid, y = np.repeat(np.arange(40), 12), rng.integers(0, 3, 480)
    good = y + 0.5 * rng.normal(size=480)
    systems = {"good_1": good, "good & new": good + 0.01 * rng.normal(size=480), "noise": rng.normal(size=480)}
    return rw.compare(y, systems, qid, "ndcg@10 map")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_superscripts_are_the_systems_beaten_by_the_test_that_is_named(comparison: Comparison) -> None:
    lines = comparison.to_markdown().splitlines()
    assert cells(lines[0]) == ["", "system", "ndcg@10", "map"]
    for line, (name, sign) in zip(lines[2:5], (("good_1", "a"), ("good & new", "b"), ("noise", "c")), strict=True):
        *first, ndcg, map_ = cells(line)
        assert first == [sign, markdown_text(name)]
        for metric, value in zip(("ndcg@10", "map"), (ndcg, map_), strict=True):
            beaten = {t.b for t in comparison.tests if (t.metric, t.a) == (metric, name) and t.difference > 0 and t.fisher_p_holm < 0.05}  # fmt: skip  # noqa: E501
            beaten |= {t.a for t in comparison.tests if (t.metric, t.b) == (metric, name) and t.difference < 0 and t.fisher_p_holm < 0.05}  # fmt: skip  # noqa: E501
            raised = "".join(re.findall("<sup>(.*)</sup>", value))
            assert raised == "".join(
                sorted({"good_1": "a", "good & new": "b", "noise": "c"}[other] for other in beaten)
            )
            assert f"{comparison.evaluations[name][metric]:.3f}" in value
    assert "<sup>c</sup>" in lines[2]  # the example would show nothing otherwise
    assert "<sup>" not in lines[4]
    assert "Fisher's randomization test over queries, Holm-corrected for the pairs of a metric, p \\< 0.05" in lines[-1]
    assert "<sup>" not in comparison.to_markdown(alpha=0.0)


def test_the_best_is_bold_and_so_is_what_looks_the_same(comparison: Comparison) -> None:
    def bold(digits: int) -> list[int]:
        return [line.count("**") // 2 for line in comparison.to_markdown(digits=digits).splitlines()[2:5]]

    assert sum(bold(12)) == 2
    assert bold(0)[:2] == [2, 2]


def test_latex_is_balanced_and_escaped(comparison: Comparison) -> None:
    text = comparison.to_latex()
    assert re.findall(r"\\begin\{(\w+)\}", text) == ["table", "tabular"]
    assert re.findall(r"\\end\{(\w+)\}", text) == ["tabular", "table"]
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
    body = text.partition(r"\midrule")[2].partition(r"\bottomrule")[0]
    rows = [row for row in body.split(r"\\") if row.strip()]
    assert [len(re.split(r"(?<!\\)&", row)) for row in rows] == [4, 4, 4]
    assert r"good\_1" in rows[0]
    assert r"good \& new" in rows[1]
    assert r"\textbf{" in text
    assert r"\textsuperscript{c}" in text
    unescaped = re.sub(r"\\[{}&_]", "", text)
    assert unescaped.count("{") == unescaped.count("}")


@pytest.mark.parametrize("sign", list(r"\~^&%$#_{}"))
def test_no_sign_of_latex_stays_bare(sign: str) -> None:
    assert latex_text(f"a{sign}b").startswith("a\\")


def test_one_list_names_its_tests_and_what_has_none() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    text = rw.compare(y, {"a": y + rng.normal(size=200), "b": rng.normal(size=200)}, metrics="auc mrr").to_markdown()
    assert "one list of 200 rows" in text
    assert "DeLong's for auc" in text
    assert "Not tested: mrr." in text
    assert "<sup>b</sup>" in text.splitlines()[2]


def test_an_evaluation_has_its_table_and_rules() -> None:
    result = rw.evaluate([1, 0, 0, 2, 0], [2, 1, 2, 1, 0], [1, 1, 2, 2, 3], "ndcg[linear]@10")
    lines = result.to_markdown().splitlines()
    assert cells(lines[0])[:3] == ["metric", "mean", "95% interval"]
    assert cells(lines[2])[0] == r"ndcg\[linear\]@10"
    assert "convention standard, ties expected, queries without a value skip" in lines[-1]
    assert r"95\% interval" in result.to_latex()


def test_settings_that_make_no_sense_are_refused(comparison: Comparison) -> None:
    with pytest.raises(DataError, match="alpha must be a number from 0 to 1"):
        comparison.to_latex(alpha=5)
    with pytest.raises(DataError, match="digits must be a whole number"):
        comparison.to_markdown(digits=-1)
