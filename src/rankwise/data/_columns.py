"""Which columns of some data are the features of other data, or of a model."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.errors import DataError


def match_columns(
    names: Sequence[str] | None,
    count: int,
    like_names: Sequence[str] | None,
    like_count: int,
    *,
    source: str = "the data",
    widen: bool = True,
) -> list[int] | None:
    """The column for each feature of the training data, or None where the columns are right as they are.

    Columns are matched by name where both sides have names, else by place. LETOR text leaves out zeros, so its last
    features may be in no line: with `widen`, −1 stands for such a column, which is all zeros.
    """
    if names is not None and like_names is not None:
        column = {name: number for number, name in enumerate(names)}
        wrong = [f"none named {name!r}" for name in like_names if name not in column]
        wrong += [f"one named {name!r}" for name in names if name not in set(like_names)]
        if wrong:
            raise DataError(
                f"{source} must have the columns of the training data, got {wrong[0]}; pass data made in the same way"
            )
        return None if list(names) == list(like_names) else [column[name] for name in like_names]
    if count == like_count:
        return None
    if widen and names is None and count < like_count:
        return [*range(count), *[-1] * (like_count - count)]
    raise DataError(
        f"{source} must have the {like_count} features of the training data, got {count}; "
        "pass data made in the same way"
    )
