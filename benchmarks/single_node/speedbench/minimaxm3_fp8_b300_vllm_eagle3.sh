#!/usr/bin/env bash
# MiniMax-M3 on eight B300: vLLM with an EAGLE3 draft model, drafts really verified.
set -euo pipefail

export VLLM_ENGINE_READY_TIMEOUT_S=3600
export VLLM_FLOAT32_MATMUL_PRECISION=high

draft="\"model\":\"$DRAFT_MODEL\",\"attention_backend\":\"FLASH_ATTN\""

exec vllm serve "$MODEL" --served-model-name "$MODEL" --host "$HOST" --port "$PORT" \
  --tensor-parallel-size "$TP" --max-model-len "$MAX_MODEL_LEN" --no-enable-prefix-caching \
  --trust-remote-code --language-model-only --block-size 128 --gpu-memory-utilization 0.90 \
  --max-cudagraph-capture-size 2048 --max-num-batched-tokens 16384 --stream-interval 30 \
  --reasoning-parser minimax_m3 --tool-call-parser minimax_m3 --enable-auto-tool-choice \
  --speculative-config "{\"method\":\"eagle3\",$draft,\"num_speculative_tokens\":$DRAFT_TOKENS}"
