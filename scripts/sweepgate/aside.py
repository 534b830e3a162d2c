"""Work that a second process does while this one goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def aside(work: Callable[[], T]) -> Callable[[], T]:
    """Start `work`, whose result is plain JSON data, in a forked process; return a function that waits for the result.

    What fails there is done again here, so that its errors are raised here. For processes without threads only.
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        _send(work, sender)
    os.close(sender)
    results: list[Any] = []

    def result() -> T:
        if not results:
            with os.fdopen(receiver, "rb") as pipe:
                content = pipe.read()
            os.waitpid(child, 0)
            results.append(json.loads(content) if content else work())
        found: T = results[0]
        return found

    return result


def _send(work: Callable[[], object], sender: int) -> None:
    """Write the result, or nothing when the work fails, and leave the process."""
    try:
        content = json.dumps(work()).encode()
        with os.fdopen(sender, "wb") as pipe:
            pipe.write(content)
    finally:
        os._exit(0)
