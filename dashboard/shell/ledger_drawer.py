"""The drawer that shows the session's ledger."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable

import panel as pn
import panel_material_ui as pmui

from dashboard.components.layout import LiveText
from dashboard.shell.deferred import Deferred
from dashboard.state.controls import Controls
from dashboard.state.ledger import VIEWS, Entry, Ledger
from dashboard.state.number_text import at_most_text, count_text, equals, number_text
from dashboard.theme import css
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import label

MOST_ROWS = 60
_SHEET = css.FINE + beside(__file__, "ledger_drawer.css")
_HEADINGS = {"public": "who sees the results", "aggregator": "who sees all messages"}


class LedgerDrawer:
    """The ledger as sentences and tables; the text is updated only while the drawer is open.

    Parameters
    ----------
    names : callable
        Returns the pages that release nothing: title to reason.

    Attributes
    ----------
    layout : viewable
        The drawer, for the frame.
    """

    def __init__(self, ledger: Ledger, controls: Controls, *, names: Callable[[], dict[str, str]]):
        self._ledger, self._controls, self._names = ledger, controls, names
        self._text = LiveText(_SHEET)
        close = pmui.IconButton(icon="close", description="Close the ledger", size="small", margin=0)
        close.on_click(lambda event: setattr(self.layout, "open", False))
        reset = pmui.Button(
            label="Reset: a new session",
            icon="restart_alt",
            variant="outlined",
            size="small",
            margin=(16, 0, 0, 0),
        )
        reset.on_click(lambda event: ledger.reset())
        title = pn.pane.HTML("<h1>Ledger</h1>", stylesheets=[css.HEAD], margin=0)
        self.layout = pmui.Drawer(
            pn.Column(
                pn.Row(title, pn.HSpacer(), close, sizing_mode="stretch_width", margin=0),
                self._text.pane,
                reset,
                sizing_mode="stretch_width",
                margin=(20, 24, 32, 24),
            ),
            anchor="right",
            size=640,
            sx={"maxWidth": "94vw"},
        )
        show = Deferred(self._show, milliseconds=400)
        ledger.param.watch(show, "changes")
        controls.param.watch(show, "delta")

    def open(self) -> None:
        """Show the drawer."""
        self.layout.open = True
        self._show()

    def _show(self):
        if self.layout.open:
            self._text.show(ledger_html(self._ledger, self._controls.delta, self._names()))


def ledger_html(ledger: Ledger, delta: float, nothing: dict[str, str]) -> str:
    """The ledger in HTML; `nothing` maps titles of pages that release nothing to the reason."""
    parts = [_sum(ledger, delta)]
    for data in ledger.data:
        entries = [entry for entry in ledger.entries if entry.drawn.data == data]
        parts += [f"<h2>{html.escape(data)}</h2>", _accounts(ledger, data, delta), _assumed(entries)]
        parts.append(_releases(entries))
    parts.append(_rules(nothing))
    return "".join(parts)


def _sum(ledger, delta):
    data, epsilon = ledger.worst(delta)
    if not data:
        return (
            "<p class='sum'>Nothing was released yet: no picture so far used records with private noise.</p>"
        )
    spent = "no privacy at all" if math.isinf(epsilon) else f"<b>{equals('ε', epsilon)}</b>"
    others = f" (the largest of {count_text(len(ledger.data), 'data set')})" if len(ledger.data) > 1 else ""
    words = "would have" if math.isinf(epsilon) else "would have a total privacy cost of"
    weak = " An ε above about 10 gives almost no protection." if 10 < epsilon < math.inf else ""
    return (
        f"<p class='sum' role='status'>This is a simulation. If these data were private, their records {words} {spent} "
        f"at {equals('δ', delta)}{others}.{weak}</p>"
    )


def _accounts(ledger, data, delta):
    """Composed ε by site and observer."""
    kinds = [("each site", False)]
    if ledger.has_one_site(data):
        kinds = [("site 1", True), ("every other site", False)]
    rows = "".join(
        f"<tr><th scope='row'>a record of {kind}</th>"
        + "".join(f"<td>{_spent(ledger.account(data, view, first_site=first), delta)}</td>" for view in VIEWS)
        + "</tr>"
        for kind, first in kinds
    )
    heads = "".join(f"<th scope='col'>{_HEADINGS[view]}</th>" for view in VIEWS)
    return _table(f"ε at {equals('δ', delta)}", heads, rows)


def _spent(account, delta):
    epsilon = account.epsilon(delta)
    return "no privacy" if math.isinf(epsilon) else at_most_text(epsilon)


def _assumed(entries):
    """What the numbers above count on."""
    found = dict.fromkeys(entry.drawn.assumed for entry in entries if entry.drawn.assumed)
    return "".join(f"<p>{html.escape(sentence)}</p>" for sentence in found)


def _releases(entries: Iterable[Entry]):
    """Table of the draws, the latest first."""
    entries = list(entries)[::-1]
    rows = "".join(_row(entry) for entry in entries[:MOST_ROWS])
    heads = "".join(f"<th scope='col'>{head}</th>" for head in ("", "draws", "cost of one draw", "settings"))
    left = len(entries) - MOST_ROWS
    more = f"<p class='quiet'>and {count_text(left, 'earlier line')}, counted above</p>" if left > 0 else ""
    total = sum(entry.drawn.draws * entry.drawn.releases for entry in entries)
    return f"<details><summary>{number_text(total)} draws</summary>{_table('', heads, rows, lead=False)}{more}</details>"


def _row(entry):
    drawn = entry.drawn
    costs = []
    if math.isinf(drawn.public):
        costs.append("no valid guarantee")
    elif drawn.public:
        costs.append(equals("μ", drawn.public))
        if drawn.curator:
            costs[-1] += ", a curator saw all records"
        elif drawn.aggregator != drawn.public:
            costs[-1] += f"; messages {at_most_text(drawn.aggregator)}"
    if costs and drawn.releases > 1:
        costs[-1] += ", together"
    if drawn.pure:
        costs.append(f"pure {equals('ε', drawn.pure)}")
    return (
        f"<tr><th scope='row'>{html.escape(entry.page)}: {html.escape(label(drawn.method))}</th>"
        f"<td>{number_text(drawn.draws * drawn.releases)}</td><td>{' and '.join(costs)}</td>"
        f"<td>{html.escape(drawn.settings)}</td></tr>"
    )


def _table(corner, heads, rows, *, lead=True):
    first = f"<th>{corner}</th>" if lead else ""
    head = f"<thead><tr>{first}{heads}</tr></thead>"
    return f"<div class='scroll' tabindex='0'><table>{head}<tbody>{rows}</tbody></table></div>"


def _rules(nothing):
    reasons = "".join(
        f"<li><b>{html.escape(title)}</b>: {html.escape(why)}</li>" for title, why in nothing.items()
    )
    return (
        "<details><summary>What is counted, and how costs compose</summary>"
        "<ul><li>Every draw of private noise that a picture shows is a release: each repeat of a sweep, each run of a "
        "histogram. The same settings with the same seed are the same draw, which reveals nothing new.</li>"
        "<li>Settings that you chose after you saw earlier answers are counted as if all had been fixed in advance. "
        "A privacy budget is valid only if it is fixed in advance and not exceeded.</li>"
        "<li>Every new setting is counted as if it drew its own noise. The simulation scales the noise of one seed, so "
        "that pictures can be compared; with real data this would reveal the records.</li>"
        "<li>Gaussian releases compose exactly: μ = √Σ μ². A release of pure ε is counted as the smallest Gaussian one "
        "that is no more private, μ = 2 Φ⁻¹(e<sup>ε</sup>/(1 + e<sup>ε</sup>)), or by Σ ε, whichever bound is "
        "smaller.</li>"
        "<li>The cost of site 1 is higher if the local scheme shows its answer alone. A curator, of pooled data or of "
        "older methods, is trusted and is not an observer here.</li>"
        "<li>A larger or smaller part of one data set counts as the same records.</li>"
        "<li>Not counted, because nothing protects them: non-private answers, all errors that compare with the true "
        "result, and the leak on the page Clusters, which fails by design. If these are shown, "
        "there is no privacy guarantee to account for.</li>"
        "</ul></details>"
        f"<details><summary>Pages that release nothing</summary><ul>{reasons}</ul></details>"
    )
