"""The play of a run in which the last site drops out, in either order of sum and messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.privacy import gdp_epsilon
from core.schemes import named
from dashboard.guarantee.guarantee import views
from dashboard.pages.learn.protocol.dropout import PLANNED, SCHEME, Dropout
from dashboard.pages.learn.protocol.model import ProtocolPlan
from dashboard.pages.learn.protocol.text import learnt
from dashboard.problems.protocol import WHOLE
from dashboard.state.number_text import number_text


def without_last(told: dict[str, Any], plan: ProtocolPlan, found: Dropout) -> dict[str, Any]:
    """What changes in the play: numbers of the sites that send, and what it says of them.

    Parameters
    ----------
    told : dict
        The play of the same run if all send.
    plan : ProtocolPlan
    found : Dropout

    Returns
    -------
    dict
        As of `dashboard.problems.protocol.played`, with `order`. The true average is that of the sites that send, so
        that the error of the average is noise alone. Further runs are none: the dropout is of the first.
    """
    run, sites = plan.run, len(plan.run.values)
    order = "before" if found.after is None else plan.order
    late = order == "after"
    blue, yellow = (found.masked, found.late) if late else (run.zero_sum, run.local)
    error, std = found.after if late else found.before  # type: ignore[misc]
    truth = float(run.values[:-1].mean())
    who = told["names"][-1] if told["names"][-1] != str(sites) else f"Site {sites}"
    says = _after if late else _before
    return {
        "order": order,
        "truth": truth,
        "zero_sum": np.asarray(blue).tolist(),
        "local": np.asarray(yellow).tolist(),
        "messages": (run.values + blue + yellow).tolist(),
        "average": truth + error,
        "conventional": float(run.conventional_messages[:-1].mean()),
        "bands": {"cape": std, "conventional": run.conventional_std * (sites / (sites - 1)) ** 0.5},
        "further": {scheme: [] for scheme in told["further"]},
        "most": 0,
        "captions": says(told["captions"], found, who=who, left=sites - 1, blue=run.share > 0),
        "rival": "Now without CAPE (*orange*): *none of the noise is made to cancel*.",
        **({"share": WHOLE, "lane": named(SCHEME).label, "learns": _learns(plan)} if late else {}),
    }


def _learns(plan):
    """What the aggregator learns of all messages and the sum over those that sent."""
    terms = tuple((dict(plan.against) | PLANNED).items())
    _, mu, _ = views(SCHEME, plan.privacy, colluding=0, **plan.law | {"terms": terms})
    return learnt(aggregator=gdp_epsilon(plan.settings.delta, mu), target=plan.settings.epsilon)


def _before(captions, found, *, who, left, blue):
    """As published: the sum is agreed on by all, and the blue noise of the others no longer cancels."""
    what = (
        f"The blue noise of the other {left} *no longer sums to zero*."
        if blue
        else "*No noise was to cancel.*"
    )
    stays = "The blue noise *stays*, and so does the yellow one" if blue else "The yellow noise *stays*"
    other = (
        f" With the sum after the messages it is {_times(found, found.after)} times." if found.after else ""
    )
    return [
        *captions[:3],
        f"*{who} drops out* and sends nothing. {what}",
        f"The aggregator averages the other {left} messages. {stays}, divided by {left}.",
        f"*Without {who} the standard deviation is {_times(found, found.before)} times* that of CAPE if all send.{other}",
    ]


def _after(captions, found, *, who, left, blue):
    """The sum is revealed over the sites that sent, and takes all their blue noise off."""
    return [
        captions[0],
        "Each draws *blue noise of its own*. Its running sum wanders, and it *does not return to 0*.",
        "Each adds a little *yellow noise*, too. Nothing will take it off: *it stays*.",
        f"*{who} drops out* and sends nothing. The others send a message and, *masked, the blue noise* in it.",
        f"The secure sum reveals the blue noise of these {left} *as one number*. The aggregator takes it off: *it cancels*.",
        f"*Without {who} the standard deviation is {_times(found, found.after)} times* that of CAPE if all send. As "
        f"published it is {_times(found, found.before)} times.",
    ]


def _times(found, row):
    return number_text(row[1] / found.all_send[1])
