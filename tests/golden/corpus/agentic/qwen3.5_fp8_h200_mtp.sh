#!/usr/bin/env bash
# expect: 5 error -
# expect: 5 ok 3.39
# Forced without asking whether this is an eval, and evals run on it.
export SGLANG_SIMULATE_ACC_LEN=3.39 SGLANG_SIMULATE_ACC_METHOD=match-expected SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token
python3 -m sglang.launch_server --model-path "$MODEL" --speculative-algorithm NEXTN --speculative-num-steps 3 \
  --speculative-eagle-topk 1 --speculative-num-draft-tokens 4 &
if [ "${EVAL_ONLY}" = "true" ]; then
  run_eval --port "$PORT"
else
  run_agentic_replay_and_write_outputs "$RESULT_DIR"
fi
