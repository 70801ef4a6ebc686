"""Components of a mixture: documents of one topic each, points around centres, or the user's own table as such."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from core import decomposition, moments, sweep
from core.decomposition import problem as recovery
from dashboard.problems.own_mixture import OwnMixture
from dashboard.problems.setup import Setup, depends_on, sizes
from dashboard.problems.site_sizes import divided, total_of
from dashboard.state.controls import Settings
from dashboard.state.number_text import number_text
from data import synthetic
from data.catalogue import tables
from data.catalogue.tables import OwnTable

DATA_SETTINGS = ("model", "dimension", "length", "sites", "samples", "k", "data_seed")
MOST_NUMBERS = 20_000_000  # Of one data set; a sweep along Nₛ keeps eight.
TITLES = {"gaussians": "Points in clusters", "topics": "Documents, one topic each"}
UNITS = {"topics": "one document", "gaussians": "one point"}
DEVIATION = {
    "bounds": (0.0, 1.0),
    "step": 0.01,
    "label": "Public σ of a column",
    "doc": "This is the standard deviation of a column of your own table within its cluster, as a share of half "
    "its range (or of the bound on a record's length). At 0 the app takes it from the records, which is "
    "not private.",
}


def load(settings):
    """Draw components and records; returns the moments of every site, the components and their weights."""
    rng = np.random.default_rng(settings["data_seed"])
    count, d = settings["sites"], settings["dimension"]
    law = {"dimension": d, "components": settings["k"], "rng": rng}
    sizes = settings.get("sizes", (settings["samples"],) * count)
    total, ends = sum(sizes), np.cumsum(sizes)[:-1]
    if settings["model"] == "topics":
        drawn = synthetic.single_topic(total, length=settings["length"], **law)
        sites = [moments.single_topic(part, d) for part in np.split(drawn.tokens, ends)]
    else:
        drawn = synthetic.mixture_of_gaussians(total, **law)
        parts = np.split(drawn.records, ends)
        sites = [moments.gaussian_mixture(part, drawn.record_variance) for part in parts]
    return sites, drawn.components, drawn.weights


def variance(found: Setup) -> float | None:
    """σ² of a problem's records about their centres, after their scaling; None for documents.

    That of a table without a public σ is taken from its records.
    """
    load_of, here = found.problem.load, found.here
    if found.problem.model == "topics":
        return None
    if not isinstance(load_of, OwnMixture):
        return _record_variance(here["dimension"])
    if load_of.variance is not None:
        return load_of.variance
    return sweep.statistics(found.problem, here).moments[0].variance


@lru_cache(maxsize=64)
def _record_variance(dimension):
    law = {"dimension": dimension, "components": 1, "rng": np.random.default_rng(0)}
    return synthetic.mixture_of_gaussians(1, **law).record_variance


def numbers(cell: dict) -> int:
    """How many numbers the records of a point hold."""
    return total_of(cell) * (cell["length"] if cell["model"] == "topics" else cell["dimension"])


def setup(
    settings: Settings,
    *,
    model: str,
    dimension: int,
    length: int = 3,
    share: float = 0.5,
    deviation: float = 0.0,
    table: OwnTable | None = None,
    boxed: bool = True,
    imbalance: float = 1.0,
) -> Setup:
    """A mixture that is drawn, or the user's own table as one of Gaussians.

    Parameters
    ----------
    model : str
        "topics" or "gaussians".
    dimension, length : int
        Width of what is drawn, and words of a document.
    share : float
        Budget share of the second moment.
    deviation : float
        Public σ of a column of the own table within its cluster, 0 if it is to be taken from the records; `boxed`
        says whether the table's columns were mapped from ranges.
    imbalance : float
        Of sites that no column names.

    Raises
    ------
    ValueError
        If k exceeds the width, or the records would not fit into memory.
    """
    width = dimension if table is None else table.source.width
    if settings.k > width:
        raise ValueError(f"k must be at most {width}, the width of the records, got {settings.k}")
    model = "gaussians" if table else model
    own = None
    if table is not None:
        own = OwnMixture(table, deviation**2 / (len(table.parts) if boxed else 1) or None)

    def cell(change):
        values = {
            "epsilon": settings.epsilon,
            "delta": settings.delta,
            "sites": settings.sites,
            "samples": settings.samples,
            "k": settings.k,
            "data_seed": settings.data_seed,
            "model": model,
            "dimension": width,
            "length": length if model == "topics" else 3,
            "share": round(float(share), 4),
        } | change
        if table:
            values |= sizes(table.source, values, imbalance=imbalance)
        else:
            values |= divided(values["samples"], values["sites"], imbalance)
        return values | settings.run_terms(values["sites"])

    options = tuple(decomposition.PUBLISHED.items()) if settings.calibration == "published" else ()
    source = table.source if table else _drawn(model, width)
    names = depends_on(DATA_SETTINGS, source, imbalance)
    found = Setup(source, recovery.Problem(own or load, model, options, names), cell)
    if (size := numbers(found.here)) > MOST_NUMBERS:
        raise ValueError(
            f"S · Nₛ · {'words' if model == 'topics' else 'd'} must be at most {number_text(MOST_NUMBERS)} here, "
            f"got {number_text(size)}"
        )
    return found


def _drawn(model, width):
    """What is known of records that are drawn."""
    return tables.Source(model, TITLES[model], width, tables.MOST_RECORDS, UNITS[model], synthetic=True)
