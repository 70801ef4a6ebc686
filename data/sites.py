"""Records divided among sites: evenly, equally, by given sizes, skewed, or by a column of site names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

from data import check

Sizes = Literal["even", "equal", "skewed", "dirichlet"]
SIZES: tuple[Sizes, ...] = get_args(Sizes)


class Sites(list):
    """A list of what each site holds: an array, a sparse matrix, or a tuple of them such as (X, y).

    Attributes
    ----------
    dropped : int
        Records that no site received (only "equal" sizes drop any).
    names : tuple of str
        What the sites are called; "site 1", "site 2", … where nothing better is known.
    """

    def __init__(self, sites=(), *, dropped: int = 0, names=None):
        super().__init__(check.sequence("sites", sites))
        self.dropped = check.integer("dropped", dropped, low=0)
        names = None if names is None else check.sequence("names", names)
        self.names = tuple(names) if names is not None else tuple(f"site {s + 1}" for s in range(len(self)))

    @property
    def sizes(self) -> np.ndarray:
        """n_s, the number of records of each site, shape (S,)."""
        return np.array([_length(site) for site in self], dtype=int)


@dataclass(frozen=True)
class Holdout:
    """Records to learn from and records to judge by; each of the type that was divided."""

    train: Any
    test: Any


@check.arguments(records=check.records)
def split(
    records,
    sites: int,
    *,
    sizes=None,
    imbalance: float = 10.0,
    concentration: float = 1.0,
    rng: np.random.Generator,
) -> Sites:
    """Deal records to sites at random, without replacement.

    Parameters
    ----------
    records : array or sparse matrix with N rows, or tuple of such, as (X, y)
        What is dealt; the parts of a tuple stay together row by row.
    sites : int
        S ≥ 2.
    sizes : None, str or sequence of int
        None or "even": all records, sizes that differ by one at most. "equal": the same n_s = ⌊N/S⌋ for all,
        the remainder dropped and counted. "skewed": geometric sizes, the largest site first and `imbalance`
        times the last. "dirichlet": N times a draw of Dirichlet(concentration, …). A sequence: n_s as given.
    imbalance : float
        Largest over smallest size for "skewed", at least 1 (approximate where whole records force it).
    concentration : float
        Parameter of the symmetric Dirichlet distribution for "dirichlet"; small is uneven.
    rng : numpy.random.Generator
        Draws the order and, for "dirichlet", the sizes.

    Returns
    -------
    Sites
        A list of S parts with attributes `sizes`, `dropped` and `names`.

    Raises
    ------
    ValueError
        For S < 2, fewer records than sites, parts of different length, or sizes that do not fit.
    """
    check.integer("sites", sites, low=2)
    total = _length(records)
    counts = site_sizes(total, sites, sizes=sizes, imbalance=imbalance, concentration=concentration, rng=rng)
    order = rng.permutation(total)
    ends = np.cumsum(counts)
    parts = [_take(records, order[end - n : end]) for n, end in zip(counts, ends, strict=True)]
    return Sites(parts, dropped=int(total - ends[-1]))


@check.arguments
def site_sizes(
    total: int,
    sites: int,
    *,
    sizes=None,
    imbalance: float = 10.0,
    concentration: float = 1.0,
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """The sizes n_s that `split` uses, shape (S,), each at least 1. Parameters as there."""
    check.integer("sites", sites, low=2)
    if check.integer("total", total, low=0) < sites:
        raise ValueError(f"records must be in total at least as many as the {sites} sites, got {total}")
    if sizes is not None and not isinstance(sizes, str):
        return _given(sizes, total, sites)
    kind = check.choice("sizes", "even" if sizes is None else sizes, SIZES)
    if kind == "equal":
        return np.full(sites, total // sites)
    if kind == "even":
        return total // sites + (np.arange(sites) < total % sites)
    if kind == "skewed":
        ratio = check.number("imbalance", imbalance)
        if ratio < 1:
            raise ValueError(f"imbalance must be at least 1 (largest over smallest site), got {imbalance!r}")
        return _apportion(total, ratio ** (-np.arange(sites) / (sites - 1)))
    if rng is None:
        raise ValueError("rng must be a numpy.random.Generator to draw dirichlet sizes, got None")
    return _apportion(
        total, rng.dirichlet(np.full(sites, check.number("concentration", concentration, low=0)))
    )


@check.arguments
def held(settings: Mapping) -> int | tuple[int, ...]:
    """How many records each site holds by its settings: "sizes" where they name these, else "samples" for all sites."""
    return settings["sizes"] if "sizes" in settings else check.setting(settings, "samples")


@check.arguments
def asked(settings: Mapping) -> tuple[int, str | list[int]]:
    """How many records the settings "sites" and "samples" ask for, and their division as `split` takes it.

    If there are "sizes", these are n_s of every site; else all hold "samples".

    Raises
    ------
    ValueError
        If there are not S sizes.
    """
    count, each = check.setting(settings, "sites"), held(settings)
    if np.ndim(each) == 0:
        return count * each, "equal"
    sizes = [check.integer("sizes", n, low=1) for n in check.sequence("sizes", each)]
    if len(sizes) != count:
        raise ValueError(f"sizes must be {count} numbers, one for each site, got {len(sizes)}")
    return sum(sizes), sizes


@check.arguments(records=check.records)
def group(records, labels) -> Sites:
    """Give each distinct label its own site: the way to use a column that names the hospital.

    Parameters
    ----------
    records : array or sparse matrix with N rows, or tuple of such
    labels : sequence of length N
        Compared as text; sites come in sorted order and are named by their label. None and NaN name no site.

    Raises
    ------
    ValueError
        If fewer than two labels occur, a label is missing, or the lengths differ.
    """
    labels = list(check.sequence("labels", labels))
    if (missing := next((i for i, label in enumerate(labels) if _missing(label)), None)) is not None:
        raise ValueError(
            f"labels must name a site for every record, got {labels[missing]!r} at position {missing}"
        )
    labels = np.asarray([str(label) for label in labels])
    total = _length(records)
    if len(labels) != total:
        raise ValueError(f"labels must be one for each of the {total} records, got {len(labels)}")
    names, place = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        raise ValueError(f"labels must name at least 2 sites, got {len(names)}")
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place))
    starts = np.concatenate([[0], ends[:-1]])
    parts = [_take(records, order[a:b]) for a, b in zip(starts, ends, strict=True)]
    return Sites(parts, names=[str(name) for name in names])


@check.arguments(records=check.records)
def hold_out(records, *, share: float = 0.3, rng: np.random.Generator) -> Holdout:
    """Set a random `share` of the records aside for testing; both parts get at least one record."""
    share = check.number("share", share, low=0, high=1)
    total = _length(records)
    if total < 2:
        raise ValueError(f"records must be at least 2 to hold some out, got {total}")
    test = min(max(round(share * total), 1), total - 1)
    order = rng.permutation(total)
    return Holdout(train=_take(records, order[test:]), test=_take(records, order[:test]))


def _missing(label):
    """Whether a label is None, or not equal to itself: NaN, NaT, pandas' NA."""
    same = label == label
    return label is None or not (isinstance(same, bool | np.bool_) and same)


def _given(sizes, total, sites):
    counts = check.finite("sizes", sizes)
    if counts.ndim != 1 or (counts != np.floor(counts)).any():
        raise ValueError(f"sizes must be a whole number for every site, in a row, got {sizes!r}")
    counts = np.array([check.integer("sizes", int(n), low=1) for n in counts], dtype=int)
    if len(counts) != sites:
        raise ValueError(f"sizes must be {sites} numbers, one for each site, got {len(counts)}")
    if counts.sum() != total:
        raise ValueError(f"sizes must sum to the {total} records, got {counts.sum()}")
    return counts


def _apportion(total, weights):
    """Whole numbers of at least one in proportion to `weights`, by largest remainders."""
    ideal = total * weights / weights.sum()
    counts = np.floor(ideal).astype(int)
    counts[np.argsort(counts - ideal, kind="stable")[: total - counts.sum()]] += 1
    counts = np.maximum(counts, 1)
    for _ in range(counts.sum() - total):
        counts[counts.argmax()] -= 1
    return counts


def _length(records) -> int:
    if not isinstance(records, tuple):
        return records.shape[0] if hasattr(records, "shape") else len(records)
    lengths = [_length(part) for part in records]
    if len(set(lengths)) != 1:
        raise ValueError(f"records must have parts of equal length, got lengths {lengths}")
    return lengths[0]


def _take(records, rows):
    if isinstance(records, tuple):
        return tuple(_take(part, rows) for part in records)
    if sparse.issparse(records):
        return records.tocsr()[rows]
    return np.asarray(records)[rows]
