"""The picture of the way to a table."""

import io

import segno

from knobel.server.qr import grouped, picture


def test_the_picture_is_plain_svg_and_holds_the_address() -> None:
    address = f"https://play.example/join/{grouped('ABCDEFGH')}"
    svg = picture(address).decode()
    assert svg.startswith("<?xml")
    assert not any(word in svg for word in ("<script", "style=", "href", "play.example"))
    out = io.BytesIO()
    segno.make_qr(address, error="m").save(out, kind="svg", scale=6, border=2, omitsize=True, dark="#26221a")
    assert svg == out.getvalue().decode()
    assert picture(address) != picture(address.replace("ABCD", "ABCE"))
