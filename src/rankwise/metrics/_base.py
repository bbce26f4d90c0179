"""What a metric is: a value object that judges the labels of one query, read from the top of the ranking down.

Nothing else is a metric's business: scores, sorting, ties, weights, cut-offs of short lists and queries that
cannot be judged are handled once, in `evaluate`. A metric says NaN where a query lacks what it needs.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.errors import MetricError
from rankwise.types import FloatArray

Ranks = NDArray[Any]  # int64, counted from 0
Factors = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # classes, heights, weights
Labels = NDArray[Any]  # float64, one entry per document, in compiled code and out of it

_CLASSES: dict[str, type[Metric]] = {}  # by class name, in order of definition

SHUFFLES = 200  # orders averaged for a metric without a closed form for ties


def number(value: float) -> str:
    """Shortest text of a number in a metric's name: 10, 0.95."""
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


def _with_ideal(hook: Callable[..., Any], others: tuple[str, ...]) -> Callable[..., Any]:
    """Let a hook be called with plain lists and without `ideal`, which is then the ranked labels, best first."""
    takes_ideal = "ideal" in inspect.signature(hook).parameters

    @functools.wraps(hook)
    def call(self: Metric, ranked: ArrayLike, *args: Any, ideal: ArrayLike | None = None, **kwargs: Any) -> Any:
        if len(args) > len(others):
            args, ideal = args[:-1], args[-1]
        labels = np.asarray(ranked, dtype=np.float64)
        best = np.sort(labels)[::-1] if ideal is None else np.asarray(ideal, dtype=np.float64)
        rest = [np.asarray(arg) for arg in args] + [np.asarray(kwargs[name]) for name in others if name in kwargs]
        metric = self.for_labels(best)
        with np.errstate(divide="ignore", invalid="ignore"):
            result = hook(metric, labels, *rest, best) if takes_ideal else hook(metric, labels, *rest)
        return result if isinstance(result, np.ndarray) and result.ndim else float(result)

    return call


@dataclasses.dataclass(frozen=True)
class Metric(ABC):
    """A ranking metric. Subclass it, give it a `name` and a `value`; it then parses, evaluates and trains.

    Metrics compare and hash by their fields, and `parse(str(metric)) == metric`. Methods see one query:

    - `ranked`: labels from the top rank down; - `ideal`: all labels of the query, best first (longer than
      `ranked` where judged documents were not retrieved); - `runs`: where each run of equal scores starts,
      and last the length of the list. `ideal` may be left out by callers.
    """

    name: ClassVar[str] = ""
    needs: ClassVar[str] = "a document"  # what a query must have for the metric to be defined, in words
    takes_unjudged: ClassVar[bool] = False  # sees labels below 0 as they are (else they arrive as 0)
    ranks_everything: ClassVar[bool] = False  # documents that were not retrieved stand tied at the bottom
    thresholds: ClassVar[bool] = False  # a decision at a threshold, which cannot fall between equal scores
    upper: ClassVar[float] = 1.0  # no value is above this

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for hook, others in (("value", ()), ("tied_value", ("runs",)), ("swap_delta", ("i", "j"))):
            if hook in cls.__dict__:
                setattr(cls, hook, _with_ideal(cls.__dict__[hook], others))
        if "name" in cls.__dict__ and not cls.__module__.startswith("tests.") and cls.name:
            _CLASSES[cls.__qualname__] = cls

    @abstractmethod
    def value(self, *args: Any, **kwargs: Any) -> float:
        """`value(ranked, ideal)`: how good this order is; NaN where the query lacks what the metric needs."""

    def tied_value(self, *args: Any, **kwargs: Any) -> float:
        """`tied_value(ranked, runs, ideal)`: the mean of `value` over random orders within runs of equal scores.

        This default averages seeded shuffles; a metric with a closed form overrides it.
        """
        return self._shuffled(*args, **kwargs)[0]

    def swap_delta(self, *args: Any, **kwargs: Any) -> FloatArray:
        """`swap_delta(ranked, i, j, ideal)`: change of `value` when ranks i and j (from 0) are exchanged.

        `i` and `j` broadcast. This default recomputes `value`; a closed form overrides it.
        """
        return self._recomputed_delta(*args, **kwargs)

    def swap_factors(self, *args: Any, **kwargs: Any) -> Factors | None:
        """`swap_factors(ranked, ideal, grades)`: |swap_delta| in a form that can be summed over pairs in linear time.

        Classes of the documents (the better, the higher), `heights[r, i]` of ranks and `weights[r, a, b]` of classes
        with |ΔM_ij| = Σ_r weights[r, class_i, class_j] · (heights[r, i] − heights[r, j]) for i above j. `grades` are
        all labels of the data set, rising. None, the default: there is no such form, and pairs are summed singly.
        """
        return None

    def for_labels(self, labels: FloatArray) -> Self:
        """This metric with what it takes from the whole data set filled in (MAUC: its classes' shares)."""
        return self

    def for_training(self) -> Metric:
        """The metric whose λ's a model descends to be good at this one: itself, unless another is better for that."""
        return self

    def best_order(self, labels: ArrayLike) -> Labels:
        """The labels in an order of the highest value: best first, unless the metric sees them otherwise."""
        return np.sort(np.asarray(labels, dtype=np.float64))[::-1]

    def _shuffled(self, ranked: ArrayLike, runs: ArrayLike, ideal: ArrayLike | None = None) -> tuple[float, float]:
        """Mean of `value` over `SHUFFLES` seeded orders of tied documents, and the standard error of that mean."""
        rng = np.random.default_rng(0)
        labels, starts = np.array(ranked, dtype=np.float64), np.asarray(runs)
        best = np.sort(labels)[::-1] if ideal is None else ideal
        values = np.empty(SHUFFLES)
        for s in range(SHUFFLES):
            for a, b in itertools.pairwise(starts):
                if b - a > 1:
                    labels[a:b] = rng.permutation(labels[a:b])
            values[s] = self.value(labels, best)
        return float(values.mean()), float(values.std() / np.sqrt(SHUFFLES))

    def _recomputed_delta(
        self, ranked: ArrayLike, i: ArrayLike, j: ArrayLike, ideal: ArrayLike | None = None
    ) -> FloatArray:
        labels = np.array(ranked, dtype=np.float64)
        first, second = np.broadcast_arrays(i, j)
        before = self.value(labels, ideal=ideal)
        delta = np.empty(first.shape)
        for at, (a, b) in enumerate(zip(first.flat, second.flat, strict=True)):
            labels[a], labels[b] = labels[b], labels[a]
            delta.flat[at] = self.value(labels, ideal=ideal) - before
            labels[a], labels[b] = labels[b], labels[a]
        return delta

    # --- fields, for compiled code and as text ---

    def record(self) -> np.void:
        """The fields as compiled code sees them, under the same names (None is 0)."""
        types: list[tuple[Any, ...]] = []
        values = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple):
                # Up to a power of two, with NaN, which equals no label: or each length would be compiled anew.
                value = (*value, *[np.nan] * ((1 << (len(value) - 1).bit_length()) - len(value)))
                types.append((field.name, np.float64, (len(value),)))
            else:
                kind = np.bool_ if isinstance(value, bool) else np.float64 if isinstance(value, float) else np.int64
                types.append((field.name, kind))
            values.append(0 if value is None else value)
        types.append(("_", np.int64))  # a record cannot be without fields
        row: np.void = np.array([(*values, 0)], dtype=np.dtype(types, align=True))[0]
        return row

    def _arguments(self) -> list[str]:
        """What stands in the brackets of the name: flags that are set, and numbers other than k."""
        words = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool):
                words += [field.name] * value
            elif field.name != "k" and value not in (None, field.default):
                words += [number(v) for v in (value if isinstance(value, tuple) else (value,))]
        return words

    def __str__(self) -> str:
        words = self._arguments()
        k = getattr(self, "k", None)
        return self.name + (f"[{','.join(words)}]" if words else "") + ("" if k is None else f"@{k}")

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """The metric that `text` spells (`name`, `name@k`, `name[flag,1.5]@k`), or None if it is another's."""
        match = re.fullmatch(re.escape(cls.name) + r"(?:\[([^\]]*)\])?(?:@(\d+))?", text)
        if match is None:
            return None
        fields = {field.name: field for field in dataclasses.fields(cls)}
        words = [word.strip() for word in match[1].split(",")] if match[1] is not None else []
        given: dict[str, Any] = {word: True for word in words if fields.get(word) and word != "k"}
        numbers = [word for word in words if word not in given]
        slots = [f.name for f in fields.values() if f.name != "k" and f.type not in ("bool", bool)]
        if len(numbers) > len(slots) or (match[2] is not None and "k" not in fields):
            return None
        try:
            given.update(zip(slots, map(float, numbers), strict=False))
            return cls(**given, **({"k": int(match[2])} if match[2] is not None else {}))
        except (TypeError, ValueError) as problem:
            if isinstance(problem, MetricError):
                raise
            return None


def check_cutoff(k: int | None) -> None:
    """A cut-off is a whole number from 1, or None for the whole list."""
    if k is not None and (not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1):
        raise MetricError(f"the cut-off k must be a whole number of at least 1, got {k!r}; leave it out for no cut-off")


def metric_classes() -> list[type[Metric]]:
    """Every metric class that has been defined, ours and the user's."""
    return list(_CLASSES.values())
