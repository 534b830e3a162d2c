"""The servers that a bash script starts, on every path through it. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from sweepgate.fingerprint.syntax import Tree, parse_bash, text_of, walk
from sweepgate.golden.command import engine_of, unknown, unknown_names
from sweepgate.golden.static.conditions import decide, equal_to
from sweepgate.golden.static.path import Path, Word, same, word
from sweepgate.golden.static.relevance import SPECULATION, Relevance, relevance_of
from sweepgate.golden.static.server import site_of
from sweepgate.golden.static.site import Site, UnreadableError
from sweepgate.golden.static.words import fields, heredoc, line_of, printf, text

MAX_PATHS = 512
MAX_DEPTH = 12
# Commands that only write down or look for what they are given.
_TALK = re.compile(
    r"(?:^|/|_)(?:echo|printf|write|log|print|save|record|cat|tee|p?grep|p?kill|ps|pip3?|which|find|wait)"
)
_RUNS_EVALS = re.compile(r"run_evals?|(?:RUN_)?EVALS?(?:_ONLY)?")
_SHELL = re.compile(r"(?:^|/)(?:ba|da|z)?sh$")


def sites_of_script(source: bytes, folder: FilePath, known: Mapping[str, str] | None = None) -> list[Site]:
    """Return every server of a script that speculates or is forced, once for each way in which it may start.

    `known`: what the environment is sure to hold. Scripts that it sources are followed where they are found beside it.

    Raises UnreadableError for a script that speaks of speculation and starts no server that can be seen, or has too
    many paths.
    """
    root = parse_bash(source)
    walker = _Walker(relevance_of(root), folder)
    walker.statements(root.children, [Path(equal=dict(known or {}))])
    for name, body in walker.functions.items():
        if name not in walker.called and walker.relevance.matters(body):
            walker.statements([body], [Path(equal=dict(known or {}))])
    if not walker.sites and not walker.servers:
        line = next((line_of(node) for node in walk(root) if _speaks(node)), None)
        if line is not None:
            raise UnreadableError("speaks of speculation, and starts no server that can be seen", line)
    return list(dict.fromkeys(_with_evals(walker.sites, root)))


def _with_evals(sites: Iterable[Site], root: Tree) -> Iterator[Site]:
    """Yield the sites; in a script that runs evals, a server that starts without asking for that serves them too."""
    runs_evals = any(
        _RUNS_EVALS.fullmatch(text_of(node)) for node in walk(root) if node.type in ("word", "variable_name")
    )
    for site in sites:
        yield site
        if runs_evals and site.is_eval is None:
            yield replace(site, is_eval=True)


def sites_of_text(script: Word, environment: Mapping[str, Word], folder: FilePath) -> list[Site]:
    """Return the servers of a script that stands inside another file, run with `environment`."""
    root = parse_bash(f"{chr(10) * (script.line - 1)}{script.text}\n".encode())
    walker = _Walker(relevance_of(root), folder)
    walker.statements(root.children, [Path(values=dict(environment), exported=set(environment))])
    return walker.sites


def _speaks(node: Tree) -> bool:
    """Whether a word gives a server a setting of speculation."""
    return node.type in ("word", "string", "variable_name") and bool(
        re.search(r"--speculative|--spec-|SIMULATE_ACC_LEN|FORCE_NUM_ACCEPTED|synthetic_acceptance", text_of(node))
    )


@dataclass
class _Walker:
    relevance: Relevance
    folder: FilePath
    sites: list[Site] = field(default_factory=list)
    servers: int = 0
    functions: dict[str, Tree] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)
    depth: int = 0

    def statements(self, nodes: Iterable[Tree], paths: list[Path]) -> list[Path]:
        """Run statements on every path; returns the paths that go on after them."""
        for node in nodes:
            if node.is_named and node.type != "comment":
                paths = [after for path in paths for after in self.statement(node, path)]
                if len(paths) > 8:
                    paths = same(paths, set(self.relevance.names))
                if len(paths) > MAX_PATHS:
                    raise UnreadableError(f"has more than {MAX_PATHS} paths that speculate differently", line_of(node))
        return paths

    def statement(self, node: Tree, path: Path) -> list[Path]:
        """Run one statement on one path."""
        run = getattr(self, f"_{node.type}", None)
        if run is not None:
            found: list[Path] = run(node, path)
            return found
        if node.type in ("program", "compound_statement", "subshell", "do_group", "ERROR"):
            return self.statements(node.children, [path])
        return [path]

    # ---- assignments ----

    def _variable_assignment(self, node: Tree, path: Path) -> list[Path]:
        self._assign(node, path)
        return [path]

    def _variable_assignments(self, node: Tree, path: Path) -> list[Path]:
        for child in node.named_children:
            self._assign(child, path)
        return [path]

    def _declaration_command(self, node: Tree, path: Path) -> list[Path]:
        exports = text_of(node).startswith(("export", "declare -x", "typeset -x"))
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assign(child, path)
                name = text_of(child.children[0])
            elif child.type == "variable_name":
                name = text_of(child)
            else:
                continue
            if exports:
                path.exported.add(name)
        return [path]

    def _unset_command(self, node: Tree, path: Path) -> list[Path]:
        for child in node.named_children:
            path.values.pop(text_of(child), None)
            path.arrays.pop(text_of(child), None)
        return [path]

    def _assign(self, node: Tree, path: Path) -> None:
        target, sign = text_of(node.children[0]), text_of(node.children[1])
        value = node.children[2] if len(node.children) > 2 else None
        append = sign == "+="
        if "[" in target:
            return
        if value is None:
            path.assign(target, word("", line_of(node)), append)
        elif value.type == "array":
            words = [item for child in value.named_children if child.type != "comment" for item in fields(child, path)]
            path.assign_array(target, words, append)
        else:
            path.assign(target, text(value, path), append)

    # ---- control ----

    def _if_statement(self, node: Tree, path: Path) -> list[Path]:
        if not self.relevance.matters(node):
            return [path]
        return self._arms(list(node.children), path)

    def _arms(self, kids: list[Tree], path: Path) -> list[Path]:
        """Run `if CONDITION then BODY` and what follows it: elif, else."""
        start = next(index for index, kid in enumerate(kids) if kid.type == "then")
        condition = [kid for kid in kids[1:start] if kid.is_named and kid.type != "comment"]
        others = [kid for kid in kids if kid.type in ("elif_clause", "else_clause")]
        body = [kid for kid in kids[start + 1 :] if kid.type not in ("elif_clause", "else_clause", "fi")]
        after: list[Path] = []
        paths = self.statements(condition[:-1], [path])
        for before in paths:
            for answer, then in decide(condition[-1], before):
                if answer:
                    after += self.statements(body, [then])
                elif others and others[0].type == "elif_clause":
                    after += self._arms([*others[0].children, *others[1:]], then)
                elif others:
                    after += self.statements(others[0].children[1:], [then])
                else:
                    after.append(then)
        return after

    def _case_statement(self, node: Tree, path: Path) -> list[Path]:
        if not self.relevance.matters(node):
            return [path]
        subject = text(node.children[1], path, asking=True).text
        waiting, after = [path], []
        for item in (child for child in node.children if child.type == "case_item"):
            end = next(index for index, kid in enumerate(item.children) if kid.type == ")")
            patterns = [kid for kid in item.children[:end] if kid.is_named]
            for pattern in patterns:
                remaining = []
                for before in waiting:
                    for answer, then in equal_to(subject, text(pattern, before).text, before):
                        if answer:
                            after += self.statements(item.children[end + 1 :], [then])
                        else:
                            remaining.append(then)
                waiting = remaining
        return after + waiting

    def _list(self, node: Tree, path: Path) -> list[Path]:
        left, sign, right = node.children[0], node.children[1].type, node.children[-1]
        if not self.relevance.matters(node):
            return [path]
        if sign not in ("&&", "||"):
            return self.statements(node.children, [path])
        after = []
        for answer, then in decide(left, path) if left.type == "test_command" else [(sign == "&&", path)]:
            paths = [then] if left.type == "test_command" else self.statement(left, then)
            after += self.statements([right], paths) if answer == (sign == "&&") else paths
        return after

    def _for_statement(self, node: Tree, path: Path) -> list[Path]:
        if not self.relevance.matters(node):
            return [path]
        name = text_of(node.children[1])
        end = next(index for index, kid in enumerate(node.children) if kid.type == "do_group")
        values = [item for kid in node.children[3:end] if kid.is_named for item in fields(kid, path)]
        paths = [path]
        for value in values if 0 < len(values) <= 32 else [word(unknown(name), line_of(node))]:
            for before in paths:
                before.assign(name, value)
            paths = self.statements([node.children[end]], paths)
        return paths

    def _while_statement(self, node: Tree, path: Path) -> list[Path]:
        return self.statements([kid for kid in node.children if kid.type == "do_group"], [path])

    def _c_style_for_statement(self, node: Tree, path: Path) -> list[Path]:
        return self.statements([kid for kid in node.children if kid.type == "do_group"], [path])

    def _function_definition(self, node: Tree, path: Path) -> list[Path]:
        name = next(kid for kid in node.children if kid.type == "word")
        self.functions[text_of(name)] = node.children[-1]
        return [path]

    # ---- commands ----

    def _pipeline(self, node: Tree, path: Path) -> list[Path]:
        return self.statements(node.children, [path])

    def _negated_command(self, node: Tree, path: Path) -> list[Path]:
        return self.statements(node.children, [path])

    def _redirected_statement(self, node: Tree, path: Path) -> list[Path]:
        body = node.children[0]
        written = heredoc(node, path)
        if written is not None:
            for found in (child for child in walk(node) if child.type == "file_redirect"):
                path.files[text(found.named_children[-1], path).text] = written
        return self.statement(body, path) if body.is_named else [path]

    def _command(self, node: Tree, path: Path) -> list[Path]:
        environment = path.environment()
        words: list[Word] = []
        for child in node.children:
            if child.type == "variable_assignment":
                value = child.children[2] if len(child.children) > 2 else None
                environment[text_of(child.children[0])] = (
                    word("", line_of(child)) if value is None else text(value, path)
                )
            elif child.type == "command_name":
                words += fields(child.children[0], path)
            elif child.is_named and child.type not in ("file_redirect", "herestring_redirect", "comment"):
                words += fields(child, path)
        return self._run(words, environment, path)

    def _run(self, words: list[Word], environment: dict[str, Word], path: Path) -> list[Path]:
        words = self._without_wrapper(words, environment)
        if not words:
            return [path]
        name, arguments = words[0].text, words[1:]
        if name in ("exit", "return"):
            return [] if name == "exit" else [path]
        if name in self.functions and self.depth < MAX_DEPTH:
            return self._call(name, arguments, path)
        if name in ("source", ".") and arguments:
            return self._sourced(arguments[0], path)
        if name == "printf" and len(arguments) > 2 and arguments[0].text == "-v":
            path.assign(arguments[1].text, printf(arguments[2:]))
            return [path]
        if name == "eval" or self._shell_text(words) is not None:
            inner = self._shell_text(words) or word(" ".join(item.text for item in arguments), words[0].line)
            return self._nested(inner, path)
        if _TALK.search(name):
            return [path]
        engine = engine_of([item.text for item in words])
        if engine is not None:
            self.servers += 1
            site = site_of(engine, words, environment, path)
            self.sites += [site] if site is not None else []
        return [path]

    def _without_wrapper(self, words: list[Word], environment: dict[str, Word]) -> list[Word]:
        """Return a command without exec, nohup or `env NAME=VALUE` before it."""
        while words and words[0].text in ("exec", "nohup", "command", "builtin", "time", "env", "sudo"):
            words = words[1:]
            while words and re.fullmatch(r"[A-Za-z_]\w*=.*", words[0].text, re.DOTALL):
                name, _, value = words[0].text.partition("=")
                environment[name] = word(value, words[0].line)
                words = words[1:]
        return words

    def _shell_text(self, words: list[Word]) -> Word | None:
        """Return the script in `bash -c SCRIPT`."""
        for index, item in enumerate(words[:-2]):
            if _SHELL.search(item.text) and re.fullmatch(r"-\w*c", words[index + 1].text):
                return words[index + 2]
        return None

    def _nested(self, script: Word, path: Path) -> list[Path]:
        padding = "\n" * (script.line - 1)
        if self.depth >= MAX_DEPTH:
            return [path]
        self.depth += 1
        try:
            return self.statements(parse_bash(f"{padding}{script.text}\n".encode()).children, [path])
        finally:
            self.depth -= 1

    def _call(self, name: str, arguments: list[Word], path: Path) -> list[Path]:
        self.called.add(name)
        given = [item.text for item in arguments]
        speaks = any(map(SPECULATION.search, given)) or engine_of(given) is not None
        if not speaks and not self.relevance.matters(self.functions[name]):
            return [path]
        outer, path.arguments = path.arguments, tuple(arguments)
        self.depth += 1
        try:
            paths = self.statement(self.functions[name], path)
        finally:
            self.depth -= 1
        for after in paths:
            after.arguments = outer
        return paths

    def _sourced(self, name: Word, path: Path) -> list[Path]:
        """Follow a sourced script that stands beside this one; a library that is not found changes nothing here."""
        plain = re.sub(r"^.*[\ue001]/?", "", name.text) if unknown_names(name.text) else name.text
        file = self.folder / plain
        if self.depth >= MAX_DEPTH or not plain.endswith(".sh") or not file.is_file():
            return [path]
        root = parse_bash(file.read_bytes())
        found = relevance_of(root)
        names, functions = self.relevance.names | found.names, self.relevance.functions | found.functions
        pattern = re.compile(f"{self.relevance.pattern.pattern}|{found.pattern.pattern}", found.pattern.flags)
        self.relevance = Relevance(names, functions, pattern)
        self.depth += 1
        try:
            return self.statements(root.children, [path])
        finally:
            self.depth -= 1
