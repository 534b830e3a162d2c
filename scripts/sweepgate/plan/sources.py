"""Reading a change for planning: base and head as data, and the fragments between them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sweepgate.config.fleets import Fleets
from sweepgate.errors import InputError
from sweepgate.fingerprint.point import Fingerprinter
from sweepgate.plan.build import RepositoryTree, read_repository
from sweepgate.plan.fragments import FOLDER, named_keys, read_fragments
from sweepgate.plan.sweep_plan import Change
from sweepgate.plan.tree import commit_of, git, merge_base, unpack


def read_change(repository: Path, base: str, head: str, folder: Path) -> Change:
    """Return the change from the merge base of two revisions to `head`, unpacked under `folder`.

    Raises InputError for revisions that do not exist and for a head that does not validate; a base that does not is
    read as empty, so that everything counts as changed.
    """
    head_commit = commit_of(repository, head)
    base_commit = merge_base(repository, commit_of(repository, base), head_commit)
    tree = read_revision(repository, head_commit, folder / "head")
    changed = _changed_fragments(repository, base_commit, head_commit)
    named = named_keys(read_fragments(tree.root), changed, tree.catalogue)
    try:
        before = read_revision(repository, base_commit, folder / "base")
    except InputError:
        before = RepositoryTree(folder / "base", {}, Fleets(labels={}), Fingerprinter(folder / "base", ""))
    return Change(tree, before, head_commit, base_commit, named)


def read_revision(repository: Path, commit: str, folder: Path, shown: str = "") -> RepositoryTree:
    """Return the tree of a commit, unpacked as the new `folder`.

    Raises InputError for a tree that does not validate, with paths as they are in the repository after `shown`.
    """
    folder.mkdir()
    try:
        return read_repository(unpack(repository, commit, folder))
    except InputError as error:
        prefix = f"{folder}/"
        named = [replace(item, file=item.file and shown + item.file.removeprefix(prefix)) for item in error.problems]
        raise InputError(named) from error


def _changed_fragments(repository: Path, base: str, head: str) -> list[str]:
    """Return the names of the fragments that were added or changed; a removed one names nothing."""
    arguments = ("diff", "--name-only", "--no-renames", "--diff-filter=AM", "-z", base, head, "--", FOLDER)
    paths = git(repository, *arguments).decode(errors="replace").split("\0")
    return sorted(Path(path).name for path in paths if path.endswith((".yaml", ".yml")))
