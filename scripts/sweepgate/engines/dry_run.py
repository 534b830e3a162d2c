"""What a recipe would start, found without starting it.

The recipe runs in bash's restricted mode with an empty PATH: every external command, output redirection, `exec` and
change of PATH fails, and `exec` is a function that prints its arguments. A recipe that needs another command to know
its own (say `nproc`) is told so instead of being resolved wrongly.
"""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sweepgate.engines.process import ServerProcess
from sweepgate.engines.recipe import Place, job_file
from sweepgate.errors import InputError, Problem
from sweepgate.matrix.row import Row

_TIMEOUT_SECONDS = 10
_MAX_OUTPUT = 1_000_000
_HARNESS_NAMES = frozenset({"BASH_ENV", "PATH", "PWD", "OLDPWD", "SHLVL", "_"})
_PRELUDE = r"""
exec() {
  printf 'SWEEPGATE-COMMAND\0'
  printf '%s\0' "$@"
  printf 'SWEEPGATE-ENVIRONMENT\0'
  local name
  for name in $(compgen -e); do printf '%s=%s\0' "$name" "${!name}"; done
  builtin exit 0
}
readonly -f exec
"""


@dataclass(frozen=True)
class ResolvedCommand:
    """A server command: its arguments, and the environment that the job file and the recipe export."""

    argv: list[str]
    environment: dict[str, str]


def resolve(recipe: Path, row: Row, process: ServerProcess, place: Place) -> ResolvedCommand:
    """Return the command that `recipe` ends in for one process of `row`.

    Raises InputError when the recipe fails, prints an error, ends without `exec`, or takes over ten seconds.
    """
    with tempfile.TemporaryDirectory(prefix="sweepgate-") as folder:
        startup = Path(folder) / "startup.sh"
        startup.write_text(job_file(row, process, place) + _PRELUDE)
        command = ["/bin/bash", "--noprofile", "--norc", "-r", str(recipe)]
        environment = {"PATH": "/nonexistent", "BASH_ENV": str(startup), "LC_ALL": "C"}
        try:
            done = subprocess.run(
                command, env=environment, cwd=folder, capture_output=True, timeout=_TIMEOUT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise _refusal(recipe, row, f"did not reach `exec` within {_TIMEOUT_SECONDS} s") from error
    if done.stderr:
        said = done.stderr.decode(errors="replace").strip().splitlines()[0]
        hint = "a recipe only sets variables and ends in exec; let the harness do the rest"
        raise _refusal(recipe, row, "does more than serve", said.replace(str(recipe), recipe.name)[:300], hint)
    return _parse(done.stdout[:_MAX_OUTPUT], recipe, row, done.returncode)


def _parse(output: bytes, recipe: Path, row: Row, code: int) -> ResolvedCommand:
    _, marker, rest = output.partition(b"SWEEPGATE-COMMAND\0")
    argv, second, environment = rest.partition(b"SWEEPGATE-ENVIRONMENT\0")
    if not marker or not second:
        raise _refusal(
            recipe, row, f"ended with code {code} and without `exec`", hint="end in: exec <engine server> ..."
        )
    words = argv.decode(errors="replace").split("\0")[:-1]
    if not words or words == [""]:
        raise _refusal(recipe, row, "calls exec without a command")
    pairs = [item.partition("=") for item in environment.decode(errors="replace").split("\0")[:-1]]
    exported = {name: value for name, _, value in pairs if name not in _HARNESS_NAMES and name != "LC_ALL"}
    return ResolvedCommand(words, exported)


def _refusal(recipe: Path, row: Row, message: str, found: str | None = None, hint: str | None = None) -> InputError:
    return InputError(Problem(f"recipe {message}", str(recipe), key=row.exp_name, found=found, hint=hint))
