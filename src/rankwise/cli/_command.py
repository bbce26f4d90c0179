"""How a command shows its options and reads its command line."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

SPELLINGS = {"--metric": "--metrics", "--metrics": "--metric"}


class Command(TyperCommand):
    """A command whose flags are shown as they are typed, and which takes `--metric` and `--metrics` for each other."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, flags without a type."""
        return _without_flag_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words; one metric or several, the option is the only one of the two that there is."""
        known = {name for parameter in self.params for name in parameter.opts}
        return super().parse_args(ctx, [_as_known(word, known) for word in args])


class Group(TyperGroup):
    """Commands under one name; flags are shown as they are typed."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options, flags without a type."""
        return _without_flag_types(super().get_params(ctx))


def complete_metrics(incomplete: str) -> list[str]:
    """What the last of some metrics may be, in full."""
    from rankwise.metrics._names import EXAMPLES

    before, blank, last = incomplete.rpartition(" ")
    return [f"{before}{blank}{name}" for name in EXAMPLES if name.startswith(last)]


def _without_flag_types(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


def _as_known(word: str, known: set[str]) -> str:
    name, equals, value = word.partition("=")
    other = SPELLINGS.get(name)
    return f"{other}{equals}{value}" if other in known and name not in known else word
