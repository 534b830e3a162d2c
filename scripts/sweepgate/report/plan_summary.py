"""What a plan would do, as Markdown for the run summary: the verdict first."""

from __future__ import annotations

from collections import Counter

from sweepgate.bilingual import Bilingual
from sweepgate.plan.estimate import Estimate, PoolEstimate
from sweepgate.plan.plan import Plan
from sweepgate.plan.sweep_plan import Outcome
from sweepgate.report.markdown import escape, escape_linked, table_line

MARKS = {"run": "▶️", "reuse": "♻️", "skip": "⏸️", "stop": "⏹️"}
_ZH = {"reuse": "复用", "skip": "跳过", "stop": "停止"}
_MAX_JOBS = 20
_MAX_REASONS = 8


def plan_headline(outcome: Outcome) -> Bilingual:
    """Return the verdict in one line, as plain text."""
    if outcome.verdict != "run" or outcome.cost is None or outcome.plan is None:
        zh = f"{_ZH.get(outcome.verdict, outcome.verdict)}：{outcome.reason.zh}"
        return Bilingual(f"{outcome.verdict}: {outcome.reason.en}", zh)
    cost = outcome.cost
    jobs = len(outcome.plan.jobs)
    dollars = "" if cost.usd is None else f", ${cost.usd:,.0f}"
    counted = f"{count(cost.points, 'point')} in {count(jobs, 'job')}"
    price = "" if cost.usd is None else f"，{cost.usd:,.0f} 美元"
    ends = _ends(cost)
    return Bilingual(
        f"run: {counted}, {cost.gpu_hours:,.1f} GPU-hours{dollars}, {ends.en}",
        f"运行：{cost.points:,} 个点，{jobs:,} 个任务，{cost.gpu_hours:,.1f} GPU 小时{price}，{ends.zh}",
    )


def _ends(cost: Estimate) -> Bilingual:
    if cost.wall_seconds is not None:
        shown = duration(cost.wall_seconds)
        return Bilingual(f"done in about {shown}", f"预计 {shown} 完成")
    down = ", ".join(pool.label for pool in cost.pools if pool.wall_seconds is None)
    return Bilingual(f"end unknown while {down} is down", f"{down} 离线期间完成时间未知")


def plan_summary(outcome: Outcome) -> str:
    """Return the summary as GitHub-flavoured Markdown; every text that is not ours is escaped."""
    lines = [f"## {MARKS[outcome.verdict]} {escape_linked(plan_headline(outcome).en)}", ""]
    if outcome.verdict == "run":
        lines += [f"Why: {escape(outcome.reason.en)}.", ""]
    if outcome.note:
        lines += [f"⚠️ {escape_linked(outcome.note.en)}.", ""]
    if outcome.cost is not None:
        lines += _pools(outcome.cost)
    if outcome.plan is not None:
        lines += _points(outcome, outcome.plan)
    return "\n".join(lines).rstrip() + "\n"


def duration(seconds: float) -> str:
    """Return `2 h 05 min`, `12 min`, `40 s`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return `1 job`, `1,200 jobs`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def pool_cells(pool: PoolEstimate) -> tuple[str, ...]:
    """Return one label's share as cells: label, jobs, points, GPU-hours, dollars, expected time."""
    dollars = "no price set" if pool.usd is None else f"${pool.usd:,.0f}"
    expected = "—" if pool.wall_seconds is None else duration(pool.wall_seconds)
    return f"`{pool.label}`", f"{pool.jobs:,}", f"{pool.points:,}", f"{pool.gpu_hours:,.1f}", dollars, expected


def _pools(cost: Estimate) -> list[str]:
    headings = ("runner label", "jobs", "points", "GPU-hours", "cost", "expected time", "runners")
    lines = [table_line(headings), table_line(("---", *["---:"] * 5, "---"))]
    for pool in cost.pools:
        lines.append(table_line((*pool_cells(pool), _runners(pool))))
    unknown = cost.points - cost.recorded
    based = f"{cost.recorded:,} of {cost.points:,} durations are recorded"
    rest = "" if not unknown else f"; {unknown:,} use the defaults of `runners.yaml` (`planning`)"
    return [*lines, "", f"The largest job holds {count(cost.largest_job_gpus, 'GPU')}. {based}{rest}.", ""]


def _runners(pool: PoolEstimate) -> str:
    state = pool.pool
    if state is None:
        return f"{pool.runners} listed, state not asked"
    words = f"{state.free} free, {state.busy} busy, {state.offline} offline"
    if state.down:
        return f"❌ down: {words}"
    waiting = max(pool.jobs - state.free, 0)
    return f"{words}; {count(waiting, 'job')} will wait" if waiting else words


def _points(outcome: Outcome, plan: Plan) -> list[str]:
    lines = []
    if plan.jobs:
        reasons = Counter(job.why or "planned" for job in plan.jobs)
        shown = [f"{count(number, 'job')}: {escape(why)}" for why, number in reasons.most_common(_MAX_REASONS)]
        lines.append(f"- {'; '.join(shown)}" + (" …" if len(reasons) > _MAX_REASONS else ""))
    if plan.reused:
        commits = ", ".join(escape(commit[:12]) for commit in dict.fromkeys(point.source for point in plan.reused))
        lines.append(f"- {count(len(plan.reused), 'point')} reused from {commits}")
    if outcome.unaffected:
        lines.append(f"- {count(outcome.unaffected, 'point')} not affected")
    if plan.canary is not None:
        lines.append(f"- canary: `{plan.canary}` runs first")
    if plan.jobs:
        stops = "stops at the first benchmark failure" if plan.fail_fast else "keeps going after a failure"
        lines.append(f"- mode: {plan.mode}; {stops}; {count(len(outcome.shards), 'matrix', 'matrices')}")
        lines += ["", *_jobs(plan)]
    return lines


def _jobs(plan: Plan) -> list[str]:
    lines = ["<details><summary>Jobs in starting order</summary>", ""]
    lines += [table_line(("job", "GPUs", "expected", "why")), table_line(("---", "---:", "---:", "---"))]
    for job in plan.jobs[:_MAX_JOBS]:
        lines.append(
            table_line((f"`{job.id}`", str(job.row.gpus), duration(job.seconds or 0.0), escape(job.why or "")))
        )
    more = len(plan.jobs) - _MAX_JOBS
    return [*lines, *([f"\n… and {more:,} more, all in `plan.json`."] if more > 0 else []), "", "</details>"]
