"""A problem of `core.sweep` with its records, and which settings its records fix or limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dashboard.problems.site_sizes import divided, largest_imbalance, total_of
from dashboard.state.number_text import equals
from data.catalogue.labelled import LabelledSource
from data.catalogue.tables import Source, samples_at


@dataclass(frozen=True, eq=False)
class Setup:
    """A problem of `core.sweep` on the records that were chosen.

    Attributes
    ----------
    source : Source or LabelledSource
        What is known of the records.
    problem
        See `core.sweep`.
    cell : callable
        Maps a change of settings to all settings of the point that it leads to.
    """

    source: Any
    problem: Any
    cell: Callable[[Mapping[str, Any]], dict[str, Any]]

    @cached_property
    def here(self) -> dict[str, Any]:
        """All settings of the present point."""
        return self.cell({})


def sizes(
    source: Source | LabelledSource, asked: Mapping[str, Any], *, imbalance: float = 1.0, least: int = 1
) -> dict[str, Any]:
    """How many sites there are, with how many records each: as asked for, as far as the records go.

    Parameters
    ----------
    imbalance : float
        Largest over smallest site; no larger than leaves the smallest `least` records.
    """
    if source.sizes:
        return {"sites": len(source.sizes), "samples": source.sizes}
    sites = asked["sites"]
    each = samples_at(source, sites=sites, samples=asked["samples"])
    found = {"sites": sites, "samples": each}
    return found if imbalance <= 1 else found | divided(each, sites, imbalance, least=least)


def depends_on(names: tuple[str, ...], source: Source | LabelledSource, imbalance: float) -> tuple[str, ...]:
    """The settings that the records depend on: these, and sizes where the sites are unequal."""
    return (*names, "sizes") if imbalance > 1 and not source.sizes else names


def refuse_given(source: Source | LabelledSource, axis: str, *, others: str) -> None:
    """Refuse a curve along a setting that the table itself determines.

    Raises
    ------
    ValueError
        If it names the sites of its records, and the curve should run along their number or size.
    """
    if source.sizes and axis in ("samples", "sites"):
        raise ValueError(
            f"the sites of {source.title} and their records are given; let the curve run along {others}"
        )


def axis_for(source: Source | LabelledSource, axis: str) -> dict[str, str]:
    """The settings to change for a table that names its sites: a curve along their number or size runs along ε."""
    return {"axis": "epsilon"} if source.sizes and axis in ("samples", "sites") else {}


def absent_for(source: Any) -> list[str]:
    """Controls without effect: none unless the records name their own sites."""
    return ["sites", "samples", "imbalance", "data_seed"] if getattr(source, "sizes", None) else []


def most_for(source: Source | LabelledSource, here: Mapping[str, Any]) -> dict[str, float]:
    """The largest number of records a site that a table has for these settings, and imbalance; {} if its sites are given."""
    return {} if source.sizes else {"samples": source.records // here["sites"]} | imbalance_for(here)


def imbalance_for(here: Mapping[str, Any], *, least: int = 1) -> dict[str, float]:
    """The largest imbalance that leaves the smallest site so many records."""
    return {"imbalance": largest_imbalance(total_of(here), here["sites"], least)}


def fewer_text(got: Any, asked: int) -> str:
    """That there are fewer records a site than asked for, in words; "" where there are enough or sites are given."""
    if isinstance(got, tuple) or got is None or got >= asked:
        return ""
    return f"All records are in use: {equals('Nₛ', got)} at each site."
