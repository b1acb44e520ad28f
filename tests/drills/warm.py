"""Imported once by the process that all servers are forked from: what each of them would have to load by itself."""

import alembic.command
import alembic.config

from knobel.server.page_view import offers
from tests.drills import start

LOADED = (alembic, start, offers())
