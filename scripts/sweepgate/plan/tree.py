"""Another revision of the repository, unpacked as data: nothing in it is imported or run."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

from sweepgate.errors import InputError, Problem

# What decides what a point would run; nothing else of a revision is read.
PLANNED_PATHS = ("master-config.yaml", "runners.yaml", "requirements.txt", "benchmarks", "perf-changelog")


def git(repository: Path, *arguments: str) -> bytes:
    """Return the output of a git command. Raises InputError with git's own words when it fails."""
    command = ["git", "-C", str(repository), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(Problem(f"git could not run: {error}", str(repository))) from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise InputError(Problem("git refused", str(repository), None, " ".join(arguments), said[0] if said else None))
    return done.stdout


def commit_of(repository: Path, ref: str) -> str:
    """Return the full commit id that `ref` names. Raises InputError when it names none."""
    if ref.startswith("-"):
        raise InputError(Problem("is not a revision", key=ref))
    try:
        return git(repository, "rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
    except InputError:
        hint = "fetch it first: the checkout needs the history of both branches (fetch-depth: 0)"
        raise InputError(Problem("is no commit of this checkout", key=ref, hint=hint)) from None


def merge_base(repository: Path, base: str, head: str) -> str:
    """Return the commit from which `head` left `base`. Raises InputError when they share no history."""
    try:
        return git(repository, "merge-base", base, head).decode().strip()
    except InputError:
        hint = "fetch the full history (fetch-depth: 0)"
        raise InputError(Problem("base and head share no commit", key=f"{base[:12]} {head[:12]}", hint=hint)) from None


def unpack(repository: Path, commit: str, folder: Path) -> Path:
    """Write what planning reads of `commit` under `folder` and return it. Raises InputError for hostile paths."""
    names = git(repository, "ls-tree", "--name-only", "-z", commit).decode().split("\0")
    wanted = [name for name in PLANNED_PATHS if name in names]
    archive = git(repository, "archive", "--format=tar", commit, "--", *wanted) if wanted else b""
    if archive:
        try:
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                tar.extractall(folder, filter="data")
        except tarfile.TarError as error:
            raise InputError(Problem(f"cannot be unpacked: {error}", key=commit)) from error
    return folder
