"""What clients were promised: a model of the log that knows nothing of the server, to be held against the database."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.drills.client import Client, Json
from tests.drills.figure import hold
from tests.drills.happened import Happened, happened
from tests.drills.server import Content, Row


@dataclass
class Ledger:
    """All that was acknowledged or seen, by table."""

    answers: dict[tuple[str, str], int] = field(default_factory=dict)  # version by table and command
    seen: dict[tuple[str, int], Happened] = field(default_factory=dict)  # event by table and version

    def reply(self, table: str, command: Json, reply: Json) -> bool:
        """Take in an answer; whether it was yes. Raises `AssertionError` if it says another thing than the first."""
        if not reply["ok"]:
            known = self.answers.get((table, command["id"]))
            hold(known is None, f"{command['id']} was answered with {known}, now it is refused: {reply}")
            return False
        known = self.answers.setdefault((table, command["id"]), reply["version"])
        hold(known == reply["version"], f"{command['id']} was answered with {known}, now with {reply['version']}")
        return True

    def take(self, client: Client) -> None:
        """Take in what a client was told. Raises `AssertionError` if another one was told something else."""
        self.saw(client.seated.id, client.told)
        client.told.clear()

    def saw(self, table: str, told: Mapping[int, Happened]) -> None:
        """Take in events."""
        for version, event in told.items():
            known = self.seen.setdefault((table, version), event)
            hold(known == event, f"event {version} of {table} was {known} for one client and is {event} for another")

    @property
    def n_acknowledged(self) -> int:
        """Commands that were answered with yes."""
        return len(self.answers)

    def check(self, content: Content) -> None:
        """Everything that was acknowledged or seen is stored once, as it was seen. Raises `AssertionError`."""
        rows = {(row.table, row.version): row for row in content.rows}
        hold(len(rows) == len(content.rows), "a version is stored twice")
        twice = [
            key for key, n in Counter((row.table, row.command) for row in content.rows if row.command).items() if n > 1
        ]
        hold(not twice, f"commands counted twice: {twice[:3]}")
        versions = {(row.table, row.command): row.version for row in content.rows}
        for (table, command), version in self.answers.items():
            found = versions.get((table, command))
            hold(
                found == version, f"{command} at {table} was acknowledged as event {version}, the log has it as {found}"
            )
        for (table, version), event in self.seen.items():
            row = rows.get((table, version))
            hold(row is not None, f"event {version} of {table} was seen and is lost: {event}")
            assert row is not None
            hold(stored(row) == event, f"event {version} of {table} was seen as {event}, the log says {row.body}")


def stored(row: Row) -> Happened:
    """A stored event as clients see it."""
    return happened(json.loads(row.body))


def is_prefix(part: Sequence[Row], whole: Sequence[Row]) -> bool:
    """Whether a log is the beginning of another one."""
    return len(part) <= len(whole) and all(mine == theirs for mine, theirs in zip(part, whole, strict=False))
