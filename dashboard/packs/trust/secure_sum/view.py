"""What the page Secure sum shows, as a pure function of its plan and of the run."""

from __future__ import annotations

import math
from functools import lru_cache

from core.secure_sum import AGGREGATOR, traffic
from dashboard.guarantee.guarantee import Guarantee
from dashboard.packs.trust.secure_sum.exchange import SUM, exchange, fixed
from dashboard.packs.trust.secure_sum.messages import messages, parties
from dashboard.packs.trust.secure_sum.model import Done, Plan, Stopped
from dashboard.packs.trust.secure_sum.orders import orders
from dashboard.plotting.chart import Chart, Line, Points, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.state import packs
from dashboard.state.html_text import paragraph, plain, rest
from dashboard.state.number_text import count_text, number_text
from dashboard.theme import colours

MOST_SITES, MOST_ENTRIES = 50, 10_000
_POINTS = 60
_SILENT = {
    "keys": "before sending any keys",
    "shares": "before sharing any secrets",
    "input": "before sending an input",
    "unmask": "after sending an input",
}
_DID = {
    "keys": "sent their keys",
    "shares": "sent the shares of their keys",
    "input": "sent their masked number",
    "unmask": "helped to remove the masks",
}
_ALONE = rest(
    "Why not add up the sites' results like this, without CAPE? Their exact sum can reveal a patient, so it needs noise "
    "anyway. Cryptography alone would hide each result. CAPE adds up noise alone, before any result is sent: each result "
    "then has enough noise of its own for whoever sees it alone.",
    *packs.links("secure_sum"),
)
_NOTHING = "<section class='card'><h2>{}</h2><p>{}</p></section>"


def view(plan: Plan, shown: Shown) -> View:
    """The exchange and what each party saw, every message, and the cost; of the latest run while another is under way."""
    found: Done | Stopped | None = next(iter(shown.results.standing.values()), None)
    done = found if isinstance(found, Done) else None
    whole = plan if found is None else found.plan
    if done is not None:
        seen = {"parties": parties(done), "messages": messages(done, plan.step)}
    else:
        why = "computing …" if found is None else "No sum was obtained, and nothing was revealed."
        titles = {"parties": "What each party saw", "messages": "What the aggregator received"}
        seen = {place: _NOTHING.format(title, why) for place, title in titles.items()}
    return View(
        headline=_headline(found),
        sections={"exchange": exchange(whole, found, plays=shown.plays), **seen, "orders": orders(whole)},
        charts={"sites": _by_sites(whole, done, shown), "entries": _by_entries(whole, done)},
        words=_ALONE if done is None else _words(done) + _ALONE,
        guarantee=None if done is None else _guarantee(done),
        table=_table(done),
    )


def _headline(found):
    """What the aggregator learns."""
    if found is None:
        return "Every site hides its random number under masks and sends it to an aggregator: computing …"
    if isinstance(found, Stopped):
        return f"<b>The protocol stopped</b>: {plain(_why(found.why))}."
    plan, included, total = found.plan, len(found.run.included), float(found.run.total[0])
    first = f" in the first of {plan.entries} places" if plan.entries > 1 else ""
    least = f"fewer than {found.safe} sites collude" if found.safe > 1 else "no site colludes"
    return (
        f"The aggregator learns <b>the sum of {included} random numbers, {fixed(total, SUM)}</b>{first}, and nothing else "
        f"while {least}."
    )


def _why(reason):
    """Why the protocol stopped, with what a round is for instead of its name."""
    for name, did in _DID.items():
        reason = reason.replace(f"answered in round {name!r}", did)
    return reason


def _words(done):
    plan = done.plan
    lost = ""
    if plan.lost:
        drop, be = ("drops", "is") if plan.lost == 1 else ("drop", "are")
        lost = (
            f" {count_text(plan.lost, 'site')} {drop} out {_SILENT[plan.round]} and {be} "
            f"{'still' if plan.round == 'unmask' else 'not'} in the sum."
        )
    return paragraph(
        f"Each single input looks random to the aggregator.{lost} "
        f"A share is a part of a site's secret key. Another site holds it; any {plan.threshold} shares restore the key."
    )


def _guarantee(done):
    who = f"Fewer than {done.safe} colluding sites, even with the aggregator, learn"
    if done.safe < 2:
        who = "While no site colludes, the aggregator learns"
    return Guarantee(
        sentence=f"{who} nothing of the others' values but their sum, as long as all follow the protocol and its "
        "cryptography holds.",
        unit="a site's whole value. The protection is computational and not an (ε, δ) guarantee: the sum itself is "
        "public, and harmless only because it is noise",
        not_private=(
            "this figure: it shows values that nobody sees in the protocol",
            "the keys of this page, which come from a seed; real use takes them from the operating system",
        ),
    )


def _by_sites(plan, done, shown):
    scale = Scale("sites S", (2, MOST_SITES))
    return _cost(
        scale, _along_sites(plan.entries), plan.sites, done, "Bytes against the number of sites", shown.pins
    )


def _by_entries(plan, done):
    scale = Scale("numbers in each value d", (1, MOST_ENTRIES), log=True)
    return _cost(scale, _along_entries(plan.sites), plan.entries, done, "Bytes against the length of a value")


@lru_cache(maxsize=64)
def _along_sites(entries):
    counts = tuple(range(2, MOST_SITES + 1))
    return counts, *zip(*(traffic(n, entries) for n in counts), strict=True)


@lru_cache(maxsize=64)
def _along_entries(sites):
    sizes = sorted({int(MOST_ENTRIES ** (k / (_POINTS - 1))) for k in range(_POINTS)})
    return tuple(sizes), *zip(*(traffic(sites, n) for n in sizes), strict=True)


def _cost(scale, curves, here, done, title, pins=()):
    """Bytes that nobody's dropping out would cost, as curves, and those of this run, as points."""
    x, *both = curves
    names = {"a site": colours.ONE_SITE, "aggregator": colours.AGGREGATOR}
    measured = [] if done is None else [done.run.traffic(party)[1] for party in (0, AGGREGATOR)]
    values = [f"{number_text(size / 1e3)} kB" for size in measured] or ["", ""]
    lines = [
        Line(name, x, y, colour, width=3, value=value)
        for (name, colour), y, value in zip(names.items(), both, values, strict=True)
    ]
    points = [
        Points("this run", [here], [size], colour, size=10)
        for size, colour in zip(measured, names.values(), strict=False)
    ]
    every = [*both[0], *both[1], *measured]
    ends = (min(every) / 1.5, max(every) * 1.5)
    return Chart(
        scale,
        Scale("bytes", ends, log=True),
        title=title,
        lines=(*pins, *lines),
        points=tuple(points),
        rules=(here,),
    )


def _table(done):
    """One row a site; the input as it arrived is a share of 2⁶⁴."""
    if done is None:
        return {"site": (), "value": (), "received": (), "bytes": ()}
    sites = range(done.plan.sites)
    return {
        "site": [s + 1 for s in sites],
        "value": done.plan.values[:, 0].tolist(),
        "received": [float(done.inputs[s]) / 2.0**64 if s in done.inputs else math.nan for s in sites],
        "bytes": [done.run.traffic(s)[1] for s in sites],
    }
