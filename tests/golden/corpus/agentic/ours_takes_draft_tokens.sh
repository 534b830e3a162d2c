#!/usr/bin/env bash
# expect: 7 ok -
# The harness renders the length; the recipe says how it drafts.
set -euo pipefail
exec python3 -m sglang.launch_server \
  --model-path "$MODEL_PATH" \
  --speculative-algorithm EAGLE \
  --speculative-num-steps "$DRAFT_TOKENS" \
  --speculative-eagle-topk 1 \
  --speculative-num-draft-tokens $((DRAFT_TOKENS + 1))
