"""A recipe compiled to what it would `exec`, without running anything.

The tree is read once, as a whole: every arm must consist of statements that are known here, or the recipe is impure.
What comes out is a function of the job's variables; it opens no file, starts no process and reads no environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sweepgate.fingerprint.arithmetic import compile_arithmetic
from sweepgate.fingerprint.conditions import compile_test
from sweepgate.fingerprint.state import RecipeError, State
from sweepgate.fingerprint.syntax import SHEBANGS, Tree, check_spacing, impure, parse_bash, text_of, walk
from sweepgate.fingerprint.words import (
    Fields,
    Value,
    checked_name,
    compile_fields,
    compile_match,
    compile_value,
    plain_text,
)

Statement = Callable[[State], int]
_SEPARATORS = (";", "\n")
_OPTIONS = {"e": "errexit", "u": "nounset"}
# pipefail: pure recipes have no pipes.
_LONG_OPTIONS = {"errexit": "errexit", "nounset": "nounset", "pipefail": None}


@dataclass(frozen=True)
class ResolvedCommand:
    """A server command: its arguments, and the environment that the job file and the recipe export."""

    argv: list[str]
    environment: dict[str, str]


@dataclass(frozen=True)
class PureRecipe:
    """A compiled recipe. `reads` are the variable names that stand in it; no other variable changes its arguments."""

    body: Statement
    reads: frozenset[str]

    def resolve(self, variables: Mapping[str, str], arrays: Mapping[str, Sequence[str]]) -> ResolvedCommand:
        """Return what the recipe ends in, given the job's exported variables and its arrays.

        Raises RecipeError when the recipe would fail or end without `exec`, ImpureError where a value decides that the
        outcome cannot be known.
        """
        state = State(dict(variables), {name: list(values) for name, values in arrays.items()}, set(variables))
        status = self.body(state)
        if state.command is None:
            raise RecipeError(f"ended with code {status} and without `exec`; end in: exec <engine server> ...")
        return ResolvedCommand(state.command, state.command_environment)


def compile_recipe(source: bytes) -> PureRecipe:
    """Return the compiled recipe. Raises ImpureError at the first thing that keeps it from being pure."""
    root = parse_bash(source)
    if not any(source.startswith(shebang + b"\n") for shebang in SHEBANGS):
        raise impure("does not start with a plain bash shebang", root)
    if root.has_error or root.type != "program" or b"\r" in source or b"\0" in source:
        broken = next((node for node in walk(root) if node.is_error or node.is_missing), root)
        raise impure("is not bash that the parser understands", broken)
    try:
        source.decode()
    except UnicodeDecodeError:
        raise impure("is not UTF-8", root) from None
    body = _block(check_spacing(root, over_lines=True))
    return PureRecipe(body, frozenset(text_of(node) for node in walk(root) if node.type == "variable_name"))


def _block(nodes: Sequence[Tree]) -> Statement:
    statements = [_statement(node) for node in nodes if node.type not in (*_SEPARATORS, "comment")]

    def run(state: State) -> int:
        status = 0
        for statement in statements:
            state.quiet = False
            status = statement(state)
            if state.command is not None:
                return 0
            if status and state.errexit and not state.quiet:
                raise RecipeError(f"ended with code {status} and without `exec`")
        return status

    return run


def _condition(nodes: Sequence[Tree]) -> Statement:
    """A block whose failures `set -e` overlooks."""
    kept = [node for node in nodes if node.type not in (*_SEPARATORS, "comment")]
    if len(kept) != 1:
        raise impure("has a condition of several commands", nodes[0])
    return _statement(kept[0])


def _statement(node: Tree) -> Statement:
    compiler = _STATEMENTS.get(node.type)
    if compiler is None:
        if node.type == "&":
            raise impure("starts something in the background", node)
        raise impure(_REASONS.get(node.type, f"holds a {node.type.replace('_', ' ')}"), node)
    return compiler(node)


_REASONS = {
    "redirected_statement": "redirects input or output",
    "pipeline": "pipes commands",
    "subshell": "starts a subshell",
    "function_definition": "defines a function",
    "for_statement": "has a loop",
    "c_style_for_statement": "has a loop",
    "while_statement": "has a loop",
}


def _assignment(node: Tree) -> Statement:
    kids = [kid for kid in node.children if kid.type != "comment"]
    if kids[0].type != "variable_name" or kids[1].type not in ("=", "+="):
        raise impure("assigns to something other than a plain variable", node)
    name, append = checked_name(kids[0]), kids[1].type == "+="
    edges = [(left.end_byte, right.start_byte) for left, right in pairwise(kids)]
    if any(end != start for end, start in edges) or len(kids) > 3:
        raise impure("has a layout that the parser may read differently from bash", node)
    if len(kids) == 3 and kids[2].type == "array":
        elements = [compile_fields(kid) for kid in check_spacing(kids[2], over_lines=True)[1:-1]]

        def assign_array(state: State) -> int:
            state.assign_array(name, [field for fields in elements for field in fields(state)], append)
            return 0

        return assign_array
    value: Value = compile_value(kids[2]) if len(kids) == 3 else lambda state: ""

    def assign(state: State) -> int:
        state.assign(name, value(state), append)
        return 0

    return assign


def _assignments(node: Tree) -> Statement:
    each = [_assignment(kid) for kid in check_spacing(node)]

    def run(state: State) -> int:
        for assign in each:
            assign(state)
        return 0

    return run


def _declaration(node: Tree) -> Statement:
    kids = check_spacing(node)
    if kids[0].type != "export":
        raise impure(f"declares with {text_of(kids[0])}", node)
    steps: list[tuple[str, Statement | None]] = []
    for kid in kids[1:]:
        if kid.type == "variable_assignment":
            if kid.children[-1].type == "array":
                raise impure("exports an array", kid)
            steps.append((checked_name(kid.children[0]), _assignment(kid)))
        elif kid.type == "variable_name":
            steps.append((checked_name(kid), None))
        else:
            raise impure(f"exports with {text_of(kid)[:40]}", kid)

    def run(state: State) -> int:
        for name, assign in steps:
            if assign is not None:
                assign(state)
            if name in state.arrays:
                raise impure(f"exports the array {name}", node)
            state.exported.add(name)
        return 0

    return run


def _unset(node: Tree) -> Statement:
    names = [checked_name(kid) for kid in check_spacing(node)[1:]]

    def run(state: State) -> int:
        for name in names:
            state.unset(name)
        return 0

    return run


def _if(node: Tree) -> Statement:
    arms: list[tuple[Statement, Statement]] = []
    otherwise: Statement | None = None
    kids = check_spacing(node, over_lines=True)
    heads = [kid for kid in kids if kid.type not in ("elif_clause", "else_clause")]
    arms.append(_arm(heads[1:-1], node))
    for kid in kids:
        if kid.type == "elif_clause":
            arms.append(_arm(check_spacing(kid, over_lines=True)[1:], kid))
        elif kid.type == "else_clause":
            otherwise = _block(check_spacing(kid, over_lines=True)[1:])

    def run(state: State) -> int:
        status = 0
        for condition, body in arms:
            if condition(state) == 0:
                status = body(state)
                break
        else:
            if otherwise is not None:
                status = otherwise(state)
        state.quiet = True
        return status

    return run


def _arm(nodes: Sequence[Tree], parent: Tree) -> tuple[Statement, Statement]:
    kinds = [node.type for node in nodes]
    if "then" not in kinds:
        raise impure("has an `if` that the parser cannot read", parent)
    split = kinds.index("then")
    return _condition(nodes[:split]), _block(nodes[split + 1 :])


def _case(node: Tree) -> Statement:
    kids = check_spacing(node, over_lines=True)
    items = [kid for kid in kids if kid.type == "case_item"]
    if kids[2].type != "in" or len(kids) != len(items) + 4:
        raise impure("has a `case` that the parser cannot read", node)
    subject = compile_value(kids[1])
    arms = [_case_item(item) for item in items]

    def run(state: State) -> int:
        text, status = subject(state), 0
        for patterns, body in arms:
            if any(matches(state, text) for matches in patterns):
                status = body(state)
                break
        state.quiet = True
        return status

    return run


def _case_item(node: Tree) -> tuple[list[Callable[[State, str], bool]], Statement]:
    kids = check_spacing(node, over_lines=True)
    kinds = [kid.type for kid in kids]
    if ")" not in kinds or kinds[-1] != ";;":
        raise impure("has a `case` arm that falls through or lacks its end", node)
    close = kinds.index(")")
    patterns = [kid for kid in kids[:close] if kid.type not in ("|", "(")]
    return [compile_match(kid) for kid in patterns], _block(kids[close + 1 : -1])


def _list(node: Tree) -> Statement:
    left_node, sign, right_node = check_spacing(node, over_lines=True)
    left, right, wanted = _statement(left_node), _statement(right_node), sign.type == "&&"
    if sign.type not in ("&&", "||"):
        raise impure(f"joins commands with {text_of(sign)}", node)

    def run(state: State) -> int:
        status = left(state)
        if state.command is not None:
            return 0
        if (status == 0) != wanted:
            state.quiet = True
            return status
        state.quiet = False
        return right(state)

    return run


def _negated(node: Tree) -> Statement:
    kids = check_spacing(node)
    if len(kids) != 2:
        raise impure("negates several commands", node)
    inner = _statement(kids[1])

    def run(state: State) -> int:
        status = 0 if inner(state) else 1
        state.quiet = True
        return status

    return run


def _test(node: Tree) -> Statement:
    condition = compile_test(node)
    return lambda state: 0 if condition(state) else 1


def _arithmetic(node: Tree) -> Statement:
    if node.children[0].type != "((":
        raise impure("groups commands", node)
    number = compile_arithmetic(node, checked_name)
    return lambda state: 0 if number(state) else 1


def _command(node: Tree) -> Statement:
    kids = check_spacing(node)
    prefix = [kid for kid in kids if kid.type == "variable_assignment"]
    kids = kids[len(prefix) :]
    if not kids or kids[0].type != "command_name" or any(kid.type == "variable_assignment" for kid in kids):
        raise impure("has a command that the parser cannot read", node)
    if len(kids[0].children) != 1 or kids[0].children[0].type != "word":
        raise impure("computes the name of a command", node)
    name = plain_text(kids[0].children[0], glob=False)
    if name == "exec":
        return _exec(prefix, [compile_fields(kid) for kid in kids[1:]], node)
    if prefix or name not in _COMMANDS:
        raise impure(f"runs the command {name[:60]}", node)
    return _COMMANDS[name]([plain_text(kid, glob=False) for kid in kids[1:]], node)


def _exec(prefix: Sequence[Tree], arguments: Sequence[Fields], node: Tree) -> Statement:
    assignments = [(checked_name(kid.children[0]), _assignment(kid)) for kid in prefix]
    if any(kid.children[-1].type == "array" for kid in prefix):
        raise impure("exports an array", node)

    def run(state: State) -> int:
        argv = [field for fields in arguments for field in fields(state)]
        if not argv or argv[0] == "":
            raise RecipeError("calls exec without a command")
        if argv[0].startswith("-"):
            raise impure("calls exec with options", node)
        for name, assign in assignments:
            assign(state)
            state.exported.add(name)
        state.command, state.command_environment = argv, state.environment()
        return 0

    return run


def _set(words: Sequence[str], node: Tree) -> Statement:
    changes: list[tuple[str, bool]] = []
    rest = list(words)
    while rest:
        flags = rest.pop(0)
        if len(flags) < 2 or flags[0] not in "-+" or not set(flags[1:]) <= {"e", "u", "o"}:
            raise impure(f"calls set {flags}", node)
        for flag in flags[1:]:
            option = _OPTIONS.get(flag)
            if flag == "o":
                if not rest or rest[0] not in _LONG_OPTIONS:
                    raise impure("calls set -o with an option that is not known here", node)
                option = _LONG_OPTIONS[rest.pop(0)]
            if option is not None:
                changes.append((option, flags[0] == "-"))

    def run(state: State) -> int:
        for option, on in changes:
            setattr(state, option, on)
        return 0

    return run


def _exit(words: Sequence[str], node: Tree) -> Statement:
    if len(words) > 1 or not all(word.isdecimal() for word in words):
        raise impure("computes its exit code", node)
    code = int(words[0]) % 256 if words else 0

    def run(_: State) -> int:
        raise RecipeError(f"ended with code {code} and without `exec`")

    return run


def _constant_status(status: int) -> Callable[[Sequence[str], Tree], Statement]:
    return lambda words, node: lambda state: status


_COMMANDS: dict[str, Callable[[Sequence[str], Tree], Statement]] = {
    ":": _constant_status(0),
    "true": _constant_status(0),
    "false": _constant_status(1),
    "set": _set,
    "exit": _exit,
}
_STATEMENTS: dict[str, Callable[[Tree], Statement]] = {
    "variable_assignment": _assignment,
    "variable_assignments": _assignments,
    "declaration_command": _declaration,
    "unset_command": _unset,
    "if_statement": _if,
    "case_statement": _case,
    "list": _list,
    "negated_command": _negated,
    "test_command": _test,
    "compound_statement": _arithmetic,
    "command": _command,
}
