"""A metric's fields as text (`ndcg[linear]@10`) and as the record that compiled code reads."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from rankwise.errors import MetricError


def number(value: float) -> str:
    """Shortest text of a number in a metric's name: 10, 0.95."""
    return repr(int(value)) if float(value).is_integer() else repr(float(value))


MAX_CUTOFF = 2**31 - 1  # longer lists there are none


def check_cutoff(k: int | None) -> None:
    """A cut-off is a whole number from 1, or None for the whole list."""
    if k is not None and (not isinstance(k, int | np.integer) or isinstance(k, bool) or not 1 <= k <= MAX_CUTOFF):
        raise MetricError(
            f"the cut-off k must be a whole number of at least 1 and at most {MAX_CUTOFF}, got {str(k)[:40]}; "
            "leave it out for no cut-off"
        )


def _as_float(name: str, value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise MetricError(f"{name} must be a number, got {value!r:.100}; pass one") from None


@dataclasses.dataclass(frozen=True)
class MetricFields:
    """The fields of a metric, its name with them, and back."""

    name: ClassVar[str] = ""
    aliases: ClassVar[Mapping[str, str]] = {}  # other spellings of flags in text

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if field.type in ("float", float):  # or a whole number would be compiled anew, for a record of its own
                object.__setattr__(self, field.name, _as_float(field.name, getattr(self, field.name)))
        check_cutoff(getattr(self, "k", None))

    def record(self) -> np.void:
        """Return the fields as compiled code reads them.

        Returns
        -------
        numpy.void
            A structured scalar with the same field names; None becomes 0, a tuple an array padded with NaN.
        """
        types: list[tuple[str, type] | tuple[str, type, tuple[int]]] = []
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
    def _from_text(cls, text: str) -> Self | None:
        """The metric of a text, `name`, `name@k` or `name[flag,1.5]@k`; None if it names another metric."""
        match = re.fullmatch(re.escape(cls.name) + r"(?:\[([^\]]*)\])?(?:@(\d+))?", text)
        if match is None:
            return None
        fields = {field.name: field for field in dataclasses.fields(cls)}
        words = [word.strip() for word in match[1].split(",")] if match[1] is not None else []
        words = [cls.aliases.get(word, word) for word in words]
        flags = {word: True for word in words if word in fields and word != "k"}
        numbers = [word for word in words if word not in flags]
        slots = [f.name for f in fields.values() if f.name != "k" and f.type not in ("bool", bool)]
        if len(numbers) > len(slots) or (match[2] is not None and "k" not in fields):
            return None
        try:
            values = dict(zip(slots, map(float, numbers), strict=False))
            return cls(**flags, **values, **({"k": int(match[2])} if match[2] is not None else {}))
        except MetricError:
            raise
        except (TypeError, ValueError):
            return None
