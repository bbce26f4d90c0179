"""How far a search has come: what a checkpoint holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from rankwise.selection._fold_fits import FoldFit
from rankwise.selection._folds import Folds
from rankwise.types import AnyArray, FloatArray, JsonObject


@dataclass
class SearchState:
    """The finished fits of each candidate, fold by fold, and why candidates were dropped."""

    checkpoint_format: ClassVar[str] = "selection 1"

    fits: dict[str, list[FoldFit]] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)

    @property
    def finished(self) -> list[str]:
        """Candidates with a score for every row."""
        return [name for name in self.fits if name not in self.dropped]

    @property
    def count(self) -> int:
        """Fits so far."""
        return sum(map(len, self.fits.values()))

    def scores(self, name: str, folds: Folds) -> FloatArray:
        """The score of each row by the model that was not trained on it; NaN where there is none yet."""
        scores = np.full(folds.of_row.size, np.nan)
        for fold, fit in enumerate(self.fits[name]):
            scores[folds.held_out(fold)] = fit.scores
        return scores

    def to_arrays(self) -> tuple[JsonObject, dict[str, AnyArray]]:
        """The state as JSON and arrays."""
        fields: dict[str, Any] = {"dropped": self.dropped, "fits": {}}
        arrays: dict[str, AnyArray] = {}
        for place, (name, fits) in enumerate(self.fits.items()):
            fields["fits"][name] = [[fit.cpu_seconds, fit.seconds, fit.chosen] for fit in fits]
            arrays |= {f"scores_{place}_{fold}": fit.scores for fold, fit in enumerate(fits)}
        return fields, arrays

    @classmethod
    def from_arrays(cls, fields: JsonObject, arrays: dict[str, AnyArray]) -> Self:
        """The state that `to_arrays` described."""
        fits = {
            str(name): [
                FoldFit(np.asarray(arrays[f"scores_{place}_{fold}"], dtype=np.float64), float(cpu), float(wall), chosen)
                for fold, (cpu, wall, chosen) in enumerate(entries)
            ]
            for place, (name, entries) in enumerate(fields["fits"].items())
        }
        return cls(fits, {str(name): str(why) for name, why in fields["dropped"].items()})


def seconds_of(fits: Sequence[FoldFit]) -> float:
    """Seconds by the clock on the wall of one of these fits, on average."""
    return sum(fit.seconds for fit in fits) / len(fits) if fits else 0.0
