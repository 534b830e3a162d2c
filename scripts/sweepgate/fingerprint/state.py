"""What a recipe has set so far while it is evaluated."""

from __future__ import annotations

from dataclasses import dataclass, field

from sweepgate.fingerprint.syntax import ImpureError


class RecipeError(Exception):
    """The recipe would fail: it reads what is not set, divides by zero, or ends without `exec`."""


@dataclass
class State:
    """Variables, arrays, exported names and shell options; `quiet` marks a status that `set -e` overlooks."""

    variables: dict[str, str]
    arrays: dict[str, list[str]]
    exported: set[str]
    errexit: bool = False
    nounset: bool = False
    quiet: bool = False
    command: list[str] | None = None
    command_environment: dict[str, str] = field(default_factory=dict)

    def read(self, name: str) -> str:
        """Return a variable's text; unset ones are empty, or an error under `set -u`."""
        value = self.lookup(name)
        if value is None:
            if self.nounset:
                raise RecipeError(f"reads {name}, which neither the job nor the recipe sets")
            return ""
        return value

    def lookup(self, name: str) -> str | None:
        """Return a variable's text, None when it is not set."""
        if name in self.arrays:
            raise ImpureError(f"reads the array {name} without an index", None)
        return self.variables.get(name)

    def elements(self, name: str) -> list[str]:
        """Return an array's elements; none when it is not set."""
        if name in self.variables:
            raise ImpureError(f"indexes {name}, which is not an array", None)
        return self.arrays.get(name, [])

    def assign(self, name: str, value: str, append: bool) -> None:
        """Set or extend a variable."""
        if name in self.arrays:
            raise ImpureError(f"assigns text to the array {name}", None)
        self.variables[name] = self.variables.get(name, "") + value if append else value

    def assign_array(self, name: str, values: list[str], append: bool) -> None:
        """Set or extend an array."""
        if name in self.variables or name in self.exported:
            raise ImpureError(f"makes an array of the variable {name}", None)
        self.arrays[name] = self.arrays.get(name, []) + values if append else values

    def unset(self, name: str) -> None:
        """Forget a variable or an array."""
        self.variables.pop(name, None)
        self.arrays.pop(name, None)
        self.exported.discard(name)

    def environment(self) -> dict[str, str]:
        """Return the exported variables."""
        return {name: self.variables[name] for name in self.exported if name in self.variables}
