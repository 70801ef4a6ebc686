"""Settings of a whole session as a file: JSON that names its format and version, with values as in the URL.

A file holds the shared controls, the own parameters of every visited page, the name of the page in front, and the
points of pinned curves. It holds no records of the user's own table. A file that is opened is foreign text:
every value is checked separately, as in a link, and all messages about it must be escaped before they are shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import param
import pydantic

from core.check import shown, strict_json, worded
from dashboard.pages import former
from dashboard.plotting.pins import understood
from dashboard.state import url
from dashboard.state.controls import Controls
from data.columns import Description

FORMAT, VERSION = "CAPE Lab settings", 1
LIMIT = 1_000_000  # Bytes; settings take some thousands, three pinned copies of a figure up to a hundred thousand.
NAMES = tuple(name for name in Controls.param.objects() if name != "name")
MOST_PROBLEMS = (
    url.MOST_WORDS - 1
)  # That are told of a file, which may have a hundred thousand; a last one counts the rest.


def _text_or_number(value):
    if not isinstance(value, str | int | float):
        raise ValueError(f"must be a text or a number, got {shown(value)}")
    return value


Value = Annotated[Any, pydantic.AfterValidator(_text_or_number)]


class SettingsFile(pydantic.BaseModel):
    """What a settings file may say; names of pages and settings are looked up afterwards."""

    format: Literal["CAPE Lab settings"]
    version: Literal[1]
    made_with: str = ""
    page: str = ""
    controls: dict[str, Value] = {}
    pages: dict[str, dict[str, Value]] = {}
    pins: dict[str, Any] = {}
    own_table: dict[str, Any] | None = None


@dataclass(frozen=True)
class Session:
    """The settings of a session.

    Attributes
    ----------
    page : str
        Name of the page in front; "" if the file names none that exists.
    controls : dict
        A value of every shared control.
    pages : dict of str to dict
        Of every page that the file holds, a value of every own parameter.
    pins : dict of str to object
        Page name to the state that `dashboard.plotting.pins.Pins.restore` takes.
    table : Description or None
        The description of the user's own table.
    problems : tuple of str
        What was ignored. Foreign text: escape it before it is shown.
    """

    page: str
    controls: dict[str, Any]
    pages: dict[str, dict[str, Any]]
    problems: tuple[str, ...] = ()
    pins: dict[str, Any] = field(default_factory=dict)
    table: Description | None = None


def write(
    page: str,
    controls: Controls,
    models: Mapping[str, param.Parameterized],
    *,
    made_with: str,
    pins: Mapping[str, list] | None = None,
    table: Description | None = None,
) -> str:
    """The text of a settings file; `models` holds the parameters of the visited pages by page name, `pins` the states
    of their pinned curves, and `table` the description of the user's own table, which holds no records."""
    described = None if table is None else table.to_dict()
    if described is not None and len(json.dumps(described)) > LIMIT // 2:
        described = None  # A file that is too large could not be opened again; it can be saved apart.
    pages = {name: url.encode(model, type(model).own(), full=True) for name, model in models.items()}
    return json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "made_with": made_with,
            "page": page,
            "controls": url.encode(controls, NAMES, full=True),
            "pages": pages,
            "pins": {name: state for name, state in (pins or {}).items() if state},
            **({} if described is None else {"own_table": described}),
        },
        indent=1,
        ensure_ascii=False,
    )


def read(content: bytes, models: Mapping[str, Callable[[Controls], param.Parameterized]]) -> Session:
    """Parse a settings file.

    Parameters
    ----------
    content : bytes
        The content of the file; it may be anything.
    models : mapping of str to Model type
        The pages that exist, by name.

    Raises
    ------
    ValueError
        If it is not a settings file of this version; a single bad value is a problem, not an error.
    """
    problems: list[str] = []
    found = _of_today(_parse(content, problems))
    controls = _understood(Controls, NAMES, found.controls, "controls", problems)
    pages = {}
    for name, values in found.pages.items():
        if name not in models:
            problems.append(f"there is no page {name[:40]!r}")
            continue
        kind = models[name]
        pages[name] = _understood(lambda kind=kind: kind(Controls()), kind.own(), values, name, problems)
    page = found.page
    if page not in models:
        problems.append(f"there is no page {page[:40]!r}")
        page = ""
    pins = _pinned(found.pins, models, problems)
    table = _described(found.own_table, problems)
    if (more := len(problems) - MOST_PROBLEMS) > 0:
        problems[MOST_PROBLEMS:] = [f"and {more} more"]
    return Session(page, controls, pages, tuple(problems), pins, table)


def _of_today(found):
    """A file of before under today's names; of several former pages that are one today, that in front counts."""
    pages: dict[str, dict[str, Any]] = {}
    for name, values in found.pages.items():
        settings = former.today({"page": name, **values})
        page = settings.pop("page")
        if page != name:
            if name == "start" == found.page:  # It had a number of sites of its own.
                found.controls |= {shared: settings[shared] for shared in ("sites", "samples")}
            values = {n: value for n, value in settings.items() if n not in NAMES}
        if page not in pages or name == found.page:
            pages[page] = values
    return found.model_copy(update={"pages": pages, "page": former.today({"page": found.page})["page"]})


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
    if found.get("version") != VERSION or isinstance(found["version"], bool):
        version = str(found.get("version"))[:20]
        raise ValueError(
            f"this app reads settings files of version {VERSION}, this file has version {version!r}"
        )
    try:
        return SettingsFile.model_validate(found)
    except pydantic.ValidationError as error:
        errors = error.errors(include_url=False)
    problems += worded(errors, most=MOST_PROBLEMS)
    for one in errors:
        _drop(found, one["loc"])
    return SettingsFile.model_validate(found)


def _drop(found, path):
    """Take out what stands at a path."""
    for part in path[:-1]:
        found = found[part]
    found.pop(path[-1], None)


def _pinned(entries, models, problems):
    """The pinned curves of every page; invalid ones are added to `problems`."""
    good = {}
    for name, state in entries.items():
        try:
            if name not in models:
                raise ValueError("there is no such page")
            understood(state)
            good[name] = state
        except ValueError as error:
            problems.append(f"pins: {name[:40]!r}: {error}")
    return good


def _understood(make, names, values, where, problems):
    """Values of all names; invalid or unknown ones are added to `problems`."""
    texts = {}
    for name, value in values.items():
        if name in names:
            texts[name] = str(int(value) if isinstance(value, bool) else value)
        else:
            problems.append(f"{where}: {name[:40]!r} is not a setting")
    understood, bad = url.decode(make, names, texts)
    problems += [f"{where}: {problem}" for problem in bad]
    return understood
