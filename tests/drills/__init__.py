"""Fault drills of the server: each breaks something on purpose and then looks whether the promises still hold.

A drill is a module with `drill(scale, folder) -> Figure`; `registry.DRILLS` names them all. `./check` runs each of them
small, `./check --long NAME` in full. `mutants` takes the guards out, one at a time, and expects the drill to notice.
"""
