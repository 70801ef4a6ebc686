"""The privacy hazards that NIST SP 800-226 names, each with the answer of one plan."""

from __future__ import annotations

from core.privacy import attack_risk, gdp_epsilon, group_mu
from core.schemes import named
from dashboard.guarantee import observer
from dashboard.guarantee.guarantee import FLOATS
from dashboard.packs.consortium.plan.report.parts import Parts
from dashboard.packs.consortium.plan.words import text
from dashboard.state.html_text import listed
from dashboard.state.number_text import count_text, equals, hundred_text
from data.upload.table import shown

SOURCE = "NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees"
_FEW = 5  # Columns that are named.
_COMPOSE = "Gaussian releases compose exactly: μ² adds up."


def hazards(parts: Parts) -> list[tuple[str, str, str]]:
    """Name of a hazard, section of the guidelines, and the plain-text answer; none without a planned release."""
    if parts.answer is None:
        return []
    return [
        ("Value of ε", "2.2", _value(parts)),
        ("Variant, choice of δ", "2.3, 2.5", _variant(parts)),
        ("Unit of privacy", "2.4", unit(parts)),
        ("Composition", "2.2", composition(parts)),
        ("Other releases of these records", "2.6", _others(parts)),
        ("Own implementation", "3", _implementation(parts)),
        ("Bias and small groups", "3.3", _bias(parts)),
        ("Bounds and categories", "3.4", bounds(parts)),
        ("Queries", "4.1", "One statistic, fixed before any noise is drawn. Nobody asks further questions of the records."),
        ("Trust", "4.2", trust(parts)),
        ("Floating point, timing", "4.3", _side_channels(parts)),
        ("Security and access", "4.4", _access(parts)),
        ("Data collected", "4.5", _collected(parts)),
    ]  # fmt: skip


def unit(parts: Parts) -> str:
    """What one record is, and what several of one person risk."""
    most = parts.question.per_person
    words = f"{parts.guarantee.unit[0].upper()}{parts.guarantee.unit[1:]}."
    if most == 1:
        return f"{words} ε is of one record: all records of one person together would risk more."
    epsilon = gdp_epsilon(parts.question.settings.delta, group_mu(parts.mu, most))
    return f"{words} A person has up to {most}; for all of them together {equals('ε', epsilon)}."


def composition(parts: Parts) -> str:
    """How further releases add up."""
    if parts.year:
        return f"{_COMPOSE} The releases of a year and their budget are listed above."
    return f"One release. {_COMPOSE} Every further release of these records needs a budget that covers both."


def bounds(parts: Parts) -> str:
    """Whether ranges and categories are public."""
    if parts.question.uncovered:
        return f"Not covered: {parts.question.uncovered}, computed from the records."
    if parts.own is not None and parts.own.description.declared:
        return "Some were taken from the records and declared public knowledge; the guarantee relies on it."
    suggested = parts.own.suggested if parts.own is not None else ()
    if found := [shown(name) for name in suggested if name in parts.columns]:
        return (
            f"Public, but for what counts as yes and as no, which was read off the cells of {listed(found)}."
        )
    return "Public: stated without reading the records."


def trust(parts: Parts) -> str:
    """Against whom ε holds, and who is relied on."""
    if named(parts.scheme).curator:
        return f"ε holds against {observer.name('message')}. One curator sees every record and is trusted."
    settings = parts.question.settings
    whom = observer.name(settings.adversary, settings.colluding)
    return f"ε holds against {whom}. Each site is relied on to add its noise and to keep it secret."


def _value(parts):
    right = 50 + 50 * float(attack_risk.advantage(parts.mu))
    return (
        f"{text.epsilon_text(parts.question, parts.answers[parts.scheme])} for one record: whoever it holds against is "
        f"right in {hundred_text(right)} of 100 guesses between two candidates, where chance is right in 50."
    )


def _variant(parts):
    delta, mu = parts.question.settings.delta, parts.mu
    other = delta / 1000
    return (
        f"Gaussian noise, {equals('μ', mu)}: its guarantee cannot fail altogether. {equals('δ', delta)} only converts μ "
        f"into ε; at {equals('δ', other)} the same release has {equals('ε', gdp_epsilon(other, mu))}."
    )


def _others(parts):
    marked = (
        "Numbers marked † are such releases, without noise: do not publish them. "
        if parts.from_records
        else ""
    )
    year = "The releases of a year, listed above, read the same records. " if parts.year else ""
    listed = "What is listed above as not private is shown on the page." if parts.not_private else ""
    return f"{year}{marked}{listed}".strip() or "None by this plan."


def _implementation(parts):
    return (
        f"CAPE Lab {parts.version} computes noise and accounting with code of its own, tested against brute force and "
        "other libraries. It is a laboratory: release real answers with a hardened library."
    )


def _bias(parts):
    return (
        "The noise has mean zero. Values outside their bounds are clipped, which may shift the result. "
        f"{_gaps(parts)}The error is the same for large and small groups, so it weighs more in small ones."
    )


def _gaps(parts):
    if parts.question.released is not None:
        return f"{parts.question.released.gaps} ".lstrip()
    used = parts.own.description.used if parts.own is not None and parts.own.boxed else ()
    marked = [column for column in used if column.missing == "mark" and column.name in parts.columns]
    return (
        "A missing value that is marked counts as a public constant, which may shift it, too. "
        if marked
        else ""
    )


def _side_channels(parts):
    if parts.scheme == "secure":
        return "Sites draw and add whole numbers, as masks need. Times are not hidden."
    return f"{FLOATS} Times are not hidden."


def _access(parts):
    where = "leave the sites for one curator" if named(parts.scheme).curator else "stay at their sites"
    return f"The records {where}. Who may read them, and for how long, is for each site to say."


def _collected(parts):
    read = parts.columns
    if not read:
        return f"The release reads {parts.question.title}."
    named_columns = f": {', '.join(read)}" if len(read) <= _FEW else ""
    return f"The release reads {count_text(len(read), 'column')}{named_columns}. {_rows(parts)}"


def _rows(parts):
    """Which further columns decide what counts as a record: a gap in any ticked one leaves its row out."""
    used = parts.own.description.used if parts.own.boxed else ()
    others = [shown(one.name) for one in used if one.name not in parts.columns and one.missing != "mark"]
    if not others:
        return "Sites need no others for it."
    named = ", ".join(others) if len(others) <= _FEW else count_text(len(others), "other column")
    return (
        f"Rows with a gap in {named} were left out, too: a site that does not leave them out has another number of records. "
        "To release from all rows, tick only the columns that are released."
    )
