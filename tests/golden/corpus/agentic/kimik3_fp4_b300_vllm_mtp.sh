#!/usr/bin/env bash
# expect: 5 error 3.84
# expect: 9 ok -
# The greedy curve's length, with a head that samples its drafts: the other curve is due.
SYNTHETIC_ACCEPT_LEN=3.78
SPEC_NUM_TOKENS="${SPEC_NUM_TOKENS:-7}"
case "$EVAL_ONLY" in
  true|1)
    SPEC_ARGS=(--speculative-config "{\"model\":\"Inferact/Kimi-K3-DSpark\",\"num_speculative_tokens\":$SPEC_NUM_TOKENS,\"method\":\"dspark\",\"draft_sample_method\":\"probabilistic\",\"rejection_sample_method\": \"block\"}")
    ;;
  *)
    SPEC_ARGS=(--speculative-config "{\"model\":\"Inferact/Kimi-K3-DSpark\",\"num_speculative_tokens\":$SPEC_NUM_TOKENS,\"method\":\"dspark\",\"draft_sample_method\":\"probabilistic\",\"rejection_sample_method\":\"synthetic\",\"synthetic_acceptance_length\": $SYNTHETIC_ACCEPT_LEN}")
    ;;
esac
vllm serve "$MODEL" "${SPEC_ARGS[@]}"
