#!/usr/bin/env bash
# GLM-5.2 FP8 on eight B300: vLLM with its MTP head, drafts really verified.
set -euo pipefail

export VLLM_ENGINE_READY_TIMEOUT_S=3600

exec vllm serve "$MODEL" --served-model-name "$MODEL" --host "$HOST" --port "$PORT" \
  --tensor-parallel-size "$TP" --max-model-len "$MAX_MODEL_LEN" --no-enable-prefix-caching \
  --kv-cache-dtype fp8 --gpu-memory-utilization 0.80 --chat-template-content-format=string \
  --reasoning-parser glm45 --tool-call-parser glm47 --enable-auto-tool-choice \
  --speculative-config "{\"method\":\"mtp\",\"num_speculative_tokens\":$DRAFT_TOKENS}"
