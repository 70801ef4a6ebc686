"""Settings of a whole session as a file: JSON with a link of every visited page, and the own table's description.

A file holds no records. A file that is opened is foreign text: every value is checked separately, as in a link, and all
messages about it must be escaped before they are shown. Files of version 1, which held values by page, are still read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pydantic

from core.check import shown, strict_json, worded
from dashboard.pages import former
from dashboard.state import url
from dashboard.state.controls import Controls
from data.columns import Description

FORMAT, VERSION = "CAPE Lab settings", 2
LIMIT = 1_000_000  # Bytes; a link takes some hundreds, the description of a wide table some ten thousand.
NAMES = tuple(name for name in Controls.param.objects() if name != "name")
MOST_PROBLEMS = (
    url.MOST_WORDS - 1
)  # That are told of a file, which may have a hundred thousand; a last one counts the rest.


def _text_or_number(value):
    if not isinstance(value, str | int | float):
        raise ValueError(f"must be a text or a number, got {shown(value)}")
    return str(int(value) if isinstance(value, bool) else value)


Value = Annotated[Any, pydantic.AfterValidator(_text_or_number)]


class SettingsFile(pydantic.BaseModel):
    """What a settings file says: links as their queries, that of the page in front first."""

    format: Literal["CAPE Lab settings"]
    version: Literal[2]
    made_with: str = ""
    links: dict[int, str] = {}
    own_table: dict[str, Any] | None = None

    @pydantic.field_validator("links", mode="before")
    @classmethod
    def _by_place(cls, links):
        """By place, so that one bad link can be left out by itself."""
        if not isinstance(links, list):
            raise ValueError(f"must be a list, got {shown(links)}")
        return dict(enumerate(links))


class FormerFile(pydantic.BaseModel):
    """What a settings file of version 1 says."""

    format: Literal["CAPE Lab settings"]
    version: Literal[1]
    page: str = ""
    controls: dict[str, Value] = {}
    pages: dict[str, dict[str, Value]] = {}
    pins: Any = None
    own_table: dict[str, Any] | None = None


@dataclass(frozen=True)
class Session:
    """The settings of a session.

    Attributes
    ----------
    page : str
        Name of the page in front; "" if the file names none that exists.
    controls : dict
        A value of every shared control that the pages have.
    pages : dict of str to dict
        Of every page that the file holds, a value of every own parameter.
    table : Description or None
        The description of the user's own table.
    problems : tuple of str
        What was ignored. Foreign text: escape it before it is shown.
    """

    page: str
    controls: dict[str, Any]
    pages: dict[str, dict[str, Any]]
    problems: tuple[str, ...] = ()
    table: Description | None = None


def write(links: Iterable[str], *, made_with: str, table: Description | None = None) -> str:
    """The text of a settings file.

    Parameters
    ----------
    links : iterable of str
        Of every visited page, that in front first.
    table : Description, optional
        Of the user's own table; it holds no records. One that is too large is left out: it can be saved apart.
    """
    described = None if table is None else table.to_dict()
    fits = described is not None and len(json.dumps(described)) <= LIMIT // 2
    found = {"format": FORMAT, "version": VERSION, "made_with": made_with, "links": list(links)}
    return json.dumps(found | ({"own_table": described} if fits else {}), indent=1, ensure_ascii=False)


def read(content: bytes, kinds: Mapping[str, Any]) -> Session:
    """Parse a settings file.

    Parameters
    ----------
    content : bytes
        The content of the file; it may be anything.
    kinds : mapping of str to type of Page
        The pages that exist, by name.

    Raises
    ------
    ValueError
        If it is not a settings file of a version that is known; a single bad value is a problem, not an error.
    """
    problems: list[str] = []
    file = _parse(content, problems)
    links = (
        [url.parse(link, longest=LIMIT) for link in file.links.values()]
        if isinstance(file, SettingsFile)
        else []
    )
    front = former.today(links[0]).get("page", "") if links else ""
    if isinstance(file, FormerFile):
        front, links = former.today({"page": file.page})["page"], list(_links(file, kinds, problems))
    controls: dict[str, Any] = {}
    pages: dict[str, dict[str, Any]] = {}
    for link in links:
        query = former.today(link)
        name = query.pop("page", "")
        if name not in kinds:
            problems.append(f"there is no page {name[:40]!r}")
        elif name not in pages:  # The link of the page in front counts before the others.
            shared, pages[name] = _settings(kinds[name], query, problems)
            controls = shared | controls
    table = _described(file.own_table, problems)
    if (more := len(problems) - MOST_PROBLEMS) > 0:
        problems[MOST_PROBLEMS:] = [f"and {more} more"]
    return Session(front if front in kinds else "", controls, pages, tuple(problems), table)


def _settings(kind, query, problems):
    """A value of every shared and every own setting of a page; what is ignored is added to `problems`."""
    own = kind.model_type.own()
    shared, bad = url.decode(Controls, kind.shared, query)
    mine, worse = url.decode(lambda: kind.model_type(Controls()), own, query)
    unknown = [f"{name[:40]!r} is not a setting" for name in query if name not in {*own, *kind.shared}]
    problems += [f"{kind.name}: {problem}" for problem in (*bad, *worse, *unknown)]
    return shared, mine


def _links(file, kinds, problems):
    """The links that a file of version 1 means, that of the page in front first; it gave all pages the same controls."""
    problems += [f"controls: {name[:40]!r} is not a setting" for name in file.controls if name not in NAMES]
    problems += ["pinned curves are no longer kept"] if file.pins else []
    for name in sorted({file.page, *file.pages}, key=lambda name: name != file.page):
        today = former.today({"page": name})["page"]
        # *Start* had numbers of sites and records of its own.
        left = {"sites", "samples"} if name == "start" else set()
        shared = set(kinds[today].shared) - left if today in kinds else set()
        given = {n: value for n, value in file.controls.items() if n in shared}
        yield {"page": name, **given, **file.pages.get(name, {})}


def _described(found, problems):
    """The description of the own table; an invalid one is added to `problems`."""
    try:
        return None if found is None else Description.from_dict(found)
    except ValueError as error:
        problems.append(f"own_table: {error}")
        return None


def _parse(content, problems):
    """The file as far as it is one; what is not is added to `problems`."""
    if len(content) > LIMIT:
        raise ValueError(
            f"a settings file has at most {LIMIT // 1000} kB, this file has {len(content) // 1000} kB"
        )
    try:
        found = strict_json(content, "it")
    except ValueError as error:
        raise ValueError(f"this is not a settings file: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f'this is not a settings file: it must be a JSON object with "format": "{FORMAT}"')
    version = found.get("version")
    if version not in (1, VERSION) or isinstance(version, bool):
        raise ValueError(
            f"this app reads settings files of versions 1 and {VERSION}, this file has version {str(version)[:20]!r}"
        )
    kind = FormerFile if version == 1 else SettingsFile
    try:
        return kind.model_validate(found)
    except pydantic.ValidationError as error:
        errors = error.errors(include_url=False)
    problems += worded(errors, most=MOST_PROBLEMS)
    for one in sorted(errors, key=lambda one: one["loc"], reverse=True):  # The last of a list first.
        _drop(found, one["loc"])
    return kind.model_validate(found)


def _drop(found, path):
    """Take out what stands at a path."""
    for part in path[:-1]:
        found = found[part]
    if isinstance(found, list):
        del found[path[-1]]
    else:
        found.pop(path[-1], None)
