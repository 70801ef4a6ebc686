"""The page of a phone: one file, put together once, whose policy names its script and its style sheet."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache

from dashboard.compat.server.security_headers import strict_policy
from dashboard.theme import colours
from dashboard.theme.assets import beside

_SCRIPTS = ("phone_noise.js", "typed_number.js", "phone.js")
_COLOURS = {
    "zero-sum": colours.ZERO_SUM,
    "local": colours.LOCAL_NOISE,
    "cape": colours.CAPE,
    "conventional": colours.CONVENTIONAL,
    "header": colours.HEADER,
}


@cache
def _parts() -> tuple[str, str]:
    """The script and the style sheet."""
    named = " ".join(f"--{name}: {colour};" for name, colour in _COLOURS.items())
    script = "\n".join(beside(__file__, name) for name in _SCRIPTS)
    return script, f":root {{ {named} }}\n{beside(__file__, 'phone.css')}"


@cache
def page() -> str:
    """The page as HTML."""
    script, style = _parts()
    return beside(__file__, "phone.html").replace("/*style*/", style).replace("/*script*/", script)


def policy(host: str, origins: Iterable[str] = ()) -> str:
    """The content security policy of the page; see `strict_policy` for the host and the origins."""
    script, style = (f"sha256-{_hash(part)}" for part in _parts())
    return strict_policy(host, origins, script=script, style=style)


@cache
def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


CLOSED = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>CAPE Lab</title><h1>There is no such room</h1>
<p>Rooms close when the lecture ends, and after an hour. Look again at the code on the screen.</p></html>"""
