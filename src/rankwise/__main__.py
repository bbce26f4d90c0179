"""The program `rankwise`, also as `python -m rankwise`: what is there before the command and after it."""

import os
import signal
import sys
import threading

STOPPED = 130
AGAIN_SECONDS = 0.05


def _hear_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Where Ctrl-C came up in a place that cannot raise, such as the end of a weak reference, let it come once more.

    Python would print it, and the command would go on as if nothing had been.
    """
    if unraisable.exc_type is KeyboardInterrupt:
        # To the main thread itself, which may be waiting, and by when that place has been left.
        to_main = (threading.main_thread().ident, signal.SIGINT)
        again = threading.Timer(AGAIN_SECONDS, signal.pthread_kill, to_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(unraisable)


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
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:  # on the way in or out
        sys.exit(STOPPED)
    finally:
        if hears:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
