"""The data sets that `data.real` knows: how each is loaded and the public range of every feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from data import cache


@dataclass(frozen=True)
class Entry:
    """How one data set is loaded and what its ranges are; see `data.real.RealData`."""

    title: str
    shape: tuple[int, int]
    unit: str
    target: str
    target_range: tuple[float, float]
    ranges: tuple
    note: str
    arrays: Callable
    bundled: bool = True
    ranges_public: bool = True
    image_shape: tuple[int, int] | None = None
    # How records come into the unit ball by public constants: `RealData.scaled` and a norm bound for it. None where
    # the features have too different units for a second moment to mean anything.
    scaling: tuple[str, float | None] | None = None
    # Of a number or one of two classes: public bound on every coefficient of a regression, and public guess of their norm.
    coefficients: tuple[float, float] | None = None


def _bundled(loader, **options):
    """The `arrays` of a data set that comes with scikit-learn."""

    def arrays(name, download):
        from sklearn import datasets

        bunch = getattr(datasets, loader)(**options)
        features = getattr(bunch, "feature_names", [])
        classes = getattr(bunch, "target_names", [])
        return {"records": bunch.data, "target": bunch.target, "features": features, "classes": classes}

    return arrays


def _mnist(name, download):
    return cache.downloaded(
        name, title="MNIST", address="https://www.openml.org", fetch=_fetch_mnist, download=download
    )


def _fetch_mnist(scratch):
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml("mnist_784", version=1, as_frame=False, data_home=scratch)
    # The first 60,000 of the 70,000 are the training set that the papers use.
    return {
        "records": bunch.data[:60_000].astype(np.uint8),
        "target": bunch.target[:60_000].astype(np.uint8),
        "features": np.array([f"pixel {i // 28},{i % 28}" for i in range(784)]),
        "classes": np.array([str(digit) for digit in range(10)]),
    }


def _covertype(name, download):
    return cache.downloaded(
        name,
        title="Covertype",
        address="https://ndownloader.figshare.com",
        fetch=_fetch_covertype,
        download=download,
    )


def _fetch_covertype(scratch):
    from sklearn.datasets import fetch_covtype

    bunch = fetch_covtype(data_home=scratch)
    return {
        "records": bunch.data.astype(np.int16),
        "target": (bunch.target - 1).astype(np.uint8),
        "features": np.array(bunch.feature_names),
        "classes": np.array(_COVERS),
    }


_COVERS = (
    *("spruce/fir", "lodgepole pine", "ponderosa pine", "cottonwood/willow"),
    *("aspen", "Douglas fir", "krummholz"),
)

# Mean, standard error and worst of radius, texture, perimeter, area, smoothness, compactness, concavity,
# concave points, symmetry, fractal dimension.
_CANCER_UPPER = (
    *(40, 50, 260, 5000, 0.25, 1.1, 1.3, 0.3, 0.7, 0.25),
    *(3, 5, 25, 600, 0.04, 0.15, 0.4, 0.06, 0.1, 0.04),
    *(40, 50, 260, 5000, 0.25, 1.1, 1.3, 0.3, 0.7, 0.25),
)

# Elevation, aspect, slope, distances to water (two) and roads, hillshade (three), distance to fire points;
# the rest is yes or no.
_COVERTYPE_LOWER = (0, 0, 0, 0, -1000, 0, 0, 0, 0, 0, *[0] * 44)
_COVERTYPE_UPPER = (4500, 360, 90, 2000, 1000, 10_000, 255, 255, 255, 10_000, *[1] * 44)

SETS = {
    "digits": Entry(
        title="Handwritten digits, 8 × 8",
        shape=(1797, 64),
        unit="one image of a digit",
        target="classes",
        target_range=(0, 9),
        ranges=(0, 16),
        note="A pixel counts the dark ones of a 4 × 4 block: 0 … 16 by construction, so ‖x‖ ≤ 16 · 8.",
        image_shape=(8, 8),
        scaling=("norm", 4.5 * 16.0),  # Twenty fully inked pixels' worth; longer records are clipped.
        arrays=_bundled("load_digits"),
    ),
    "diabetes": Entry(
        title="Diabetes progression",
        shape=(442, 10),
        unit="one patient",
        target="number",
        target_range=(0, 400),
        # Age, sex, body mass index, mean arterial pressure, total cholesterol, LDL, HDL, total over HDL,
        # logarithm of triglycerides, glucose.
        ranges=((0, 1, 10, 40, 50, 0, 0, 1, 2, 40), (100, 2, 60, 160, 450, 350, 150, 13, 7.5, 400)),
        note="Ranges chosen from what the measurements mean for adults, wider than the records. The usual "
        "scaling by the sample's mean and deviation is not used: it is not private.",
        coefficients=(5.0, 3.0),
        arrays=_bundled("load_diabetes", scaled=False),
    ),
    "breast_cancer": Entry(
        title="Breast cancer, cell nuclei",
        shape=(569, 30),
        unit="one patient",
        target="classes",
        target_range=(0, 1),
        ranges=(0, _CANCER_UPPER),
        ranges_public=False,
        note="Round numbers above the extremes that the data set's description prints. Those were computed "
        "from these records, so scaling by them is not private.",
        coefficients=(20.0, 5.0),
        arrays=_bundled("load_breast_cancer"),
    ),
    "mnist": Entry(
        title="MNIST digits, 28 × 28",
        shape=(60_000, 784),
        unit="one image of a digit",
        target="classes",
        target_range=(0, 9),
        ranges=(0, 255),
        note="A pixel is one byte, 0 … 255: ‖x‖ ≤ 255 · 28.",
        bundled=False,
        image_shape=(28, 28),
        scaling=("norm", 12 * 255.0),
        arrays=_mnist,
    ),
    "covertype": Entry(
        title="Covertype, forest cells",
        shape=(581_012, 54),
        unit="one cell of 30 m × 30 m",
        target="classes",
        target_range=(0, 6),
        ranges=(_COVERTYPE_LOWER, _COVERTYPE_UPPER),
        note="Angles, shades and yes/no columns have natural ranges; no point of Colorado is above 4,500 m; "
        "the distances' ranges, 1 to 10 km, are a choice. Longer ones are clipped.",
        bundled=False,
        scaling=("range", None),
        arrays=_covertype,
    ),
}
