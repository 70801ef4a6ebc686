"""Clauses that point at the curve which they are about: the browser pales the others while the pointer is on them."""

from __future__ import annotations

import html
import re
from collections.abc import Collection

from dashboard.plotting.figure import name_of

_TAG = re.compile(r"(<[^>]*>)")
_BLOCK = re.compile(r"</?(?:p|div|ul|ol|li|table|thead|tbody|tr|td|th|br|h\d|section)\b")
_BOLD = re.compile(r"<b>(.*?)</b>", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]{2,}")  # "ε" and "k" stand beside numbers; a word is longer.
_ENDS = {",", ";", ":", ".", "?"}


def labels_of(figures) -> set[str]:
    """The labels of all curves that the legends of these figures show."""
    items = [item for plot in figures for legend in plot.legend for item in legend.items if item.visible]
    return {name_of(item) for item in items}


def pointing(text: str, labels: Collection[str]) -> str:
    """Mark the clauses of a text that are about one curve, or about parts of a drawing with that label in `data-about`.

    Parameters
    ----------
    text : str
        HTML.
    labels : collection of str
        Labels of curves as the legend writes them. A clause that names exactly one of them is marked with all of its
        numbers; of one that names several, the labels alone are.

    Returns
    -------
    str
        The HTML, with the label in `data-mark` of each marked part; bold words that are no number have the class `said`.
    """
    if not labels:
        return text
    words = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    # What a site adds to its message is called local noise, too.
    label = rf"(?<![\w-])(?:{words})(?![\w-]| noise)"
    named = re.compile(label, re.IGNORECASE)
    exact = {label.lower(): label for label in labels}

    def marked(part, label):
        part = _BOLD.sub(_plain_words, part)
        return f'<span data-mark="{html.escape(exact[label.lower()], quote=True)}">{part}</span>'

    def alone(half):
        """Whether a part of "CAPE loses 5 % and conventional 27 %" names one curve, and a number of it."""
        return (
            len({found.lower() for found in named.findall(half)}) == 1 and "<b>" in half and _balanced(half)
        )

    def pointed(clause):
        parts = _TAG.split(clause)
        about = {found.lower() for part in parts[::2] for found in named.findall(part)}
        if len(about) == 1 and "<a " not in clause and _balanced(clause):
            inner = clause.rstrip()
            return marked(inner, about.pop()) + clause[len(inner) :]
        halves = clause.split(" and ")
        if len(halves) == len(about) > 1 and all(map(alone, halves)):
            return " and ".join(map(pointed, halves))
        parts[::2] = [named.sub(lambda found: marked(found[0], found[0]), part) for part in parts[::2]]
        return "".join(parts)

    return "".join(pointed(clause) for clause in _clauses(text, label))


def _plain_words(bold):
    """Bold words that are no number get a class of their own: only numbers are underlined."""
    inner = _TAG.sub("", bold[1])
    return (
        bold[0] if re.search(r"\d", inner) and not _WORD.search(inner) else f"<b class='said'>{bold[1]}</b>"
    )


def _clauses(text, label):
    """HTML in parts that end after a comma, semicolon, colon, full stop or block, but not in parentheses or labels."""
    parts, depth = [""], 0
    for piece in re.split(rf"(<[^>]*>|{label}|[(),;:.?]\s*)", text, flags=re.IGNORECASE):
        if _BLOCK.match(piece):
            parts, depth = [*parts, piece, ""], 0
            continue
        parts[-1] += piece
        depth = max(0, depth + (piece[:1] == "(") - (piece[:1] == ")"))
        if depth == 0 and piece[:1] in _ENDS and piece[-1:].isspace():
            parts.append("")
    return parts


def _balanced(part):
    """Whether every element that begins in a part of HTML ends in it."""
    begun = []
    for tag in _TAG.findall(part):
        name = tag.strip("</>").split()[0]
        if not tag.startswith("</"):
            begun.append(name)
        elif not begun or begun.pop() != name:
            return False
    return not begun
