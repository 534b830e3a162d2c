#!/usr/bin/env bash
# Qwen3.5-397B-A17B NVFP4 on eight B300: vLLM with its MTP head, drafts really verified.
set -euo pipefail

export VLLM_ENGINE_READY_TIMEOUT_S=3600

exec vllm serve "$MODEL" --served-model-name "$MODEL" --host "$HOST" --port "$PORT" \
  --tensor-parallel-size "$TP" --max-model-len "$MAX_MODEL_LEN" --no-enable-prefix-caching \
  --language-model-only --max-cudagraph-capture-size 512 --kv-cache-dtype fp8 \
  --reasoning-parser qwen3 --tool-call-parser qwen3_coder --enable-auto-tool-choice \
  --speculative-config "{\"method\":\"mtp\",\"num_speculative_tokens\":$DRAFT_TOKENS}"
