"""What is known of a page before its module is imported: its entry in `navigation.toml`, its slides in `lecture.toml`.

The base has both files, and so has a pack with pages.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

import pydantic

from core.check import worded
from dashboard.page.lesson import Question, Step
from dashboard.state import packs

# In the order of the navigation; those of further packs follow.
GROUPS = ("Compare", "Papers", "Learn", "Consortium", "Plan")


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
    # A tab of a page that is not there is a page of its own.
    found = [facts if facts.tab_of in known else replace(facts, tab_of="") for facts in known.values()]
    groups = list(dict.fromkeys([*GROUPS, *(facts.group for facts in found)]))
    return MappingProxyType({f.name: f for f in sorted(found, key=lambda facts: groups.index(facts.group))})


def slides(name: str) -> tuple[Step, ...]:
    """The slides of the lecture on a page, in order; a slide has the page's settings besides its own."""
    return _all()[name][1] if name in _all() else ()


@cache
def _all() -> dict[str, tuple[Facts, tuple[Step, ...]]]:
    """Every page with its slides."""
    known = {
        facts.name: (facts, steps) for facts, steps in _pages(_read("navigation.toml"), _read("lecture.toml"))
    }
    for pack in packs.found():
        for facts, steps in _pages_of(pack, known):
            known[facts.name] = facts, steps
    return known


def _pages(navigation, lecture):
    for name, entry in navigation.items():
        about = lecture.get(name, {})
        steps = tuple(_slide(slide, about["settings"]) for slide in about.get("slides", ()))
        yield _ENTRY.validate_python({"name": name, **entry}), steps


def _pages_of(pack, known):
    """The pages of a pack; in the place of what it says wrongly, a page that says so."""
    if pack.error:
        return [_wrong(pack, pack.error, known)]
    try:
        found = list(_pages(pack.pages, pack.slides))
    except Exception as error:
        return [_wrong(pack, _words(error), known)]
    twice = [facts for facts, _ in found if facts.name in known]
    why = [_wrong(pack, f"there is another page named {facts.name!r}", known, facts) for facts in twice]
    return [(facts, steps) for facts, steps in found if facts not in twice] + why


def _wrong(pack, why, known, of=None):
    """A page that shows an error, of a pack or of one of its pages."""
    name = pack.name if of is None else f"{pack.name}-{of.name}"
    while name in known:
        name += "-"
    title, group = (f"Pack {pack.name}", "Packs") if of is None else (of.title, of.group)
    return Facts(name, title, group, "", icon="error_outline", error=why), ()


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
