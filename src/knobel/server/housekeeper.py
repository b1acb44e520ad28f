"""What becomes of tables that nobody looks at: slow games go on, abandoned ones are given up.

Of those that are given up only the ones at which no game was ever begun are dropped.

The time of day only says which tables to look at, or to give up after days; whether a turn is over is decided by the
table's own clock, which has run for a while by then.
"""

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from knobel.errors import KnobelError

if TYPE_CHECKING:
    from knobel.server.hall import Hall

EVERY = 600.0  # seconds
AT_ONCE = 200  # tables of a kind in one round
DAY = 86_400.0
WAITING, LIVING, DROPPED = 1 * DAY, 90 * DAY, 7 * DAY  # before the game; in it; given up before it
logger = logging.getLogger(__name__)


async def keep_house(hall: "Hall") -> None:
    """Round after round, for as long as the hall is open."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            await look_around(hall, time.time())
        except Exception:  # a database in trouble, a broken table: the next round comes
            logger.exception("the housekeeper failed")


async def look_around(hall: "Hall", now: float) -> None:
    """One round. Raises `Refused` if the database fails."""
    store = hall.store
    for table_id in await store.due(now, AT_ONCE):
        await _quietly(hall.find(table_id))  # its clock runs from now on
    stale = await store.abandoned(("gathering", "revealing"), now - WAITING, AT_ONCE)
    for table_id in (*stale, *await store.abandoned(("playing",), now - LIVING, AT_ONCE)):
        await _quietly(hall.close(table_id))
    dropped = await store.never_begun(now - DROPPED, AT_ONCE)
    if dropped:
        for table_id in dropped:
            hall.forget(table_id)
        await store.drop(dropped)


async def _quietly(work: object) -> None:
    try:
        await work  # type: ignore[misc]
    except KnobelError as error:
        logger.warning("%s", error)
