"""Recipes read from their syntax tree: the same outcome as bash where the reading calls them pure, nothing else."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from bash_oracle import bash_resolves
from conftest import PROJECT

from sweepgate.fingerprint.state import RecipeError
from sweepgate.fingerprint.statements import ResolvedCommand, compile_recipe
from sweepgate.fingerprint.syntax import ImpureError

HEAD = "#!/usr/bin/env bash\nset -euo pipefail\n"
VARIABLES = {
    "MODEL": "org/Model-8B",
    "TP": "8",
    "EP": "1",
    "EMPTY": "",
    "WORDS": "a  b",
    "DP_ATTN": "true",
    "STAR": "*",
}
ARRAYS = {"ADDITIONAL_SETTINGS": ["--x", "y z", ""]}


def resolved(body: str, head: str = HEAD, variables: Mapping[str, str] = VARIABLES) -> ResolvedCommand:
    return compile_recipe((head + body).encode()).resolve(variables, ARRAYS)


# body → the arguments it ends in
PURE: dict[str, list[str]] = {
    'exec server --port "$TP" "a  b" \'\' ""': ["server", "--port", "8", "a  b", "", ""],
    "exec server $TP $WORDS $EMPTY x$EMPTY": ["server", "8", "a", "b", "x"],
    'exec server "${ADDITIONAL_SETTINGS[@]}" "${ADDITIONAL_SETTINGS[*]}" "${#ADDITIONAL_SETTINGS[@]}"': [
        "server", "--x", "y z", "", "--x y z ", "3",
    ],
    'args=(--tp "$TP"); args+=(--more); exec server "${args[@]}" "${args[0]}"': [
        "server", "--tp", "8", "--more", "--tp",
    ],
    "exec server $((TP * 2 - 1)) $(( (TP + 1) / 2 )) $((TP % 3 > 1 && EP)) $((EP ? TP : 0)) $((-TP / 3))": [
        "server", "15", "4", "1", "8", "-2",
    ],
    'if [[ "$DP_ATTN" == true && $TP -ge 8 ]]; then exec yes; elif (( TP > 4 )); then exec x; fi': ["yes"],
    "if [ $TP -lt 8 ]; then exec yes; else exec no; fi": ["no"],
    "if [[ ! $MODEL == org/* ]]; then exec yes; else exec no; fi": ["no"],
    'case "$MODEL" in other/*|more) exec a ;; org/*) exec b ;; *) exec c ;; esac': ["b"],
    "[[ $TP == 8 ]] && size=big || size=small\nexec server $size": ["server", "big"],
    "[[ $TP == 9 ]] && size=big\nexec server": ["server"],
    'exec server "${MODEL##*/}" ${MODEL%-*} "${EMPTY:-none}" "${NONE-unset}" "${TP:+--tp}"': [
        "server", "Model-8B", "org/Model", "none", "unset", "--tp",
    ],
    'x=a; x+=b; unset x; x="$TP-$EP $TP"; exec server "$x" ${#x}': ["server", "8-1 8", "5"],
    "a=1 b=2; exec server $a$b": ["server", "12"],
    "exec server \\\n  --a \\\n  --b": ["server", "--a", "--b"],
    "exec server a\\ b \\$TP \"\\$TP \\\"\" '$TP'": ["server", "a b", "$TP", '$TP "', "$TP"],
    'exec server \'{"method": "mtp", "n": 3}\' "{\\"n\\": $TP}"': ["server", '{"method": "mtp", "n": 3}', '{"n": 8}'],
    "set +u\nexec server x$NONE": ["server", "x"],
}  # fmt: skip


@pytest.mark.parametrize("body", PURE)
def test_pure_recipes(body: str) -> None:
    found = resolved(body)
    assert found.argv == PURE[body]
    assert found == bash_resolves((HEAD + body).encode(), VARIABLES, ARRAYS)


def test_environment() -> None:
    found = resolved('export MADE="$MODEL/x" TWO=2\nlocal_only=1\nexport TP\nunset EP\nFLAG=on exec server')
    assert found.environment == {
        **{name: value for name, value in VARIABLES.items() if name != "EP"}, "MADE": "org/Model-8B/x", "TWO": "2",
        "FLAG": "on",
    }  # fmt: skip


def test_the_project_recipes_are_pure() -> None:
    recipes = sorted((PROJECT / "benchmarks").rglob("*.sh"))
    assert recipes
    for path in recipes:
        compile_recipe(path.read_bytes())


# Every one of these would touch {target}, change what a later word means, or depend on the machine, if it were run.
HOSTILE = {
    "a substitution": "exec server $(touch {target})",
    "a quoted substitution": 'exec server "x$(touch {target})"',
    "backticks": "exec server `touch {target}`",
    "backticks in a string": 'exec server "`touch {target}`"',
    "a substitution in a default": 'exec server "${{NONE:-$(touch {target})}}"',
    "a substitution in an index": 'a=(1)\nexec server "${{a[$(touch {target})0]}}"',
    "a substitution in an assignment's index": "a[$(touch {target})]=1\nexec server",
    "a substitution in arithmetic": "exec server $(( $(touch {target}; echo 1) ))",
    "a substitution in an old arithmetic": "exec server $[ $(touch {target}; echo 1) ]",
    "a substitution in a here-string": "exec server <<< $(touch {target})",
    "a substitution in a here-document": "exec server <<END\n$(touch {target})\nEND",
    "a here-string": "read -r x <<< word\nexec server",
    "a process substitution": "exec server <(touch {target})",
    "a substitution in a case": 'case "$(touch {target})" in *) exec server ;; esac',
    "a substitution in a pattern": "case x in $(touch {target})) exec a ;; *) exec server ;; esac",
    "a substitution in a test": '[[ -n "$(touch {target})" ]] || exec server',
    "a substitution with a function": "exec server ${{ touch {target}; }}",
    "a substitution of a file": "exec server $(</etc/hostname)",
    "arithmetic that evaluates a value": "x='a[$(touch {target})0]'\nexec server $((x))",
    "a test that evaluates a value": "x='a[$(touch {target})0]'\nif [[ $x -eq 0 ]]; then exec server; fi",
    "arithmetic that assigns": "(( n = 3 ))\nexec server $n",
    "arithmetic that counts": "n=1\n(( n++ ))\nexec server $n",
    "arithmetic that assigns in a word": "exec server $((n = 3)) $n",
    "an array made by arithmetic": "exec server $((a[$(touch {target})]))",
    "a prompt expansion": "x='$(touch {target})'\nexec server \"${{x@P}}\"",
    "an indirect expansion": "x='a[$(touch {target})]'\nexec server \"${{!x}}\"",
    "an assigning expansion": 'exec server "${{NONE:=$TP}}"',
    "a case change": 'exec server "${{MODEL^^}}"',
    "a replacement": 'exec server "${{MODEL/a/b}}"',
    "a redirection": "exec server > {target}",
    "a redirection of nothing": "> {target}\nexec server",
    "a redirected test": "[[ -n x ]] > {target}\nexec server",
    "a command": "touch {target}\nexec server",
    "a command in a condition": "if touch {target}; then exec server; fi",
    "a command after and": "true && touch {target}\nexec server",
    "a command behind builtin": "builtin exec touch {target}",
    "a command behind command": "command touch {target}\nexec server",
    "a command in a variable": "x='touch {target}'\n$x\nexec server",
    "eval": "eval 'touch {target}'\nexec server",
    "sourcing": ". {target}\nexec server",
    "a trap": "trap 'touch {target}' EXIT\nexec server",
    "a debug trap": "trap 'touch {target}' DEBUG\nexec server",
    "a prompt command": "PROMPT_COMMAND='touch {target}'\nexec server",
    "a trace prompt": "PS4='$(touch {target})'\nset -x\nexec server",
    "a startup file": "export BASH_ENV={target}\nexec bash server",
    "an alias": "shopt -s expand_aliases\nalias exec='touch {target} #'\nexec server",
    "a function named exec": "exec() {{ touch {target}; }}\nexec server",
    "a function named set": "set() {{ touch {target}; }}\nset -u\nexec server",
    "a function named true": "function true {{ touch {target}; }}\ntrue\nexec server",
    "a function in the environment": "export -f exec\nexec server",
    "a subshell": "( touch {target} )\nexec server",
    "a group": "{{ touch {target}; }}\nexec server",
    "a pipe": "true | touch {target}\nexec server",
    "the background": "exec server &",
    "a loop": "for x in 1 2; do y=$x; done\nexec server",
    "a loop that never ends": "while true; do :; done\nexec server",
    "a name reference": "declare -n x=MODEL\nexec server $x",
    "an integer attribute": "declare -i x='a[$(touch {target})]'\nexec server",
    "another IFS": "IFS=/\nexec server $MODEL",
    "another PATH": "PATH=.:$PATH\nexec server",
    "file names": "exec server *",
    "file names in a value": "exec server $STAR",
    "a home folder": "exec server ~/x",
    "braces": "exec server {{1..3}}",
    "the process id": "exec server $$",
    "the user": "exec server $USER",
    "the path of the recipe": 'exec server "$0"',
    "chance": "exec server $RANDOM",
    "the last status": "exec server $?",
    "an option of exec": "exec -a x server",
    "a reading builtin": "read -r x\nexec server",
    "printing into a variable": "printf -v MODEL x\nexec server",
    "other arguments": 'set -- a b\nexec server "$@"',
    "no shebang of bash": "exec server",
    "a carriage return": "exec server x\r\n",
    "what does not parse": "if [[ $TP == 8 ]]; then exec server",
}
HEADS = {"no shebang of bash": "#!/bin/sh\n"}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_recipes_are_impure_and_run_nothing(tmp_path: Path, name: str) -> None:
    target = tmp_path / "touched"
    with pytest.raises(ImpureError):
        resolved(HOSTILE[name].format(target=target) + "\n", HEADS.get(name, HEAD))
    assert not target.exists()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("true", "ended with code 0 and without `exec`"),
        ("exit 3", "ended with code 3"),
        ("exec", "calls exec without a command"),
        ("exec server $NO_SUCH", "reads NO_SUCH, which neither"),
        ("[[ $TP == 4 ]]\nexec server", "ended with code 1"),
        ('exec server "${EMPTY:?give-it}"', "needs EMPTY: give-it"),
        ("exec server $((TP / 0))", "divides by zero"),
    ],
)
def test_recipes_that_would_fail(body: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        resolved(body)
    assert bash_resolves((HEAD + body).encode(), VARIABLES, ARRAYS) is None


WORDS = [
    "$TP", '"$TP"', "${EMPTY:-z}", '"${NONE:-$MODEL}"', "$((TP-1))", "x", "'q r'", '"a $TP  $EP b"', "$WORDS", "a\\ b",
    "${MODEL#*/}", "--k=$TP", "$EMPTY", '"$EMPTY"', "${x}", '"${arr[@]}"', "${#MODEL}", '"$x$y"', "${TP:+t}", '" $x"',
    "$((TP*EP-TP/3%2))", "$((!EP||TP>3))", '"\\"$TP\\""', "${x:-}", '"${arr[*]}"', '"$(( TP + 1 ))k"',
]  # fmt: skip
TESTS = [
    "[[ $TP == 8 ]]", "[[ ! $TP == 8 && -n $EMPTY ]]", "[[ -z $EMPTY || $x == a* && $y != b ]]", "(( TP > EP ))",
    '[ "$x" = "$y" ]', "[[ ($TP -lt 4) || $EP -eq 1 ]]", "[[ $MODEL ]]", "[[ ! -z $x ]]", "! [[ $x == 8 ]]",
    '[[ "$x" == "a*" ]]', "(( !EP ))", "true", "false", "[[ $x != $TP ]]", '[[ $x != "$TP" ]]', "[[ ! ( $EP == 1 ) ]]",
    "[[ $x == ?* ]]", "(( TP - 8 ))", '[ "$TP" -ge 8 ]',
]  # fmt: skip


def random_recipe(rng: random.Random, depth: int = 0) -> str:
    """Return statements put together from the pieces above, as authors lay them out."""
    word, test = (lambda: rng.choice(WORDS)), (lambda: rng.choice(TESTS))
    end = lambda: rng.choice(["\n", "\n", "; ", " # note\n", "\n\n", " ;\n"])  # noqa: E731
    kinds = [
        lambda: f"{rng.choice('xy')}{rng.choice(['=', '+='])}{word()}".replace('"${arr[@]}"', "1"),
        lambda: f"arr{rng.choice(['=', '+='])}({' '.join(word() for _ in range(rng.randint(0, 3)))})",
        lambda: f"arr+=(\n  {word()}\n  # note\n  {word()}\n)",
        lambda: f"export {rng.choice(['E1', 'x'])}={word()}".replace('"${arr[@]}"', "1"),
        lambda: f"{test()} && x={rng.randint(0, 9)}",
        lambda: f"{test()} || y={rng.randint(0, 9)}",
        lambda: f"{test()} && {test()} || x=z",
        test,
        lambda: "set -e",
        lambda: f"x={rng.randint(0, 9)} y=7; true",
    ]
    if depth < 2:
        inner = lambda: random_recipe(rng, depth + 1)  # noqa: E731
        kinds += [
            lambda: f"if {test()}; then\n  {inner()}\nfi",
            lambda: f"if {test()} && {test()}; then {inner()}\nelif {test()}\nthen\n{inner()}\nelse\n{inner()}\nfi",
            lambda: f"case {word()} in\n  a|8) {inner()} ;;\n  *B) {inner()};;\n  *) {inner()}\n;;\nesac".replace(
                '"${arr[@]}"', "$x"
            ),
            lambda: f"exec server {' '.join(word() for _ in range(rng.randint(0, 4)))}",
        ]
    return "".join(rng.choice(kinds)() + end() for _ in range(rng.randint(1, 3))).rstrip("; \n") + "\n"


def test_random_recipes_resolve_as_in_bash() -> None:
    outcomes = {"pure": 0, "impure": 0, "fails": 0}
    for seed in range(500):
        rng = random.Random(seed)
        head = "#!/bin/bash\n" + rng.choice(["set -eu\n", "set -u\n", "", "set -euo pipefail\n"]) + "x=\ny=\narr=()\n"
        source = (head + random_recipe(rng) + f'exec server {rng.choice(WORDS)} $x \\\n  $y "${{arr[@]}}"\n').encode()
        try:
            ours: ResolvedCommand | None = compile_recipe(source).resolve(VARIABLES, ARRAYS)
        except ImpureError:
            outcomes["impure"] += 1
            continue
        except RecipeError:
            ours = None
        outcomes["pure" if ours else "fails"] += 1
        assert ours == bash_resolves(source, VARIABLES, ARRAYS), source.decode()
    assert outcomes["pure"] > 300, outcomes
    assert outcomes["fails"] > 20, outcomes


def test_only_what_it_reads_changes_the_arguments() -> None:
    recipe = compile_recipe((HEAD + 'exec server "$TP"').encode())
    assert {"TP"} == recipe.reads & set(VARIABLES)
    for tp, ep in itertools.product("12", "34"):
        assert recipe.resolve({**VARIABLES, "TP": tp, "EP": ep}, ARRAYS).argv == ["server", tp]
