"""The source code of a computation as escaped HTML."""

from __future__ import annotations

import html
import importlib
import inspect
import io
import keyword
import tokenize
from functools import lru_cache

from dashboard.theme.assets import beside

SHEET = beside(__file__, "source_code.css")
_KINDS = {tokenize.STRING: "s", tokenize.COMMENT: "c"}


def find(name: str):
    """Find the object of a full name such as "core.pca.fit" or "core.schemes.noise_design.NoiseDesign.leakage".

    Raises
    ------
    ValueError
        If no such object exists.
    """
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part, None)
        if found is not None:
            return found
    raise ValueError(f"{name} names nothing in the code")


@lru_cache(maxsize=256)
def source(name: str) -> str:
    """The source text of an object of the package."""
    return inspect.cleandoc("\n" + inspect.getsource(inspect.unwrap(find(name)))) + "\n"


@lru_cache(maxsize=256)
def highlighted(text: str) -> str:
    """Python source as HTML: keywords, strings and comments are marked, everything is escaped."""
    lines, out, row, column = text.splitlines(keepends=True), [], 1, 0

    def upto(end):
        nonlocal row, column
        while row < end[0]:
            out.append(html.escape(lines[row - 1][column:]))
            row, column = row + 1, 0
        if row <= len(lines):
            out.append(html.escape(lines[row - 1][column : end[1]]))
        column = end[1]

    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = _KINDS.get(token.type)
        if token.type == tokenize.NAME and keyword.iskeyword(token.string):
            kind = "k"
        if kind:
            upto(token.start)
            out.append(f"<span class='{kind}'>")
            upto(token.end)
            out.append("</span>")
    upto((len(lines) + 1, 0))
    return "".join(out)


def as_html(names: tuple[str, ...]) -> str:
    """The source of several objects, each below its name."""
    parts = []
    for name in names:
        parts.append(f"<p class='name'><code>{html.escape(name)}</code></p>")
        label = f"Source of {name}"
        parts.append(
            f"<pre tabindex='0' role='region' aria-label='{html.escape(label)}'>{highlighted(source(name))}</pre>"
        )
    return "".join(parts)
