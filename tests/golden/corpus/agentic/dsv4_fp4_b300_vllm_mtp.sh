#!/usr/bin/env bash
# expect: 24 ok -
# expect: 26 ok 2.49
# Evals keep real acceptance; arms that say nothing about speculation multiply nothing.
set -eo pipefail
OFFLOAD_ARGS=()
case "$KV_OFFLOAD_BACKEND" in
  "") ;;
  vllm-simple)
    BYTES=$((TOTAL_CPU_DRAM_GB * 1000 * 1000 * 1000 / TP))
    OFFLOAD_ARGS=(--kv-transfer-config "{\"kv_connector\":\"SimpleCPUOffloadConnector\",\"bytes\":$BYTES}")
    ;;
  *)
    echo "unsupported $KV_OFFLOAD_BACKEND" >&2
    exit 1
    ;;
esac
PARALLEL_ARGS=(--tensor-parallel-size "$TP")
if [ "$DP_ATTENTION" = "true" ]; then
  PARALLEL_ARGS=(--tensor-parallel-size 1 --data-parallel-size "$TP")
fi
NUM_SPEC_TOKENS=3
if [ "${EVAL_ONLY}" = "true" ]; then
  SPEC_CONFIG="{\"method\": \"mtp\", \"num_speculative_tokens\": $NUM_SPEC_TOKENS}"
else
  SPEC_CONFIG="{\"method\": \"mtp\", \"num_speculative_tokens\": $NUM_SPEC_TOKENS, \"rejection_sample_method\": \"synthetic\", \"synthetic_acceptance_length\": 2.49}"
fi
VLLM_CMD=(
  vllm serve "$MODEL_PATH" --served-model-name "$MODEL"
  --speculative-config "$SPEC_CONFIG" # the only place
  "${PARALLEL_ARGS[@]}"
  "${OFFLOAD_ARGS[@]}"
)
printf '%q ' "${VLLM_CMD[@]}" | tee "$RESULT_DIR/command.txt"
"${VLLM_CMD[@]}" > "$RESULT_DIR/server.log" 2>&1 &
SERVER_PID=$!
wait "$SERVER_PID"
