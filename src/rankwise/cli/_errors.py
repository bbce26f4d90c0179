"""What goes wrong becomes one sentence on stderr and an exit code, never a traceback.

| code | meaning                                                            |
|------|--------------------------------------------------------------------|
| 0    | fine                                                               |
| 1    | the reader of our output went away (`| head`); nothing is said     |
| 2    | bad input or usage; the sentence says what to do                   |
| 3    | what was to be shown is not so (certify, info, export, --strict)   |
| 70   | a mistake of ours; RANKWISE_DEBUG=1 shows the traceback            |
| 130  | stopped by Ctrl-C                                                  |
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from rankwise.cli._command import Group
from rankwise.errors import RankwiseError

BROKEN_PIPE, BAD_INPUT, NOT_CERTIFIED, BUG, STOPPED = 1, 2, 3, 70, 130

# typer shows its error classes only in part: all of them descend from the parent of the one it does show.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]

REMEDIES = {
    errno.ENOENT: "check the name and the folder you are in",
    errno.EACCES: "change its permissions or choose another place",
    errno.EPERM: "change its permissions or choose another place",
    errno.EROFS: "choose a place that can be written to",
    errno.EISDIR: "name a file in it",
    errno.ENOSPC: "free some space or choose another disk",
    errno.EDQUOT: "free some space or choose another disk",
    errno.EFBIG: "allow larger files (see ulimit) or choose another disk",
}


class GuardedGroup(Group):
    """The root of the commands: runs one of them and ends the program with its exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command that the arguments name; it always ends by SystemExit."""
        run = super().main
        for stream in (sys.stdout, sys.stderr):
            # A terminal or a file that cannot show “–” or an odd file name should show ? and not fail.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        sys.exit(_exit_code(lambda: run(*args, **{**kwargs, "standalone_mode": False})))


def _exit_code(run: Callable[[], Any]) -> int:
    try:
        code = run()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return STOPPED
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except UsageError as error:
        return _usage(error)
    except RankwiseError as error:
        return _failed(str(error))
    except OSError as error:
        _discard_output()
        return _failed(_os_sentence(error))
    except MemoryError:
        return _failed("there is not enough memory for this; use fewer or smaller files, or a larger machine")
    except Exception as error:
        if _comes_of_interrupt(error):
            return STOPPED
        if os.environ.get("RANKWISE_DEBUG") == "1":
            raise
        return _failed(
            f"this is a mistake in rankwise ({type(error).__name__}: {error}); please report it with the output "
            "of the same command under RANKWISE_DEBUG=1",
            BUG,
        )


def _comes_of_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error: in a library's own code it comes up as one SystemError after the other."""
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and cause not in causes:
        causes.append(cause)
    return any(isinstance(cause, KeyboardInterrupt) for cause in causes)


def _failed(sentence: str, code: int = BAD_INPUT) -> int:
    print("rankwise:", " ".join(sentence.split()), file=sys.stderr)
    return code


def _usage(error: Any) -> int:
    """A mistyped command line; asking for nothing at all has printed the help already."""
    message = error.format_message().strip().rstrip(".?")
    if not message:
        return BAD_INPUT
    message = message.replace(". Did you mean", "; did you mean")  # one sentence
    context = error.ctx
    command = context.command_path if context is not None else "rankwise"
    return _failed(f"{message[0].lower()}{message[1:]}; see {command} --help")


def _os_sentence(error: OSError) -> str:
    reason = (error.strerror or str(error) or type(error).__name__).splitlines()[0]
    remedy = REMEDIES.get(error.errno or 0, "check the file and the disk it is on")
    if not isinstance(error.filename, str | Path):
        return f"a file or the output could not be read or written ({reason}); {remedy}"
    # Files are written under a temporary name beside their own, which would only puzzle the reader.
    name = re.sub(r"(^|/)\.[0-9a-f]{12}\.", r"\1", str(error.filename))
    return f"{name} could not be read or written ({reason}); {remedy}"


def _discard_output() -> None:
    """What is left in the buffer would fail once more, with a traceback, when Python exits."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 (it lives until the end)
