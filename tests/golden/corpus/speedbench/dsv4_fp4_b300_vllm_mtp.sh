#!/usr/bin/env bash
# expect: 6 ok 1 draft
# expect: 6 ok 2 draft
# expect: 6 ok 3 draft
for K in 1 2 3; do
  vllm serve "$MODEL" --speculative-config "{\"method\":\"mtp\",\"num_speculative_tokens\":$K}" &
done
