"""What every script shares: the exit codes, and errors without a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from sweepgate.errors import EXIT_BAD_INPUT, EXIT_FAILED_GATE, EXIT_INTERRUPTED, InputError

REPOSITORY = Path(__file__).resolve().parents[2]


# Nothing that happens to be installed may change what a schema accepts; the search for plugins would also read the
# metadata of every installed package.
os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"


def run(main: Callable[[], int]) -> None:
    """Run a script's `main` and leave the process with its exit code (2 for bad input, 1 for a disk or system error,
    130 for Ctrl-C). Leaves at once: freeing a large catalogue object by object would add a tenth to a command."""
    try:
        code = main()
        sys.stdout.flush()
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        code = EXIT_BAD_INPUT
    except BrokenPipeError:
        # The reader went away (`| head`); nothing is left to say, and the interpreter must not try to flush again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        print(f"error: {error.strerror or error}{where}", file=sys.stderr)
        code = EXIT_FAILED_GATE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = EXIT_INTERRUPTED
    sys.stderr.flush()
    os._exit(code)
