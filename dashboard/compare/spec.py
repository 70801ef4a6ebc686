"""A comparison: what is special about one algorithm, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core import sweep
from dashboard.compare.observers import Observed
from dashboard.compare.store import Results
from dashboard.guarantee.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.runs.fit import Fit
from dashboard.state.ledger import Drawn


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
class Comparison:
    """One algorithm; `dashboard.compare` shows it under every scheme.

    Attributes
    ----------
    name : str
        Key in a link, and of its entry in `navigation.toml`, which has title and icon.
    model : type of Model
        The algorithm's own parameters; its `plan()` freezes them with the shared ones.
    opens : mapping
        Shared controls with which it opens while their user has chosen none.
    sliders, more : tuple of str
        Names of the settings below the primary slider, in order: in sight, and folded.
    hidden : tuple of str
        Settings that have no ordinary control.
    measures : mapping of str to Measure
        By the name that `measure(plan)` returns.
    records, judged : str
        The parameters of the model that select records ("" where there is no choice) and measure.
    applies : callable
        Maps a plan to the measures that its records have; () for all.
    methods : mapping of str to str
        The algorithm's own methods beside the schemes: name of the method to the parameter that asks for it, a boolean
        or a list of methods.
    labels : mapping of str to str
        Labels of shared controls that have a plainer one here.
    primary, plays_over
        The slider that plays, and the values at which it stops.
    goal : str
        What the marks of a play say, e.g. "90 % kept".
    lasting : bool
        Whether the fits take seconds: the server does not wait for those with which the page opens.
    fits : callable
        Maps a plan to the computations at its settings; all methods' results have the method's name.
    means : callable
        Maps rows and plan to the summary of the curve, see `sweep_plan.summary`. The curve of a plan without runs is a
        formula, of the results at the plan's settings by name, and of the plan.
    cost : callable
        Maps plan and run to the run's privacy cost, for the ledger.
    observed : callable
        Maps plan and private scheme to everything that one run of it releases.
    statistic : callable
        Maps a plan to what the averaged numbers are, e.g. "each entry of the second moment".
    result : callable
        Maps plan, results and theme to the picture of what each scheme releases, as HTML.
    about : callable
        Maps a plan to the title of that picture, and the small line beside it; "" for none.
    headline : callable
        Maps plan and results to the sentence above; "" while it is not known.
    values : callable
        Maps plan and results to each method's number at the present settings, as text.
    needed : callable
        Maps plan and results to what the curve tells below it, as HTML.
    further : callable
        Maps plan and results to the further figures: pairs of a title and HTML.
    reached : callable
        Maps plan and results to who reached the goal; None while that is not known.
    guarantee, unprotected : callable
        See `dashboard.guarantee.guarantee`.
    script : callable
        Maps a plan and the chosen own table to a program.
    current_settings : callable
        Maps settings of earlier links to those that mean the same now.
    own_files : callable or None
        Takes the page; makes what holds its user's own records where these are no table: its `bar()` is shown below
        the menu of records.
    protects : str
        What ε protects.
    run_settings : mapping
        See `dashboard.state.background_runs.Runs`.
    wide : bool
        Whether the result needs the stage's whole width; curve, noise and privacy then stand side by side below it.
    low : bool
        Whether such a result is one row of small pictures.
    """

    name: str
    model: type
    shared: tuple[str, ...]
    sliders: tuple[str, ...]
    measures: Mapping[str, Measure]
    measure: Callable[[Any], str]
    fits: Callable[[Any], Sequence[Fit]]
    means: Callable[[Any, Any], Any]
    cost: Callable[[Any, sweep.Job], Drawn | None]
    observed: Callable[[Any, str], Observed]
    statistic: Callable[[Any], str]
    result: Callable[..., str]
    about: Callable[[Any], tuple[str, str]]
    headline: Callable[[Any, Results], str]
    further: Callable[[Any, Results], Sequence[tuple[str, str]]]
    guarantee: Callable[..., Guarantee]
    unprotected: Callable[..., tuple[Unprotected, ...]]
    script: Callable[..., str]
    needed: Callable[[Any, Results], str] = lambda plan, results: ""
    reached: Callable[[Any, Results], Reached | None] = lambda plan, results: None
    absent: Callable[[Any], list[str]] = lambda plan: []
    most: Callable[[Any], dict[str, int]] = lambda plan: {}
    suited: Callable[..., dict[str, Any]] = lambda table, model, controls: {}
    together: Callable[[Any], Sequence[str]] = lambda plan: ()
    applies: Callable[[Any], Sequence[str]] = lambda plan: ()
    current_settings: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda values: values
    own_files: Callable[[Any], Any] | None = None
    protects: str = "one record"
    run_settings: Mapping[str, Any] = field(default_factory=dict)
    opens: Mapping[str, Any] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    methods: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    records: str = "data"
    judged: str = "judged"
    primary: str = "epsilon"
    plays_over: tuple[float, ...] = ()
    presets: tuple[Preset, ...] = ()
    equation: str = ""
    code: tuple[str, ...] = ()
    wide: bool = False
    lasting: bool = False
    low: bool = False
