"""The average of numbers in [0, 1] that several sites hold, as a problem, and its standard error as a formula.

The error is of what is released: the average of the sites that send, about that of all records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import Privacy
from core.schemes import Silence, is_private, message_std, named, planned_silence
from core.schemes.terms import OPTIONS
from dashboard.problems.known_silence import apart, farthest, noises, place_of_worst, sets_of
from dashboard.problems.protocol import site_averages
from data.sites import held
from data.upload.table import shown

DATA_SETTINGS = ("data", "sites", "samples", "data_seed")
EQUAL = "equal"  # Weights 1/S; others are n_s/N.
SPREADS = {
    "alike": 0.0,
    "differ": 0.05,
}  # Standard deviation of the sites' means, see `data.synthetic.bounded`.


@dataclass(frozen=True)
class Problem:
    """Numbers in [0, 1] at several sites; `statistics` are the averages of the sites, which one record changes by 1/Nₛ."""

    data_settings: tuple[str, ...] = DATA_SETTINGS

    def statistics(self, settings: Mapping[str, Any]) -> np.ndarray:
        """The sites' averages, shape (S,)."""
        sizes = settings["sites"], held(settings)
        return site_averages(*sizes, settings["data_seed"], SPREADS[settings["data"]])


def standard_error(scheme: str, cell: Mapping[str, Any], apart: float = 0.0) -> float:
    """Root mean square error of the released average under a scheme, at all settings of a point.

    What is released is the average of those that send, which is `apart` from that of all sites, see `distance`.
    """
    return float(np.hypot(noise_std(scheme, cell), cell.get("span", 1.0) * apart))


def noise_std(scheme: str, cell: Mapping[str, Any]) -> float:
    """Standard deviation of the noise of the released average under a scheme, at all settings of a point.

    "samples" are of each site, or of every site. Of numbers in [0, 1] one record changes n times a site's average by
    "change", 1 if it is left out, and they are "span" units of their column wide.
    """
    if not is_private(scheme):
        return 0.0
    privacy, change = Privacy(cell["epsilon"], cell["delta"]), [cell.get("change", 1.0)]
    law = {"calibration": "published" if cell["published"] else "exact", "pure": cell.get("pure", False)}
    _, (std,) = message_std(np.array(change), privacy, **law)
    return cell.get("span", 1.0) * float(std) * silence(scheme, cell).std


def silence(scheme: str, cell: Mapping[str, Any]) -> Silence:
    """Who falls silent, and the noise that is left where a message of one record needs noise 1."""
    options = {name: cell[name] for name in OPTIONS if name in cell} | {"names": cell.get("names")}
    return planned_silence(
        scheme, 1 / sizes_of(cell), weights_of(cell), silent=cell.get("dropped", 0), **options
    )


def terms_of(scheme: str, cell: Mapping[str, Any]) -> dict[str, Any]:
    """What the noise is planned for, and who falls silent, as `core.schemes.release` takes it."""
    terms = {name: cell[name] for name in OPTIONS if name in cell}
    return terms | {"dropped": silence(scheme, cell).silent}


def depends(scheme: str, cell: Mapping[str, Any]) -> bool:
    """Whether the average of those that send is not that of all: one site works alone, or some fall silent."""
    return named(scheme).one_site or "dropped" in cell


def distance(scheme: str, averages: np.ndarray, cell: Mapping[str, Any]) -> float:
    """How far the average of those that send is from that of all sites: root mean square over cells.

    Of sites of one size every one works alone in turn; of others the first, which is the largest unless they have names.

    Parameters
    ----------
    averages : array of shape (S,) or (S, cells)
    """
    weights = weights_of(cell)
    if not named(scheme).one_site:
        return _rms(apart(averages, weights, silence(scheme, cell).silent))
    away = averages - weights @ averages
    return _rms(away if one_size(cell) else away[:1])


@dataclass(frozen=True)
class Worst:
    """The silence that leaves the largest error of these very records. **Not private.**

    Attributes
    ----------
    silent : tuple of int
        Places of the sites.
    error : float
        The standard error then.
    bound : float
        What it is at most, whoever falls silent; `error` where all sets were tried.
    """

    silent: tuple[int, ...]
    error: float
    bound: float


def worst(scheme: str, averages: np.ndarray, cell: Mapping[str, Any]) -> Worst | None:
    """The worst of at most the planned number of silent sites for these records; None where nobody falls silent."""
    if named(scheme).one_site or "dropped" not in cell:
        return None
    sizes, span, most = sizes_of(cell), cell.get("span", 1.0), cell["dropped"]
    weights, planned, std = weights_of(cell), silence(scheme, cell), noise_std(scheme, cell)
    sets, every = sets_of(averages, weights, most, [planned.silent])
    options = {name: cell[name] for name in OPTIONS if name in cell}
    one = std and std / planned.std  # The noise of a message of one record.
    noise = one * noises(scheme, sizes, sets, options, weights=weights)
    away = [_rms(apart(averages, weights, lost)) for lost in sets]
    errors = np.hypot(noise, span * np.array(away))
    place = place_of_worst(errors, sets, cell.get("names", ()))
    bound = errors[place] if every else np.hypot(std, span * _rms(farthest(averages, weights, most)))
    return Worst(sets[place], float(errors[place]), float(bound))


def sizes_of(cell: Mapping[str, Any]) -> np.ndarray:
    """n_s of every site, shape (S,)."""
    return np.broadcast_to(np.array(cell.get("sizes", cell["samples"]), dtype=float), cell["sites"])


def one_size(cell: Mapping[str, Any]) -> bool:
    """Whether all sites have one size, so that none is the one that works alone."""
    return np.ndim(held(cell)) == 0


def weights_of(cell: Mapping[str, Any]) -> np.ndarray:
    """w_s of every site, shape (S,): n_s/N, or 1/S where "weights" are "equal"."""
    sizes = sizes_of(cell)
    sizes = np.ones(len(sizes)) if cell.get("weights") == EQUAL else sizes
    return sizes / sizes.sum()


def all_records_std(cell: Mapping[str, Any]) -> float:
    """Standard deviation of the noise of one curator whose average is that of all records, whatever the sites' weights."""
    return noise_std(
        "pooled", {name: value for name, value in cell.items() if name not in ("weights", "dropped")}
    )


def site_name(cell: Mapping[str, Any], place: int) -> str:
    """What a site is called: foreign text where its table names it."""
    names = cell.get("names")
    return shown(names[place]) if names else f"site {place + 1}"


def _rms(values):
    return float(np.sqrt(np.mean(np.square(values))))
