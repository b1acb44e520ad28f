"""All drills by the name that `./check --long` knows them by."""

from collections.abc import Callable
from pathlib import Path

from tests.drills import (
    chance,
    checkpoint,
    clocks,
    counting,
    crossing,
    crowd,
    flood,
    foreign,
    gone,
    guessing,
    hostile,
    illegal,
    kill,
    leaving,
    load,
    long_log,
    malformed,
    memory,
    once,
    power,
    slow,
    storage,
    together,
)
from tests.drills.figure import Figure

Drill = Callable[[float, Path], Figure]
DRILLS: dict[str, Drill] = {
    "kill": kill.drill,
    "kill-checkpoint": checkpoint.drill,
    "power-loss": power.drill,
    "disk-full": storage.full,
    "storage-fault": storage.broken,
    "duplicates": once.drill,
    "two-tabs": together.tabs,
    "same-moment": together.seats,
    "slow-reader": slow.readers,
    "slowloris": slow.requests,
    "idle": crowd.idle,
    "reconnect": crowd.reconnect,
    "malformed": malformed.drill,
    "ping-flood": flood.drill,
    "requests": malformed.requests,
    "names": hostile.names,
    "rules": hostile.rules,
    "load": load.held,
    "overload": load.overload,
    "restart": load.restart,
    "left-tables": memory.left,
    "watchers": memory.watchers,
    "illegal": illegal.drill,
    "codes": guessing.drill,
    "cross-seat": crossing.drill,
    "cross-site": foreign.drill,
    "dice": chance.drill,
    "absence": leaving.drill,
    "gone": gone.drill,
    "clocks": clocks.drill,
    "statistics": counting.drill,
    "long-log": long_log.drill,
}
NEED_ROOT = ("disk-full",)  # it mounts a file system of its own
