#!/usr/bin/env bash
# expect: 9 ok 2.78
# expect: 12 ok 1.79
# expect: 15 error 3.21
# Draft tokens by concurrency, each with the length that is due for it; the last one forgot.
DRAFT=Inferact/MiniMax-M3-EAGLE3-GQA
if [ "$CONC" -le 2 ]; then
  K=3
  AL=2.78
elif [ "$CONC" -le 16 ]; then
  K=1
  AL=1.79
else
  K=5
  AL=3.20
fi
export VLLM_FLOAT32_MATMUL_PRECISION=high
exec numactl --interleave=all vllm serve "$MODEL_PATH" --served-model-name MiniMaxAI/MiniMax-M3 \
  --speculative-config "{\"method\":\"eagle3\",\"model\":\"$DRAFT\",\"num_speculative_tokens\":$K,\"rejection_sample_method\":\"synthetic\",\"synthetic_acceptance_length\":$AL}"
