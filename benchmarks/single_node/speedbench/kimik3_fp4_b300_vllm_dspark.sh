#!/usr/bin/env bash
# Kimi-K3 MXFP4 on eight B300: vLLM with a DSpark draft model, drafts really verified.
set -euo pipefail

export NCCL_DMABUF_ENABLE=0
export VLLM_ALLREDUCE_USE_FLASHINFER=1
export VLLM_ENGINE_READY_TIMEOUT_S=3600
export VLLM_USE_RUST_FRONTEND=1

# Sampled drafts are verified by blocks; greedy ones token by token, which is vLLM's default.
samplers=""
if [[ "$DRAFT_SAMPLE_METHOD" == probabilistic ]]; then
  samplers=",\"draft_sample_method\":\"probabilistic\",\"rejection_sample_method\":\"block\""
fi
draft="\"model\":\"$DRAFT_MODEL\",\"attention_backend\":\"FLASHINFER_MLA\""

exec vllm serve "$MODEL" --served-model-name "$MODEL" --host "$HOST" --port "$PORT" \
  --tensor-parallel-size "$TP" --max-model-len "$MAX_MODEL_LEN" --enable-prefix-caching \
  --trust-remote-code --load-format fastsafetensors --moe-backend auto --kv-cache-dtype fp8 \
  --gpu-memory-utilization 0.90 --max-num-seqs 512 --max-cudagraph-capture-size 256 \
  --attention-config '{"mla_prefill_backend":"FLASHINFER","use_prefill_query_quantization":true}' \
  --reasoning-parser kimi_k3 --tool-call-parser kimi_k3 --enable-auto-tool-choice \
  --speculative-config "{\"method\":\"dspark\",$draft,\"num_speculative_tokens\":$DRAFT_TOKENS$samplers}"
