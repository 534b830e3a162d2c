"""A dry run finds the command and starts nothing, whatever the recipe tries."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_recipe import ROW, SERVER

from sweepgate.engines.dry_run import resolve
from sweepgate.engines.recipe import NOMINAL
from sweepgate.errors import InputError
from sweepgate.matrix.row import Row


def resolved(folder: Path, body: str) -> tuple[list[str], dict[str, str]]:
    path = folder / "recipe.sh"
    path.write_text("#!/usr/bin/env bash\nset -euo pipefail\n" + body)
    command = resolve(path, Row.model_validate(ROW), SERVER, NOMINAL)
    return command.argv, command.environment


def test_arguments_and_environment(tmp_path: Path) -> None:
    argv, environment = resolved(
        tmp_path,
        """
export MADE="$MODEL/$PRECISION"
args=(--tp "$TP" --draft $((TP + 1)))
if [[ "$DP_ATTN" == true ]]; then args+=(--dp); fi
exec python3 -m server --port "$PORT" "a  b" '' "${args[@]}"
""",
    )
    assert argv == ["python3", "-m", "server", "--port", "8000", "a  b", "", "--tp", "8", "--draft", "9", "--dp"]
    assert environment["MADE"] == "m/fp8"
    assert environment["TP"] == "8"
    assert not {"PATH", "PWD", "SHLVL", "BASH_ENV", "LC_ALL", "HOME"} & set(environment)


IMPURE = {
    "a substitution": "n=$(nproc); exec server $n",
    "a substitution with a path": "n=$(/usr/bin/nproc); exec server $n",
    "backticks": "exec server `id`",
    "a redirection": "echo x > {target}; exec server",
    "appending": "echo x >> {target}; exec server",
    "a command": "touch {target}; exec server",
    "a command by path": "/usr/bin/touch {target}; exec server",
    "the real exec": "builtin exec /usr/bin/touch {target}",
    "command exec": "command exec /usr/bin/touch {target}",
    "a changed PATH": "PATH=/usr/bin:/bin; touch {target}; exec server",
    "a background process": "/usr/bin/touch {target} & exec server",
    "a trap": "trap '/usr/bin/touch {target}' EXIT; exec server",
    "an exec function of its own": "exec() {{ /usr/bin/touch {target}; }}; exec server",
    "unsetting ours": "unset -f exec; exec /usr/bin/touch {target}",
    "sourcing": "source /etc/profile; exec server",
    "a change of folder": "cd /; exec server",
    "unrestricting": "set +r; /usr/bin/touch {target}; exec server",
    "enabling builtins": "enable -f /lib/x.so x; exec server",
    "an alias": "shopt -s expand_aliases\nalias exec=/usr/bin/touch\nexec {target}",
    "hashing": "hash -p /usr/bin/touch t; t {target}; exec server",
    "an unset variable": "exec server $NO_SUCH",
    "printing an error": "echo problem >&2; exec server",
}


@pytest.mark.parametrize("name", IMPURE)
def test_nothing_runs_and_the_recipe_is_told(tmp_path: Path, name: str) -> None:
    target = tmp_path / "touched"
    with pytest.raises(InputError, match="recipe"):
        resolved(tmp_path, IMPURE[name].format(target=target) + "\n")
    assert not target.exists()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("true\n", "ended with code 0 and without `exec`"),
        ("exit 3\n", "ended with code 3 and without `exec`"),
        ("exec\n", "calls exec without a command"),
    ],
)
def test_recipes_that_serve_nothing(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        resolved(tmp_path, body)


def test_an_endless_recipe_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sweepgate.engines.dry_run._TIMEOUT_SECONDS", 0.3)
    with pytest.raises(InputError, match="did not reach `exec`"):
        resolved(tmp_path, "while true; do :; done\n")
