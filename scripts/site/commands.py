"""A hook of mkdocs: the page commands.md, one section per command, from what `--help` shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import typer.main
from mkdocs.structure.files import File, Files

from rankwise.cli._app import app

INTRODUCTION = """# All commands

What `rankwise COMMAND --help` prints, for every command. [The command line](cli.md) has examples with their output, and
says what data files, score files and model files may be.
"""


def on_files(files: Files, config: Any) -> Files:
    """Add the page."""
    files.append(File.generated(config, "commands.md", content=commands_page()))
    return files


def commands_page() -> str:
    """The page in Markdown."""
    return "\n".join([INTRODUCTION, *(section for name, command in _walk() for section in _section(name, command))])


def _walk(command: Any = None, name: str = "rankwise") -> Iterator[tuple[str, Any]]:
    """Commands with their full names, in the order of the help; groups are not commands."""
    command = command or typer.main.get_command(app)
    if not hasattr(command, "commands"):
        yield name, command
        return
    for word, child in command.commands.items():
        yield from _walk(child, f"{name} {word}")


def _section(name: str, command: Any) -> Iterator[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = " ".join([name, "[OPTIONS]", *(_argument(p) for p in arguments)])
    yield f"\n## {name}\n\n```text\n{usage}\n```\n"
    for paragraph in (command.help or "").replace("\b", "").split("\n\n"):
        intro, colon, line = paragraph.replace("\n", " ").partition(": rankwise ")
        yield f"{intro}:\n\n```sh\nrankwise {line.strip()}\n```\n" if colon else f"{intro}\n"
    panels: dict[str, list[list[str]]] = defaultdict(list)
    for parameter in command.params:
        panel = "Argument" if parameter.param_type_name == "argument" else parameter.rich_help_panel or "Option"
        panels[panel].append([_spelling(parameter), _meaning(parameter)])
    for panel, rows in panels.items():
        yield f"| {panel} | |\n| --- | --- |\n" + "\n".join(f"| {left} | {right} |" for left, right in rows) + "\n"


def _argument(parameter: Any) -> str:
    many = "..." if parameter.nargs == -1 else ""
    name = parameter.metavar or parameter.name.upper()
    return name + many if parameter.required else f"[{name}]{many}"


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_argument(parameter)}`"
    value = "" if parameter.is_flag or parameter.count else " " + (parameter.metavar or parameter.name.upper())
    names = [*parameter.opts, *parameter.secondary_opts]
    return ", ".join(f"`{name}{value}`" for name in names)


def _meaning(parameter: Any) -> str:
    default = parameter.show_default if isinstance(parameter.show_default, str) else parameter.default
    shown = f" Default: {default}." if default not in (None, False, True, ()) and not callable(default) else ""
    many = " Can be given several times." if getattr(parameter, "multiple", False) else ""
    return ((parameter.help or "") + many + shown).replace("|", "\\|").replace("\n", " ")
