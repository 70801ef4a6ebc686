"""Tables of records by name, dealt to sites: synthetic, bundled or fetched; `data.upload.own_table` has a user's own.

Every source brings records within ‖x‖ ≤ 1 by constants that are public, unless the published preprocessing
is asked for by name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from data import check, real, sites, synthetic
from data.catalogue.rest import Rest
from data.columns import Block
from data.synthetic import gaussian

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


LOW_RANK = Source("low_rank", "Synthetic low rank", 200, MOST_RECORDS, "one synthetic record", synthetic=True)


@lru_cache(maxsize=1)
def known() -> dict[str, Source]:
    """The tables that `load` knows by name."""
    result = {
        about.name: Source(
            about.name, about.title, about.shape[1], about.shape[0], about.unit, about.image_shape
        )
        for about in real.available()
        if about.scaling is not None
    }
    return {"low_rank": LOW_RANK, **result}


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
    the "published" one, which takes centre and scale from the data. Unequal sites have "sizes".
    """
    if check.setting(settings, "data") != "low_rank":
        return dealt(
            _scaled(check.setting(settings, "data"), check.setting(settings, "published")), settings
        ), None
    rng = check.generator(settings)
    total, sizes = sites.asked(settings)
    scaling: gaussian.Scaling = "published" if check.setting(settings, "published") else "public"
    drawn = synthetic.low_rank(total, scaling=scaling, rng=rng)
    dealt_out = sites.split(drawn.records, check.setting(settings, "sites"), sizes=sizes, rng=rng)
    return dealt_out, drawn.second_moment


@check.arguments
def examples(name: str, *, published: bool = False) -> np.ndarray:
    """One record of each class of a data set, scaled as `load` scales them, shape (classes, d).

    They are records as they are, the first of each class: *not private*.

    Raises
    ------
    ValueError
        If the data set is not known, or has no classes.
    """
    about = {result.name: result for result in real.available()}
    check.choice(
        "name", name, [n for n, result in about.items() if result.target == "classes" and result.scaling]
    )
    _, first = np.unique(real.load(name).target, return_index=True)
    return _scaled(name, published)[first]


@lru_cache(maxsize=4)
def _scaled(name, published):
    loaded = real.load(name)
    how, bound = ("published", None) if published else loaded.about.scaling
    return loaded.scaled(how, bound=bound).records


@check.arguments(records=check.records)
def dealt(records: np.ndarray, settings: Mapping) -> sites.Sites:
    """Some of the records, dealt to the sites: as many as "sites", "samples" and "data_seed" say.

    If there are "sizes", each site gets its own number.
    """
    records = check.table("records", records)
    rng = check.generator(settings)
    total, sizes = sites.asked(settings)
    chosen = rng.permutation(len(records))[:total]
    return sites.split(records[chosen], check.setting(settings, "sites"), sizes=sizes, rng=rng)


@dataclass(frozen=True, eq=False)
class OwnTable:
    """A user's records, scaled to the unit ball; an instance equals only itself.

    Called with settings it gives every site its records, as `load` does.

    Attributes
    ----------
    name : str
        The file's name in quotation marks: foreign text, at most 40 characters.
    records : ndarray (N, d)
        ‖x‖ ≤ 1; if a column names the sites, site after site, that of the scheme "local" first.
    columns : tuple of str
        Names of the d columns: foreign text.
    sizes : tuple of int, optional
        n_s of the sites that a column names.
    site_names : tuple of str
        What that column calls them: foreign text.
    clipped : int
        Rows that lay outside the bounds. *Not private.*
    incomplete : int
        Rows left out for a missing value. *Not private.*
    public_bounds : bool
        False: the bounds were computed from the records, and no guarantee covers them.
    blocks : tuple of Block
        Which coordinates each column became; empty: each column is a coordinate.
    unlisted, marked : int
        Rows with a category that the public list does not hold, and with a missing value that was replaced by a
        constant. *Not private.*
    target : str
        The column to predict, by name; "" if none was chosen.
    invented : bool
        The records were drawn from the description of a table; nothing of them comes from real ones.
    record : str
        What one record is: "person", "visit" or "household"; "" if nobody said.
    per_person : int
        The most records that one person may have.
    rest : Rest, optional
        The rows that are left out for a missing value, if there are any: `having`.
    held : tuple of int, optional
        Places of the `parts` whose coordinates the records hold, where these are not all.
    """

    name: str
    records: np.ndarray
    columns: tuple[str, ...]
    sizes: tuple[int, ...] | None
    site_names: tuple[str, ...]
    clipped: int
    incomplete: int
    public_bounds: bool
    blocks: tuple[Block, ...] = ()
    unlisted: int = 0
    marked: int = 0
    target: str = ""
    invented: bool = False
    record: str = ""
    per_person: int = 1
    rest: Rest | None = None
    held: tuple[int, ...] | None = None

    def __getstate__(self) -> dict:
        """What another process needs: not the rows that are left out."""
        return self.__dict__ | {"rest": None}

    @property
    def parts(self) -> tuple[Block, ...]:
        """The columns of the table with the coordinates that each became."""
        return self.blocks or tuple(Block(name, (name,)) for name in self.columns)

    @property
    def predicted(self) -> int:
        """The place among `parts` of the column to predict; the last one if none was chosen."""
        names = [part.column for part in self.parts]
        return names.index(self.target) if self.target in names else len(names) - 1

    @property
    def local(self) -> str:
        """The site that works alone under the scheme "local": the first; "" if no column names the sites."""
        return self.site_names[0] if self.site_names else ""

    @property
    def source(self) -> Source:
        """What is known of it."""
        count, width = len(self.records), len(self.columns)
        unit = f"one {self.record}, a row of your file" if self.record else "one row of your file"
        unit = "one invented record" if self.invented else unit
        return Source("own", self.name, width, count, unit, sizes=self.sizes)

    def having(self, places: Iterable[int]) -> OwnTable:
        """The table with every row that has a value in these columns, for averages of them alone.

        Its records hold no other columns. Site by site it is the table that has these columns alone.
        """
        return self if self.rest is None else self.rest.joined(self, places)

    def column(self, place: int) -> np.ndarray:
        """The values of one of the `parts`, clipped to its range, in its own unit: shape (N,), in the order of `records`.

        A category is its place in the public list, yes is 1 and no is 0, a date the days since its public origin. Rows
        with a gap were left out (`incomplete`, `having`); one that is marked counts as the described constant, or as one
        category more.

        Raises
        ------
        ValueError
            If the column has no range or categories of its own.
        """
        parts = self.parts
        part = parts[check.integer("place", place, low=0, high=len(parts) - 1)]
        if part.about is None:
            raise ValueError(f"place must be of a column that is described, got {place}")
        held = range(len(parts)) if self.held is None else self.held
        if place not in held:
            raise ValueError(
                f"place must be one of {list(held)}, whose columns the records hold, got {place}"
            )
        start = sum(len(parts[one].names) for one in held if one < place)
        block = self.records[:, start : start + len(part.names)]
        if part.about.kind != "category":
            low, high = part.about.low, part.about.high
            # Scaling left errors in the last digits, by which an age of 40 would leave its bin.
            digits = 12 - math.ceil(math.log10(max(abs(low), abs(high))))
            return np.clip(np.round(part.offset + part.scale * block[:, 0], digits), low, high)
        count = len(part.about.values)
        places = block[:, :count].argmax(axis=1)
        if part.marks:
            places[block[:, count] > 0] = count
        return places.astype(float)

    def __call__(self, settings: Mapping):
        """The records of every site, and no distribution to measure energy in but the records' own."""
        if self.sizes is None:
            return dealt(self.records, settings), None
        parts = np.split(self.records, np.cumsum(self.sizes)[:-1])
        return sites.Sites(parts, names=self.site_names), None
