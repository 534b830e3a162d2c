#!/usr/bin/env bash
launch_common() {
  python3 -m sglang.launch_server --model-path "$MODEL" --speculative-algorithm EAGLE --speculative-num-steps "$STEPS" \
    --speculative-eagle-topk 1 --speculative-num-draft-tokens "$((STEPS + 1))"
}
# expect: 3 error draft tokens
