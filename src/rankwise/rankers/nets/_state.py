"""How far the training of a net has come: all that is needed to go on with it, bit for bit."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


@dataclass
class NetState:
    """After `len(values)` epochs. `values` has the metric on each judged set, `costs` what Burges 2006's rule goes by.

    `weights` are the present ones, `best` those of the best epoch, `memory` the optimizer's own numbers.
    """

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
        """The epoch, from 1, of the best value on the first judged set, the first of equals; the last if none is."""
        if not self.values or not self.values[0]:
            return self.epochs
        return 1 + int(np.argmax([values[0] for values in self.values]))

    def plain(self) -> dict[str, Any]:
        """What is not arrays, for JSON."""
        return {name: value for name, value in asdict(self).items() if name not in ("weights", "best", "memory")}
