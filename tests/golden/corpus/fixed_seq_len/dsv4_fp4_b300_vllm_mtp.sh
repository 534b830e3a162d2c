#!/usr/bin/env bash
# expect: 3 error -
vllm serve "$MODEL" --speculative-config '{"method":"mtp","num_speculative_tokens":3,"rejection_sample_method":"synthetic","synthetic_acceptance_length":2.49}'
