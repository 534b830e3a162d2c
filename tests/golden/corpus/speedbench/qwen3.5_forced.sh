#!/usr/bin/env bash
# expect: 3 error -
export SGLANG_SIMULATE_ACC_LEN=3.39
python3 -m sglang.launch_server --model-path "$MODEL" --speculative-algorithm EAGLE --speculative-num-steps 3
