#!/usr/bin/env bash
# expect: 18 ok -
# expect: 11 ok 3.77
# DSpark drafts a block at once: six tokens, whatever the number of steps. The interpreter is a variable.
set -eo pipefail
SGLANG_PYTHON="$(command -v python3)"
export SGLANG_ENABLE_UNIFIED_RADIX_TREE=1
MEM=0.88
if [ "$DP_ATTENTION" = "true" ]; then MEM=0.93; fi
if [ "${EVAL_ONLY}" != "true" ]; then
  export SGLANG_SIMULATE_ACC_LEN=3.77
  export SGLANG_SIMULATE_ACC_METHOD=match-expected
  export SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token
fi
SGLANG_CMD=(
  "$SGLANG_PYTHON" -m sglang.launch_server
  --model-path "$MODEL_PATH" --served-model-name "$MODEL" --mem-fraction-static "$MEM"
  --speculative-algorithm DSPARK
  --speculative-dspark-block-size 6
  --speculative-num-steps 1
  --speculative-eagle-topk 1
  --speculative-num-draft-tokens 7
)
"${SGLANG_CMD[@]}" >> "$SERVER_LOG" 2>&1 &
