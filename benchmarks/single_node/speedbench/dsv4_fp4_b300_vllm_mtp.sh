#!/usr/bin/env bash
# DeepSeek-V4-Pro on eight B300: vLLM with its MTP or DSpark heads, drafts really verified.
set -euo pipefail

export VLLM_ENGINE_READY_TIMEOUT_S=3600

# The DSpark checkpoint drafts by sampling, and is collected at a higher concurrency.
config="{\"method\":\"$SPEC_DECODING\",\"num_speculative_tokens\":$DRAFT_TOKENS}"
limits=()
if [[ "$SPEC_DECODING" == dspark ]]; then
  config="{\"method\":\"dspark\",\"num_speculative_tokens\":$DRAFT_TOKENS,\"draft_sample_method\":\"$DRAFT_SAMPLE_METHOD\"}"
  limits=(--max-num-seqs 64 --gpu-memory-utilization 0.90)
fi

exec vllm serve "$MODEL" --served-model-name "$MODEL" --host "$HOST" --port "$PORT" \
  --tensor-parallel-size "$TP" --max-model-len "$MAX_MODEL_LEN" --no-enable-prefix-caching \
  --trust-remote-code --kv-cache-dtype fp8 --block-size 256 \
  --compilation-config '{"cudagraph_mode":"FULL_AND_PIECEWISE","custom_ops":["all"]}' \
  --attention_config.use_fp4_indexer_cache True --max-cudagraph-capture-size 2048 \
  --tokenizer-mode deepseek_v4 --tool-call-parser deepseek_v4 --enable-auto-tool-choice \
  --reasoning-parser deepseek_v4 \
  "${limits[@]}" --speculative-config "$config"
