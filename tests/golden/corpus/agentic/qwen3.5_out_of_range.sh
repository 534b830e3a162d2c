#!/usr/bin/env bash
# expect: 4 error not measured
# Ten draft tokens were never measured.
vllm serve "$MODEL" --speculative-config '{"method": "mtp", "num_speculative_tokens": 10, "rejection_sample_method": "synthetic", "synthetic_acceptance_length": 5.21}'
