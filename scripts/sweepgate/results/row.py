"""The schema of a result row: the field names that public dashboards of this field read, and ours beside them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

LATENCIES = ("ttft", "tpot", "itl", "e2el", "intvty")
SINGLE_NODE_FIELDS = frozenset({"tp", "ep", "dp_attention"})
MULTI_NODE_FIELDS = frozenset(
    {"num_prefill_gpu", "num_decode_gpu"}
    | {f"{pool}_{size}" for pool in ("prefill", "decode") for size in ("tp", "ep", "dp_attention", "num_workers")}
)
STATISTICS = ("mean", "median", "p90", "p99", "p99.9", "std")

Finite = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Above0 = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]


class _Rows(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True, protected_namespaces=())


class ClientReport(_Rows):
    """The client and how well it kept up.

    `send_delay_*`: from the moment a request was due until it was sent; `longest_block`: of a worker's event loop (both
    seconds). `cpu_share`: of all `cores`, during the measured window. `bound`: why the client, not the server, limited
    the point; empty when it did not.
    """

    name: Literal["aiperf"]
    version: str
    submission_valid: bool | None
    submission_problems: list[str]
    send_delay_mean: Finite
    send_delay_p99: Finite
    longest_block: Finite
    cpu_share: Finite | None
    cores: Annotated[int, Field(ge=1)]
    bound: list[str]


class AcceptanceReport(_Rows):
    """Speculation as the server counted it: verified drafts, the share of them whose 1st, 2nd, ... token was accepted,
    and the standard error of `measured_al` (null where the engine does not count by position).
    """

    drafts: Count
    rates: list[Annotated[float, Field(ge=0, le=1)]] | None
    standard_error: Finite | None
    source: str


class PowerReport(_Rows):
    """GPU power over the measured window: watts per GPU, joules per output token."""

    mean_watts_per_gpu: Finite
    joules_per_output_token: Finite


class _Identity(_Rows):
    hw: str
    runner: str
    conc: Annotated[int, Field(ge=1)]
    image: str
    model: str
    infmax_model_prefix: str
    framework: str
    precision: str
    spec_decoding: str
    disagg: bool
    isl: int | None
    osl: int | None
    scenario_type: str
    duration: int | None
    trace_set: str | None
    is_multinode: bool
    tp: int | None = None
    ep: int | None = None
    dp_attention: bool | None = None
    prefill_tp: int | None = None
    prefill_ep: int | None = None
    prefill_dp_attention: bool | None = None
    prefill_num_workers: int | None = None
    num_prefill_gpu: int | None = None
    decode_tp: int | None = None
    decode_ep: int | None = None
    decode_dp_attention: bool | None = None
    decode_num_workers: int | None = None
    num_decode_gpu: int | None = None
    kv_offloading: str = "none"
    exp_name: str
    job: str
    fingerprint: str


class _Measured(_Identity):
    num_gpu: Annotated[int, Field(ge=1)]
    tput_per_gpu: Above0
    output_tput_per_gpu: Above0
    input_tput_per_gpu: Above0
    requests: Annotated[int, Field(ge=1)]
    errors: Count
    error_kinds: dict[str, int]
    input_tokens: Annotated[int, Field(ge=1)]
    output_tokens: Annotated[int, Field(ge=1)]
    prefix_cache_hit: Annotated[float, Field(ge=0, le=1)]
    started_at: Above0
    benchmark_duration: Above0
    golden_al: Finite | None
    measured_al: Finite | None
    acceptance: AcceptanceReport | None
    warnings: list[str]
    server: dict[str, Finite]
    client: ClientReport
    power: PowerReport | None


def _metric_fields() -> dict[str, Any]:
    """One field per statistic and latency: `median_ttft`, `p99.9_itl`."""
    fields: dict[str, Any] = {}
    for statistic in STATISTICS:
        for latency in LATENCIES:
            name = f"{statistic}_{latency}"
            fields[name.replace(".", "_")] = (Finite, Field(alias=name))
    return fields


ResultRow = create_model("ResultRow", __base__=_Measured, __module__=__name__, **_metric_fields())
ResultRow.__doc__ = """One valid point. Seconds; tokens/s/GPU; interactivity in tokens/s/user.

`{p90,p99,p99.9}_intvty` is the interactivity at that TPOT percentile (the slow tail), as dashboards of the field show
it; `mean_` and `median_intvty` invert mean and median TPOT alike; `std_intvty` is the deviation over requests.
"""
