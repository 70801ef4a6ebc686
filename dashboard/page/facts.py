"""What is known of a page before its module is imported: its entry in `navigation.toml`, its slides in `lecture.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from dashboard.page.lesson import Question, Step


@dataclass(frozen=True)
class Facts:
    """A page as lists show it.

    Attributes
    ----------
    name, title, group, icon : str
        Key in the URL, heading, group and Material icon of the navigation.
    module : str
        Of the page, or of an algorithm's `Comparison`.
    tab_of : str
        Name of the page that shows this one as a tab; such a page is not listed in the navigation.
    heading, lead : str
        The page's heading, if it is not its title, and a sentence below it.
    no_release : str
        The reason why nothing on this page counts as a release; "" if something does.
    """

    name: str
    title: str
    group: str
    module: str
    icon: str = "circle"
    tab_of: str = ""
    heading: str = ""
    lead: str = ""
    no_release: str = ""


@cache
def pages() -> Mapping[str, Facts]:
    """Every page, by name, in the order of the navigation."""
    return MappingProxyType({name: Facts(name, **entry) for name, entry in _read("navigation.toml").items()})


@cache
def slides(name: str) -> tuple[Step, ...]:
    """The slides of the lecture on a page, in order; a slide has the page's settings besides its own."""
    about = _read("lecture.toml").get(name, {})
    return tuple(_slide(entry, about["settings"]) for entry in about.get("slides", ()))


def _slide(entry, common):
    known = dict(entry)
    question = known.pop("question", None)
    if question is not None:
        question = Question(question["text"], tuple(question["choices"]), question["right"])
    return Step(
        known.pop("title"),
        known.pop("text"),
        common | known.pop("settings", {}),
        figures=tuple(known.pop("panels", (0,))),
        question=question,
        **known,
    )


@cache
def _read(file: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("dashboard") / file).read_text("utf-8"))
