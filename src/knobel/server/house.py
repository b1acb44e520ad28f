"""House rulesets: rules that a browser sends as data, kept by the digest of their whole text, names included.

A browser names built-in rulesets and digests, never files. What is stored is the composed ruleset, so it stays what it
is, whatever becomes of the ruleset it was made from.
"""

import hashlib
import json
import re
import time
from collections.abc import Sequence
from math import perm
from typing import Any

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from knobel.errors import Reason, RulesetError
from knobel.ruleset import builtin_ids, compose_ruleset, load, parse_toml
from knobel.schema import listed, parse, to_mapping
from knobel.scoring import score
from knobel.server.page_messages import HouseDraft, HouseLine, HouseList, HousePreview, HouseRules
from knobel.server.present import refusal_of, rules_of
from knobel.server.rows import METADATA
from knobel.server.store import Store, failed
from knobel.server.wire import printable
from knobel.table import Refused
from knobel.toml import to_toml
from knobel.vocabulary import OptionValue, Ruleset

PREFIX = "house:"  # of a ruleset id that is the digest of a house ruleset
MOST_BYTES = 65_536  # of one ruleset
MOST_STORED = 2_000  # rulesets on a server
MOST_BOXES = 240  # of a pad: every message about a table holds all boxes of all players
MOST_WORK = 5_000  # ways to look at one roll, see `_work`: all rolls are scored when a game begins
LISTED = 50
HOUSE = sa.Table(
    "house_rules",
    METADATA,
    sa.Column("digest", sa.Text, primary_key=True),  # SHA-256 of the body, 64 hex digits
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("body", sa.Text, nullable=False),  # composed, as canonical JSON with all names
)


def read(rules: str | dict[str, Any]) -> Ruleset:
    """The ruleset of a mapping or a TOML text. Raises `Refused` with the place (`at`) of what is wrong."""
    try:
        ruleset = load(parse_toml(rules, "toml") if isinstance(rules, str) else rules)
        _check(ruleset)
    except RulesetError as error:
        raise refused(error) from None
    return ruleset


def refused(error: RulesetError, **more: str) -> Refused:
    """A refusal with the place of the fault; nothing unprintable of what was sent is sent back."""
    params = {key: printable(value) if isinstance(value, str) else value for key, value in error.reason.params.items()}
    return Refused("ruleset/refused", Reason(error.reason.key, {"at": printable(error.key), **more, **params}))


def body_of(ruleset: Ruleset) -> str:
    """What is stored: canonical JSON, names included."""
    return json.dumps(to_mapping(ruleset), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest_of(ruleset: Ruleset) -> str:
    """The address of a house ruleset."""
    return hashlib.sha256(body_of(ruleset).encode()).hexdigest()


class House:
    """The house rulesets of one store."""

    def __init__(self, store: Store) -> None:
        """`store` must be at the present revision of the schema."""
        self._engine = store.engine

    async def add(self, ruleset: Ruleset) -> str:
        """Keep a ruleset that `read` made; its digest. Raises `Refused`."""
        if ruleset.id in builtin_ids():
            raise refused(RulesetError("house", "id", Reason("server-house-id", {"found": ruleset.id})))
        digest = digest_of(ruleset)
        n_stored = sa.select(sa.func.count()).select_from(HOUSE).scalar_subquery()
        values = sa.literal(digest), sa.literal(time.time()), sa.literal(body_of(ruleset))
        row = sa.select(*values).where(n_stored < MOST_STORED)
        insert = sa.insert(HOUSE).from_select(["digest", "created", "body"], row)
        try:
            async with self._engine.begin() as connection:
                is_stored = (await connection.execute(insert)).rowcount == 1
        except IntegrityError:
            return digest  # it is there already
        except (SQLAlchemyError, OSError) as error:
            raise failed(error) from error
        if not is_stored:
            await self.find(digest, Refused("ruleset/full", Reason("server-house-full", {"most": MOST_STORED})))
        return digest

    async def find(self, digest: str, otherwise: Refused | None = None) -> Ruleset:
        """A stored ruleset. Raises `Refused` if there is none."""
        is_digest = re.fullmatch("[0-9a-f]{64}", digest)
        rows = await self._rows(sa.select(HOUSE).where(HOUSE.c.digest == digest)) if is_digest else ()
        if not rows:
            raise otherwise or Refused("ruleset/unknown", Reason("server-house-unknown"))
        return _stored(rows[0].body)

    async def latest(self, n: int) -> tuple[HouseLine, ...]:
        """The rulesets that were stored last."""
        rows = await self._rows(sa.select(HOUSE).order_by(HOUSE.c.created.desc(), HOUSE.c.digest).limit(n))
        return tuple(HouseLine(row.digest, rules_of(_stored(row.body)), row.created) for row in rows)

    async def compose(self, name: str, options: dict[str, OptionValue]) -> Ruleset:
        """A built-in ruleset by its id or a house ruleset by `house:` and digest, with options. Raises `Refused`."""
        is_house = name.startswith(PREFIX)
        if not is_house and name not in builtin_ids():
            raise Refused("ruleset/unknown", Reason("unknown-ruleset", {"values": listed(builtin_ids())}))
        source = to_mapping(await self.find(name.removeprefix(PREFIX))) if is_house else name
        try:
            return compose_ruleset(source, options)
        except RulesetError as error:
            option = error.key.removeprefix("options.").replace(".", "_")  # where the page shows it
            raise refused(error, option=printable(option)) from None

    async def _rows(self, query: sa.Select[Any]) -> Sequence[Any]:
        try:
            async with self._engine.connect() as connection:
                return tuple(await connection.execute(query))
        except (SQLAlchemyError, OSError) as error:
            raise failed(error) from error


def preview(draft: HouseDraft) -> HousePreview:
    """What a draft is, and what it makes of its rolls; or what is wrong with it."""
    try:
        ruleset = read(draft.rules)
    except Refused as error:
        return HousePreview(None, problem=refusal_of(error))
    points = tuple(
        tuple(score(row, tuple(sorted(roll))) for row in ruleset.categories) if len(roll) == ruleset.dice else None
        for roll in draft.rolls
    )
    return HousePreview(_whole(ruleset), points)


def add_house_routes(app: FastAPI, house: House, refusals: dict[int | str, dict[str, Any]]) -> None:
    """The API of the workshop."""
    refusals = refusals | {413: refusals[422]}

    @app.post("/api/house-preview", responses=refusals)
    async def _preview(draft: HouseDraft) -> HousePreview:
        return preview(draft)

    @app.post("/api/house-rules", status_code=201, responses=refusals | {429: refusals[422]})
    async def _add(draft: HouseDraft) -> HouseRules:
        ruleset = read(draft.rules)
        await house.add(ruleset)
        return _whole(ruleset)

    @app.get("/api/house-rules", responses=refusals)
    async def _latest() -> HouseList:
        return HouseList(await house.latest(LISTED))

    @app.get("/api/house-rules/{digest}", responses=refusals | {404: refusals[422]})
    async def _find(digest: str) -> HouseRules:
        return _whole(await house.find(digest))


def _whole(ruleset: Ruleset) -> HouseRules:
    return HouseRules(digest_of(ruleset), rules_of(ruleset), ruleset, to_toml(ruleset))


def _stored(body: str) -> Ruleset:
    """A ruleset as it was stored; one that this version cannot read any more is refused like any other."""
    try:
        return parse(json.loads(body), "store")
    except RulesetError as error:
        raise refused(error) from None


def _check(ruleset: Ruleset) -> None:
    """What a server does not take from strangers, though a file may say it. Raises `RulesetError`."""
    n_bytes, n_boxes = len(body_of(ruleset).encode()), len(ruleset.boxes)
    if n_boxes > MOST_BOXES:
        raise RulesetError("house", "columns", Reason("server-house-boxes", {"most": MOST_BOXES, "found": n_boxes}))
    if n_bytes > MOST_BYTES or _work(ruleset) > MOST_WORK:
        raise RulesetError("house", "categories", Reason("server-house-too-large"))


def _work(ruleset: Ruleset) -> int:
    """Ways in which all patterns together look at one roll, at most: faces for the groups, or sets."""
    rules = [rule for row in ruleset.categories for rule in row.rules]
    return sum(perm(6, len(rule.groups)) for rule in rules) + sum(len(rule.sets) for rule in rules)
