"""What a page promises: one sentence, and behind it the exact numbers and what was not private."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core import Privacy, release
from core.privacy import gdp_delta
from core.schemes import PRIVATE, find
from dashboard.state import seeds
from dashboard.state.number_text import count_text, equals, number_text
from dashboard.theme.scheme_style import label

NO_PRIVACY = "no privacy"
# What can be painted of records: themselves, the ends of an axis, the middle of a picture, a feature or an order
# that was chosen by them, a vocabulary or names, how many there are of some kind, an answer without noise.
KINDS = ("records", "ranges", "centres", "choice", "words", "counts", "answer")
NOTHING_PRIVATE = "Nothing private is shown."


@dataclass(frozen=True)
class Exposure:
    """The exact δ at the nominal ε for three onlookers, and of one message alone; 1.0 means no privacy at all."""

    scheme: str
    public: float
    aggregator: float
    colluders: float
    message: float


@dataclass(frozen=True)
class Unprotected:
    """What a page paints from records without noise; its guarantee lists it under "Not private here".

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    words : str
        Plain text; names the data set where the records are others than the user's own.
    where : str
        `name` of the figure, or CSS class of the table, that paints it; "" for all of the page.
    """

    kind: str
    words: str
    where: str = ""

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {self.kind!r}")


@dataclass(frozen=True)
class Guarantee:
    """What holds for the picture of a page.

    Attributes
    ----------
    sentence : str
        The promise in plain words, true as it stands.
    nominal : Privacy, optional
        The (ε, δ) that was asked for; none where nothing is released.
    colluding : int
        S_C of the third onlooker.
    exposures : tuple of Exposure
        One for each scheme shown.
    unit : str
        What two neighbouring data sets differ in.
    not_private : tuple of str
        What used the data without protection.
    """

    sentence: str
    nominal: Privacy | None = None
    colluding: int = 0
    exposures: tuple[Exposure, ...] = ()
    unit: str = "one record at one site, replaced by any other; the number of records is public"
    not_private: tuple[str, ...] = ()


def exposures(
    schemes, privacy: Privacy, *, sites: int, colluding: int, calibration: str, understated: float = 1.0
) -> tuple[Exposure, ...]:
    """The exact δ of equal sites under each private scheme, calibrated for one message.

    They depend on the ratio of noise to sensitivity alone, so a release of the number 0 tells them. Methods
    that are no schemes are left out. `understated` is by how much the noise took the sensitivity too small.
    """
    rows = []
    for scheme in schemes:
        if scheme not in PRIVATE:
            continue
        law = {"sites": sites, "calibration": calibration, "understated": understated}
        mus = *views(scheme, privacy, colluding=colluding, **law), message_mu(scheme, privacy, **law)
        rows.append(Exposure(scheme, *(_delta(privacy.epsilon, mu) for mu in mus)))
    return tuple(rows)


@lru_cache(maxsize=4096)
def views(
    scheme: str,
    privacy: Privacy,
    *,
    sites: int,
    colluding: int,
    calibration: str,
    understated: float = 1.0,
) -> tuple[float, float, float]:
    """μ of equal sites for the public, the aggregator, and the aggregator with colluding sites; ∞: no privacy."""
    shown = _released(scheme, privacy, sites, calibration, understated)
    return shown.mu_public, shown.mu_aggregator, shown.mu(colluding)


def message_mu(
    scheme: str, privacy: Privacy, *, sites: int, calibration: str, understated: float = 1.0
) -> float:
    """μ of one message of equal sites alone; ∞ where the records themselves are sent."""
    return _released(scheme, privacy, sites, calibration, understated).mu_message


@lru_cache(maxsize=64)
def _released(scheme, privacy, sites, calibration, understated):
    options = {"scheme": scheme, "rng": np.random.default_rng(0), "calibration": calibration, "assumed": 1.0}
    return release(np.zeros(sites), understated, privacy, **options)


def sentence(privacy: Privacy, found: tuple[Exposure, ...]) -> str:
    """Say what is promised, whether the calibration keeps it, and what some see beyond it."""
    if not found:
        return NOTHING_PRIVATE
    nominal = f"{equals('ε', privacy.epsilon)}, {equals('δ', privacy.delta)}"
    truly = max(_message(row) for row in found)
    # Pooled records are sent as they are.
    messages = not all(_curator(row) for row in found)
    if truly > privacy.delta * (1 + 1e-6):
        what = "a message alone" if messages else "the released average"
        words = f"The published formula promises {nominal}; {what} truly has {equals('δ', truly)}."
    elif messages:
        words = f"Each site's message alone, and the released average, are held to {nominal}."
    else:
        words = f"The released average is held to {nominal}."
    for row in found:
        if _curator(row):
            words += f" {label(row.scheme).capitalize()}, only the average is: one curator sees every record."
    for row in found:
        if not _curator(row) and row.aggregator > _message(row) * (1 + 1e-9):
            words += (
                f" Whoever sees all messages of {label(row.scheme)} has exactly {equals('δ', row.aggregator)} "
                "at that ε."
            )
    return words


SHOWN_NOISE = (
    "noise comes from NumPy's generator with a seed that links and files show, so that pictures repeat."
)
SECRET_NOISE = (
    "noise comes from NumPy's generator, seeded by the operating system; the seed is shown nowhere."
)
FLOATS = (
    "It is drawn and added in floating-point numbers, whose last digits can give away what was noised: the guarantee "
    "is that of exact arithmetic. Do not release real answers with this laboratory."
)


def details(guarantee: Guarantee) -> str:
    """The expanded guarantee as HTML; every text in it is escaped here."""
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(label(row.scheme))}</th>"
        + "".join(f"<td>{_cell(value)}</td>" for value in (row.public, row.aggregator, row.colluders))
        + "</tr>"
        for row in guarantee.exposures
    )
    open_points = "".join(f"<li>{html.escape(point)}</li>" for point in guarantee.not_private)
    parts = [_exposure_table(guarantee, rows)] if guarantee.nominal is not None else []
    parts.append(f"<p><b>Protected unit</b>: {html.escape(guarantee.unit)}.</p>")
    if open_points:
        parts.append(f"<p><b>Not private here</b></p><ul>{open_points}</ul>")
    parts.append(f"<p><b>Not hardened</b>: {SECRET_NOISE if seeds.secret() else SHOWN_NOISE} {FLOATS}</p>")
    return "".join(parts)


def _exposure_table(guarantee, rows):
    nominal = guarantee.nominal
    return (
        f"<p><b>Nominal</b> (ε, δ) = ({number_text(nominal.epsilon)}, {number_text(nominal.delta)}), "
        "asked of each message seen alone. The exact δ at this ε, for three onlookers:</p>"
        "<div class='scroll'><table><thead><tr><th></th><th scope='col'>"
        "<a href='?page=glossary&amp;term=public-view'>public</a>: the result</th><th scope='col'>"
        "<a href='?page=glossary&amp;term=aggregator'>aggregator</a>: all messages</th><th scope='col'>aggregator and "
        f"{count_text(guarantee.colluding, 'colluding site')}</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _message(row):
    """δ that is held to the target: that of one message alone, or of the average where a curator sees the records."""
    return row.public if _curator(row) else row.message


def _curator(row):
    scheme = find(row.scheme)  # None for a method of a page's own.
    return scheme is not None and scheme.curator


def _delta(epsilon, mu):
    return 1.0 if math.isinf(mu) else float(gdp_delta(epsilon, mu))


def _cell(value):
    return NO_PRIVACY if value == 1.0 else number_text(value)
