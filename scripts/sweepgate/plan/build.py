"""One tree of the repository as a catalogue of jobs: entries → rows → fingerprints → jobs."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from sweepgate.config.catalogue import Catalogue, load_catalogue
from sweepgate.config.fleets import Fleets, load_fleets
from sweepgate.config.model import parse
from sweepgate.errors import InputError, Problem
from sweepgate.fingerprint.point import Fingerprinter, Origin
from sweepgate.matrix.evals import mark_all_evals, mark_evals
from sweepgate.matrix.expand import RowData, expand_entry
from sweepgate.matrix.row import Row
from sweepgate.matrix.selection import select_keys
from sweepgate.plan.pins import pinned_version
from sweepgate.plan.plan import Job, Plan

CATALOGUE_FILE = "master-config.yaml"
FLEETS_FILE = "runners.yaml"
# The rows of one entry that agree in these have the same recipe and the same traces,
_ORIGIN_FIELDS = (
    *("scenario-type", "spec-decoding", "trace-set"),
    # and the same golden acceptance length
    *("draft-tokens", "thinking", "draft-sample-method", "draft-model"),
)


@dataclass(frozen=True)
class RepositoryTree:
    """What planning reads of one revision."""

    root: Path
    catalogue: Catalogue
    fleets: Fleets
    fingerprinter: Fingerprinter

    def differing(self, other: RepositoryTree) -> list[str]:
        """Return the keys of this tree whose entry could have other fingerprints in `other`."""
        return [
            key
            for key, entry in self.catalogue.items()
            if entry != other.catalogue.get(key)
            or self.fleets.hardware.get(entry.runner) != other.fleets.hardware.get(entry.runner)
            or self._origins(key) != other._origins(key)
        ]

    def select(self, patterns: Sequence[str]) -> list[str]:
        """Return the entry keys that match. Raises InputError for a pattern that matches none."""
        return select_keys(self.catalogue, patterns, CATALOGUE_FILE)

    def rows(self, key: str) -> list[Row]:
        """Return the throughput rows of an entry, whether or not they can be served. Raises InputError."""
        return [row for _, row in _parsed(key, self._rows(key, None))]

    def jobs(self, keys: Iterable[str], duration: int | None = None) -> list[Job]:
        """Return the throughput jobs of these entries, in catalogue order; `duration` (s) shortens agentic replays.

        Raises InputError with every mistake of every entry: an unknown runner, a recipe that is missing or fails.
        """
        jobs: list[Job] = []
        problems: list[Problem] = []
        for key in keys:
            try:
                jobs += self._jobs(key, self._rows(key, duration), "throughput")
            except InputError as error:
                problems += [replace(item, key=item.key or key) for item in error.problems]
        if problems:
            raise InputError(problems)
        return jobs

    def eval_jobs(self, keys: Sequence[str], every: bool) -> list[Job]:
        """Return the jobs that evaluate: the marked fixed-sequence rows of these entries, or with `every` all rows that
        can be evaluated, agentic ones included."""
        rows = [(key, row) for key in keys for row in self._rows(key, None)]
        data = [{**row, "_key": key} for key, row in rows]
        mark_evals(data)
        if every:
            data = mark_all_evals(data)
        by_key: dict[str, list[RowData]] = {}
        for row in data:
            key = row.pop("_key")
            if row["run-eval"]:
                by_key.setdefault(key, []).append({**row, "eval-only": True})
        return [job for key, found in by_key.items() for job in self._jobs(key, found, "eval")]

    def count_points(self, keys: Iterable[str]) -> int:
        """Return how many throughput points these entries have, without working out what they run."""
        rows = [row for key in keys for row in self._rows(key, None)]
        return sum(len(row["conc"]) if isinstance(row["conc"], list) else 1 for row in rows)

    def _origins(self, key: str) -> list[Origin] | None:
        """Return what the entry's rows are resolved from; None for an entry that cannot run."""
        try:
            samples = {tuple(map(row.get, _ORIGIN_FIELDS)): row for row in self._rows(key, None)}
            return [self.fingerprinter.origin(row) for _, row in _parsed(key, samples.values())]
        except InputError:
            return None

    def _rows(self, key: str, duration: int | None) -> list[RowData]:
        entry = self.catalogue[key]
        if entry.runner not in self.fleets.labels:
            allowed = ", ".join(sorted(self.fleets.labels))
            hint = f"add the label to {FLEETS_FILE}"
            problem = Problem("unknown runner", CATALOGUE_FILE, None, f"{key}.runner", entry.runner, allowed, hint)
            raise InputError(problem)
        rows = expand_entry(key, entry, self.fleets)
        if duration is not None:
            rows = [{**row, "duration": min(duration, row["duration"])} if "duration" in row else row for row in rows]
        return rows

    def _jobs(self, key: str, rows: Iterable[RowData], kind: Literal["throughput", "eval"]) -> list[Job]:
        names = Counter[str]()
        jobs = []
        for data, row in _parsed(key, rows):
            name = f"{key}.{'eval.' if kind == 'eval' else ''}{_point_name(data)}"
            names[name] += 1
            # Rows that differ only in what the name leaves out (a KV backend's version, say) are numbered in order.
            job_id = name if names[name] == 1 else f"{name}-{names[name]}"
            hashes = self.fingerprinter.fingerprints(row)
            points = {str(conc): hashes[conc] for conc in row.eval_concurrencies or row.concurrencies}
            jobs.append(Job(id=job_id, key=key, runs_on=row.runner, row=row, fingerprints=points, kind=kind))
        return jobs


def _parsed(key: str, rows: Iterable[RowData]) -> Iterator[tuple[RowData, Row]]:
    """Yield each row with its parsed form; the rows of one search space differ in their concurrency only, and are
    parsed once."""
    last: RowData = {}
    row: Row | None = None
    for data in rows:
        shape = {**data, "conc": None, "exp-name": None}
        if row is None or shape != last:
            last, row = shape, parse(Row, data, Path(CATALOGUE_FILE), (key,))
        else:
            row = row.model_copy(update={"conc": data["conc"], "exp_name": data["exp-name"]})
        yield data, row


def read_repository(root: Path) -> RepositoryTree:
    """Return the tree of the repository at `root`. Raises InputError for files that do not validate."""
    return RepositoryTree(
        root,
        load_catalogue([root / CATALOGUE_FILE]),
        load_fleets(root / FLEETS_FILE),
        Fingerprinter(root / "benchmarks", pinned_version(root, "aiperf")),
    )


def build_plan(repository: Path, patterns: Sequence[str], concurrencies: Sequence[int] = ()) -> Plan:
    """Return the plan for all entries that match one of `patterns` (`*`, `?`), cheapest first.

    `concurrencies` keeps only those points. Raises InputError for a pattern or a filter that leaves nothing.
    """
    tree = read_repository(repository)
    jobs = _keep(tree.jobs(tree.select(patterns)), concurrencies)
    keys = list(dict.fromkeys(job.key for job in jobs))
    return Plan(commit=current_commit(repository), keys=keys, jobs=sorted(jobs, key=cheapness))


def cheapness(job: Job) -> tuple[int, int, int, str]:
    """Sort key for failing early: fewest GPUs first, short loads before long ones, then low concurrency."""
    return job.row.gpus, job.row.duration or 0, max(job.row.concurrencies), job.id


def current_commit(repository: Path) -> str:
    """Return the checked-out commit, with "-dirty" for uncommitted changes; "unknown" outside a git checkout."""
    try:
        command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--match="]
        done = subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() or "unknown"


def _point_name(row: RowData) -> str:
    """Return the part of a job id after the key: what is loaded, the shape that serves it, the concurrency."""
    load = "agentic" if "scenario-type" in row else f"{row['isl']}x{row['osl']}"
    shape = f"p{_shape(row['prefill'])}-d{_shape(row['decode'])}" if "prefill" in row else _shape(row)
    offload = "" if row.get("kv-offloading", "none") == "none" else f"-kv{row['kv-offloading']}"
    conc = row["conc"]
    shown = f"{conc[0]}to{conc[-1]}" if isinstance(conc, list) and len(conc) > 1 else _first(conc)
    return f"{load}.{shape}{offload}.c{shown}"


def _first(conc: int | list[int]) -> int:
    return conc[0] if isinstance(conc, list) else conc


def _shape(part: RowData) -> str:
    workers = f"{part['num-worker']}x" if "num-worker" in part else ""
    sizes = {"tp": part["tp"], "ep": part["ep"], "pp": part["pp"], "dcp": part["dcp-size"], "pcp": part["pcp-size"]}
    shown = "".join(f"{name}{size}" for name, size in sizes.items() if size > 1 or name == "tp")
    return f"{workers}{shown}{'dpa' if part['dp-attn'] else ''}"


def _keep(jobs: list[Job], concurrencies: Sequence[int]) -> list[Job]:
    if not concurrencies:
        return jobs
    # The server is set up for the row as written; only the measured points are fewer.
    kept = [job.only([conc for conc in job.concurrencies if conc in concurrencies]) for job in jobs]
    found = [job for job in kept if job is not None]
    if not found:
        available = sorted({conc for job in jobs for conc in job.concurrencies})
        allowed = ", ".join(map(str, available))
        raise InputError(
            Problem("no point has this concurrency", key="--conc", found=str(list(concurrencies)), allowed=allowed)
        )
    return found
