"""Settings of a whole session as a file: JSON that names its format and version, with values as in the URL.

A file holds the shared controls, the own parameters of every visited page, the name of the page in front, and the
points of pinned curves. It holds no records of the user's own table. A file that is opened is foreign text:
every value is checked separately, as in a link, and all messages about it must be escaped before they are shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import param

from dashboard.plotting.pins import understood
from dashboard.state import url
from dashboard.state.controls import Controls
from data.columns import Description

FORMAT, VERSION = "CAPE Lab settings", 1
LIMIT = 1_000_000  # Bytes; settings take some thousands, three pinned copies of a figure up to a hundred thousand.
NAMES = tuple(name for name in Controls.param.objects() if name != "name")


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
    found = _parse(content)
    problems: list[str] = []
    controls = _understood(Controls, NAMES, found.get("controls"), "controls", problems)
    pages = {}
    entries = found.get("pages", {})
    if not isinstance(entries, dict):
        problems.append("pages must be an object")
        entries = {}
    for name, values in entries.items():
        if name not in models:
            problems.append(f"there is no page {name[:40]!r}")
            continue
        kind = models[name]
        pages[name] = _understood(lambda kind=kind: kind(Controls()), kind.own(), values, name, problems)
    page = found.get("page")
    if not (isinstance(page, str) and page in models):
        problems.append(f"there is no page {str(page)[:40]!r}")
        page = ""
    pins = _pinned(found.get("pins", {}), models, problems)
    table = _described(found.get("own_table"), problems)
    return Session(page, controls, pages, tuple(problems), pins, table)


def _described(found, problems):
    """The description of the own table; an invalid one is added to `problems`."""
    try:
        return None if found is None else Description.from_dict(found)
    except ValueError as error:
        problems.append(f"own_table: {error}")
        return None


def _parse(content):
    if len(content) > LIMIT:
        raise ValueError(
            f"a settings file has at most {LIMIT // 1000} kB, this file has {len(content) // 1000} kB"
        )
    try:
        found = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise ValueError("this is not a settings file: it must be JSON in UTF-8") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f'this is not a settings file: it must be a JSON object with "format": "{FORMAT}"')
    if found.get("version") != VERSION or isinstance(found["version"], bool):
        version = str(found.get("version"))[:20]
        raise ValueError(
            f"this app reads settings files of version {VERSION}, this file has version {version!r}"
        )
    return found


def _pinned(entries, models, problems):
    """The pinned curves of every page; invalid ones are added to `problems`."""
    if not isinstance(entries, dict):
        problems.append("pins must be an object")
        return {}
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
    if not isinstance(values, dict):
        problems.append(f"{where} must be an object")
        values = {}
    texts = {}
    for name, value in values.items():
        if name not in names:
            problems.append(f"{where}: {name[:40]!r} is not a setting")
        elif isinstance(value, str | int | float):
            texts[name] = str(int(value) if isinstance(value, bool) else value)
        else:
            problems.append(f"{where}: {name} must be a text or a number")
    understood, bad = url.decode(make, names, texts)
    problems += [f"{where}: {problem}" for problem in bad]
    return understood
