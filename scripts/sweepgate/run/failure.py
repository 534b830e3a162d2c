"""The exception that ends a job, and what its log had to say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from sweepgate.results.store import Failure

_TAIL_LINES = 15
_TAIL_BYTES = 8_000


class JobFailure(Exception):  # noqa: N818 - it carries a Failure, the word that results and reports use
    """A job cannot go on. `kind` decides whether it counts against the change."""

    def __init__(
        self, kind: Literal["benchmark", "infrastructure"], phase: str, message: str, detail: str = ""
    ) -> None:
        self.failure = Failure(kind=kind, phase=phase, message=message, detail=detail)
        super().__init__(f"{phase}: {message}")


def log_tail(path: Path) -> str:
    """Return the last lines of a log, without control characters that could rewrite a reader's terminal."""
    try:
        with path.open("rb") as file:
            file.seek(max(path.stat().st_size - _TAIL_BYTES, 0))
            text = file.read().decode(errors="replace")
    except OSError as error:
        return f"(no log: {error.strerror})"
    lines = text.splitlines()[-_TAIL_LINES:]
    return "\n".join("".join(c if c.isprintable() or c == "\t" else "�" for c in line) for line in lines)


@contextmanager
def disk_errors(phase: str) -> Iterator[None]:
    """Turn an OSError (a full disk, a lost mount) into an infrastructure failure that names the file."""
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise JobFailure("infrastructure", phase, f"{error.strerror or error}{where}") from error
