#!/usr/bin/env bash
# expect: 4 error 3.39
# The third variable is missing: SGLang would commit a fixed token instead of its real draft.
export SGLANG_SIMULATE_ACC_LEN=3.39
export SGLANG_SIMULATE_ACC_METHOD=match-expected
sglang serve --model-path Qwen/Qwen3.5-397B-A17B --speculative-algorithm EAGLE --speculative-num-steps 3 \
  --speculative-eagle-topk 1 --speculative-num-draft-tokens 4
