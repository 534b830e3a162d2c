"""master-config.yaml: what can run — model × image × framework × scenario × search space."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from sweepgate.config.model import Strict, dotted, parse, suggestion
from sweepgate.config.yaml_file import KeyPath, Reader, YamlFile, load
from sweepgate.errors import InputError, Problem

# The bound keeps sums and products of a row's numbers within 64 bits.
Positive = Annotated[int, Field(ge=1, le=10**9)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=100)]
Text = Annotated[str, Field(pattern=r"^[^\s\x00-\x1f][^\x00-\x1f]*$", max_length=300)]
SpecDecoding = Literal["none", "mtp", "eagle3", "dspark", "draft_model"]
# A full agentic replay; `duration` of a scenario or a fast label shortens it.
DEFAULT_DURATION_SECONDS = 3600
# The public corpus whose requests (input + output) stay within 256k tokens; aiperf's own loader name.
DEFAULT_TRACE_SET = "semianalysis_cc_traces_weka_062126_256k"

FRAMEWORKS = (
    "atom",
    "atom-disagg",
    "dynamo-mocker",
    "dynamo-sglang",
    "dynamo-trt",
    "dynamo-vllm",
    "llmd-vllm",
    "sglang",
    "sglang-disagg",
    "tilert",
    "trt",
    "vllm",
)


class Router(Strict):
    """What spreads requests over workers, and its own version."""

    name: Name
    version: Text

    @field_validator("version")
    @classmethod
    def not_an_image(cls, version: str) -> str:
        """Refuse an image reference where a version is due."""
        if "/" in version or ":" in version:
            raise ValueError(f"router version {version!r} is an image reference; give the router's own version")
        return version


class KvOffloadBackend(Strict):
    """What moves KV cache out of GPU memory."""

    name: Name
    version: Text | None = None


class Parallelism(Strict):
    """How one worker spreads over GPUs: it holds tp × pp × pcp-size of them."""

    tp: Positive
    ep: Positive = 1
    pp: Positive = 1
    dcp_size: Positive = 1
    pcp_size: Positive = 1
    dp_attn: bool = False

    @model_validator(mode="after")
    def dcp_divides_tp(self) -> Self:
        """Decode context parallelism splits a tensor-parallel group evenly."""
        if self.tp % self.dcp_size:
            raise ValueError(f"dcp-size {self.dcp_size} does not divide tp {self.tp}")
        return self

    @property
    def gpus(self) -> int:
        """GPUs of one worker."""
        return self.tp * self.pp * self.pcp_size


class Worker(Parallelism):
    """A pool of equal workers; `num-worker` 0 when the other pool does both phases."""

    num_worker: Annotated[int, Field(ge=0, le=1000)]
    hardware: Name | None = None
    additional_settings: list[Text] | None = None


class SearchSpace(Strict):
    """Concurrencies (a list, or a range that doubles up to its end) and what all kinds of points share."""

    conc_list: Annotated[list[Positive], Field(min_length=1)] | None = None
    conc_start: Positive | None = None
    conc_end: Positive | None = None
    spec_decoding: SpecDecoding = "none"
    router: Router | None = None
    kv_p2p_transfer: Name | None = None
    kv_offloading: Literal["none", "dram"] = "none"
    kv_offload_backend: KvOffloadBackend | None = None
    draft_tokens: Annotated[int, Field(ge=1, le=16)] | None = None
    draft_sample_method: Literal["greedy", "probabilistic"] | None = None
    draft_model: Text | None = None
    thinking: Literal["on", "off"] | None = None

    @field_validator("thinking", mode="before")
    @classmethod
    def yaml_on_off(cls, value: Any) -> Any:
        """YAML 1.1 reads a bare `on` as true."""
        return {True: "on", False: "off"}[value] if isinstance(value, bool) else value

    @model_validator(mode="after")
    def concurrency_is_list_or_range(self) -> Self:
        """Refuse both, neither, a backward range and a concurrency named twice."""
        if self.conc_list is not None:
            if self.conc_start is not None or self.conc_end is not None:
                raise ValueError("give conc-list, or conc-start with conc-end, not both")
            if len(set(self.conc_list)) != len(self.conc_list):
                raise ValueError(f"conc-list {self.conc_list} names a concurrency twice")
        elif self.conc_start is None or self.conc_end is None:
            raise ValueError("give conc-list, or both conc-start and conc-end")
        elif self.conc_start > self.conc_end:
            raise ValueError(f"conc-start {self.conc_start} is above conc-end {self.conc_end}")
        return self

    @model_validator(mode="after")
    def speculation_and_offload_are_whole(self) -> Self:
        """Refuse draft settings without speculation, and an offload without its backend or the reverse."""
        if self.spec_decoding == "none" and (self.draft_tokens or self.draft_sample_method or self.draft_model):
            raise ValueError("draft-tokens, draft-sample-method and draft-model need spec-decoding other than none")
        if (self.kv_offloading == "dram") != (self.kv_offload_backend is not None):
            raise ValueError("kv-offloading dram and kv-offload-backend go together")
        return self

    def concurrencies(self, step_size: int = 2) -> list[int]:
        """Return the concurrencies in order; a range multiplies by `step_size` and always ends on conc-end."""
        if self.conc_list is not None:
            return self.conc_list
        assert self.conc_start is not None
        assert self.conc_end is not None
        return stepped(self.conc_start, self.conc_end, step_size)


def stepped(start: int, end: int, step_size: int) -> list[int]:
    """Return start, start × step_size, ... below `end`, and then `end` itself."""
    values, value = [], start
    while value < end:
        values.append(value)
        value *= step_size
    return [*values, end]


class SingleNodeSpace(SearchSpace, Parallelism):
    """One server on one node."""


class MultiNodeSpace(SearchSpace):
    """A pool of prefill workers and a pool of decode workers (none when the prefill pool does both)."""

    prefill: Worker
    decode: Worker

    @model_validator(mode="after")
    def hardware_is_two_sided(self) -> Self:
        """Refuse hardware named for one pool only, and two empty pools."""
        if (self.prefill.hardware is None) != (self.decode.hardware is None):
            raise ValueError("give hardware for both prefill and decode, or for neither")
        if self.prefill.num_worker + self.decode.num_worker == 0:
            raise ValueError("prefill and decode have no worker between them")
        return self


class FixedSeqLen(Strict):
    """Synthetic requests of nominal input and output lengths, in tokens."""

    isl: Positive
    osl: Positive


class SingleNodeFixed(FixedSeqLen):
    """Fixed lengths on one node."""

    search_space: Annotated[list[SingleNodeSpace], Field(min_length=1)]


class MultiNodeFixed(FixedSeqLen):
    """Fixed lengths on worker pools."""

    search_space: Annotated[list[MultiNodeSpace], Field(min_length=1)]


class Agentic(Strict):
    """A replay of recorded coding sessions, for `duration` seconds.

    `trace-set` is a public corpus that aiperf knows, or a folder under benchmarks/ such as `traces/sample`.
    """

    dram_utilization: Annotated[float, Field(gt=0, le=1)] | None = None
    duration: Positive = DEFAULT_DURATION_SECONDS
    trace_set: Text = DEFAULT_TRACE_SET


class SingleNodeAgentic(Agentic):
    """A replay on one node."""

    search_space: Annotated[list[SingleNodeSpace], Field(min_length=1)]


class MultiNodeAgentic(Agentic):
    """A replay on worker pools."""

    search_space: Annotated[list[MultiNodeSpace], Field(min_length=1)]


class SingleNodeScenarios(Strict):
    """The loads of a single-node entry."""

    fixed_seq_len: list[SingleNodeFixed] = Field(default_factory=list)
    agentic_coding: list[SingleNodeAgentic] = Field(default_factory=list)


class MultiNodeScenarios(Strict):
    """The loads of a multi-node entry."""

    fixed_seq_len: list[MultiNodeFixed] = Field(default_factory=list)
    agentic_coding: list[MultiNodeAgentic] = Field(default_factory=list)


class Entry(Strict):
    """What single-node and multi-node entries share."""

    image: Text
    model: Text
    model_prefix: Name
    runner: Text
    precision: Name
    framework: str
    disagg: bool = False
    router: Router | None = None
    kv_p2p_transfer: Name | None = None
    recipe: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_./+-]*\.sh$")] | None = None

    @field_validator("framework")
    @classmethod
    def known_framework(cls, framework: str) -> str:
        """Refuse a framework that no engine or launcher knows."""
        if framework not in FRAMEWORKS:
            near = suggestion(framework, list(FRAMEWORKS))
            allowed = ", ".join(FRAMEWORKS)
            raise ValueError(f"unknown framework {framework!r}; allowed: {allowed}" + (f"; {near}" if near else ""))
        return framework

    @field_validator("recipe")
    @classmethod
    def recipe_stays_inside(cls, recipe: str | None) -> str | None:
        """Refuse a path that climbs out of benchmarks/."""
        if recipe is not None and ".." in Path(recipe).parts:
            raise ValueError(f"recipe {recipe!r} leaves the benchmarks folder")
        return recipe


class SingleNodeEntry(Entry):
    """An entry whose rows each run on one node."""

    multinode: Literal[False]
    scenarios: SingleNodeScenarios


class MultiNodeEntry(Entry):
    """An entry whose rows run on pools of workers."""

    multinode: Literal[True]
    scenarios: MultiNodeScenarios

    @model_validator(mode="after")
    def disaggregation_is_whole(self) -> Self:
        """Disaggregated pools need a way to move KV cache between them."""
        spaces = [space for fixed in self.scenarios.fixed_seq_len for space in fixed.search_space]
        spaces += [space for agentic in self.scenarios.agentic_coding for space in agentic.search_space]
        if self.disagg and any((space.kv_p2p_transfer or self.kv_p2p_transfer) is None for space in spaces):
            raise ValueError("disagg needs kv-p2p-transfer (nixl, mooncake, mori, ucx), for the entry or each point")
        return self


Catalogue = dict[str, SingleNodeEntry | MultiNodeEntry]


def load_catalogue(files: Sequence[Path], read: Reader = load) -> Catalogue:
    """Return the entries of all `files` in file order. Raises InputError naming every mistake in every file."""
    entries: Catalogue = {}
    problems: list[Problem] = []
    for file in files:
        source = read(file)
        if not isinstance(source.data, dict):
            raise InputError(Problem("must be a mapping of entries", file=str(file), found=type(source.data).__name__))
        for key, data in source.data.items():
            try:
                if key in entries:
                    raise InputError(Problem("this entry exists in another file", str(file), source.line((key,)), key))
                entries[key] = _entry(source, key, data)
            except InputError as error:
                problems += error.problems
    if problems:
        raise InputError(problems)
    return entries


def _entry(source: YamlFile, key: str, data: Any) -> SingleNodeEntry | MultiNodeEntry:
    if not _valid_key(key):
        raise InputError(
            Problem(
                "is not a usable entry key", str(source.path), source.line((key,)), key, allowed="A-Z a-z 0-9 . _ -"
            )
        )
    multinode = isinstance(data, dict) and data.get("multinode") is True
    entry: SingleNodeEntry | MultiNodeEntry
    entry = parse(MultiNodeEntry, data, source, (key,)) if multinode else parse(SingleNodeEntry, data, source, (key,))
    problems = [
        Problem(message, str(source.path), source.line((key, *keys)), dotted((key, *keys)), found)
        for keys, message, found in _cross_field_mistakes(entry)
    ]
    if problems:
        raise InputError(problems)
    return entry


def _valid_key(key: str) -> bool:
    return bool(key) and len(key) <= 150 and all(c.isascii() and (c.isalnum() or c in "._-") for c in key)


def _cross_field_mistakes(entry: SingleNodeEntry | MultiNodeEntry) -> list[tuple[KeyPath, str, str | None]]:
    """Return (keys, message, found) for rules that span an entry's fields."""
    mistakes: list[tuple[KeyPath, str, str | None]] = []
    scenarios = entry.scenarios
    agentic_scenarios: Sequence[SingleNodeAgentic | MultiNodeAgentic] = scenarios.agentic_coding
    if scenarios.agentic_coding and not entry.runner.startswith("cluster:"):
        mistakes.append((("runner",), "agentic scenarios need a `cluster:` runner", entry.runner))
    if not scenarios.agentic_coding and not scenarios.fixed_seq_len:
        mistakes.append((("scenarios",), "names no scenario; give fixed-seq-len or agentic-coding", None))
    for index, agentic in enumerate(agentic_scenarios):
        offloads = any(space.kv_offloading == "dram" for space in agentic.search_space)
        if offloads and agentic.dram_utilization is None:
            keys: KeyPath = ("scenarios", "agentic-coding", index)
            mistakes.append((keys, "kv-offloading dram needs dram-utilization (0 to 1)", None))
    return mistakes
