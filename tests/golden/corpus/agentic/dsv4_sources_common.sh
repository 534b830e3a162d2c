#!/usr/bin/env bash
# expect: 5 error 2.49
# The command is a function of a script beside this one.
STEPS=3
export SGLANG_SIMULATE_ACC_LEN=2.94
export SGLANG_SIMULATE_ACC_METHOD=match-expected SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token
source "$(dirname "$0")/dsv4_common_base.sh"
launch_common
