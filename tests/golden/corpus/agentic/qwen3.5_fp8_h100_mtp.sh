#!/usr/bin/env bash
# expect: 8 ok -
# expect: 15 error 3.39
# The length of another draft length; arguments by `=`; the export is conditional the other way round.
set -euo pipefail
EVAL_ONLY="${EVAL_ONLY:-false}"
SPEC_ARGS=(
  --speculative-algorithm EAGLE
  --speculative-num-steps 3
  --speculative-eagle-topk 1
  --speculative-num-draft-tokens 4
)
if [[ "$EVAL_ONLY" == "true" ]]; then
  echo "evals keep real verification"
else export SGLANG_SIMULATE_ACC_LEN=3.97
  export SGLANG_SIMULATE_ACC_METHOD=match-expected SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token
fi
python3 -m sglang.launch_server --model-path="$MODEL" --served-model-name="Qwen/Qwen3.5-397B-A17B-FP8" \
  "${SPEC_ARGS[@]}" &
