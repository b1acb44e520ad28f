"""Prints one JSON schema of all wire types (`python -m knobel.server.schema`), for web/scripts/wire.mjs."""

import json
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from knobel.server import guest_messages, messages, page_messages

FROM_BROWSER: tuple[Any, ...] = (
    messages.ClientMessage,
    page_messages.RulesetChoice,
    page_messages.NewTable,
    page_messages.HouseDraft,
    guest_messages.NewName,
    guest_messages.Recovery,
)
TO_BROWSER: tuple[Any, ...] = (
    messages.ServerMessage,
    page_messages.RulesetOffers,
    page_messages.TableList,
    page_messages.Found,
    page_messages.FairPage,
    page_messages.Results,
    page_messages.DiceStatistic,
    page_messages.HousePreview,
    page_messages.HouseList,
    page_messages.RulesAnswer,
    guest_messages.Me,
    guest_messages.NewPhrase,
    page_messages.Refusal,
)


class _Wire(GenerateJsonSchema):
    """Fields with defaults are always there in what the server sends, and tags (`type`, `do`) in both directions."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        tag = field["schema"].get("schema", field["schema"])["type"] == "literal"
        return self.mode == "serialization" or tag or super().field_is_required(field, total)


def wire_schema() -> dict[str, Any]:
    """All types under `$defs`: what the browser sends as it may write it, what it gets as it is always written."""
    wanted: list[tuple[str, Literal["validation", "serialization"], TypeAdapter[Any]]] = [
        *((str(index), "validation", TypeAdapter(kind)) for index, kind in enumerate(FROM_BROWSER)),
        *((str(index), "serialization", TypeAdapter(kind)) for index, kind in enumerate(TO_BROWSER)),
    ]
    return TypeAdapter.json_schemas(wanted, schema_generator=_Wire)[1]


if __name__ == "__main__":
    print(json.dumps(wire_schema(), indent=1, sort_keys=True))
