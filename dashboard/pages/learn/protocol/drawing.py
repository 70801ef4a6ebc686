"""The averages of many runs under every scheme, as histograms with their standard deviations."""

from __future__ import annotations

from core.schemes import is_private
from dashboard.compare.histograms import ROWS, histograms
from dashboard.compare.panels import Row
from dashboard.pages.learn.protocol.model import ProtocolPicture
from dashboard.state.number_text import number_text, short_text

# As in a component of its own, so in the first picture.
SHEET = (
    f".averages {{ {ROWS} }}"
    """
.averages { --line: var(--mui-palette-divider, color-mix(in srgb, currentColor 20%, transparent));
  --quiet: var(--mui-palette-text-secondary, color-mix(in srgb, currentColor 68%, transparent));
  --who: 150px; --of-nonprivate: currentColor; color: var(--mui-palette-text-primary, inherit);
  font: 15px/1.4 var(--family, sans-serif); max-width: 900px; margin: 14px 0 }
.averages h2 { font-size: 17px; font-weight: 600; margin: 0 0 8px }
.averages small { font-size: 13px; font-weight: 400; color: var(--quiet) }
.averages .row { min-height: 52px }
"""
)


def averages_html(picture: ProtocolPicture) -> str:
    """One row a scheme; foreign text in it is escaped."""
    laws, named_so = picture.laws, {"cape": picture.run.name}
    if not laws:
        return ""
    rows = {law.scheme: (_row(law, named_so.get(law.scheme, "")), law.errors) for law in laws}
    further = f"{len(laws[0].values) - 1:,}"
    told = "released minus true average; standard deviation by design, in brackets the variance"
    drawn = histograms(rows, {law.scheme: law.std for law in laws})
    title = f"This run and {further} further ones under each scheme <small>{told}</small>"
    return f"<section class='averages'><h2>{title}</h2>{drawn}</section>"


def _row(law, name):
    if not is_private(law.scheme):
        return Row(law.scheme, "", "0", "no noise")
    return Row(law.scheme, "", short_text(law.std), f"({number_text(law.std**2)})", name)
