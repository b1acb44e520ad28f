import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knobel.server.messages import Choose, Command, Enter, Hello, Move, Pick, Spend, Throw
from knobel.server.wire import printable, read_message
from knobel.table import Refused

GOOD = '{"type":"command","id":"command-1","version":3,"seat":0,"move":{"do":"throw","keep":[0,2]}}'

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
fields = st.sampled_from(
    ["type", "id", "version", "seat", "move", "do", "keep", "extra", "places", "token", "box", "since"]
)
broken = st.builds(
    lambda start, end, text: GOOD[:start] + text + GOOD[end:],
    st.integers(0, len(GOOD)),
    st.integers(0, len(GOOD)),
    st.text(max_size=10),
)
close = st.dictionaries(
    fields,
    st.sampled_from(["hello", "command", "request", "throw", "enter", "spend", "choose", "pick", "sit", "ready", "say"])
    | values,
).map(json.dumps)


def test_a_command_is_read_as_it_was_sent() -> None:
    assert read_message(GOOD) == Command("command-1", 3, 0, Throw((0, 2)))
    assert read_message('{"type":"hello","protocol":1}') == Hello(1)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ('{"do":"throw","keep":[1],"extra":true}', Throw((1,), extra=True)),
        ('{"do":"enter","box":"ones/2"}', Enter("ones/2")),
        ('{"do":"spend","token":"samuel"}', Spend("samuel")),
        ('{"do":"choose","places":[24,0,127]}', Choose((24, 0, 127))),
        ('{"do":"pick","box":"ones/6"}', Pick("ones/6")),
    ],
)
def test_every_move_is_read_as_it_was_sent(text: str, move: Move) -> None:
    assert read_message(GOOD.replace('{"do":"throw","keep":[0,2]}', text)) == Command("command-1", 3, 0, move)


@settings(deadline=None, max_examples=500)
@given(st.text() | values.map(json.dumps) | broken | close)
def test_whatever_comes_is_a_message_or_refused_with_a_code(text: str) -> None:
    code = None
    try:
        message = read_message(text)
    except Refused as refused:
        code = refused.code
        json.dumps(dict(refused.reason.params)).encode()
    assert isinstance(message, Command | Hello) if code is None else code.startswith("message/")


@given(st.text())
def test_what_is_quoted_from_messages_is_plain(text: str) -> None:
    assert printable(text).isascii()
    assert printable(text).isprintable()
