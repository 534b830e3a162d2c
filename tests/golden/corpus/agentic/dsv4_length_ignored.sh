#!/usr/bin/env bash
# expect: 10 error 2.49
# The length without the method is ignored by the engine. JSON over several lines: its own line counts.
CONFIG=$(
  cat << 'JSON'
{
  "method": "deepseek_mtp",
  "num_speculative_tokens": 3,
  "synthetic_acceptance_length":
    2.49
}
JSON
)
vllm serve "$MODEL" --speculative-config "$CONFIG"
