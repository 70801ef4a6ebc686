"""Real tables: some come with scikit-learn; MNIST and Covertype are fetched once and cached.

Each carries the public range of every feature, a constant stated here and not computed from the records, so
that records can be scaled without spending privacy. Nothing is centred or scaled at loading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from data import bounds, cache, check
from data.bounds import Scaled
from data.cache import DownloadError
from data.real.sets import SETS

__all__ = ["DataSet", "DownloadError", "RealData", "available", "load"]

Scaling = Literal["norm", "centre", "range", "published"]
SCALINGS: tuple[Scaling, ...] = get_args(Scaling)


@dataclass(frozen=True)
class DataSet:
    """What is known of a data set before it is loaded.

    Attributes
    ----------
    name, title : str
        What `load` takes, and what to show.
    shape : (int, int)
        (N, d).
    unit : str
        What one record is: the unit of privacy.
    target : str
        What is to be predicted: "classes" (whole numbers from 0) or "number".
    bundled : bool
        Comes with scikit-learn; needs no network.
    on_disk : bool
        Can be loaded now without a network.
    image_shape : (int, int) or None
        Rows and columns if a record is a picture.
    scaling : (str, float or None) or None
        `how` and `bound` of `RealData.scaled` that bring the records into the unit ball by public constants; None
        if the set is not meant for second moments.
    coefficients : (float, float) or None
        Public bound on every coefficient of a regression, and public guess of their norm; None if the target is neither
        a number nor one of two classes, or is not meant to be predicted.
    """

    name: str
    title: str
    shape: tuple[int, int]
    unit: str
    target: str
    bundled: bool
    on_disk: bool
    image_shape: tuple[int, int] | None
    scaling: tuple[str, float | None] | None
    coefficients: tuple[float, float] | None


@dataclass(frozen=True)
class RealData:
    """Records in their own units, with public ranges.

    Attributes
    ----------
    about : DataSet
    records : ndarray (N, d)
    target : ndarray (N,)
    features : tuple of str
        Names of the d columns.
    classes : tuple of str
        Names of the classes; empty if the target is a number.
    lower, upper : ndarray (d,)
        Range of each feature. `scaled` relies on it.
    target_range : (float, float)
        Range of the target.
    ranges_public : bool
        False: the ranges were read off these very records by whoever published them.
    note : str
        Where the ranges come from.
    """

    about: DataSet
    records: np.ndarray
    target: np.ndarray
    features: tuple[str, ...]
    classes: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray
    target_range: tuple[float, float]
    ranges_public: bool
    note: str

    @check.arguments
    def scaled(self, how: Scaling = "norm", *, bound: float | None = None) -> Scaled:
        """Records with ‖x‖ ≤ 1.

        Parameters
        ----------
        how : {"norm", "centre", "range", "published"}
            "norm": divide by the largest norm that the ranges allow; no centring, so a first principal
            component is close to the mean. "centre": subtract the middle of each range, a constant, and
            divide by the largest norm left. "range": map each feature's range to [−1, 1] and divide by √d,
            for features of different units. "published": subtract the sample mean and divide by the largest
            norm of the sample as the papers do: **not private**.
        bound : float, optional
            "norm" and "centre": a smaller norm bound, chosen without looking at the records. Longer
            records are clipped and counted; shorter ones stand out more from the noise.
        """
        check.choice("how", how, SCALINGS)
        if bound is not None and how not in ("norm", "centre"):
            raise ValueError(f"bound must be None with how={how!r}, which sets its own scale")
        if how == "published":
            return bounds.by_largest_norm(self.records)
        if how == "range":
            result = bounds.to_unit_box(self.records, lower=self.lower, upper=self.upper)
        else:
            centre = (self.lower + self.upper) / 2 if how == "centre" else np.zeros(len(self.lower))
            largest = float(np.linalg.norm(np.maximum(self.upper - centre, centre - self.lower)))
            result = bounds.to_unit_ball(self.records, bound=bound or largest, centre=centre)
        return Scaled(result.records, result.clipped, result.shift, result.divisor, self.ranges_public)

    @check.arguments
    def scaled_target(self, onto: tuple[float, float] = (-1.0, 1.0)) -> Scaled:
        """The target mapped from `target_range` to the interval `onto`, clipped to it."""
        low, high = self.target_range
        return bounds.to_interval(self.target, lower=low, upper=high, onto=onto)


def available() -> tuple[DataSet, ...]:
    """All data sets that `load` knows, bundled ones first."""
    return tuple(_about(name) for name in SETS)


@check.arguments
def load(
    name: str, *, samples: int | None = None, rng: np.random.Generator | None = None, download: bool = True
) -> RealData:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of the names of `available()`.
    samples : int, optional
        Return so many records, drawn without replacement by `rng`.
    download : bool
        False: never use the network.

    Raises
    ------
    ValueError
        For an unknown name, or more samples than there are.
    DownloadError
        If the data set is not on disk and cannot be fetched.
    """
    about = _about(check.choice("name", name, SETS))
    total, width = about.shape
    arrays = SETS[name].arrays(name, download)
    if arrays["records"].shape != about.shape or arrays["target"].shape != (total,):
        raise DownloadError(
            f"{about.title} should have shape {about.shape}, but {arrays['records'].shape} came. "
            f"Delete {cache.folder() / name}.npz and try again."
        )
    rows: slice | np.ndarray = slice(None)
    if samples is not None:
        check.integer("samples", samples, low=1, high=total)
        if rng is None:
            raise ValueError("rng must be a numpy.random.Generator to draw samples, got None")
        rows = rng.choice(total, samples, replace=False)
    lower, upper = (np.asarray(end, dtype=float) * np.ones(width) for end in SETS[name].ranges)
    return RealData(
        about=about,
        records=arrays["records"][rows].astype(float),
        target=arrays["target"][rows].astype(int if about.target == "classes" else float),
        features=tuple(str(feature) for feature in arrays["features"]),
        classes=tuple(str(label) for label in arrays["classes"]),
        lower=lower,
        upper=upper,
        target_range=SETS[name].target_range,
        ranges_public=SETS[name].ranges_public,
        note=SETS[name].note,
    )


def _about(name):
    entry = SETS[name]
    on_disk = entry.bundled or cache.kept(name)
    return DataSet(
        name,
        entry.title,
        entry.shape,
        entry.unit,
        entry.target,
        entry.bundled,
        on_disk,
        entry.image_shape,
        entry.scaling,
        entry.coefficients,
    )
