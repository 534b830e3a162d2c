#!/usr/bin/env bash
# expect: 12 error 2.49
# A server command of several lines, unforced: the line of its speculative configuration counts.
set -euo pipefail

MODEL=deepseek-ai/DeepSeek-V4-Pro

exec vllm serve "$MODEL" \
  --host 0.0.0.0 \
  --port "$PORT" \
  --tensor-parallel-size "$TP" \
  --speculative-config '{"method":"mtp","num_speculative_tokens":3}' \
  --max-model-len 131072
