#!/usr/bin/env bash
# expect: 6 error 3.78
# Greedy drafts (vLLM's default) with the length of sampled ones; the JSON comes from printf, the length from a variable.
K=7
MODEL_ARGS=(moonshotai/Kimi-K3)
AL="${AL:-3.84}"
CONFIG="$(printf '{"method":"dspark","model":"%s","num_speculative_tokens":%d,"rejection_sample_method":"synthetic","synthetic_acceptance_length":%.2f}' "Inferact/Kimi-K3-DSpark" "$K" "$AL")"
start() {
  local label=$1
  shift
  echo "starting $label"
  nohup "$@" > server.log 2>&1 &
}
start server vllm serve "${MODEL_ARGS[@]}" --speculative-config "$CONFIG"
