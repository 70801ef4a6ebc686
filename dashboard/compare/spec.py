"""A comparison: what is special about one algorithm, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.compare.law import Law
from dashboard.compare.store import Results
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.runs.fit import Fit


@dataclass(frozen=True)
class Measure:
    """What a curve counts.

    Attributes
    ----------
    label : str
        Title of the curve, e.g. "Captured energy".
    unit : str
        Behind the title, e.g. "% of non-private".
    ends : (float, float)
        Of the vertical axis; NaN where it follows the data.
    relative : bool
        Whether it is counted in per cent of the non-private method's.
    log : bool
        Whether the vertical axis is logarithmic; what is 0 has no curve there.
    """

    label: str
    unit: str = ""
    ends: tuple[float, float] = (float("nan"), float("nan"))
    relative: bool = False
    log: bool = False

    @property
    def words(self) -> str:
        """Label and unit on an axis or in a table; an abbreviation keeps its capitals."""
        label = self.label if self.label[:2].isupper() else self.label[:1].lower() + self.label[1:]
        return ", ".join(filter(None, (label, self.unit)))


@dataclass(frozen=True)
class Result:
    """The part that shows what each scheme releases.

    Attributes
    ----------
    draw : callable
        Maps plan and results to its picture, as HTML.
    about : callable
        Maps a plan to its title, and the small line beside that; "" for none.
    fits : callable
        Maps a plan to the computations at its settings; all methods' results have the method's name.
    wide : bool
        Whether it needs the stage's whole width; curve, noise and privacy then stand side by side below it.
    """

    draw: Callable[[Any, Results], str]
    about: Callable[[Any], tuple[str, str]]
    fits: Callable[[Any], Sequence[Fit]]
    wide: bool = False


@dataclass(frozen=True)
class Curve:
    """The part that shows a figure of the results along a setting.

    Attributes
    ----------
    measures : mapping of str to Measure
        By the name that a plan has as `measure`.
    means : callable
        Maps rows and plan to the summary of the curve, see `sweep_plan.summary`. The curve of a plan without runs is a
        formula, of the results at the plan's settings by name, and of the plan.
    judged : str
        The parameter of the model that selects the measure.
    needed : callable
        Maps plan and results to what the curve tells below it, as HTML.
    """

    measures: Mapping[str, Measure]
    means: Callable[[Any, Any], Any]
    judged: str = "judged"
    needed: Callable[[Any, Results], str] = lambda plan, results: ""


@dataclass(frozen=True)
class Comparison:
    """One algorithm; `dashboard.compare.sheet.comparison` makes the page that shows it under every scheme.

    Attributes
    ----------
    name : str
        Key in a link, and of its entry in `navigation.toml`, which has title and icon.
    model : type of Model
        The algorithm's own parameters; its `plan()` freezes them with the shared ones.
    opens : mapping
        Shared controls with which it opens while their user has chosen none.
    sliders : tuple of str
        Names of the settings in sight, in their order; the first one plays.
    hidden : tuple of str
        Settings that have no ordinary control.
    records : str
        The parameter of the model that selects records; "" where there is no choice.
    methods : mapping of str to str
        The algorithm's own methods beside the schemes: name of the method to the parameter that asks for it, a boolean
        or a list of methods.
    play : tuple of float
        The values at which the first slider stops while it plays.
    law : Law
        What a run releases: Noise, Privacy, the guarantee and the ledger follow from it.
    result : Result
    curve : Curve
    headline : callable
        Maps plan and results to the sentence above; "" while it is not known.
    further : callable
        Maps plan and results to the further figures: pairs of a title and HTML.
    reached : callable
        Maps plan and results to who reached the goal; None while that is not known.
    guarantee, unprotected : callable
        See `dashboard.guarantee.guarantee`.
    script : callable
        Maps a plan and the chosen own table to a program.
    least : callable
        Maps a plan to the records that its smallest site needs.
    above : callable or None
        Takes the page; makes what holds its user's own records where these are no table: its `bar()` is shown below
        the menu of records, and `still` in the first answer.
    """

    name: str
    model: type
    shared: tuple[str, ...]
    sliders: tuple[str, ...]
    law: Law
    result: Result
    curve: Curve
    headline: Callable[[Any, Results], str]
    further: Callable[[Any, Results], Sequence[tuple[str, str]]]
    guarantee: Callable[..., Guarantee]
    unprotected: Callable[..., tuple[Unprotected, ...]]
    script: Callable[..., str]
    reached: Callable[[Any, Results], Reached | None] = lambda plan, results: None
    absent: Callable[[Any], list[str]] = lambda plan: []
    most: Callable[[Any], dict[str, float]] = lambda plan: {}
    least: Callable[[Any], int] = lambda plan: 1
    above: Callable[[Any], Any] | None = None
    opens: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    methods: Mapping[str, str] = field(default_factory=dict)
    records: str = "data"
    play: tuple[float, ...] = ()
    presets: tuple[Preset, ...] = ()
    equation: str = ""
    code: tuple[str, ...] = ()
