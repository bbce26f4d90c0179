"""How far the training of a net has come: all that is needed to go on with it, bit for bit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankwise.types import AnyArray, JsonObject

Arrays = dict[str, AnyArray]
WEIGHTS = ("weights", "best", "memory")  # fields of a state that hold arrays


@dataclass
class NetState:
    """After `len(values)` epochs. `values` has the metric on each eval_set, `costs` what Burges 2006's rule goes by.

    `weights` are the present ones, `best` those of the best epoch, `memory` the optimizer's numbers.
    """

    checkpoint_format: ClassVar[str] = "net 2"

    rate: float
    values: list[list[float]] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    restarts: list[int] = field(default_factory=list)  # epochs after which training began anew
    weights: Arrays = field(default_factory=dict)
    best: Arrays = field(default_factory=dict)
    memory: Arrays = field(default_factory=dict)

    @property
    def epochs(self) -> int:
        """Epochs so far."""
        return len(self.values)

    def best_epoch(self) -> int:
        """The epoch, from 1, of the best value on the first eval_set, the first of equals; without one the last."""
        if not self.values or not self.values[0]:
            return self.epochs
        return 1 + int(np.argmax([values[0] for values in self.values]))

    def to_arrays(self) -> tuple[JsonObject, Arrays]:
        """What a checkpoint holds: numbers as JSON, weights as arrays named by the field that they are of."""
        fields = {"rate": self.rate, "values": self.values, "costs": self.costs, "restarts": self.restarts}
        return fields, {f"{group}/{name}": array for group in WEIGHTS for name, array in getattr(self, group).items()}

    @classmethod
    def from_arrays(cls, fields: JsonObject, arrays: Arrays) -> NetState:
        """The state that a checkpoint holds."""
        weights: dict[str, Arrays] = {group: {} for group in WEIGHTS}
        for path, array in arrays.items():
            group, _, name = path.partition("/")
            weights[group][name] = array
        return cls(**fields | weights)
