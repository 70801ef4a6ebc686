"""Labelled records by name, dealt to sites: the papers' distributions, shapes in the plane, and bundled sets.

Features come within ‖x‖ ≤ 1 and responses within their range by public constants where a method needs it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from data import check, real, sites, synthetic
from data.catalogue.tables import MOST_RECORDS, OwnTable

_SHORT = 1 / math.sqrt(2) * (1 - 4e-15)  # See `_with_intercept`.
_SAME = 1e-12  # Responses that differ by less are equal but for rounding.
TEST_RECORDS = 2000  # Drawn beside the records of the sites to test a classifier on.
_TEST_SHARE = 0.3  # Of a real set.


@dataclass(frozen=True)
class LabelledSource:
    """What is known of labelled records before they are loaded.

    Attributes
    ----------
    name, title : str
        Key in the URL and text in the menu.
    response : str
        "linear": a number in [−1, 1]; "logistic": a label 0 or 1.
    width : int or None
        d with the intercept; None for synthetic records, where it is a setting.
    records : int
        How many there are; for synthetic ones, how many are drawn at most.
    unit : str
        What one record is: the unit of privacy.
    features : tuple of str
        Names of the d features; empty if they have none.
    box, norm : float
        Public bound on every coefficient, and public guess of ‖w‖, that are sensible here.
    note : str
        What of its preparation is not private; empty if all is.
    sizes : tuple of int, optional
        n_s, where the sites are given.
    reach : float
        Public bound on the magnitude of a feature but the intercept, where features are named.
    window : tuple of two floats, optional
        Half the width and half the height of the part of the plane where the distribution puts nearly all records.
    """

    name: str
    title: str
    response: str
    width: int | None
    records: int
    unit: str
    features: tuple[str, ...] = ()
    box: float = 1.0
    norm: float = 1.0
    note: str = ""
    sizes: tuple[int, ...] | None = None
    reach: float = 1.0
    window: tuple[float, float] | None = None

    @property
    def synthetic(self) -> bool:
        """Drawn from a distribution, so that the true coefficients are known."""
        return self.width is None

    def public_span(self, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Least, middle and largest value of each of `width` features, without a look at any record.

        Of named features they are the public bounds, the intercept being constant; of synthetic ones, uniform on
        [0, 1] and scaled to unit length, what the distribution makes of 0, 1/2 and 1: the mean square of a feature is 1/3
        before it is scaled, so the length is about √(d/3).
        """
        if not self.features:
            unit = math.sqrt(3 / width)
            return np.zeros(width), np.full(width, unit / 2), np.full(width, min(1.0, unit))
        high, middle = np.full(width, self.reach), np.zeros(width)
        high[-1] = middle[-1] = _SHORT
        low = -high
        low[-1] = _SHORT
        return low, middle, high


_LAWS = {
    "linear": LabelledSource(
        "linear", "Invented patients", "linear", None, MOST_RECORDS, "one invented patient"
    ),
    "logistic": LabelledSource(
        "logistic",
        "Invented patients, ill or well",
        "logistic",
        None,
        MOST_RECORDS,
        "one invented patient",
        box=5.0,
        norm=5.0,
    ),
}


@lru_cache(maxsize=1)
def regressions() -> dict[str, LabelledSource]:
    """The sources for regression by name."""
    return _LAWS | {about.name: _real_source(about) for about in real.available() if about.coefficients}


@lru_cache(maxsize=1)
def classifications() -> dict[str, LabelledSource]:
    """The sources for classification by name."""
    unit = "one synthetic record"
    generators = {
        "moons": ("Two half moons", 2, (1.9, 1.25)),
        "rings": ("A disc in a ring", 2, (1.65, 1.65)),
        "quarters": ("Opposite quarters", 2, (1.55, 1.55)),
        "classes": ("Two Gaussian classes", 50, None),
    }
    drawn = {
        n: LabelledSource(n, t, "logistic", d, MOST_RECORDS, unit, window=window)
        for n, (t, d, window) in generators.items()
    }
    real_ones = [source for source in regressions().values() if not source.synthetic]
    return drawn | {
        source.name: _to_classify(source) for source in real_ones if source.response == "logistic"
    }


def _to_classify(source):
    """A real source without the intercept, of which a share is held out to test on."""
    features = source.features[:-1]
    kept = round(source.records * (1 - _TEST_SHARE))
    return LabelledSource(
        source.name,
        source.title,
        source.response,
        len(features),
        kept,
        source.unit,
        features,
        note=source.note,
    )


@check.arguments
@dataclass(frozen=True)
class LabelledTable:
    """A user's own table of which one column is to be predicted from the others and an intercept.

    Called with settings it gives every site its pair (X, y), as `load` does.

    Attributes
    ----------
    table : OwnTable
    response : int
        Which column, counted from 0 among `table.parts`.
    labels : bool
        Whether it holds two labels: 1 is what lies above the middle of its range, or above zero where columns have no
        ranges. Columns of yes and no, or of two categories, always do: 1 is the first of the two.
    boxed : bool
        Whether the columns were mapped from ranges, so that the scale of each of g columns in the table is 1/√g.

    Raises
    ------
    ValueError
        If the response is no column of the table, or one that cannot be predicted: with more than two categories, with
        constants in place of missing values, or with one value in every record.
    """

    table: OwnTable
    response: int
    labels: bool = False
    boxed: bool = True

    def __post_init__(self):
        parts = self.table.parts
        if len(parts) < 2:
            raise ValueError(
                "table must have at least two columns, one to predict and one to predict it from"
            )
        part = parts[check.integer("response", self.response, low=0, high=len(parts) - 1)]
        if part.marks:
            raise ValueError(
                f"response must be known in every row: leave rows without a value of {part.column[:40]!r} out"
            )
        if len(part.names) > 1 and not part.two_valued:
            raise ValueError(
                f"response must be a number or one of two values; {part.column[:40]!r} has {len(part.names)} categories"
            )
        if np.ptp(self._response(self.table.records)) < _SAME:
            what = "one label" if self.two_labels else "one value"
            raise ValueError(
                f"response must differ between records: {part.column[:40]!r} has {what} in all of them, as it is "
                "described, so there is nothing to predict"
            )
        if np.delete(np.ptp(self.table.records, axis=0), self._place).max() < _SAME:
            raise ValueError("table must have a column that differs between records, to predict from")

    @property
    def two_labels(self) -> bool:
        """Whether labels are predicted."""
        return self.labels or self.table.parts[self.response].two_valued

    @property
    def source(self) -> LabelledSource:
        """What is known of it."""
        table, parts = self.table, self.table.parts
        left = (part for i, part in enumerate(parts) if i != self.response)
        names = (*(name for part in left for name in part.names), "intercept")
        response = "logistic" if self.two_labels else "linear"
        known = table.source
        return LabelledSource(
            "own",
            table.name,
            response,
            len(names),
            known.records,
            known.unit,
            names,
            *((20.0, 5.0) if self.two_labels else (5.0, 3.0)),
            sizes=table.sizes,
            reach=_SHORT / math.sqrt(len(parts) - 1) if self.boxed else _SHORT,
        )

    def __call__(self, settings: Mapping):
        """Pairs (X, y) of every site; nobody knows the true coefficients."""
        parts, _ = self.table(settings)
        return sites.Sites([self._pair(part) for part in parts], names=parts.names), None

    @property
    def _place(self):
        """The coordinates that the response became."""
        parts = self.table.parts
        start = sum(len(part.names) for part in parts[: self.response])
        return range(start, start + len(parts[self.response].names))

    def _response(self, records):
        y = records[:, self._place[0]]
        if len(self._place) == 2:
            y = y - records[:, self._place[1]]
        if self.boxed:
            y = y * math.sqrt(len(self.table.parts))
        middle = self.table.parts[self.response].middle if self.boxed and len(self._place) == 1 else 0.0
        return (y - middle > _SAME).astype(float) if self.two_labels else np.clip(y, -1.0, 1.0)

    def _pair(self, records):
        x, g = np.delete(records, self._place, axis=1), len(self.table.parts)
        return _with_intercept(x * math.sqrt(g / (g - 1)) if self.boxed else x), self._response(records)


@check.arguments
def load(settings: Mapping):
    """Pairs (X, y) of every site with ‖x‖ ≤ 1, and the true coefficients (None where nobody knows them).

    `settings` names the source ("data"), "sites", "samples", "data_seed"; for synthetic ones "dimension" and
    the standard deviation "noise" of the response. Real features carry an intercept as the last one. Unequal sites have
    "sizes".
    """
    rng = check.generator(settings)
    total, _ = sites.asked(settings)
    if check.setting(settings, "data") not in _LAWS:
        return _dealt(_scaled(check.setting(settings, "data")), settings), None
    drawn = synthetic.regression(
        total,
        dimension=check.setting(settings, "dimension"),
        response=check.setting(settings, "data"),
        noise_std=check.setting(settings, "noise") if check.setting(settings, "data") == "linear" else 0.0,
        rng=rng,
    )
    return _blocks(drawn.pair, settings), drawn.coefficients


@check.arguments
def load_classes(settings: Mapping):
    """Pairs (X, y) of every site, and one pair held out to test on; features without any bound.

    `settings` names the source ("data"), "sites", "samples" and "data_seed".
    """
    name, rng = check.setting(settings, "data"), check.generator(settings)
    if name in regressions():
        x, y = _scaled(name)
        parts = sites.hold_out((_standing_out(x[:, :-1]), y), share=_TEST_SHARE, rng=rng)
        return _dealt(parts.train, settings), parts.test
    total, sizes = sites.asked(settings)
    if name == "classes":
        drawn = synthetic.two_classes(total + TEST_RECORDS, rng=rng)
    else:
        drawn = synthetic.plane_classes(total + TEST_RECORDS, shape=name, rng=rng)
    train, test = (tuple(part[rows] for part in drawn.pair) for rows in (slice(total), slice(total, None)))
    return sites.split(train, check.setting(settings, "sites"), sizes=sizes, rng=rng), test


def _real_source(about):
    loaded = real.load(about.name)
    response = "linear" if about.target == "number" else "logistic"
    names = (*loaded.features, "intercept")
    note = "" if loaded.ranges_public else "the ranges of the features, which were read off these records"
    shape = len(names), about.shape[0]
    return LabelledSource(
        about.name,
        about.title,
        response,
        *shape,
        about.unit,
        names,
        *about.coefficients,
        note,
        reach=_SHORT / math.sqrt(len(loaded.features)),
    )


@lru_cache(maxsize=4)
def _scaled(name):
    """Features in the unit ball with an intercept, (x, 1)/√2, and responses in their range."""
    loaded = real.load(name)
    x = loaded.scaled("range").records
    y = loaded.scaled_target().records if loaded.about.target == "number" else loaded.target.astype(float)
    return _with_intercept(x), y


def _with_intercept(x):
    """(x, 1)/√2, a hair short, so that rounding never leaves a row above 1."""
    return np.column_stack([x, np.ones(len(x))]) / math.sqrt(2) * (1 - 4e-15)


def _standing_out(x):
    """Undo the division by √(2d): features in [−1, 1], for gradients that are clipped anyway."""
    return x * math.sqrt(2 * x.shape[1])


def _dealt(pair, settings):
    rng = check.generator(settings)
    total, _ = sites.asked(settings)
    chosen = rng.permutation(len(pair[1]))[:total]
    return _blocks(tuple(p[chosen] for p in pair), settings)


def _blocks(pair, settings):
    """Deal records in random order as they come: those of a site stay when another of their size joins."""
    total, (_, sizes) = len(pair[1]), sites.asked(settings)
    each = sites.site_sizes(total, check.setting(settings, "sites"), sizes=sizes)
    ends = np.cumsum(each)
    parts = [tuple(p[end - size : end] for p in pair) for size, end in zip(each, ends, strict=True)]
    return sites.Sites(parts, dropped=int(total - ends[-1]))
