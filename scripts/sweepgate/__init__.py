"""SweepGate: label a pull request, sweep the GPUs, gate the merge."""
