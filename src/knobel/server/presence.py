"""Who is at a table in the other processes, as they announce it again and again."""

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from knobel.room import Room

ANNOUNCED, EXPIRED = 20.0, 50.0  # seconds between two announcements; until one is void


class Change(NamedTuple):
    """What is new about who is at a table."""

    table_id: str
    came: frozenset[str]  # guests
    left: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Company:
    """Who is at a table in one process."""

    until: float = 0.0
    guests: frozenset[str] = frozenset()  # that sit there
    n_watching: int = 0  # others


class Presence:
    """What the other processes have announced, for the memory of this one."""

    def __init__(self) -> None:
        """Its own announcements carry a name that no other process has."""
        self._name = secrets.token_hex(6)
        self._elsewhere: dict[str, dict[str, _Company]] = {}  # by table and process

    def announcement(self, room: Room, here: set[str | None], n_watching: int) -> str:
        """What this process has to say: which of the guests are `here`, and how many only watch."""
        who = sorted(room.guests & here - {""})  # a table of the server has no host
        return json.dumps([self._name, room.id, who, n_watching])

    def heard(self, text: str, now: float) -> Change | None:
        """Take in what a process has announced; None for this one's own."""
        name, table_id, guests, n_watching = json.loads(text)
        if name == self._name:
            return None
        return self._note(table_id, name, _Company(now + EXPIRED, frozenset(guests), n_watching))

    def expired(self, now: float) -> Iterator[Change]:
        """Forget what was not announced again: the process is gone."""
        for table_id, processes in tuple(self._elsewhere.items()):
            for name in [name for name, company in processes.items() if company.until < now]:
                yield self._note(table_id, name, _Company())

    def guests(self, table_id: str) -> Iterator[str]:
        """Those who sit at a table, once for every process in which they are."""
        for company in self._elsewhere.get(table_id, {}).values():
            yield from company.guests

    def n_watching(self, table_id: str) -> int:
        """How many only watch."""
        return sum(company.n_watching for company in self._elsewhere.get(table_id, {}).values())

    def _note(self, table_id: str, name: str, company: _Company) -> Change:
        processes = self._elsewhere.setdefault(table_id, {})
        before = processes.pop(name, _Company())
        if company.guests or company.n_watching:
            processes[name] = company
        if not processes:
            del self._elsewhere[table_id]
        return Change(table_id, company.guests - before.guests, before.guests - company.guests)
