"""Server commands in files that nobody runs: what each path through a script, or each role of a YAML recipe, starts."""
