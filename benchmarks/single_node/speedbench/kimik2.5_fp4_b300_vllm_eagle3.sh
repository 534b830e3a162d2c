#!/usr/bin/env bash
# Kimi-K2.5 NVFP4 on eight B300: vLLM with an EAGLE3 draft model, drafts really verified.
set -euo pipefail

export VLLM_ENGINE_READY_TIMEOUT_S=3600
export VLLM_USE_FLASHINFER_MOE_FP4=1

exec vllm serve "$MODEL" --served-model-name "$MODEL" --host "$HOST" --port "$PORT" \
  --tensor-parallel-size "$TP" --max-model-len "$MAX_MODEL_LEN" --no-enable-prefix-caching \
  --trust-remote-code --language-model-only --kv-cache-dtype fp8 --gpu-memory-utilization 0.80 \
  --reasoning-parser kimi_k2 --tool-call-parser kimi_k2 --enable-auto-tool-choice \
  --speculative-config "{\"method\":\"eagle3\",\"model\":\"$DRAFT_MODEL\",\"num_speculative_tokens\":$DRAFT_TOKENS}"
