#!/usr/bin/env bash
# The embedded engine: NVIDIA Dynamo's frontend and its mocker, on this machine, without a GPU.
set -euo pipefail

export DYN_FILE_KV="$SCRATCH/discovery"
export DYN_SYSTEM_PORT="$SYSTEM_PORT"
planes=(--discovery-backend file --request-plane tcp --event-plane zmq)

if [[ "$ROLE" == frontend ]]; then
  router=(--router-mode round-robin)
  if [[ "$DISAGG" == true ]]; then
    router=(--router-mode kv)
  fi
  exec python3 -m dynamo.frontend --http-host "$HOST" --http-port "$PORT" "${router[@]}" "${planes[@]}"
fi

worker=(--model-path "$MODEL" --data-parallel-size 1)
if [[ -n "$MAX_MODEL_LEN" ]]; then
  worker+=(--max-model-len "$MAX_MODEL_LEN")
fi
if [[ "$DISAGG" == true ]]; then
  worker+=(--disaggregation-mode "$ROLE")
fi
exec python3 -m dynamo.mocker "${worker[@]}" "${planes[@]}"
