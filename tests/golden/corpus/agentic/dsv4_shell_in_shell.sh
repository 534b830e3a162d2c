#!/usr/bin/env bash
# expect: 6 error 2.49
# The server starts inside a container's shell.
srun --nodes 1 bash -c "
  export VLLM_USE_V2_MODEL_RUNNER=1
  vllm serve deepseek-ai/DeepSeek-V4-Pro --speculative-config.method mtp --speculative-config.num_speculative_tokens 3
"
