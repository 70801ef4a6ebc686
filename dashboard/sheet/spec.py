"""A sheet: a page that compares nothing, as data."""

from __future__ import annotations

import abc
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.sweep.workers import Call
from dashboard.guarantee.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.plotting.chart import Chart, Line
from dashboard.sheet.store import Results
from dashboard.state.ledger import Drawn


@dataclass(frozen=True)
class Shown:
    """What a view depends on besides the plan.

    Attributes
    ----------
    dark : bool
    pins : tuple of Line
        Copies of the first chart's curves, as they are to be drawn.
    results : Results
        What is known of the plan, see `Sheet.calls`, and of an earlier one that stands.
    plays : int
        How often Play was pressed at these settings: with every number a picture runs from its beginning.
    """

    dark: bool = False
    pins: tuple[Line, ...] = ()
    results: Results = field(default_factory=lambda: Results(None))
    plays: int = 0


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
    """

    headline: str
    sections: Mapping[str, str] = field(default_factory=dict)
    charts: Mapping[str, Chart] = field(default_factory=dict)
    alone: Mapping[str, str] = field(default_factory=dict)
    words: str = ""
    further: Sequence[tuple[str, str]] = ()
    guarantee: Guarantee | None = None
    table: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    stale: bool = False


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
    primary, sliders : str, tuple of str
        Names of the settings in sight, in their order; the first one is also on a phone's first screen.
    primary_above : bool
        Whether a phone shows the first one above the parts, where they are searched by it.
    labels : mapping of str to str
        Labels of shared controls that have a plainer one here.
    script : callable, optional
        Maps a plan to a program that leaves the numbers of the table in `columns`.
    calls : callable, optional
        Maps a plan to everything that takes too long for `plan()`, each call with a key of what its result depends on.
    awaited : callable
        Maps a plan to the keys without whose results those of earlier settings stand. The server has them at its start.
    finished : callable
        Takes a plan and its results once all of them are there, e.g. to keep them beyond the session.
    at_once : callable
        Whether the calls of a plan are so short that they are made before anything is shown.
    cost : callable, optional
        Maps a plan and the key of a call to what its result costs in the ledger; to None if it releases nothing.
    absent, most : callable
        Map a plan to the settings without effect, and to the largest values that the others allow.
    press : callable
        Takes page, name and number of what was pressed in a part.
    releases : callable, optional
        Maps a plan to every draw of private noise that it shows, for the session's ledger.
    noise_button : bool
        Whether the actions offer new noise.
    sheet : str
        Style sheet of the parts that the server draws.
    live : mapping of str to callable
        Parts that are components of their own, by place: a function takes the page and makes a `Live`.
    above : callable, optional
        Takes the page and makes what stands above its sliders.
    play : mapping
        How the first slider plays, see `ControlPanel`; empty if it does not.
    reached : callable
        Maps plan and results to what a stop of a play reached; None while that is not known.
    run_settings : mapping
        See `dashboard.state.background_runs.Runs`.
    """

    name: str
    model: type
    view: Callable[[Any, Shown], View]
    places: Mapping[str, int]
    shared: tuple[str, ...]
    primary: str
    sliders: tuple[str, ...] = ()
    primary_above: bool = False
    charts: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    opens: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    presets: tuple[Preset, ...] = ()
    equation: str = ""
    code: tuple[str, ...] = ()
    script: Callable[[Any], str] | None = None
    calls: Callable[[Any], Sequence[Call]] | None = None
    awaited: Callable[[Any], Sequence[Hashable]] = lambda plan: ()
    finished: Callable[[Any, Results], None] = lambda plan, results: None
    at_once: Callable[[Any], bool] = lambda plan: False
    cost: Callable[[Any, Any], Drawn | None] | None = None
    absent: Callable[[Any], Sequence[str]] = lambda plan: ()
    most: Callable[[Any], Mapping[str, Any]] = lambda plan: {}
    press: Callable[[Any, str, int], None] = lambda page, name, number: None
    releases: Callable[[Any], Iterable[Drawn]] | None = None
    noise_button: bool = True
    sheet: str = ""
    live: Mapping[str, Callable[[Any], Live]] = field(default_factory=dict)
    above: Callable[[Any], Any] | None = None
    play: Mapping[str, Any] = field(default_factory=dict)
    reached: Callable[[Any, Results], Reached | None] = lambda plan, results: None
    run_settings: Mapping[str, Any] = field(default_factory=dict)
