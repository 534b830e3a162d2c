"""What bash itself makes of a recipe: restricted mode, an empty PATH, and `exec` as a function that prints.

Only tests run recipes; the product reads their syntax tree. This is what the reading is compared with.
"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from sweepgate.fingerprint.statements import ResolvedCommand

_HARNESS_NAMES = frozenset({"BASH_ENV", "PATH", "PWD", "OLDPWD", "SHLVL", "_", "LC_ALL"})
_PRELUDE = r"""
exec() {
  printf 'SWEEPGATE-COMMAND\0'
  printf '%s\0' "$@"
  printf 'SWEEPGATE-ENVIRONMENT\0'
  local name
  for name in $(compgen -e); do printf '%s=%s\0' "$name" "${!name-SWEEPGATE-UNSET}"; done
  builtin exit 0
}
readonly -f exec
"""


def bash_resolves(
    source: bytes, variables: Mapping[str, str], arrays: Mapping[str, Sequence[str]]
) -> ResolvedCommand | None:
    """Return what bash would exec; None when the recipe prints an error or ends without `exec`."""
    lines = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    lines += [f"{name}=({' '.join(map(shlex.quote, values))})" for name, values in arrays.items()]
    with tempfile.TemporaryDirectory() as folder:
        startup, recipe = Path(folder) / "startup.sh", Path(folder) / "recipe.sh"
        startup.write_text("\n".join(lines) + "\nunset BASH_ENV\n" + _PRELUDE)
        recipe.write_bytes(source)
        command = ["/bin/bash", "--noprofile", "--norc", "-r", str(recipe)]
        environment = {"PATH": "/nonexistent", "BASH_ENV": str(startup), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, timeout=10, check=False)
    _, marker, rest = done.stdout.partition(b"SWEEPGATE-COMMAND\0")
    argv, second, exported = rest.partition(b"SWEEPGATE-ENVIRONMENT\0")
    if done.stderr or not marker or not second:
        return None
    words = argv.decode().split("\0")[:-1]
    if words in ([], [""]):
        return None
    pairs = [item.partition("=") for item in exported.decode().split("\0")[:-1]]
    return ResolvedCommand(
        words,
        {name: text for name, _, text in pairs if name not in _HARNESS_NAMES and text != "SWEEPGATE-UNSET"},
    )
