#!/usr/bin/env bash
# Qwen3.5-397B-A17B FP8 on one node of eight H100 (80 GB): SGLang with MTP, KV cache on the GPUs or spilled to host DRAM.
set -euo pipefail

export PYTHONNOUSERSITE=1
export SGLANG_ENABLE_SPEC_V2=1

# MTP runs as EAGLE with one chain: the target verifies the draft tokens and adds one of its own.
speculation=(
  --speculative-algorithm EAGLE
  --speculative-num-steps "$DRAFT_TOKENS"
  --speculative-eagle-topk 1
  --speculative-num-draft-tokens $((DRAFT_TOKENS + 1))
)

cache=()
if [[ "$KV_OFFLOAD_BACKEND" == hicache ]]; then
  # --hicache-size is GB a rank and host pool; this hybrid model keeps two pools, attention and Mamba state.
  cache=(
    --page-size 64
    --enable-hierarchical-cache
    --hicache-size $((TOTAL_CPU_DRAM_GB / TP / 2))
    --hicache-io-backend kernel
    --hicache-mem-layout page_first
    --hicache-write-policy write_through_selective
  )
fi

exec python3 -m sglang.launch_server \
  --model-path "$MODEL" --served-model-name "$MODEL" --tokenizer-path "$MODEL" --trust-remote-code \
  --host "$HOST" --port "$PORT" --enable-metrics \
  --tensor-parallel-size "$TP" --expert-parallel-size "$EP" --data-parallel-size 1 \
  --quantization fp8 --kv-cache-dtype fp8_e4m3 --mamba-ssm-dtype bfloat16 \
  --attention-backend flashinfer --enable-flashinfer-allreduce-fusion \
  --mem-fraction-static 0.75 --stream-interval 50 --scheduler-recv-interval 10 --tokenizer-worker-num 6 \
  "${speculation[@]}" "${cache[@]}"
