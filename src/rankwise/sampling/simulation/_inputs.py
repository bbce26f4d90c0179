"""Which samplers and which seeds a simulation is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankwise.errors import DataError
from rankwise.sampling._base import Sampler, sampler_named


def named_samplers(sampler: Any) -> dict[str, Sampler]:
    """Samplers by name; one without a name of its own is called as its class."""
    if isinstance(sampler, Mapping):
        found = [(str(name), sampler_named(one)) for name, one in sampler.items()]
    else:
        several = sampler if isinstance(sampler, Iterable) and not isinstance(sampler, str) else [sampler]
        found = [(one.kind or type(one).__name__, one) for one in map(sampler_named, several)]
    names = [name for name, _ in found]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError(f"samplers must differ in name, got {twice[0]} twice; name them: {{'one': …, 'other': …}}")
    if not names:
        raise DataError("no sampler was named; name at least one, such as lossmin")
    return dict(found)


def seed_numbers(seeds: int | Sequence[int]) -> tuple[int, ...]:
    """Seeds from their number or as they are."""
    is_number = isinstance(seeds, int | np.integer) and not isinstance(seeds, bool)
    try:
        found = tuple(range(seeds)) if is_number else tuple(int(seed) for seed in seeds)  # type: ignore[arg-type,union-attr]
    except (TypeError, ValueError):
        found = ()
    if not found or min(found) < 0 or len(set(found)) < len(found):
        raise DataError(f"seeds must be a number from 1, or different whole numbers from 0, got {seeds!r}; pass 5")
    return found
