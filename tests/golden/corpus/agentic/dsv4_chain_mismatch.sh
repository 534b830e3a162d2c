#!/usr/bin/env bash
# expect: 4 error 2.49
# Three steps draft three tokens; verifying eight of them is a mistake.
export SGLANG_SIMULATE_ACC_LEN=2.49 SGLANG_SIMULATE_ACC_METHOD=match-expected SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token
python3 -m sglang.launch_server --model-path "$MODEL" --speculative-algorithm EAGLE --speculative-num-steps 3 \
  --speculative-eagle-topk 1 --speculative-num-draft-tokens 8
