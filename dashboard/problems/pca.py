"""Principal components: the records of a table as `core.pca` takes them."""

from __future__ import annotations

from collections.abc import Callable

from core import pca
from dashboard.problems.setup import Setup, depends_on, sizes
from dashboard.state.controls import Settings
from data.catalogue import tables
from data.catalogue.tables import OwnTable

DATA_SETTINGS = ("data", "sites", "samples", "data_seed", "published")
CENTRE = {
    "objects": {"a public constant": "public", "their mean, released with noise": "mean"},
    "label": "Components about",
    "doc": "A public constant costs no privacy, but the first component points from it to the mean. "
    "A noisy mean is released with the second moment and takes a part of the budget.",
}
SHARE = {
    "objects": {f"{100 * share:g} %": share for share in (0.02, 0.05, 0.1, 0.2, 0.4)},
    "default": pca.SHARE,
    "label": "Budget for the mean",
    "doc": "The private mean takes this part of the budget μ²; the second moment takes the rest. Both are one "
    "release, whose joint sensitivity is exact. A tenth suits most tables. A mean far from the centre of "
    "its ranges needs more.",
}
MOST_NUMBERS = 31_000_000  # S d² of second moments: 50 sites of 784 pixels.


def problem(
    load: Callable,
    published: bool,
    *,
    data_settings: tuple[str, ...] = DATA_SETTINGS,
    measure: pca.Measure = "energy",
    centre: pca.Centre = "public",
    share: float = pca.SHARE,
) -> pca.Problem:
    """The sweep's problem: ours, or with all conventions of the papers, which know no private mean."""
    if published:
        return pca.Problem(load, data_settings=data_settings, measure=measure, **pca.PUBLISHED)
    return pca.Problem(load, data_settings=data_settings, measure=measure, centre=centre, share=share)


def fits(sites: int, source: tables.Source) -> bool:
    """Whether so many second moments fit into the memory that one page may take."""
    return sites * source.width**2 <= MOST_NUMBERS


def setup(
    settings: Settings,
    *,
    data: str,
    table: OwnTable | None = None,
    measure: pca.Measure = "energy",
    centre: pca.Centre = "public",
    share: float = pca.SHARE,
    imbalance: float = 1.0,
) -> Setup:
    """Principal components of a table that is known by name, or of the user's own; see `core.pca.Problem`.

    `imbalance` is of sites that no column names.

    Raises
    ------
    ValueError
        If the settings do not fit the records: k above their width, fewer records than sites, too many sites for
        records so wide.
    """
    source = table.source if table else tables.known()[data]
    if settings.k > source.width:
        raise ValueError(f"k must be at most {source.width}, the width of {source.title}, got {settings.k}")
    published = settings.calibration == "published"

    def cell(change):
        values = {
            "epsilon": settings.epsilon,
            "delta": settings.delta,
            "sites": settings.sites,
            "samples": settings.samples,
            "k": settings.k,
            "data": source.name,
            "data_seed": settings.data_seed,
            "published": published,
        } | change
        values |= sizes(source, values, imbalance=imbalance)
        return values | settings.run_terms(values["sites"])

    about = {"measure": measure, "centre": centre, "share": share}
    about["data_settings"] = depends_on(DATA_SETTINGS, source, imbalance)
    found = Setup(source, problem(table or tables.load, published, **about), cell)
    if not fits(found.here["sites"], source):
        most = MOST_NUMBERS // source.width**2
        raise ValueError(
            f"sites must be at most {most} for records of {source.width} numbers, got {found.here['sites']}: "
            f"choose fewer columns or sites"
        )
    return found
