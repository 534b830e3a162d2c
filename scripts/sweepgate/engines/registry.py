"""Framework name → engine. A new engine is one module and one line here."""

from __future__ import annotations

from sweepgate.engines.dynamo import Dynamo
from sweepgate.engines.process import Engine
from sweepgate.engines.standalone import Standalone
from sweepgate.errors import InputError, Problem

ENGINES: dict[str, Engine] = {
    "atom": Standalone(),
    "dynamo-mocker": Dynamo(),
    "dynamo-sglang": Dynamo(),
    "dynamo-trt": Dynamo(),
    "dynamo-vllm": Dynamo(),
    "sglang": Standalone(),
    "trt": Standalone(),
    "vllm": Standalone(),
}


def engine_for(framework: str) -> Engine:
    """Return the engine of a framework. Raises InputError for one that can be planned but not run yet."""
    engine = ENGINES.get(framework)
    if engine is None:
        allowed = ", ".join(sorted(ENGINES))
        raise InputError(Problem("no engine serves this framework", found=framework, allowed=allowed))
    return engine
