#!/usr/bin/env bash
# expect: 4 error draft tokens
# The number of draft tokens is the environment's, so no length can be checked.
export SGLANG_SIMULATE_ACC_LEN=3.39
export SGLANG_SIMULATE_ACC_METHOD=match-expected SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token
python3 -m sglang.launch_server --model-path "$MODEL" --speculative-algorithm EAGLE \
  --speculative-num-steps "$NUM_STEPS" --speculative-eagle-topk 1
