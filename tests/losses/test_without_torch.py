"""torch is an extra: nothing imports it unasked, and its absence is one clear sentence."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rankwise

pytestmark = pytest.mark.slow


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_nothing_but_nets_imports_torch() -> None:
    modules = "rankwise.rankers, rankwise.models, rankwise.objectives, rankwise.cli, rankwise.reports, rankwise.checks"
    assert run(f"import rankwise, {modules}, sys; print('torch' in sys.modules)") == "False"


BLOCKED = """
import importlib.machinery as machinery
found = machinery.PathFinder.find_spec
machinery.PathFinder.find_spec = lambda name, *more: None if name == "torch" else found(name, *more)
try:
    {}
except ImportError as problem:
    print(type(problem).__name__, problem)
"""


USES = [
    "from rankwise.losses import LambdaLoss",
    "rankwise.LambdaRank().fit([[1.0], [2.0]], [0, 1])",
    "rankwise.RateClassifier(model='net').fit([[1.0], [2.0]], [0, 1])",
    "rankwise.load({!r})",
]


@pytest.mark.parametrize("use", USES)
def test_without_torch_the_remedy_is_named(use, tmp_path) -> None:
    rankwise.save(rankwise.RankNet(epochs=1).fit([[1.0], [2.0]], [0, 1]), tmp_path / "m.rw")  # type: ignore[arg-type]
    use = f"import rankwise; {use.format(str(tmp_path / 'm.rw'))}"
    assert run(BLOCKED.format(use)) == "MissingExtraError torch is not installed; run: pip install 'rankwise[torch]'"


def test_without_torch_the_rest_works() -> None:
    code = "import rankwise; print(rankwise.LambdaRank(), 'ranknet' in rankwise.rankers._base.model_kinds())"
    assert run(BLOCKED.format(code)) == "LambdaRank() True"
    code = "import rankwise; model = rankwise.RateClassifier('f1', model='linear').fit([[1.0], [2.0]], [0, 1]); "
    code += "print(model.predict([[9.0]]))"
    assert run(BLOCKED.format(code)) == "[1]"
