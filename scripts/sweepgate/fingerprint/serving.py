"""From a row and its compiled recipe to the commands that are run: resolved, and forced where the row is forced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sweepgate.engines.process import ServerProcess
from sweepgate.engines.recipe import Place, conventional_name, job_arrays, job_variables, recipe_path
from sweepgate.errors import InputError, Problem
from sweepgate.fingerprint.state import RecipeError
from sweepgate.fingerprint.statements import PureRecipe, ResolvedCommand, compile_recipe
from sweepgate.fingerprint.syntax import ImpureError
from sweepgate.golden.curves import load_curves
from sweepgate.golden.forcing import check_speculation, force, golden_of
from sweepgate.golden.lookup import Golden, is_forced
from sweepgate.matrix.row import Row


def server_command(
    recipe: PureRecipe,
    row: Row,
    golden: Golden | None,
    variables: Mapping[str, str],
    arrays: Mapping[str, Sequence[str]],
) -> tuple[ResolvedCommand, bool]:
    """Return the command of one server process, and whether it verifies drafts.

    Raises InputError where the recipe is at fault, ImpureError where its command cannot be known without running it.
    """
    shown = f"benchmarks/{row.recipe or conventional_name(row)}"
    try:
        return force(row, recipe.resolve(variables, arrays), golden)
    except RecipeError as error:
        raise InputError(Problem(f"recipe {error}", shown)) from error
    except InputError as error:
        raise InputError([Problem(**{**vars(problem), "file": shown}) for problem in error.problems]) from error


def committed_golden(root: Path, row: Row) -> Golden | None:
    """Return the length that a row is forced to, from the curves of the repository at `root`. Raises InputError."""
    return golden_of(row, load_curves(root) if is_forced(row) else [])


def server_commands(
    benchmarks: Path, row: Row, places: Sequence[tuple[ServerProcess, Place]]
) -> dict[str, ResolvedCommand]:
    """Return process name → the command to run, for servers at `places`.

    Raises InputError for a recipe that is missing, at fault or impure, and for a row that cannot be forced.
    """
    path = recipe_path(benchmarks, row)
    golden = committed_golden(benchmarks.parent, row)
    commands: dict[str, ResolvedCommand] = {}
    speculating = []
    try:
        recipe = compile_recipe(path.read_bytes())
        for process, place in places:
            variables = job_variables(row, process, place)
            found = server_command(recipe, row, golden, variables, job_arrays(process))
            commands[process.name], speculates = found
            speculating.append(speculates)
    except ImpureError as error:
        hint = "see benchmarks/README.md for what a recipe may hold"
        shown = str(path.relative_to(benchmarks.parent))
        message = f"the recipe is impure, so what it would run is not known: it {error.what}"
        raise InputError(Problem(message, shown, error.line, hint=hint)) from error
    check_speculation(row, golden, speculating)
    return commands
