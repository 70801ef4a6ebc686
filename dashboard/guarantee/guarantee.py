"""The privacy guarantee of a page: one sentence, and in its details the exact numbers and what is not private."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from core import Privacy
from core.privacy import gdp_delta
from core.schemes import Promise, find, promise
from core.schemes.terms import OPTIONS
from dashboard.guarantee import observer
from dashboard.state.number_text import at_most_text, count_text, equals, exact_text, target_text
from dashboard.theme.scheme_style import label
from data.catalogue.tables import OwnTable
from data.sites import held

NO_PRIVACY = "no privacy"
_CHOSEN = 12  # Letters of a value that somebody typed or slid to.
# What the noise is planned for: options of `core.schemes.release` with their values.
Terms = tuple[tuple[str, Any], ...]
# Kinds of output that depends on records without noise: the records themselves, the ends of an axis, the centre of a
# picture, a feature or an order chosen from them, a vocabulary or names, a count, an answer without noise.
KINDS = ("records", "ranges", "centres", "choice", "words", "counts", "answer")
Counted = int | tuple[int, ...]  # See `counted`.
NOTHING_PRIVATE = "Nothing private is shown."


@dataclass(frozen=True)
class Exposure:
    """The exact δ at the nominal ε for three observers, and of one site's messages; 1.0 means no privacy at all.

    Where later releases depend on earlier ones, `message` is of all messages of one site, and `alone` of them as if each
    were seen by itself.
    """

    scheme: str
    public: float
    aggregator: float
    colluders: float
    message: float
    alone: float | None = None


@dataclass(frozen=True)
class Unprotected:
    """Something that a page shows of records without noise; its guarantee lists it under "Not private here".

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    words : str
        Plain text; names the data set unless the records are the user's own.
    where : str
        `name` of the figure, or CSS class of the table, that shows it; "" for the whole page.
    """

    kind: str
    words: str
    where: str = ""

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {self.kind!r}")


def chosen(repeats: int, figure: str, *, own: bool) -> tuple[Unprotected, ...]:
    """That the drawn release was chosen by a figure which is computed from the records; see `sweep_plan.typical`."""
    words = f"which of several releases is drawn: the one with {figure} nearest to the mean"
    return (Unprotected("choice", words),) if repeats > 1 and not own else ()


@dataclass(frozen=True)
class Guarantee:
    """The privacy guarantee of a page's picture.

    Attributes
    ----------
    sentence : str
        The guarantee in plain words, true without further conditions.
    nominal : Privacy, optional
        The privacy target (ε, δ); None where nothing is released.
    colluding : int
        S_C of the third observer.
    exposures : tuple of Exposure
        One for each shown scheme.
    unit : str
        The difference between two neighbouring data sets.
    not_private : tuple of str
        Uses of the data without protection.
    secret : bool
        Whether no link or file has the seed of the noise.
    whole : bool
        Whether the noise is drawn exactly, in whole numbers.
    """

    sentence: str
    nominal: Privacy | None = None
    colluding: int = 0
    exposures: tuple[Exposure, ...] = ()
    unit: str = "one record at one site, replaced by any other; the number of records is public"
    not_private: tuple[str, ...] = ()
    secret: bool = False
    whole: bool = False


def of_rows(found: Guarantee, table: Any) -> Guarantee:
    """The same of a user's own table, where a row with a gap is left out: what that tells, the number of records does."""
    if not isinstance(table, OwnTable) or all(
        part.about and part.about.missing == "mark" for part in table.parts
    ):
        return found
    gaps = "a row with a gap is left out, so that number tells whether a row has one"
    return replace(found, unit=f"{found.unit}; {gaps}")


def terms_of(settings: Mapping[str, Any]) -> Terms:
    """What the noise of a run is planned for, as far as its settings name it."""
    return tuple([(name, settings[name]) for name in OPTIONS if name in settings])


def counted(settings: Mapping[str, Any]) -> Counted:
    """The sites as what they reveal depends on them: S, or the records at each where these count alike.

    Weighted by their shares n_s/N, one record changes the average of every site alike: unequal sites then reveal what equal
    ones do. With equal weights the smallest site reveals most.
    """
    return held(settings) if settings.get("weights") == "equal" else settings["sites"]


def run_terms_of(settings: Mapping[str, Any]) -> Terms:
    """The same, and how many sites fell silent in that run; see `core.schemes.planned`."""
    return tuple([(name, settings[name]) for name in (*OPTIONS, "dropped") if name in settings])


def exposures(
    schemes,
    privacy: Privacy,
    *,
    sites: Counted,
    colluding: int,
    calibration: str,
    understated: float = 1.0,
    terms: Terms = (),
    earlier: float = 0.0,
) -> tuple[Exposure, ...]:
    """The largest δ of the sites under each private scheme, whichever of the planned dropouts happen.

    They depend on the ratio of noise to sensitivity only, so a release of the number 0 determines them. Methods
    that are not schemes are left out. `understated` is the true sensitivity divided by the assumed one, and `earlier`
    the share of μ² of releases on which later ones depend; see `core.schemes.over_stages`.
    """
    rows = []
    for scheme in schemes:
        if (record := find(scheme)) is None or not record.private:
            continue
        asked = scheme, privacy, sites, colluding, calibration, understated, terms
        seen, alone = promised(*asked, earlier), promised(*asked, 0.0).message
        mus = seen.public, seen.aggregator, seen.colluders, seen.message, alone
        rows.append(Exposure(scheme, *(_delta(privacy.epsilon, mu) for mu in mus)))
    return tuple(rows)


def views(
    scheme: str,
    privacy: Privacy,
    *,
    sites: int,
    colluding: int,
    calibration: str,
    understated: float = 1.0,
    terms: Terms = (),
) -> tuple[float, float, float]:
    """Largest μ of equal sites for the public, the aggregator, and the aggregator with colluding sites; ∞: no privacy."""
    seen = promised(scheme, privacy, sites, colluding, calibration, understated, terms, 0.0)
    return seen.public, seen.aggregator, seen.colluders


def alone(
    scheme: str, privacy: Privacy, *, sites: int, calibration: str, terms: Terms = (), earlier: float = 0.0
) -> float:
    """Largest μ of equal sites for an observer of one site's messages, or of what is released, whoever learns more."""
    seen = promised(scheme, privacy, sites, 0, calibration, 1.0, terms, earlier)
    return max(seen.message, seen.public)


@lru_cache(maxsize=4096)
def promised(
    scheme: str,
    privacy: Privacy,
    sites: Counted,
    colluding: int,
    calibration: str,
    understated: float,
    terms: Terms,
    earlier: float = 0.0,
) -> Promise:
    """The largest μ of every observer of one release, whichever of the planned dropouts happen; see `counted`."""
    options = {"scheme": scheme, "seen_with": colluding, "calibration": calibration, "earlier": earlier}
    if isinstance(sites, int):
        return promise(understated, privacy, assumed=1.0, sites=sites, **options, **dict(terms))
    change = 1 / np.array(sites, dtype=float)
    return promise(understated * change, privacy, assumed=change, sites=len(sites), **options, **dict(terms))


def sentence(
    privacy: Privacy,
    found: tuple[Exposure, ...],
    *,
    terms: Terms = (),
    colluding: int = 0,
    several: bool = False,
    noun: str = "site",
) -> str:
    """State the privacy target, whether the calibration meets it, and who learns more than that.

    Parameters
    ----------
    colluding : int
        The number of sites with which `found` was computed.
    several : bool
        Whether there are several steps, whose messages depend on the averages before: what a site sends in all of
        them then tells more than one message.
    noun : str
        What a site is called.
    """
    if not found:
        return NOTHING_PRIVATE
    held = dict(terms)
    if held.get("against", "message") != "message":
        return _held(privacy, found, held)
    nominal = target_text(privacy)
    truly = max([_message(row) for row in found])
    # The sites send pooled records without noise.
    messages = not all(_curator(row) for row in found)
    if truly > privacy.delta * (1 + 1e-6):
        what = (
            "all that is released" if several else "a message alone" if messages else "the released average"
        )
        words = f"The published formula claims {nominal}; at this ε {what} has in truth {equals('δ', truly)}."
    elif several:
        words = f"The released averages alone meet {nominal}, and so does any single message."
    elif messages:
        words = f"Each {noun}'s message alone meets {nominal}, and so does the released average alone."
    else:
        words = f"The released average meets {nominal}."
    for row in found:
        if _curator(row):
            words += (
                f" Under the {label(row.scheme)} scheme only the released average is private: one curator sees "
                "every record."
            )
    for row in found:
        if not _curator(row) and row.colluders > _message(row) * (1 + 1e-9):
            words += _seen_together(row, colluding, several)
    return words


def _seen_together(row, colluding, several):
    """What whoever sees all messages, or their sum alone, learns of a scheme beyond the target."""
    hidden = row.message == 0.0
    seen = "the sum" if hidden else "all messages"
    words = f" For an observer of {seen} of {label(row.scheme)}, the exact δ at this ε is {at_most_text(row.aggregator)}"
    if row.colluders > row.aggregator * (1 + 1e-9):
        words += (
            f", and with {count_text(colluding, 'colluding site')} beside it {at_most_text(row.colluders)}"
        )
    if hidden:
        return f"{words}."
    if several:
        return f"{words}, and of the messages of one site {at_most_text(row.message)}."
    return f"{words}; seeing one message together with the average can reveal just as much."


def _held(privacy, found, terms):
    """The sentence for a target that holds against the aggregator, or against colluders too."""
    against = terms["against"]
    nominal = target_text(privacy)
    whom = observer.name(against, terms.get("colluding", 0))
    rows = [row for row in found if not _curator(row)]
    truly = max((getattr(row, against) for row in rows), default=0.0)
    if truly > privacy.delta * (1 + 1e-6):
        words = f"The published formula claims {nominal} against {whom}; in truth δ is {at_most_text(truly)} at this ε."
    else:
        lost = terms.get("dropouts", 0)
        silent = count_text(lost, "site drops out", "sites drop out")
        words = f"Every scheme meets {nominal} against {whom}{f', when up to {silent}' if lost else ''}."
    for row in found:
        if _curator(row):
            words += (
                f" Under the {label(row.scheme)} scheme only the released average is private: one curator sees "
                "every record."
            )
    return words


SHOWN_NOISE = "NumPy's generator draws the noise with a seed that links and files show, so that pictures can be repeated."
SECRET_NOISE = (
    "NumPy's generator, which is not cryptographic, draws the noise with a seed from the operating system; the seed is "
    "shown nowhere."
)
FLOATS = (
    "The noise is drawn and added in floating-point arithmetic, whose last digits can reveal the value without "
    "noise: the guarantee holds for exact arithmetic. Do not release real answers with this laboratory."
)

WHOLE = (
    "The noise is drawn exactly, in whole numbers, and added to statistics that are rounded to a public grid; the guarantee "
    "includes the rounding. It does not include the floating-point arithmetic of the sites' averages. Do not release real "
    "answers with this laboratory."
)


def details(guarantee: Guarantee) -> str:
    """The expanded guarantee as HTML; every text in it is escaped here."""
    rows = "".join(
        f"<tr><th scope='row'>{html.escape(label(row.scheme))}</th>"
        + "".join(f"<td>{_cell(value)}</td>" for value in _observed(guarantee, row))
        + "</tr>"
        for row in guarantee.exposures
    )
    open_points = "".join(f"<li>{html.escape(point)}</li>" for point in guarantee.not_private)
    parts = [_exposure_table(guarantee, rows)] if guarantee.nominal is not None else []
    parts.append(f"<p><b>Protected unit</b>: {html.escape(guarantee.unit)}.</p>")
    if open_points:
        parts.append(f"<p><b>Not private here</b></p><ul>{open_points}</ul>")
    parts.append(
        f"<p><b>Not hardened</b>: {SECRET_NOISE if guarantee.secret else SHOWN_NOISE} "
        f"{WHOLE if guarantee.whole else FLOATS}</p>"
    )
    return "".join(parts)


def _observed(guarantee, row):
    """δ of every observer; without colluding sites the third one is the second."""
    return (row.public, row.aggregator, row.colluders)[: 3 if guarantee.colluding else 2]


def _digits(value):
    """A chosen value in all its digits; a computed one, which has no end of them, rounded up."""
    whole = exact_text(value)
    return whole if len(whole) <= _CHOSEN else at_most_text(value)


def _exposure_table(guarantee, rows):
    nominal = guarantee.nominal
    colluders = f"aggregator and {count_text(guarantee.colluding, 'colluding site')}"
    third = f"<th scope='col'>{colluders}</th>" if guarantee.colluding else ""
    return (
        f"<p><b>Nominal</b> (ε, δ) = ({_digits(nominal.epsilon)}, {_digits(nominal.delta)}). "
        "The exact δ at this ε, for every observer:</p>"
        "<div class='scroll'><table><thead><tr><th></th><th scope='col'>"
        "<a href='?page=glossary&amp;term=public-view'>public</a>: the result</th><th scope='col'>"
        "<a href='?page=glossary&amp;term=aggregator'>aggregator</a>: all messages</th>"
        f"{third}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _message(row):
    """The δ compared with the target: of one message or the average, of the average where a curator sees the records."""
    one = row.message if row.alone is None else row.alone
    return row.public if _curator(row) else max(row.public, one)


def _curator(row):
    scheme = find(row.scheme)  # None for a page's own method.
    return scheme is not None and scheme.curator


@lru_cache(maxsize=4096)
def _delta(epsilon, mu):
    return 1.0 if math.isinf(mu) else float(gdp_delta(epsilon, mu))


def _cell(value):
    return NO_PRIVACY if value == 1.0 else at_most_text(value)
