"""One set of checks that every ruleset with all its options must pass."""
