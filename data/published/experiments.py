"""The settings of every figure of the four papers: `settings.json`, one `Experiment` a panel.

Facts, not numbers: what was measured is in `figures.json`. A panel that names settings in `chosen` is not stated
completely by its paper, and these were chosen here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Annotated, Literal, get_args

from pydantic import ConfigDict, Field, SkipValidation
from pydantic.dataclasses import dataclass

from data import check, real
from data.models import in_our_words

Problem = Literal["pca", "decomposition", "regression", "network", "delta", "topics", "spectrum", "power"]
PROBLEMS: tuple[Problem, ...] = get_args(Problem)
# What a curve may run along, as an axis is labelled.
AXES = {
    "epsilon": "Privacy ε",
    "delta": "Privacy δ",
    "samples": "Records a site Nₛ",
    "records": "Records in all N",
    "noise": "Noise of a message τ",
    "colluding": "Colluding sites S_C",
    "alpha0": "Dirichlet parameter α₀",
    "k": "Topics k",
    "size": "Size of the disturbance ‖E‖ / λ",
    "dimension": "Width d",
}
LINEAR = ("colluding",)  # Axes that are not logarithmic.
Kept = Annotated[Mapping, SkipValidation]  # A copy could be changed.
_KNOWN = ConfigDict(extra="forbid", strict=True)  # A misspelt setting is an error, not a default.


@in_our_words
@dataclass(frozen=True, config=_KNOWN)
class Paper:
    """One of the papers.

    Attributes
    ----------
    authors : str
        First author or authors, and the year.
    title : str
        Its title in a few words.
    citation : str
    """

    authors: str
    title: str
    citation: str


@in_our_words
@dataclass(frozen=True, config=_KNOWN)
class StandIn:
    """Other records for an experiment whose own cannot be had.

    Attributes
    ----------
    data, title : str
        Name for the loaders, and in words.
    fixed : mapping
        Settings that change with it.
    x : mapping of axis to tuple
        Values of the axis that change with it.
    """

    data: str
    title: str
    fixed: Kept
    x: Kept


@in_our_words
@dataclass(frozen=True, config=_KNOWN)
class Experiment:
    """One figure (panel) of a paper: what was run.

    Attributes
    ----------
    name, paper, label : str
        "Fact-Fig2a", "Fact", "2(a)".
    caption, caption_corrected : str
        What it shows, in our words; likewise a corrected run, where that differs.
    source : str
        Where its settings stand.
    problem : str
        One of `PROBLEMS`.
    data, data_title : str
        The records.
    missing : str
        Why they cannot be had; empty for distributions, which are drawn.
    stand_in : StandIn or None
        What is run in their place.
    axis : str
        What the curve runs along, one of `AXES`.
    x : tuple
        Its values, rising.
    fixed : mapping
        All other settings. "samples" is n_s, "records" N.
    methods, corrected_methods : tuple of str
        As `core` names them: what the figure shows, and what a corrected one does.
    series : mapping of str to str
        Which measured curve of `data.published.load` is which method; empty where none was handed over.
    measure, y_label : str
        What is drawn, and its axis.
    y_published : str
        What the print draws on this axis, where it is not the measure.
    y_log : bool
    better : {"more", "less"}
        Which direction is good.
    published, corrected : str
        The conventions behind the print, and what a corrected run does instead.
    caution : str
        What keeps a comparison from being exact.
    chosen : tuple of str
        Settings (or "x") that the paper does not state.
    drawn_once : bool
        The authors drew components once, and every level depends on them.
    judged : {"value", "order"}
        Whether values compare, or only which method is better.
    misses : mapping of str to str
        Why a method's points are not reproduced, where that is known.
    outside : tuple of str
        Methods that leave the scale of the print.
    chance : float or None
        What an answer drawn without the records reaches on average, where that is known.
    """

    name: str
    paper: str
    label: str
    caption: str
    source: str
    problem: Problem
    data: str
    data_title: str
    missing: str
    stand_in: StandIn | None
    axis: str
    x: tuple
    fixed: Kept
    methods: tuple[str, ...]
    corrected_methods: tuple[str, ...]
    series: Kept
    measure: str
    y_label: str
    published: str
    corrected: str
    y_published: str = ""
    caption_corrected: str = ""
    y_log: bool = False
    better: Literal["more", "less"] = "more"
    caution: str = ""
    chosen: tuple[str, ...] = ()
    drawn_once: bool = False
    judged: Literal["value", "order"] = "value"
    misses: Kept = Field(default_factory=dict)
    outside: tuple[str, ...] = ()
    chance: float | None = None

    def __post_init__(self):
        check.choice("axis", self.axis, AXES)
        if len(self.x) < 2 or any(a >= b for a, b in zip(self.x, self.x[1:], strict=False)):
            raise ValueError(f"x of {self.name} must rise, got {self.x}")
        if self.axis in self.fixed:
            raise ValueError(f"fixed of {self.name} must not hold its axis {self.axis!r}")

    @property
    def available(self) -> bool:
        """Whether its own records can be had without a network."""
        return not self.missing or any(about.on_disk for about in real.available() if about.name == self.data)

    def y_drawn(self, *, published: bool) -> str:
        """What is on the vertical axis of a run as published, or of a corrected one."""
        return (self.y_published if published else "") or self.y_label

    def shown_caption(self, *, published: bool) -> str:
        """The caption of a run as published, or of a corrected one."""
        return ("" if published else self.caption_corrected) or self.caption

    @property
    def here(self) -> tuple[str, tuple, Mapping]:
        """What is run here: the records' name, the values of the axis, and the other settings."""
        other = self.stand_in
        if self.available or other is None:
            return self.data, self.x, self.fixed
        changes = {name: value for name, value in other.fixed.items() if name != self.axis}
        return other.data, other.x.get(self.axis, self.x), MappingProxyType({**self.fixed, **changes})


def names() -> tuple[str, ...]:
    """Names of all experiments, by paper and figure."""
    return tuple(_all())


@check.arguments
def load(name: str) -> Experiment:
    """The settings of one figure.

    Raises
    ------
    ValueError
        If there is no such figure; the message lists those there are.
    """
    return _all()[check.choice("name", name, names())]


@cache
def papers() -> Mapping[str, Paper]:
    """Every paper, by its key."""
    return MappingProxyType({key: Paper(**entry) for key, entry in _document()["papers"].items()})


@cache
def _document():
    return json.loads(resources.files("data.published").joinpath("settings.json").read_text(encoding="utf-8"))


@cache
def _all():
    result = {}
    for group in _document()["groups"]:
        for letter, panel in group["panels"].items():
            one = _experiment({**group, **panel}, letter, group.get("caution", ""), panel.get("caution", ""))
            result[one.name] = one
    return MappingProxyType(result)


def _experiment(entry, letter, *cautions):
    about = _document()["data"][entry["data"]]
    methods = tuple(entry["methods"])
    return Experiment(
        name=f"{entry['paper']}-Fig{entry['figure']}{letter}",
        label=f"{entry['figure']}({letter})",
        data_title=about["title"],
        missing=about.get("missing", ""),
        stand_in=_stand_in(about.get("stand_in"), entry.get("stand_in", {})),
        x=tuple(_document()["grids"][entry["x"]]),
        fixed=MappingProxyType(entry["fixed"]),
        methods=methods,
        corrected_methods=tuple(entry.get("corrected_methods", methods)),
        series=MappingProxyType(entry["series"]),
        caution=" ".join(filter(None, cautions)),
        chosen=tuple(entry.get("chosen", ())),
        misses=MappingProxyType(entry.get("misses", {})),
        outside=tuple(entry.get("outside", ())),
        **{n: entry[n] for n in _PLAIN if n in entry},
    )


_PLAIN = (
    *("paper", "caption", "source", "problem", "data", "axis", "measure", "y_label", "y_log", "better"),
    *("published", "corrected", "drawn_once", "judged", "y_published", "caption_corrected", "chance"),
)


def _stand_in(entry, changes):
    if entry is None:
        return None
    fixed = {**entry["fixed"], **changes.get("fixed", {})}
    x = {axis: tuple(values) for axis, values in entry["x"].items()}
    return StandIn(entry["data"], entry["title"], MappingProxyType(fixed), MappingProxyType(x))
