"""Which part of a catalogue to expand: the options of the public generator, as rules.

Where a limit and a range disagree the public rules differ by kind of row, so that published commands keep their
meaning: a single-node range is clipped (and then steps from the new start), any other concurrency is kept or dropped
as written, and a fixed-sequence arm that `max_conc` would empty is measured once, at `max_conc`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sweepgate.config.catalogue import Agentic, Entry, FixedSeqLen, SearchSpace, SingleNodeSpace, stepped
from sweepgate.config.fleets import Fleets

FIXED = "fixed-seq-len"
AGENTIC = "agentic-coding"
SCENARIO_TYPES = (FIXED, AGENTIC)
DEFAULT_STEP_SIZE = 2


@dataclass(frozen=True)
class Filters:
    """What to keep; an empty sequence or None keeps everything.

    `model_prefix` is compared with the start of an entry's key. `runner_node_filter` keeps the runners whose name
    contains it and gives each a row of its own; with `label_counts` the label itself is a candidate too. `conc` names
    exact concurrencies. `max_tp` and `max_ep` apply to fixed-sequence single-node rows, where `max_ep` lowers an ep
    that is above it.
    """

    model_prefix: Sequence[str] = ()
    precision: Sequence[str] = ()
    framework: Sequence[str] = ()
    runner_type: Sequence[str] = ()
    runner_node_filter: str | None = None
    label_counts: bool = False
    seq_lens: Sequence[tuple[int, int]] = ()
    scenario_type: Sequence[str] = ()
    conc: Sequence[int] = ()
    min_conc: int | None = None
    max_conc: int | None = None
    max_tp: int | None = None
    max_ep: int | None = None
    single_node: bool = True
    multi_node: bool = True
    step_size: int = DEFAULT_STEP_SIZE

    def keeps_entry(self, key: str, entry: Entry, multinode: bool) -> bool:
        """Return whether any row of `entry` may be kept."""
        return (
            (not self.model_prefix or key.startswith(tuple(self.model_prefix)))
            and (not self.precision or entry.precision in self.precision)
            and (not self.framework or entry.framework in self.framework)
            and (not self.runner_type or entry.runner in self.runner_type)
            and (self.multi_node if multinode else self.single_node)
        )

    def keeps_scenario(self, scenario: FixedSeqLen | Agentic) -> bool:
        """Return whether rows of this scenario are kept."""
        kind = FIXED if isinstance(scenario, FixedSeqLen) else AGENTIC
        if self.scenario_type and kind not in self.scenario_type:
            return False
        return not (
            isinstance(scenario, FixedSeqLen) and self.seq_lens and (scenario.isl, scenario.osl) not in self.seq_lens
        )

    def runners(self, label: str, fleets: Fleets) -> list[str]:
        """Return what rows of this runner label run on: the label, or each runner whose name matches."""
        if self.runner_node_filter is None:
            return [label]
        names = [*([label] if self.label_counts else []), *fleets.labels.get(label, [])]
        return list(dict.fromkeys(name for name in names if self.runner_node_filter in name))

    def fixed_concurrencies(self, space: SearchSpace) -> list[int]:
        """Return the concurrencies of a fixed-sequence arm."""
        if isinstance(space, SingleNodeSpace) and self.max_tp is not None and space.tp > self.max_tp:
            return []
        if isinstance(space, SingleNodeSpace) and space.conc_list is None:
            return self._named(self._clipped_range(space))
        values = self._at_least(space.concurrencies(self.step_size))
        if self.max_conc is not None and values:
            values = [conc for conc in values if conc <= self.max_conc] or [self.max_conc]
        return self._named(values)

    def agentic_concurrencies(self, space: SearchSpace) -> list[int]:
        """Return the concurrencies of an agentic arm."""
        values = self._at_least(space.concurrencies(self.step_size))
        if self.max_conc is not None:
            values = [conc for conc in values if conc <= self.max_conc]
        return self._named(values)

    def expert_parallel(self, space: SingleNodeSpace) -> int:
        """Return the ep of a fixed-sequence arm."""
        return space.ep if self.max_ep is None else min(space.ep, self.max_ep)

    def _clipped_range(self, space: SingleNodeSpace) -> list[int]:
        assert space.conc_start is not None
        assert space.conc_end is not None
        start, end = space.conc_start, space.conc_end
        if self.min_conc is not None:
            start = max(start, self.min_conc)
            if start > end:
                return []
        if self.max_conc is not None:
            start, end = min(start, self.max_conc), min(end, self.max_conc)
        return stepped(start, end, self.step_size)

    def _at_least(self, values: list[int]) -> list[int]:
        return [conc for conc in values if self.min_conc is None or conc >= self.min_conc]

    def _named(self, values: list[int]) -> list[int]:
        return [conc for conc in values if not self.conc or conc in self.conc]


def filters_of(options: Mapping[str, Any]) -> Filters:
    """Return the filters that the options of `generate_sweep_configs.py` describe; other options are left alone."""
    given = {field.name: options[field.name] for field in fields(Filters) if field.name in options}
    if not (given.get("single_node") or given.get("multi_node")):
        given.update(single_node=True, multi_node=True)
    return Filters(**given, label_counts=options["command"] == "test-config")
