"""What every party saw: the content of every message to the aggregator, and what it comes to for each."""

from __future__ import annotations

import numpy as np

from core.secure_sum import AGGREGATOR, ROUNDS
from dashboard.packs.trust.secure_sum.model import CLIP, Done
from dashboard.state.number_text import count_text, number_text

MOST_ROWS = 12
_SAYS = {
    "keys": "Every site sends two public keys.",
    "shares": "Every site splits its two secrets into shares and sends one share of each, encrypted, to every other site. "
    "The aggregator forwards the shares and cannot decrypt them.",
    "input": "Every site sends its masked value, which is indistinguishable from random 64-bit numbers.",
    "unmask": "The aggregator announces whose input arrived. "
    "Every site sends its shares of those sites' own masks, and of the lost sites' mask keys.",
}


def parties(found: Done) -> str:
    """What each party saw, in words, and how much it sent and received."""
    run, plan = found.run, found.plan
    shares = count_text(len(found.partners) - 1, "share")
    seen = {
        "A site": (
            f"its own number, all public keys, {shares}; fewer than {plan.threshold} of one secret reveal nothing.",
            0,
        ),
        "The aggregator": (
            f"{count_text(len(found.inputs), 'masked number')}, then the <b>sum of {len(run.included)}</b>.",
            AGGREGATOR,
        ),
    }
    rows = "".join(
        f"<dt>{who}</dt><dd>{what}{_traffic(run, party)}</dd>" for who, (what, party) in seen.items()
    )
    together = (
        f"<dt>The aggregator and {count_text(found.safe - 1, 'colluding site')}</dt><dd>the sum of the others' numbers.</dd>"
        if found.safe > 1
        else "<dt>The aggregator and a colluding site</dt><dd>more than the sum.</dd>"
    )
    return (
        f"<section class='card'><h2>What each party saw</h2><dl class='seen'>{rows}{together}</dl></section>"
    )


def _traffic(run, party):
    number, size = run.traffic(party)
    return f" <small>{count_text(number, 'message')}, {number_text(size / 1e3)} kB</small>"


def messages(found: Done, step: int) -> str:
    """What the aggregator received from every site in each round of this run, up to one."""
    plan = found.plan
    shown = ROUNDS[:step]
    told = {(m.sender, m.round): m for m in found.run.aggregator_view}
    heads = "".join(f"<th scope='col'>{name}</th>" for name in shown)
    rows = "".join(
        f"<tr><th scope='row'>site {s + 1}</th>"
        + "".join(f"<td>{_said(told.get((s, name)), found)}</td>" for name in shown)
        + "</tr>"
        for s in _rows(plan)
    )
    more = (
        f"<p>The table shows the first and the last of {plan.sites} sites.</p>"
        if plan.sites > MOST_ROWS
        else ""
    )
    return (
        "<section class='card'><h2>What the aggregator received <small>round by round</small></h2>"
        f"<p><b>{step}. {shown[-1].capitalize()}.</b> {_SAYS[shown[-1]]}</p>"
        f"<div class='scroll'><table><thead><tr><th></th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{more}"
        f"<p>{_rounding(found)}</p></section>"
    )


def _rounding(found):
    """How far the sum is from the true one, in a sentence."""
    plan, run = found.plan, found.run
    true = plan.values.clip(-CLIP, CLIP)[list(run.included)].sum(axis=0)
    error = float(np.abs(run.total - true).max())
    return f"Rounding puts the sum off by {number_text(error)}; the bound is {number_text(run.error_bound)}."


def _rows(plan):
    if plan.sites <= MOST_ROWS:
        return range(plan.sites)
    return [*range(MOST_ROWS // 2), *range(plan.sites - MOST_ROWS // 2, plan.sites)]


def _said(message, found):
    """The first characters of a message's content, and its size."""
    if message is None:
        return "nothing"
    content = message.content
    if message.round == "keys":
        return f"<code>{content[message.sender][1].hex()[:10]}…</code> {_size(message)}"
    if message.round == "shares":
        sealed = next(iter(content.values()))
        return f"<code>{sealed.hex()[:10]}…</code> × {len(content)} {_size(message)}"
    if message.round == "input":
        return f"<code>{int(content[message.sender][0]):016x}</code> … {_size(message)}"
    lost = sorted(set(content) - set(found.run.included))
    names = ", ".join(str(s + 1) for s in lost)
    own = f"{len(content) - len(lost)} own masks"
    return (own + (f", key of {names}" if lost else "")) + f" {_size(message)}"


def _size(message):
    size = message.size
    return f"({size} B)" if size < 10_000 else f"({number_text(size / 1e3)} kB)"
