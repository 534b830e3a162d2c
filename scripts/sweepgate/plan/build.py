"""From the repository's catalogue to a plan of chosen entries."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sweepgate.config.catalogue import Catalogue, load_catalogue
from sweepgate.config.fleets import Fleets, load_fleets
from sweepgate.config.model import parse
from sweepgate.errors import InputError, Problem
from sweepgate.fingerprint.point import fingerprints
from sweepgate.matrix.expand import RowData, expand_entry
from sweepgate.matrix.row import Row
from sweepgate.matrix.selection import select_keys
from sweepgate.plan.pins import pinned_version
from sweepgate.plan.plan import Job, Plan

CATALOGUE_FILE = "master-config.yaml"
FLEETS_FILE = "runners.yaml"


def build_plan(repository: Path, patterns: Sequence[str], concurrencies: Sequence[int] = ()) -> Plan:
    """Return the plan for all entries that match one of `patterns` (`*`, `?`), cheapest first.

    `concurrencies` keeps only those points. Raises InputError for a pattern or a filter that leaves nothing.
    """
    catalogue = load_catalogue([repository / CATALOGUE_FILE])
    fleets = load_fleets(repository / FLEETS_FILE)
    jobs = [
        job
        for key in select_keys(catalogue, patterns, CATALOGUE_FILE)
        for job in _jobs(repository, key, catalogue, fleets)
    ]
    jobs = _keep(jobs, concurrencies)
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


def _jobs(repository: Path, key: str, catalogue: Catalogue, fleets: Fleets) -> list[Job]:
    entry = catalogue[key]
    if entry.runner not in fleets.labels:
        allowed = ", ".join(sorted(fleets.labels))
        hint = f"add the label to {FLEETS_FILE}"
        raise InputError(Problem("unknown runner", CATALOGUE_FILE, None, f"{key}.runner", entry.runner, allowed, hint))
    rows = expand_entry(key, entry, fleets)
    names = Counter[str]()
    client_version = pinned_version(repository, "aiperf")
    jobs = []
    for data in rows:
        row = parse(Row, data, Path(CATALOGUE_FILE), (key,))
        name = f"{key}.{_point_name(data)}"
        names[name] += 1
        # Rows that differ only in what the name leaves out (a KV backend's version, say) are numbered in order.
        job_id = name if names[name] == 1 else f"{name}-{names[name]}"
        hashes = fingerprints(row, repository / "benchmarks", client_version)
        points = {str(conc): value for conc, value in hashes.items()}
        jobs.append(Job(id=job_id, key=key, runs_on=entry.runner, row=row, fingerprints=points))
    return jobs


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
    kept = []
    for job in jobs:
        wanted = [conc for conc in job.row.concurrencies if conc in concurrencies]
        if wanted == job.row.concurrencies:
            kept.append(job)
        elif wanted:
            # The server is set up for the row as written; only the measured points are fewer.
            kept.append(job.model_copy(update={"fingerprints": {str(c): job.fingerprint(c) for c in wanted}}))
    if not kept:
        available = sorted({conc for job in jobs for conc in job.row.concurrencies})
        allowed = ", ".join(map(str, available))
        raise InputError(
            Problem("no point has this concurrency", key="--conc", found=str(list(concurrencies)), allowed=allowed)
        )
    return kept
