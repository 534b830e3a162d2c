"""What a plan would do, as the comment on its pull request: verdict, why, cost; English, then Simplified Chinese."""

from __future__ import annotations

from sweepgate.bilingual import Bilingual
from sweepgate.errors import InputError, Problem
from sweepgate.plan.estimate import Estimate, PoolEstimate
from sweepgate.plan.sweep_plan import Outcome
from sweepgate.report.markdown import escape, escape_linked, table_line
from sweepgate.report.plan_summary import MARKS, plan_headline, pool_cells

# By this line the comment is found again, and edited in place.
MARKER = "<!-- sweepgate: plan -->"
_MAX_PROBLEMS = 20
_HEADINGS = (
    "runner label<br>运行器标签",
    "jobs<br>任务",
    "points<br>点",
    "GPU-hours<br>GPU 小时",
    "cost<br>费用",
    "expected<br>预计",
    "free<br>空闲",
    "busy<br>忙碌",
    "offline<br>离线",
)


def plan_comment(outcome: Outcome) -> str:
    """Return the comment that answers a sweep label, as GitHub-flavoured Markdown; text that is not ours is escaped."""
    headline = plan_headline(outcome)
    details = _details(outcome)
    mark = MARKS[outcome.verdict]
    lines = [MARKER, f"### {mark} {escape_linked(headline.en)}", *(f"- {escape_linked(item.en)}" for item in details)]
    lines += ["", f"### {mark} {escape_linked(headline.zh)}", *(f"- {escape_linked(item.zh)}" for item in details)]
    if outcome.cost is not None:
        lines += ["", *_pools(outcome.cost)]
    return "\n".join(lines) + "\n"


def refusal_summary(error: InputError) -> str:
    """Return what the run summary says when a plan is refused."""
    return "\n".join(["## ❌ refused: nothing was started", "", *_problems(error)]) + "\n"


def refusal_comment(error: InputError) -> str:
    """Return the comment for a plan that is refused: what to mend, in the words that the command line prints."""
    title = (
        "### ❌ refused: nothing was started; mend this and push",
        "### ❌ 已拒绝：未启动任何任务；请修正以下问题后推送",
    )
    return "\n".join([MARKER, *title, "", *_problems(error)]) + "\n"


def _problems(error: InputError) -> list[str]:
    shown = [_problem(problem) for problem in error.problems[:_MAX_PROBLEMS]]
    more = len(error.problems) - _MAX_PROBLEMS
    return [*shown, *([f"- … and {more} more (还有 {more} 个)"] if more > 0 else [])]


def _problem(problem: Problem) -> str:
    return "- " + "<br>".join(escape(line) for line in problem.render().splitlines())


def _details(outcome: Outcome) -> list[Bilingual]:
    items = []
    if outcome.verdict == "run":
        items.append(Bilingual(f"why: {outcome.reason.en}", f"原因：{outcome.reason.zh}"))
    if outcome.note is not None:
        items.append(outcome.note)
    plan = outcome.plan
    if plan is None:
        return items
    if plan.reused:
        number = len(plan.reused)
        items.append(Bilingual(f"points reused from earlier runs: {number:,}", f"复用先前运行的点：{number:,}"))
    if outcome.unaffected:
        number = outcome.unaffected
        items.append(
            Bilingual(f"points that this change does not affect: {number:,}", f"不受此更改影响的点：{number:,}")
        )
    if plan.canary is not None and outcome.verdict == "run":
        items.append(Bilingual(f"first, alone: {plan.canary}", f"首先单独运行：{plan.canary}"))
    if outcome.cost is not None:
        items += _basis(outcome.cost)
    return items


def _basis(cost: Estimate) -> list[Bilingual]:
    items = [
        Bilingual(
            f"durations: {cost.recorded:,} of {cost.points:,} recorded, the rest are the defaults of runners.yaml",
            f"时长：{cost.points:,} 个中有 {cost.recorded:,} 个来自记录，其余为 runners.yaml 中的默认值",
        )
    ]
    for pool in cost.pools:
        if pool.pool is not None and pool.pool.down:
            items.append(
                Bilingual(
                    f"{pool.label}: down, no runner is online; its {pool.jobs:,} jobs will wait",
                    f"{pool.label}：已离线，没有在线运行器；其 {pool.jobs:,} 个任务将等待",
                )
            )
        elif pool.pool is not None and pool.pool.free == 0:
            items.append(
                Bilingual(
                    f"{pool.label}: saturated, every online runner is busy; its {pool.jobs:,} jobs will queue",
                    f"{pool.label}：已饱和，所有在线运行器都在忙；其 {pool.jobs:,} 个任务将排队",
                )
            )
    return items


def _pools(cost: Estimate) -> list[str]:
    return [
        table_line(_HEADINGS),
        table_line(("---", *["---:"] * (len(_HEADINGS) - 1))),
        *(table_line(_pool(pool)) for pool in cost.pools),
    ]


def _pool(pool: PoolEstimate) -> tuple[str, ...]:
    state = pool.pool
    known = ("?", "?", "?") if state is None else (f"{state.free}", f"{state.busy}", f"{state.offline}")
    return (*pool_cells(pool), *known)
