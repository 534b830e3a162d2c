"""The schema of a matrix row: what one job serves and measures."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from sweepgate.config.catalogue import KvOffloadBackend, Positive, Router, SpecDecoding, Worker
from sweepgate.config.model import Strict


class Row(Strict):
    """One job. Single-node rows have `tp` and one concurrency; multi-node rows have `prefill` and `decode` pools."""

    image: str
    model: str
    model_prefix: str
    precision: str
    framework: str
    runner: str
    exp_name: str
    conc: Positive | list[Positive]
    spec_decoding: SpecDecoding = "none"
    run_eval: bool = False
    eval_conc: Positive | None = None
    eval_only: bool = False
    eval_all_concs: bool = False
    disagg: bool = False
    isl: Positive | None = None
    osl: Positive | None = None
    max_model_len: Positive | None = None
    scenario_type: Literal["agentic-coding"] | None = None
    duration: Positive | None = None
    trace_set: str | None = None
    kv_offloading: Literal["none", "dram"] = "none"
    kv_offload_backend: KvOffloadBackend | None = None
    total_cpu_dram_gb: int = 0
    router: Router | None = None
    kv_p2p_transfer: str | None = None
    recipe: str | None = None
    draft_tokens: Positive | None = None
    draft_sample_method: str | None = None
    draft_model: str | None = None
    thinking: Literal["on", "off"] | None = None
    tp: Positive | None = None
    ep: Positive | None = None
    pp: Positive | None = None
    dcp_size: Positive | None = None
    pcp_size: Positive | None = None
    dp_attn: bool | None = None
    prefill: Worker | None = None
    decode: Worker | None = None

    @model_validator(mode="after")
    def one_shape(self) -> Row:
        """Refuse rows that are both single-node and multi-node, or both fixed and agentic."""
        if (self.tp is None) == (self.prefill is None) or (self.prefill is None) != (self.decode is None):
            raise ValueError("a row has either tp, or both prefill and decode")
        if (self.isl is None) == (self.scenario_type is None):
            raise ValueError("a row has either isl and osl, or scenario-type agentic-coding")
        return self

    @property
    def is_multinode(self) -> bool:
        """Whether the row serves through worker pools."""
        return self.prefill is not None

    @property
    def is_agentic(self) -> bool:
        """Whether the load is a trace replay instead of fixed sequence lengths."""
        return self.scenario_type is not None

    @property
    def concurrencies(self) -> list[int]:
        """The concurrencies that this job measures, one after the other."""
        return self.conc if isinstance(self.conc, list) else [self.conc]

    @property
    def eval_concurrencies(self) -> list[int]:
        """The concurrencies that an eval of this row uses; none when the row is not one that only evaluates."""
        if not self.eval_only:
            return []
        return [self.eval_conc] if self.eval_conc is not None else self.concurrencies

    @property
    def prefill_gpus(self) -> int:
        """GPUs of the prefill pool; 0 on a single node."""
        return self.prefill.gpus * self.prefill.num_worker if self.prefill else 0

    @property
    def decode_gpus(self) -> int:
        """GPUs of the decode pool; 0 on a single node."""
        return self.decode.gpus * self.decode.num_worker if self.decode else 0

    @property
    def gpus(self) -> int:
        """All GPUs that the row's throughput is divided by."""
        if self.tp is None:
            return self.prefill_gpus + self.decode_gpus
        return self.tp * (self.pp or 1) * (self.pcp_size or 1)
