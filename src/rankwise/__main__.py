"""The program `rankwise`, also as `python -m rankwise`: what is there before the command and after it."""

import os
import signal
import sys
import threading
import types

STOPPED = 130
AGAIN_SECONDS = 0.05
IMPORTING = "<frozen importlib._bootstrap>"


def _send_again() -> None:
    """Ctrl-C once more, to the main thread itself, which may be waiting."""
    again = threading.Timer(AGAIN_SECONDS, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    again.daemon = True
    again.start()


def _hear_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Where Ctrl-C came up in a place that cannot raise, such as the end of a weak reference, let it come once more.

    Python would print it, and the command would go on as if nothing had been.
    """
    if unraisable.exc_type is KeyboardInterrupt:
        _send_again()  # by when that place has been left
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt(number: int, frame: types.FrameType | None) -> None:
    """Raise KeyboardInterrupt, but let what a command imports late (numba, torch) be imported first.

    Compiled modules print it in the middle of that, and say that they cannot be imported.
    """
    above: types.FrameType | None = sys._getframe()
    while above is not None and above.f_code.co_filename != IMPORTING:
        above = above.f_back
    if above is None:
        signal.default_int_handler(number, frame)
    _send_again()


def main() -> None:
    """Import the commands and run one; Ctrl-C ends the program at once before that, and comes too late after it.

    In the middle of imports KeyboardInterrupt becomes an ImportError of what was being imported, and at Python's end
    it is printed by what is being closed. A program in the background, which ignores Ctrl-C, goes on to do so.
    """
    hears = False
    try:
        hears = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if hears:
            signal.signal(signal.SIGINT, lambda *_: os._exit(STOPPED))
        from rankwise.cli import main as run

        if hears:
            sys.unraisablehook = _hear_again
            signal.signal(signal.SIGINT, _interrupt)
        run()
    except KeyboardInterrupt:  # on the way in or out
        sys.exit(STOPPED)
    finally:
        if hears:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
