"""Two orders of message and sum, round by round: who sends what, and what a site that drops out leaves in the average."""

from __future__ import annotations

from functools import lru_cache

from core.schemes import most_dropouts, noise_factor
from core.secure_sum import ROUNDS
from dashboard.packs.trust.secure_sum.model import Plan
from dashboard.state.number_text import count_text

ORDERS = {"cape-best": "sum, then messages: as published", "cape-after": "messages, then sum"}
_HEADS = "".join(f"<th scope='col'>{name[0].upper()}{name[1:]}</th>" for name in ORDERS.values())


def orders(plan: Plan) -> str:
    """The rounds of both orders in which CAPE can use the sum, with as many sites as take part at this plan."""
    rounds = "".join(
        f"<tr><th scope='row'>{number}</th><td>{first}</td><td>{second}</td></tr>"
        for number, first, second in _rounds(plan)
    )
    return (
        "<section class='card orders'><h2>In which order? <small>round by round</small></h2>"
        f"<div class='scroll'><table><thead><tr><th></th>{_HEADS}</tr></thead><tbody>{rounds}</tbody></table></div>"
        f"<p>{_cost(plan)}</p><p>{_CHARGED}</p></section>"
    )


def _rounds(plan):
    """Rows of a number and what happens in each order."""
    left = plan.sites - plan.lost
    keys, shares, summed = (_senders(plan, name) for name in ROUNDS[:3])
    sends = "1 site sends its" if summed == 1 else f"{summed} sites send their"
    opened = f"{_help(left)} to open the sum of {count_text(summed, 'random number')}"
    first, second = left >= plan.threshold, plan.lost <= most_dropouts("cape-after", plan.sites)
    yield 1, f"public keys of {count_text(keys, 'site')}", "the same"
    yield 2, f"sealed shares of {count_text(shares, 'site')}", "the same"
    yield (
        3,
        f"{sends} random number, masked",
        f"{sends} <b>message, and the random number, masked, in one packet</b>",
    )
    yield (
        4,
        opened if first else _TOO_FEW,
        f"{opened}, <b>of those whose packet came</b>" if second else _TOO_FEW,
    )
    yield 5, f"{count_text(left, 'message')}, less 1/{summed} of the sum each" if first else "—", "—"
    yield (
        "average",
        f"of {count_text(left, 'message')}: {_left(summed - left)}" if first else "—",
        f"of {count_text(summed, 'message')}, less the sum: nothing else stays" if second else "—",
    )


def _senders(plan, name):
    """How many sites send something in a round of the sum."""
    gone = plan.lost and ROUNDS.index(plan.round) <= ROUNDS.index(name)
    return plan.sites - gone * plan.lost


def _help(left):
    return "1 site helps" if left == 1 else f"{left} sites help"


def _left(lost):
    """What the published order leaves in the average."""
    if not lost:
        return "the random numbers cancel"
    return f"<b>{count_text(lost, 'random number')} {'stays' if lost == 1 else 'stay'}</b>, whose messages never came"


def _cost(plan):
    """What each order costs in the average when as many sites as here drop out; one if none does."""
    lost, most = max(plan.lost, 1), most_dropouts("cape-after", plan.sites)
    if lost > most:
        allowed = "no site" if most == 0 else f"at most {count_text(most, 'site')}"
        return (
            f"With the sum after the messages {allowed} of {plan.sites} may drop out: more than half must answer. Else two "
            "sums of one run could be opened, and their difference is a site's random number."
        )
    first, second = (f"{times(name, plan.sites, lost):.2f}" for name in ORDERS)
    drop = "drops" if lost == 1 else "drop"
    return (
        f"If {count_text(lost, 'site')} of {plan.sites} {drop} out once the noise is agreed, and it is planned for that "
        f"against the aggregator, the average has <b>{first} times</b> a trusted curator's noise variance with the sum "
        f"before the messages, and <b>{second} times</b> with the sum after them."
    )


@lru_cache(maxsize=256)
def times(scheme: str, sites: int, lost: int) -> float:
    """Noise variance of the average over one curator's when so many sites drop out, planned for as many."""
    return noise_factor(scheme, sites, against="aggregator", dropouts=lost, dropped=lost) ** 2


_TOO_FEW = "too few: no sum is opened"
_CHARGED = (
    "A run opens one sum: a site answers for one set of sites, and only if it is in it. A site cannot know whether the sum "
    "was opened. So the whole privacy cost of the run counts when its packet leaves."
)
