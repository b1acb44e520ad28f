"""The command line: `knobel play | serve | rules …`. Nobody imports this package."""

from knobel.cli.command import main

__all__ = ["main"]
