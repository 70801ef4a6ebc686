"""The glossary's terms: each in plain words, as a formula, and as the function that computes it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from dashboard.theme.assets import beside


@dataclass(frozen=True)
class Term:
    """One entry of the glossary.

    Attributes
    ----------
    key : str
        Identifies the term in links.
    name : str
        The term as the glossary prints it.
    group : str
        What it is about, as a heading.
    text : str
        One to three plain sentences.
    formula : str
        TeX, "" if it has none.
    where : str
        What the letters of the formula mean.
    code : str
        Full name of the function that computes it, "" if none does.
    see : tuple of str
        Keys of related terms.
    """

    key: str
    name: str
    group: str
    text: str
    formula: str = ""
    where: str = ""
    code: str = ""
    see: tuple[str, ...] = ()


def _read(text):
    entries = tomllib.loads(text)["term"]
    return tuple(Term(**entry | {"see": tuple(entry.get("see", ()))}) for entry in entries)


TERMS = _read(beside(__file__, "glossary.toml"))
BY_KEY = {term.key: term for term in TERMS}
# The glossary term that the help of a control links to.
CONTROLS = {
    "epsilon": "epsilon",
    "delta": "delta",
    "schemes": "scheme",
    "calibration": "calibration",
    "colluding": "colluders",
    "adversary": "aggregator",
    "dropouts": "dropouts",
    "amplitude": "amplitude",
    "neighbours": "neighbours",
    "alpha0": "topics",
    "imbalance": "gain",
    "clip": "clipping",
}
