"""Regression: labelled records as `core.functional` takes them."""

from __future__ import annotations

from core import functional
from dashboard.problems.setup import Setup, depends_on, sizes
from dashboard.state.controls import Settings
from data.catalogue import labelled
from data.catalogue.tables import OwnTable

DATA_SETTINGS = ("data", "sites", "samples", "dimension", "noise", "data_seed")
RESPONSE = {
    "bounds": (1, 1000),
    "label": "Column to predict",
    "doc": "This column of your own table is predicted from the others.",
}
LABELS = {
    "label": "It holds two labels",
    "doc": "What lies above the middle of its range counts as 1, what lies below as 0.",
}


def setup(
    settings: Settings,
    *,
    data: str,
    dimension: int,
    noise: float = 0.05,
    repair: str = "shrink",
    table: OwnTable | None = None,
    response: int = 1,
    labels: bool = False,
    boxed: bool = True,
    gains: bool = False,
    imbalance: float = 1.0,
) -> Setup:
    """A regression on records that are known by name, or on the user's own.

    Parameters
    ----------
    dimension, noise : int and float
        Features of records that are drawn, and what they do not explain.
    response : int
        The column of the own table that is predicted, from 1; `labels` says that it holds two labels, `boxed` that
        the table's columns were mapped from ranges.
    gains : bool
        Judge also by what the features add to the best constant prediction.
    imbalance : float
        Of sites that no column names.

    Raises
    ------
    ValueError
        If there are fewer records than sites, or nothing to predict from.
    """
    own = None if table is None else _own(table, response, labels, boxed)
    source = own.source if own else labelled.regressions()[data]

    def cell(change):
        values = {
            "epsilon": settings.epsilon,
            "delta": settings.delta,
            "sites": settings.sites,
            "samples": settings.samples,
            "dimension": dimension if source.synthetic else source.width,
            "noise": float(noise) if source.name == "linear" else 0.0,
            "data": source.name,
            "data_seed": settings.data_seed,
        } | change
        values |= sizes(source, values, imbalance=imbalance)
        return values | settings.run_terms(values["sites"])

    conventions = {"repair": repair, "calibration": settings.calibration}
    if settings.calibration == "published":
        conventions = functional.PUBLISHED
    options = tuple({"box": source.box, "norm": source.norm, **conventions}.items())
    names = depends_on(DATA_SETTINGS, source, imbalance)
    problem = functional.Problem(
        own or labelled.load, names, loss=source.response, options=options, gains=gains
    )
    return Setup(source, problem, cell)


def _own(table, response, labels, boxed):
    count = len(table.parts)
    if count < 2:
        raise ValueError("choose at least two columns: one to predict, and one to predict it from")
    return labelled.LabelledTable(table, min(response, count) - 1, labels, boxed)
