"""Packs: pages and commands that stand beside the base, each a package with an entry, `pack.toml`.

The app's own are the folders of `dashboard/packs`. An installed package brings one by an entry point of the group
`cape_lab.packs`: its name is the pack's, its value the package. Pages stand in a `navigation.toml` beside the entry, and
slides in a `lecture.toml`, as in the base. The base reads entries, and imports what they name when it is asked for; it
works without any pack. A pack that cannot be read says why in `Pack.error`, and all others go on.
"""

from __future__ import annotations

import logging
import pkgutil
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from typing import Any, Literal

import pydantic

FOREIGN = "cape_lab.packs"  # The group of entry points.
_LOG = logging.getLogger("cape-lab")


class _Read(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


class Button(_Read):
    """A button among the actions of a page of the base or of another pack.

    Attributes
    ----------
    page : str
        Name of the page.
    label, icon : str
        Text of the button, and name of its Material icon.
    opens : str
        A function, as "package.module:name": it takes the page and makes the `Overlay` that the button opens.
    """

    page: str
    label: str
    icon: str
    opens: str


class Link(_Read):
    """A sentence with a link to a page of the pack, or its name, for words of a page of the base or of another pack.

    Attributes
    ----------
    place : str
        Where it stands: the name that these words give to `links`.
    html : str
        What stands there.
    """

    place: str
    html: str


class Command(_Read):
    """A command of `cape-lab`.

    Attributes
    ----------
    run : str
        A function, as "package.module:name": it takes the list of arguments and returns the exit code.
    usage, says : str
        Its arguments and what it does, for the help.
    """

    run: str
    usage: str = ""
    says: str = ""


class Entry(_Read):
    """What a pack brings besides pages, by name; nothing of it is imported before it is needed.

    Attributes
    ----------
    routes : tuple of str
        Further addresses of the server: sequences of routes as Tornado takes them, each as "package.module:name".
    warm : tuple of str
        Modules of components, which a server imports before the first visitor comes.
    commands : mapping of str to Command
    names : mapping of str to str
        What `dashboard.NAME` is: a module, or "package.module:name".
    buttons : tuple of Button
    links : tuple of Link
    """

    routes: tuple[str, ...] = ()
    warm: tuple[str, ...] = ()
    commands: Mapping[str, Command] = {}
    names: Mapping[str, str] = {}
    buttons: tuple[Button, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Pack:
    """A pack as its files describe it.

    Attributes
    ----------
    name : str
    entry : Entry
    pages, slides : mapping
        Of its `navigation.toml` and `lecture.toml`; empty where there is none.
    error : str
        Why it cannot be read; "" if it can.
    """

    name: str
    entry: Entry = field(default_factory=Entry)
    pages: Mapping[str, Any] = field(default_factory=dict)
    slides: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""


@cache
def found() -> tuple[Pack, ...]:
    """All packs in the order of their names, the app's own first."""
    home = resources.files("dashboard") / "packs"
    folders = {folder.name: folder for folder in (home.iterdir() if home.is_dir() else ())}
    packs = {
        name: _read(name, folders[name])
        for name in sorted(folders)
        if (folders[name] / "pack.toml").is_file()
    }
    twice = []
    for point in sorted(metadata.entry_points(group=FOREIGN), key=lambda point: (point.name, point.value)):
        if point.name in packs:
            twice.append(Pack(point.name, error=f"{point.value}: there is another pack named {point.name!r}"))
        else:
            packs[point.name] = _installed(point)
    for pack in (*packs.values(), *twice):
        if pack.error:
            _LOG.error("the pack %s could not be read: %s", pack.name, pack.error)
    return (*packs.values(), *twice)


def _installed(point):
    try:
        return _read(point.name, resources.files(point.value))
    except Exception as error:  # The package is imported here.
        return Pack(point.name, error=f"{type(error).__name__}: {error}")


def _read(name: str, folder: Traversable) -> Pack:
    try:
        entry = Entry.model_validate(tomllib.loads((folder / "pack.toml").read_text("utf-8")))
        return Pack(name, entry, _table(folder / "navigation.toml"), _table(folder / "lecture.toml"))
    except pydantic.ValidationError as error:
        from core.check import worded  # Whether `core` is the app's own is checked before.

        return Pack(name, error=f"pack.toml: {'; '.join(worded(error.errors(include_url=False)))}")
    except (OSError, ValueError) as error:
        return Pack(name, error=f"{type(error).__name__}: {error}")


def _table(file: Traversable) -> dict[str, Any]:
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}


def loaded(kind: Literal["routes", "warm"]) -> Iterator[Any]:
    """What packs name as theirs, imported; what cannot be is left out, and the log says why."""
    for pack in found():
        for name in getattr(pack.entry, kind):
            try:
                yield pkgutil.resolve_name(name)
            except Exception:
                _LOG.exception("%s of the pack %s could not be imported", name, pack.name)


def commands() -> dict[str, Command]:
    """The commands of all packs; of one name, the first."""
    return {name: one for pack in reversed(found()) for name, one in pack.entry.commands.items()}


def buttons(page: str) -> list[Button]:
    """The buttons of all packs on a page."""
    return [button for pack in found() for button in pack.entry.buttons if button.page == page]


def links(place: str, **settings: object) -> list[str]:
    """What packs offer for a place in the words of a page, as HTML; a link may carry that place's settings: `{sites}`."""
    html = [link.html for pack in found() for link in pack.entry.links if link.place == place]
    return [one.format(**settings) for one in html] if settings else html
