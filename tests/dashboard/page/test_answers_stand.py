"""Every page opens on its answer: nothing has to be pressed, and what is still computed says so, with “…”."""

from __future__ import annotations

import math
import re
from unittest import mock

import pytest
from compared import compares

from dashboard.pages import PAGES
from dashboard.session.app import App
from dashboard.state.background_runs import Runs


def drawn(chart):
    """The numbers that a chart shows: on its lines, and at the points that are still computed."""
    return [y for one in (*chart.lines, *chart.points) for y in one.y if math.isfinite(y)]


@pytest.mark.parametrize("kind", PAGES, ids=lambda kind: kind.name)
def test_a_page_opens_on_its_answer(kind):
    with mock.patch.object(Runs, "start"):
        app = App({"page": kind.name})
    shown = app.page.shown
    bold, plain = re.findall(r"<b>(.*?)</b>", shown.headline), re.sub(r"<[^>]*>", "", shown.headline)
    assert not app.lecture.curtain.covers and not any("?" in answer for answer in bold)
    # Protocol's sentence is that of its play; the glossary computes nothing.
    computing = plain.endswith("…")
    assert re.search(r"\d", "".join(bold)) or not (kind.code and plain) or computing
    # Beside its parts a comparison has words that may be missing.
    places = ("result", "noise", "privacy") if compares(kind) else tuple(shown.sections)
    assert all(re.sub(r"<[^>]*>", "", shown.sections[place]).strip() for place in places)
    assert computing or all(drawn(chart) for chart in shown.charts.values())
