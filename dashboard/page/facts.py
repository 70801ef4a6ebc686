"""What is known of a page before its module is imported: its entry in `navigation.toml`, its slides in `lecture.toml`.

The base has both files, and so has a pack with pages.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

import pydantic

from core.check import worded
from dashboard.page.lesson import Question, Step
from dashboard.state import packs

GROUPS = (
    "Compare",
    "Papers",
    "Learn",
    "Consortium",
    "Plan",
)  # In the order of the navigation; others follow.


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
    lectured_last : bool
        Whether a lecture comes to it after the other pages of its group.
    error : str
        Why a pack's page cannot be shown; "" if nothing is known against it.
    """

    __pydantic_config__ = pydantic.ConfigDict(extra="forbid")

    name: str
    title: str
    group: str
    module: str
    icon: str = "circle"
    tab_of: str = ""
    heading: str = ""
    lead: str = ""
    no_release: str = ""
    lectured_last: bool = False
    error: str = ""


_ENTRY = pydantic.TypeAdapter(Facts)


@cache
def pages() -> Mapping[str, Facts]:
    """Every page of the base and of the packs, by name, in the order of the navigation."""
    known = {name: facts for name, (facts, _) in _all().items()}
    groups = list(dict.fromkeys([*GROUPS, *(facts.group for facts in known.values())]))
    return MappingProxyType(dict(sorted(known.items(), key=lambda item: groups.index(item[1].group))))


def slides(name: str) -> tuple[Step, ...]:
    """The slides of the lecture on a page, in order; a slide has the page's settings besides its own."""
    return _all()[name][1] if name in _all() else ()


@cache
def _all() -> dict[str, tuple[Facts, tuple[Step, ...]]]:
    """Every page with its slides; what a pack says wrongly is a page that says so."""
    known = dict(_entries(_read("navigation.toml"), _read("lecture.toml")))
    for pack in packs.found():
        try:
            if pack.error:
                raise ValueError(pack.error)
            more = dict(_entries(pack.pages, pack.slides))
        except Exception as error:
            facts = Facts(_free(pack.name, known), f"Pack {pack.name}", "Packs", "", error=_words(error))
            known[facts.name] = facts, ()
            continue
        for name, found in more.items():
            if name in known:
                facts, why = found[0], f"there is another page named {name!r}"
                name = _free(f"{pack.name}-{name}", known)
                found = Facts(name, facts.title, facts.group, "", icon="error_outline", error=why), ()
            known[name] = found
    return known


def _entries(pages: Mapping[str, Any], lecture: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, entry in pages.items():
        about = lecture.get(name, {})
        steps = tuple(_slide(slide, about["settings"]) for slide in about.get("slides", ()))
        yield name, (_ENTRY.validate_python({"name": name, **entry}), steps)


def _free(name, known):
    """A name for a page that says what is wrong: this one, or one like it."""
    while name in known:
        name += "-"
    return name


def _words(error):
    if isinstance(error, pydantic.ValidationError):
        return f"navigation.toml: {'; '.join(worded(error.errors(include_url=False)))}"
    return str(error) if isinstance(error, ValueError) else f"lecture.toml: {type(error).__name__}: {error}"


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


def _read(file: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("dashboard") / file).read_text("utf-8"))
