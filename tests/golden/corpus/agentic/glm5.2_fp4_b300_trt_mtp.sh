#!/usr/bin/env bash
# expect: 16 error 2.99
# TensorRT-LLM counts draft tokens only, and takes its speculation from a file: 2.99 forces four tokens a step.
set -euo pipefail
EXTRA_CONFIG_FILE="config.yml"
cat > "$EXTRA_CONFIG_FILE" << YAML
kv_cache_config:
  dtype: fp8
  enable_block_reuse: true
speculative_config:
  decoding_type: MTP
  num_nextn_predict_layers: 3
YAML
run_on_all_ranks() { mpirun -n 1 --oversubscribe --allow-run-as-root "$@"; }
set -x
export TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=2.99
run_on_all_ranks trtllm-serve "$MODEL" --port "$PORT" --extra_llm_api_options="$EXTRA_CONFIG_FILE" &
