"""What an opened receipt says, as HTML; everything in it is foreign text and is escaped."""

from __future__ import annotations

import html

from core.desk.released import Released, Year
from core.desk.result import Row, std_of
from core.privacy import gdp_delta, gdp_epsilon
from dashboard.state.html_text import listed
from dashboard.state.number_text import at_most_text, count_text, number_text, target_text

_WITHIN = 1.959963984540054  # Of a standard deviation: 95 %.
_MOST_ROWS = 60
_FEW = 3
_OBSERVERS = {"message": "one message", "aggregator": "the aggregator", "colluders": "colluding sites"}


def words(found: Released) -> str:
    """The headline, what was planned, numbers with their intervals, who took part, and what the year has spent."""
    parts = f"<p>{_promise(found)} {_parties(found)}</p>{_numbers(found)}{_years(found)}{_LIMITS}"
    return f"<p><b>{_headline(found)}</b></p>{parts}"


def problem(error: Exception) -> str:
    """Why a file is no receipt."""
    return (
        f"<div class='notice error' role='alert'>This is no receipt: {html.escape(str(error)[:400])}.</div>"
    )


_LIMITS = (
    "<p>The receipt proves who signed which average under which plan. It does not prove that the aggregator added up "
    "rightly: whoever holds the letters computes the average anew, by <code>cape-lab verify RECEIPT --keys PLAN --letters "
    "DIR</code>. "
    "The numbers of this app's own pages are no release.</p>"
)


def _headline(found):
    sites = len(found.plan.sites) - len(found.dropped)
    rows = found.rows
    if len(rows) == 1 and not rows[0].labels and rows[0].std is not None:
        row = rows[0]
        what = f"{html.escape(row.name)} {number_text(float(row.values[0]), digits=4)} ± "
        what += f"{number_text(_WITHIN * row.std)} {html.escape(row.unit)}".rstrip()
    else:
        what = html.escape(found.plan.statistic.name)
        if rows:
            what += " of " + listed([html.escape(c.name) for c in found.plan.columns[:8]])
    signed = f"signed by {len(found.signed)} of {len(found.signed) + len(found.silent)} parties"
    return f"{count_text(sites, 'site')} released: {what}, {signed}."


def _numbers(found):
    if not found.rows:
        return ""
    planned = _planned(found)
    body = "".join(_lines(row, planned) for row in found.rows[:_MOST_ROWS])
    return (
        "<table><thead><tr><th>Column</th><th>Released</th><th>Interval, 95&nbsp;% of the noise</th>"
        f"<th>Planned noise, at most</th></tr></thead><tbody>{body}</tbody></table>{_entries(found, planned)}"
    )


def _entries(found, planned):
    """Of rows that are computed from a moment: the noise of what was released itself."""
    if all(row.std is not None for row in found.rows):
        return ""
    noise = _WITHIN * std_of(found.plan, found.dropped)
    return (
        f"<p>Each entry of the released moment has noise of ± {number_text(noise)} (95&nbsp;%), planned was ± "
        f"{number_text(noise * planned)} at most. What has no interval here does not follow its entries in proportion.</p>"
    )


def _promise(found):
    """The planned guarantee of every record."""
    targets = sorted(
        {site.privacy for site in found.plan.sites if site.privacy is not None}, key=lambda one: one.epsilon
    )
    told = listed([target_text(one) for one in targets[:_FEW]]) or "no privacy"
    against = "the aggregator"
    if found.plan.colluding:
        against += f" and {count_text(found.plan.colluding, 'colluding site')}"
    return f"Planned: {told} for one record, against {against}."


def _planned(found):
    """How the planned noise compares with what was released: the largest over the sites that may drop out, as a factor."""
    silence = found.plan.planned_silence().silent if found.plan.dropouts else ()
    names = [found.plan.sites[n].name for n in silence]
    return max(std_of(found.plan, names), std_of(found.plan)) / std_of(found.plan, found.dropped)


def _lines(row: Row, planned: float) -> str:
    lines = []
    for label, value in zip(row.labels or ("",), row.values[:_MOST_ROWS], strict=False):
        name = html.escape(f"{row.name}, {label}" if label else row.name)
        unit = html.escape(row.unit)
        noise = "" if row.std is None else _interval(float(value), _WITHIN * row.std)
        aim = "" if row.std is None else f"± {number_text(_WITHIN * row.std * planned)}"
        shown = f"{number_text(float(value), digits=4)} {unit}".rstrip()
        lines.append(f"<tr><td>{name}</td><td>{shown}</td><td>{noise}</td><td>{aim}</td></tr>")
    return "".join(lines)


def _interval(value, half):
    ends = (number_text(end, digits=4) for end in (value - half, value + half))
    return f"{' to '.join(ends)} (± {number_text(half)})"


def _parties(found):
    gone = listed([html.escape(name) for name in found.dropped]) if found.dropped else "no site"
    said = f"Dropped out: {gone}; {count_text(found.plan.dropouts, 'site')} may drop out by the plan."
    late = [name for name in found.silent if name not in found.dropped]
    if late:
        said += f" {listed([html.escape(name) for name in late])} took part and did not sign."
    return f"{said} Plan {found.plan.id[:16]}, run {html.escape(found.plan.run)}."


def _years(found):
    if not found.years:
        return "<p>No ledger is told: no site has signed what its year has spent.</p>"
    body = "".join(map(_year, found.years))
    return (
        "<table><thead><tr><th>Site</th><th>Year</th><th>Spent: ε, at the ceiling's δ</th><th>Ceiling ε</th><th>Ledger</th>"
        f"</tr></thead><tbody>{body}</tbody></table>"
    )


def _year(year: Year) -> str:
    if not 0 < year.delta < 1:
        spent = "not told"
    elif year.spent == 0 or float(gdp_delta(0.0, year.spent)) <= year.delta:
        spent = "0"
    else:
        spent = at_most_text(float(gdp_epsilon(year.delta, year.spent)))
    ceiling = f"{number_text(year.epsilon)} against {_OBSERVERS.get(year.observer, 'nobody')}"
    cells = html.escape(year.site), year.year, spent, ceiling, f"line {year.line}"
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
