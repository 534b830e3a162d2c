#!/usr/bin/env bash
# expect: 4 error no curve
# A model without a curve: no neighbour's value.
vllm serve Qwen/Qwen3.6-27B --speculative-config '{"method": "mtp", "num_speculative_tokens": 3, "rejection_sample_method": "synthetic", "synthetic_acceptance_length": 3.39}'
