"""Text with mathematics as HTML: Markdown, and TeX formulas as MathML, which browsers set without a library of ours."""

from __future__ import annotations

import re
from functools import lru_cache

from latex2mathml.converter import convert
from markdown_it import MarkdownIt

from dashboard.state.html_text import lowered

# On a phone its letters are smaller, so that the glossary's longest fits; where letters are wide it scrolls.
SHEET = (
    ".formula { display: block; overflow: auto hidden; font-size: 16px; padding: 4px 0; margin: 4px 0 } "
    ".formula math { font-family: math } "
    "@media (max-width: 480px) { .formula { font-size: 14px } }"
)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?(?:\n[^$\n]+?)?)\$", re.DOTALL)
_CODE = re.compile(r"(`[^`]*`)")
_MARKDOWN = MarkdownIt("commonmark")


@lru_cache(maxsize=512)
def formula(tex: str) -> str:
    """TeX as MathML that stands in a line of its own."""
    return f"<span class='formula'>{convert(tex, display='block')}</span>"


def sheltered(text: str, formulas: list[str]) -> str:
    """Markdown with marks in place of $$formulas$$ and $formulas$; these are appended to `formulas` as MathML."""

    def keep(match):
        block, inline = match.groups()
        formulas.append(formula(block) if block else convert(inline))
        return f"FORMULA{len(formulas) - 1}END"

    return _FORMULA.sub(keep, text)


def restored(body: str, formulas: list[str]) -> str:
    """HTML with formulas in place of their marks."""
    return re.sub(r"FORMULA(\d+)END", lambda mark: formulas[int(mark[1])], body)


@lru_cache(maxsize=64)
def markup(text: str) -> str:
    """Text of the program with Markdown and $$formulas$$, as HTML; τ_s outside of code gets its index.

    A formula with lines of its own stands alone; one within a sentence stays in its line.
    """
    formulas: list[str] = []
    plain = sheltered(re.sub(r"\$\$([^$]+)\$\$", _in_its_place, text.strip()), formulas)
    prose = "".join(part if part.startswith("`") else lowered(part) for part in _CODE.split(plain))
    return restored(_MARKDOWN.render(prose), formulas)


def _in_its_place(found):
    before, after = found.string[: found.start()], found.string[found.end() :]
    alone = before[-1:] in ("", "\n") and after[:1] in ("", "\n")
    return found[0] if alone else f"${' '.join(found[1].split())}$"
