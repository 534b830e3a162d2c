#!/usr/bin/env bash
# expect: 5 error several
# Two heads have curves, and this one does not say which it drafts with.
vllm serve "$MODEL" \
  --speculative-config "{\"method\":\"eagle3\",\"model\":\"$DRAFT_MODEL_PATH\",\"num_speculative_tokens\":3,\"rejection_sample_method\":\"synthetic\",\"synthetic_acceptance_length\":2.78}"
