"""What a person sees while a sweep runs."""

from __future__ import annotations

import time
from collections.abc import Iterable

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from sweepgate.plan.plan import Job, Plan
from sweepgate.results.store import Failure, PointResult
from sweepgate.run.step import Step

# Until a point of the same kind has finished: what a fixed-sequence point and an agentic replay's start and end take.
DEFAULT_POINT_SECONDS = 20.0
AGENTIC_OVERHEAD_SECONDS = 20.0


class ProgressView:
    """Live progress on a terminal, one plain line an event elsewhere."""

    def __init__(self, plan: Plan, done: int, console: Console) -> None:
        self.plan = plan
        self.console = console
        self.finished = done
        self.begun = time.monotonic()
        self.step_begun = self.begun
        self.current: Step | None = None
        self.last_failure: Failure | None = None
        self.left = {(job.id, conc): expected_seconds(job) for job in plan.jobs for conc in job.concurrencies}
        self.live = Live(console=console, refresh_per_second=4, transient=True, get_renderable=self._render)

    def __enter__(self) -> ProgressView:
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def skip(self, results: Iterable[PointResult]) -> None:
        """Leave points that an earlier run measured out of the estimate."""
        for result in results:
            self.left.pop((result.job, result.conc), None)

    def step(self, step: Step) -> None:
        """A job entered a phase."""
        self.current = step
        self.step_begun = time.monotonic()
        if not self.console.is_terminal and step.phase in ("start", "measure"):
            conc = "" if step.conc is None else f" at concurrency {step.conc}"
            self.console.print(
                f"[{self._elapsed()}] {step.job}: {step.phase}{conc}", highlight=False, markup=False, soft_wrap=True
            )

    def point(self, result: PointResult) -> None:
        """A point finished, one way or the other."""
        self.finished += 1
        self.left.pop((result.job, result.conc), None)
        style = {"valid": "green", "invalid": "yellow", "failed": "red"}[result.status]
        text = Text(f"[{self._elapsed()}] {self.finished}/{self.plan.points} ")
        text.append(result.status, style=style)
        text.append(f"  {result.job} c{result.conc}  {_numbers(result)}  ({result.seconds:.0f} s)")
        self.console.print(text, soft_wrap=True)
        # One failure ends all remaining points of a job; its log is shown once.
        if result.failure is not None and result.failure.detail and result.failure != self.last_failure:
            self.console.print(Text(result.failure.detail, style="dim"), soft_wrap=True)
        self.last_failure = result.failure

    def retry(self, job: Job, result: PointResult) -> None:
        """A job is tried once more."""
        why = result.failure.message if result.failure else ""
        self.console.print(
            Text(f"[{self._elapsed()}] retry   {job.id}: infrastructure, {why}", style="yellow"), soft_wrap=True
        )

    def _elapsed(self) -> str:
        return _clock(time.monotonic() - self.begun)

    def _render(self) -> Group:
        if self.current is None:
            return Group()
        conc = "" if self.current.conc is None else f", concurrency {self.current.conc}"
        in_step = time.monotonic() - self.step_begun
        left = max(sum(self.left.values()) - in_step, 0)
        line = f"{self.current.job}: {self.current.phase}{conc} · {in_step:.0f} s"
        total = f"{self.finished} of {self.plan.points} points · {self._elapsed()} elapsed · about {_clock(left)} left"
        return Group(Spinner("dots", text=Text(line)), Text(total, style="dim"))


def expected_seconds(job: Job) -> float:
    """Return how long one point of a job is expected to take, in seconds."""
    return (job.row.duration + AGENTIC_OVERHEAD_SECONDS) if job.row.duration else DEFAULT_POINT_SECONDS


def _numbers(result: PointResult) -> str:
    if result.status != "valid" or result.row is None:
        return "; ".join(result.reasons)
    row = result.row
    speed = f"{row['median_intvty']:.0f} tok/s/user, {row['tput_per_gpu']:.0f} tok/s/GPU"
    return f"TTFT {row['median_ttft'] * 1000:.0f} ms, {speed}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"
