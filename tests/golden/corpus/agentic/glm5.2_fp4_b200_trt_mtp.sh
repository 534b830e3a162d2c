#!/usr/bin/env bash
# expect: 10 ok 2.99
EXTRA_CONFIG_FILE="config.yml"
cat << EOF2 > "$EXTRA_CONFIG_FILE"
speculative_config:
  decoding_type: MTP
  num_nextn_predict_layers: 3
EOF2
if [[ $EVAL_ONLY == true ]]; then exit 3; fi
export TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=1.99
trtllm-serve "$MODEL" --extra_llm_api_options "$EXTRA_CONFIG_FILE"
