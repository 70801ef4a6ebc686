"""Tables of records by name, dealt to sites: synthetic, bundled or fetched; `data.upload.own_table` has a user's own.

Every source brings records within ‖x‖ ≤ 1 by constants that are public, unless the published preprocessing
is asked for by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from data import check, real, sites, synthetic

# Synthetic records drawn at most, so that a server of many sessions stays alive.
MOST_RECORDS = 200_000


@dataclass(frozen=True)
class Source:
    """What is known of a table before it is loaded.

    Attributes
    ----------
    name, title : str
        Key in the URL and text in the menu.
    width : int
        d, numbers in a record.
    records : int
        How many there are; for synthetic ones, how many are drawn at most.
    unit : str
        What one record is: the unit of privacy.
    image_shape : (int, int) or None
        Rows and columns if a record is a picture.
    synthetic : bool
        Drawn from a distribution, so that the population second moment is known.
    sizes : tuple of int, optional
        n_s of every site, where the table itself says which record is whose.
    """

    name: str
    title: str
    width: int
    records: int
    unit: str
    image_shape: tuple[int, int] | None = None
    synthetic: bool = False
    sizes: tuple[int, ...] | None = None


# How real records are brought into the unit ball: `RealData.scaled` and a public norm bound for it.
_SCALING = {
    "digits": ("norm", 4.5 * 16.0),  # Twenty fully inked pixels' worth; longer records are clipped.
    "mnist": ("norm", 12 * 255.0),
    "covertype": ("range", None),
}
LOW_RANK = Source("low_rank", "Synthetic low rank", 200, MOST_RECORDS, "one synthetic record", synthetic=True)


@lru_cache(maxsize=1)
def known() -> dict[str, Source]:
    """The tables that `load` knows by name."""
    shapes = {"digits": (8, 8), "mnist": (28, 28)}
    found = {
        about.name: Source(
            about.name, about.title, about.shape[1], about.shape[0], about.unit, shapes.get(about.name)
        )
        for about in real.available()
        if about.name in _SCALING
    }
    return {"low_rank": LOW_RANK, **found}


def _source(name, value):
    """What is known of records, of this module's kind or of `data.catalogue.labelled`'s."""
    if not (hasattr(value, "records") and hasattr(value, "title")):
        raise ValueError(f"{name} must have records and title, as Source does, got {check.shown(value)}")
    return value


@check.arguments(source=_source, sites=check.whole(1), samples=check.whole(1))
def samples_at(source: Source, *, sites: int, samples: int) -> int:
    """How many records each site really gets: no more than there are.

    Raises
    ------
    ValueError
        If there are fewer records than sites.
    """
    most = source.records // sites
    if most < 1:
        raise ValueError(f"sites must be at most the {source.records} records of {source.title}, got {sites}")
    return min(samples, most)


@check.arguments
def load(settings: Mapping):
    """Records of every site, and the second moment to measure energy in (None: the records' own).

    `settings` names the table ("data"), "sites", "samples", "data_seed" and whether the preprocessing is
    the "published" one, which takes centre and scale from the data.
    """
    if check.setting(settings, "data") != "low_rank":
        return dealt(
            _scaled(check.setting(settings, "data"), check.setting(settings, "published")), settings
        ), None
    rng = np.random.default_rng(check.setting(settings, "data_seed"))
    total = check.setting(settings, "sites") * check.setting(settings, "samples")
    scaling = "published" if check.setting(settings, "published") else "public"
    drawn = synthetic.low_rank(total, scaling=scaling, rng=rng)
    return sites.split(
        drawn.records, check.setting(settings, "sites"), sizes="equal", rng=rng
    ), drawn.second_moment


@lru_cache(maxsize=4)
def _scaled(name, published):
    how, bound = ("published", None) if published else _SCALING[name]
    return real.load(name).scaled(how, bound=bound).records


@check.arguments(records=check.records)
def dealt(records: np.ndarray, settings: Mapping) -> sites.Sites:
    """Some of the records, equally many for each site: as many as "sites", "samples" and "data_seed" say."""
    records = check.table("records", records)
    rng = np.random.default_rng(check.setting(settings, "data_seed"))
    size = check.setting(settings, "samples")
    chosen = rng.permutation(len(records))[: size * check.setting(settings, "sites")]
    return sites.split(records[chosen], check.setting(settings, "sites"), sizes="equal", rng=rng)
