"""Wire types of guests, as in `messages`: what `/api/me` takes and gives."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from knobel.server.messages import Name


@dataclass(frozen=True, slots=True)
class GuestView:
    """A guest as others may see them: whoever has the id can do nothing with it."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Me:
    """GET /api/me: who asks."""

    guest: GuestView | None
    lan: bool  # what is sent can be read on its way: plain http between machines


@dataclass(frozen=True, slots=True)
class NewName:
    """POST /api/me: become a guest, or take another name; answers `Me`."""

    name: Name


@dataclass(frozen=True, slots=True)
class NewPhrase:
    """POST /api/me/phrase: a new recovery phrase, shown this once; the one before is void."""

    phrase: str


@dataclass(frozen=True, slots=True)
class Recovery:
    """POST /api/me/recover: this device becomes the guest of a phrase; answers `Me`."""

    phrase: Annotated[str, Field(max_length=200)]
