"""docs/cli.md: every command and option is there, and its examples run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import typer.main

from rankwise.cli import app
from rankwise.cli.support._reading import ReadOptions
from tests.cli.conftest import Run

DOCS = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """All commands that do something, with their full names."""
    below = getattr(command, "commands", None)
    if below is None:
        yield name, command
        return
    for word, child in below.items():
        yield from commands(child, f"{name} {word}")


COMMANDS = dict(commands(typer.main.get_command(app), "rankwise"))
SECTIONS = dict(re.findall(r"^## (rankwise [^\n]+)\n(.*?)(?=^## |\Z)", DOCS, re.M | re.S))
EXAMPLES = [line for block in re.findall(r"```sh\n(.*?)```", DOCS, re.S) for line in block.splitlines()]


def test_there_is_a_section_for_each_command_and_no_other() -> None:
    assert sorted(SECTIONS) == sorted(COMMANDS)


def documented_options(text: str) -> set[str]:
    return set(re.findall(r"^\| `(--[\w-]+)", text, re.M))


DATA_OPTIONS = documented_options(DOCS.partition("### Data options")[2].partition("\n## ")[0])


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_documented_as_they_are(name: str) -> None:
    options = {o for p in COMMANDS[name].params for o in p.opts if o.startswith("--")} - {"--help"}
    reads_data = "[data options](#data-options)" in SECTIONS[name]
    assert documented_options(SECTIONS[name]) == options - (DATA_OPTIONS if reads_data else set())
    assert options & DATA_OPTIONS == (DATA_OPTIONS if reads_data else options & {"--positive"})  # r-of-k has a share


def test_the_data_options_are_documented_as_they_are() -> None:
    assert {f"--{field.name.replace('_', '-')}" for field in fields(ReadOptions)} == DATA_OPTIONS


def test_the_root_options_are_documented() -> None:
    assert "rankwise --version" in DOCS


@pytest.mark.parametrize("name", COMMANDS)
def test_a_section_and_the_help_have_an_example(name: str, run: Run) -> None:
    assert any(line.startswith(name + " ") or line == name for line in EXAMPLES)
    shown = run(*name.split()[1:], "--help")
    assert shown.exit_code == 0
    assert f"Example: {name}" in " ".join(shown.stdout.split())


@pytest.mark.slow
def test_the_examples_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)  # which would end by Ctrl-C only
    for line in EXAMPLES:
        program, *arguments = shlex.split(line)
        assert program == "rankwise"
        result = run(*arguments)
        assert (result.exit_code, result.stdout != "") == (0, True), (line, result.output)
