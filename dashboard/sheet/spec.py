"""A page as data: its record, `Sheet`, and what its view takes and returns."""

from __future__ import annotations

import abc
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dashboard.guarantee.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.plotting.chart import Chart, Line
from dashboard.sheet.look import ROWS, Look
from dashboard.sheet.store import Results
from dashboard.sheet.work import AT_ONCE, Work
from dashboard.theme.scheme_style import ink


@dataclass(frozen=True)
class Pinned:
    """Copies of curves.

    Attributes
    ----------
    words : str
        The settings of which they are.
    about : hashable
        What the axes of their chart are, see `View.about`.
    lines : tuple of Line
    """

    words: str
    about: Hashable
    lines: tuple[Line, ...]

    def drawn(self, *, dark: bool) -> list[Line]:
        """The curves as copies are drawn."""
        colour = ink(dark=dark, quiet=True)
        look = {"colour": colour, "dash": "dashed", "width": 1.5, "alpha": 0.8, "value": "", "listed": False}
        return [replace(line, name=f"{line.name}; {self.words}", **look) for line in self.lines]


@dataclass(frozen=True)
class Shown:
    """What a view depends on besides the plan.

    Attributes
    ----------
    dark : bool
    copies : tuple of Pinned
        Copies of the first chart's curves.
    results
        What is known of the plan, see `Sheet.work`, and of an earlier one that stands.
    plays : int
        How often Play was pressed at these settings: with every number a picture runs from its beginning.
    asked
        What `Sheet.asked` made of the page.
    before : View or None
        The view that is shown; a view may take parts of it that stay the same.
    """

    dark: bool = False
    copies: tuple[Pinned, ...] = ()
    results: Any = field(default_factory=lambda: Results(None))
    plays: int = 0
    asked: Any = None
    before: View | None = field(default=None, compare=False)

    @property
    def pins(self) -> tuple[Line, ...]:
        """All copies, as they are drawn."""
        return tuple(line for copied in self.copies for line in copied.drawn(dark=self.dark))


@dataclass(frozen=True)
class View:
    """What a page shows.

    Attributes
    ----------
    headline : str
        The answer in a sentence or two, as HTML; "" where the first part says it.
    alone : mapping of str to str
        By place, the sentence above a slide that shows only this part, where the headline speaks of others.
    sections : mapping of str to str
        Parts that the server draws, by place, as HTML; a place that is neither here nor in `charts` is left out.
    charts : mapping of str to Chart
        Parts that are charts, by place.
    words : str
        What else there is to say, below the parts; HTML.
    further : sequence of (str, str)
        What unfolds below: titles and HTML.
    guarantee : Guarantee, optional
    table : mapping of str to sequence
        The numbers of the page, by column.
    stale : bool
        Whether parts of it are still of earlier settings; the page sets it.
    about : hashable
        What the axes of its first chart are: copies of its curves say of which axes they are.
    promise : str
        What stands below the headline, as HTML.
    below : str or None
        All that stands below the parts, as HTML; None for words, guarantee and what unfolds.
    of
        What it was made of, for the next view.
    """

    headline: str
    sections: Mapping[str, str] = field(default_factory=dict)
    charts: Mapping[str, Chart] = field(default_factory=dict)
    alone: Mapping[str, str] = field(default_factory=dict)
    words: str = ""
    further: Sequence[tuple[str, str]] = ()
    guarantee: Guarantee | None = None
    table: Mapping[str, Sequence[Any]] = field(default_factory=dict, compare=False)
    stale: bool = False
    about: Hashable = ()
    promise: str = ""
    below: str | None = None
    of: Any = field(default=None, compare=False, repr=False)


class Live(abc.ABC):
    """A part that is a component of its own.

    Attributes
    ----------
    view : component
        Its `picture`, if it has one, is HTML for the first answer.
    """

    view: Any

    @abc.abstractmethod
    def show(self, plan: Any) -> None:
        """Show a plan."""

    def closed(self) -> None:
        """The page leaves the front."""
        return None


@dataclass(frozen=True)
class Sheet:
    """One page; `dashboard.sheet` shows it.

    Attributes
    ----------
    name : str
        Key in a link, and of its entry in `navigation.toml`, which has title, icon and lead.
    model : type of Model
        The page's own parameters; its `plan()` freezes them with the shared ones, and computes what the page shows.
    view : callable
        Maps a plan and `Shown` to a `View`; it depends on nothing else.
    places : mapping of str to int
        The parts in their order, and how many sixths of the width each takes; 0 for a row without a frame that is no
        higher than it must be. Slides name them by their number.
    charts : tuple of str
        Those of them that are charts, in the order in which they are saved.
    shared : tuple of str
        Shared controls that apply to the page.
    opens : mapping
        Shared controls with which it opens while their user has chosen none.
    hidden : tuple of str
        Settings that have no ordinary control.
    sliders : tuple of str
        Names of the settings in sight, in their order; the first one, `primary`, is also on a phone's first screen, plays,
        and stands above a lecture's slide.
    presets : tuple of Preset
        Three examples, each named after what it demonstrates.
    equation : str
        Markdown with `$$…$$`.
    code : tuple of str
        Full names of the functions of `core` that compute it, e.g. "core.pca.fit".
    script : callable, optional
        Maps a plan, and the description of the user's own table if the page takes one, to a program that leaves the
        numbers of the table in `columns`.
    work : Work
        What is computed in runs, and what it costs: `Calls`; or what the plan itself releases: `Work`.
    absent, most : callable
        Map a plan to the settings without effect, and to the largest values that the others allow.
    press : callable
        Takes page, name and number of what was pressed in a part.
    sheet : str
        Style sheet of the parts that the server draws.
    live : mapping of str to callable
        Parts that are components of their own, by place: a function takes the page and makes a `Live`.
    above : callable, optional
        Takes the new page and makes what chooses its records: its `bar()` stands above the sliders, and its `still` in the
        first answer.
    asked : callable, optional
        Takes the page and makes what its view depends on besides plan and results, frozen.
    play : mapping
        How the first slider plays, see `ControlPanel`; empty if it does not.
    reached : callable
        Maps plan and results to what a stop of a play reached; None while that is not known.
    look : Look
        How parts and controls are laid out.
    """

    name: str
    model: type
    view: Callable[[Any, Shown], View]
    places: Mapping[str, int]
    shared: tuple[str, ...]
    sliders: tuple[str, ...]
    charts: tuple[str, ...] = ()
    opens: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    presets: tuple[Preset, ...] = ()
    equation: str = ""
    code: tuple[str, ...] = ()
    script: Callable[..., str] | None = None
    work: Work = AT_ONCE
    absent: Callable[[Any], Sequence[str]] = lambda plan: ()
    most: Callable[[Any], Mapping[str, Any]] = lambda plan: {}
    press: Callable[[Any, str, int], None] = lambda page, name, number: None
    sheet: str = ""
    live: Mapping[str, Callable[[Any], Live]] = field(default_factory=dict)
    above: Callable[[Any], Any] | None = None
    asked: Callable[[Any], Any] | None = None
    play: Mapping[str, Any] = field(default_factory=dict)
    reached: Callable[[Any, Any], Reached | None] = lambda plan, results: None
    look: Look = ROWS

    @property
    def primary(self) -> str:
        """The first slider; "" for a page without."""
        return self.sliders[0] if self.sliders else ""
