#!/usr/bin/env bash
# expect: 4 error no server
# The server is started by a library that is not here.
start_server_with --speculative-config '{"method":"mtp","num_speculative_tokens":3}'
