"""The picture, the message table and the cost of the Secure sum page, updated in place."""

from __future__ import annotations

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.models import ColumnDataSource, Span

from core.secure_sum import ROUNDS, traffic
from dashboard.components.layout import FULL, WRAP, LiveText, bokeh_pane, grid
from dashboard.components.live_picture import LivePicture, faces
from dashboard.pages.trust.secure_sum import exchange
from dashboard.pages.trust.secure_sum.model import CLIP, STEPS
from dashboard.plotting.figure import folding_legend, house_figure
from dashboard.state.number_text import number_text
from dashboard.theme import colours, css
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import LOOKS, QUIET, ink

_NUMBERS = (
    "var(--mui-palette-text-secondary, currentColor)"  # In no colour that means a kind of noise elsewhere.
)
SHEET = (
    f":host, .secure {{ --value: {_NUMBERS}; --sent: {colours.AGGREGATOR}; --bad: {colours.COLLUDERS}; "
    f"--mask: {LOOKS['secure'].colour} }}" + faces.SHEET + beside(__file__, "exchange.css")
)

MOST_SITES, MOST_ENTRIES = 50, 10_000
MOST_ROWS = 12
_SAYS = {
    "keys": "Every site sends two public keys.",
    "shares": "Every site splits its two secrets into shares and sends one share of each, encrypted, to every other site. "
    "The aggregator forwards the shares and cannot decrypt them.",
    "input": "Every site sends its masked value, which is indistinguishable from random 64-bit numbers.",
    "unmask": "The aggregator announces whose input arrived. "
    "Every site sends its shares of those sites' own masks, and of the lost sites' mask keys.",
}


class SecureSumFigures:
    """The values and the masked inputs, the content of every message, and the cost.

    Parameters
    ----------
    chosen : callable
        Called with a name and a number for a press in the picture.
    """

    def __init__(self, model, chosen):
        self._by_sites = _cost_figure("sites S", "Bytes against the number of sites", x_log=False)
        self._by_entries = _cost_figure(
            "numbers in each value d", "Bytes against the length of a value", x_log=True
        )
        self._messages = LiveText(css.FINE)
        self.figures = self._by_sites[0], self._by_entries[0]
        self._picture, self.plays = None, 0
        self.drawn = LivePicture(sheet=SHEET, chosen=chosen)
        self.below = pn.Column(
            _steps(model),
            self._messages.pane,
            grid(bokeh_pane(self._by_sites[0]), bokeh_pane(self._by_entries[0]), least=360),
            visible=False,
            **FULL,
        )

    def wait(self, plan) -> None:
        """Show the sites before the first run."""
        self.drawn.picture = exchange.waiting(plan)

    def stop(self, plan, found) -> None:
        """Show that the run of a plan failed."""
        self._picture = None
        self.below.visible = False  # It shows an earlier run.
        self.drawn.picture = exchange.stopped(plan, found)

    def draw(self, picture) -> None:
        """Draw one picture."""
        self.below.visible = self.plays > 0  # Before Play it would tell the end.
        self._picture = picture
        self.drawn.picture = exchange.markup(picture, plays=self.plays)
        self._messages.show(_message_table(picture))
        self._draw_cost(picture)

    def play(self) -> bool:
        """Let the run begin anew with the next drawing; False where it is not there yet."""
        self.plays += 1
        return self._picture is not None

    def _draw_cost(self, picture):
        plan = picture.plan
        measured = [picture.run.traffic(0)[1], picture.run.traffic(None)[1]]
        counts = np.arange(2, MOST_SITES + 1)
        sizes = np.unique(np.geomspace(1, MOST_ENTRIES, 60).astype(int))
        for (_, lines, dots, here), xs, x, cost in (
            (self._by_sites, counts, plan.sites, lambda n: traffic(int(n), plan.entries)),
            (self._by_entries, sizes, plan.entries, lambda n: traffic(plan.sites, int(n))),
        ):
            both = np.array([cost(n) for n in xs])
            lines.data = {"x": xs, "site": both[:, 0], "aggregator": both[:, 1]}
            dots.data = {"x": [x], "site": measured[:1], "aggregator": measured[1:]}
            here.location = x


def _cost_figure(x_label, title, *, x_log):
    plot = house_figure(x_label, "bytes", x_log=x_log, y_log=True, height=300, title=title)
    lines = ColumnDataSource({"x": [], "site": [], "aggregator": []})
    dots = ColumnDataSource({"x": [], "site": [], "aggregator": []})
    site = plot.line("x", "site", source=lines, color=colours.ONE_SITE, line_width=3)
    aggregator = plot.line("x", "aggregator", source=lines, color=colours.AGGREGATOR, line_width=3)
    dot = {"source": dots, "size": 10, "line_color": "white"}
    plot.scatter("x", "site", color=colours.ONE_SITE, **dot)
    run = plot.scatter("x", "aggregator", color=colours.AGGREGATOR, **dot)
    soft = ink(dark=False, quiet=True)
    here = Span(dimension="height", line_color=soft, line_dash="dotted", tags=[QUIET])
    plot.add_layout(here)
    folding_legend(plot, [("a site", [site]), ("aggregator", [aggregator]), ("this run", [run])])
    return plot, lines, dots, here


def _steps(model):
    names = {value: name for name, value in STEPS.items()}
    buttons = pmui.RadioButtonGroup(
        options=list(STEPS),
        value=names[model.step],
        size="small",
        label="Show up to",
        sx=WRAP,
        margin=(12, 0, 4, 0),
    )
    buttons.param.watch(lambda event: setattr(model, "step", STEPS[event.new]), "value")
    model.param.watch(lambda event: setattr(buttons, "value", names[event.new]), "step")
    return buttons


def _message_table(picture):
    """HTML table of what the aggregator received from every site in each round of this run."""
    plan = picture.plan
    shown = ROUNDS[: plan.step]
    told = {(m.sender, m.round): m for m in picture.run.aggregator_view}
    heads = "".join(f"<th scope='col'>{name}</th>" for name in shown)
    rows = "".join(
        f"<tr><th scope='row'>site {s + 1}</th>"
        + "".join(f"<td>{_said(told.get((s, name)), picture)}</td>" for name in shown)
        + "</tr>"
        for s in _rows(plan)
    )
    more = (
        f"<p>The table shows the first and the last of {plan.sites} sites.</p>"
        if plan.sites > MOST_ROWS
        else ""
    )
    return (
        f"<p><b>{plan.step}. {shown[-1].capitalize()}.</b> {_SAYS[shown[-1]]}</p>"
        f"<div class='scroll'><table><thead><tr><th></th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{more}"
        f"<p>{_rounding(picture)}</p>"
    )


def _rounding(picture):
    """How far the sum is from the true one, in a sentence."""
    plan, run = picture.plan, picture.run
    true = plan.values.clip(-CLIP, CLIP)[list(run.included)].sum(axis=0)
    error = float(np.abs(run.total - true).max())
    return f"Rounding puts the sum off by {number_text(error)}; the bound is {number_text(run.error_bound)}."


def _rows(plan):
    if plan.sites <= MOST_ROWS:
        return range(plan.sites)
    return [*range(MOST_ROWS // 2), *range(plan.sites - MOST_ROWS // 2, plan.sites)]


def _said(message, picture):
    """The first characters of a message's content, and its size."""
    if message is None:
        return "silent"
    content = message.content
    if message.round == "keys":
        return f"<code>{content[message.sender][1].hex()[:10]}…</code> {_size(message)}"
    if message.round == "shares":
        sealed = next(iter(content.values()))
        return f"<code>{sealed.hex()[:10]}…</code> × {len(content)} {_size(message)}"
    if message.round == "input":
        return f"<code>{int(content[message.sender][0]):016x}</code> … {_size(message)}"
    lost = sorted(set(content) - set(picture.run.included))
    names = ", ".join(str(s + 1) for s in lost)
    own = f"{len(content) - len(lost)} own masks"
    return (own + (f", key of {names}" if lost else "")) + f" {_size(message)}"


def _size(message):
    size = message.size
    return f"({size} B)" if size < 10_000 else f"({number_text(size / 1e3)} kB)"
