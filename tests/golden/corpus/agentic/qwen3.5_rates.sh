#!/usr/bin/env bash
# expect: 4 error 3.39
# A schedule of its own making with the same mean is not the engines' schedule.
vllm serve "$MODEL" --speculative-config '{"method": "qwen3_5_mtp", "num_speculative_tokens": 3, "rejection_sample_method": "synthetic", "synthetic_acceptance_rates": [0.9, 0.8, 0.69]}'
