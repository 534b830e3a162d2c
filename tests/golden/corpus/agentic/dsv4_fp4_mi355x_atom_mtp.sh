#!/usr/bin/env bash
# expect: 8 ok -
# expect: 6 ok 2.49
# ATOM by rate: (2.49 - 1) / 3.
NUM_SPEC_TOKENS=3
SPEC_ACCEPTANCE_RATE=0.4966666667
SPEC_ARGS=(
  --method mtp
  --num-speculative-tokens "$NUM_SPEC_TOKENS"
)
if [ "${EVAL_ONLY:-false}" != "true" ]; then
  SPEC_ARGS+=(--spec-decode-acceptance-rate "$SPEC_ACCEPTANCE_RATE")
fi
ATOM_CMD=(
  python3 -u -m atom.entrypoints.openai_server
  --model "$MODEL_PATH"
  "${SPEC_ARGS[@]}"
)
write_command "$RESULT_DIR/server_command.txt" "${ATOM_CMD[@]}"
"${ATOM_CMD[@]}" > "$SERVER_LOG" 2>&1 &
