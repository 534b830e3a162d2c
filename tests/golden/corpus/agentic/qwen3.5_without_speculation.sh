#!/usr/bin/env bash
# The base of a recipe with speculation: nothing here drafts, and synthetic prompts are no synthetic acceptance.
vllm serve "$MODEL" --tensor-parallel-size "$TP" &
run_benchmark_serving --dataset synthetic
