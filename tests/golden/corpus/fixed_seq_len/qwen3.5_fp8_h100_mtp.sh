#!/usr/bin/env bash
# expect: 5 ok -
# Fixed sequences keep real acceptance.
python3 -m sglang.launch_server --model-path "$MODEL" \
  --speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4 &
run_benchmark_serving --model "$MODEL" --use-chat-template
