#!/usr/bin/env bash
# expect: 4 error 3.33
# ATOM by length, of another draft length.
python3 -m atom.entrypoints.openai_server --model "$MODEL" --method mtp --num-speculative-tokens 4 --spec-decode-acceptance-length 2.99
