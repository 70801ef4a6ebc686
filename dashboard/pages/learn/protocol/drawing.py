"""The averages of many runs under every scheme, as histograms with their standard deviations."""

from __future__ import annotations

from core.schemes import is_private
from dashboard.compare.histograms import ROWS, histograms
from dashboard.compare.panels import Row, card
from dashboard.pages.learn.protocol.model import ProtocolPlan
from dashboard.state.number_text import number_text, short_text

SHEET = f".averages {{ {ROWS} }} .averages {{ --who: 128px }} .averages .row {{ min-height: 60px }}\n"


def averages_html(plan: ProtocolPlan) -> str:
    """One row a scheme; foreign text in it is escaped."""
    laws, named_so = plan.laws, {"cape": plan.run.name}
    title = "Averages of all runs"
    if not laws:
        return card(title, "", "<p>No scheme is chosen.</p>")
    rows = {law.scheme: (_row(law, named_so.get(law.scheme, "")), law.errors) for law in laws}
    runs = f"{len(laws[0].values):,} runs"
    about = f"{runs}: released minus true average; standard deviation (variance)"
    drawn = histograms(rows, {law.scheme: law.std for law in laws})
    return card(title, about, f"<div class='averages'>{drawn}</div>")


def _row(law, name):
    if not is_private(law.scheme):
        return Row(law.scheme, "", "0", "no noise")
    return Row(law.scheme, "", short_text(law.std), f"({number_text(law.std**2)})", name)
