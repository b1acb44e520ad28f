"""One readable playthrough for each ruleset; `python -m tests.golden.make` writes them anew."""
