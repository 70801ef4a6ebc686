"""What holds on *Compare* for every algorithm, such as which setting moves what."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pandas as pd
import pytest
from compared import compares, record
from pictures import back, finished
from small_pages import ALGORITHMS, axes_of, kind_of

from core import cape
from core.privacy import gdp_delta
from core.schemes import is_private
from core.sweep.workers import Signal
from dashboard.compare.view import seen
from dashboard.pages import PAGES
from dashboard.sheet.spec import Shown
from dashboard.sheet.store import Store
from dashboard.state.controls import Controls
from dashboard.state.number_text import at_most_text, number_text

SECTIONS = {
    *("headline", "result", "curve_title", "curve", "curve_words"),
    *("noise", "privacy", "guaranteed", "further"),
}
ALL = SECTIONS - {"curve_title"}
FORMULAS = {"noise", "privacy"}


ENTRIES = ALGORITHMS
SLOW = pytest.mark.slow
QUICK = ("epsilon", "adversary", "k", "share", "dimension", "d", "data")
MOVES = [
    pytest.param(name, setting, marks=() if setting in QUICK else SLOW)
    for name, entry in ENTRIES.items()
    for setting in entry.moves
]
SOME = [name if name in ("average", "pca") else pytest.param(name, marks=SLOW) for name in ENTRIES]


@pytest.fixture(scope="module")
def opened():
    """Gives the page of an algorithm with its runs done: one page for all tests, which `back` leaves as it was."""
    pages = {}

    def give(name, *, fresh=False):
        if fresh or name not in pages:
            entry = ENTRIES[name]
            axes = axes_of(name)
            for axis, values in entry.axes.items():
                patch.setitem(axes, axis, replace(axes[axis], values=values))
            pages[name] = kind_of(name)(Controls(**entry.controls))
            pages[name].set(dict(entry.values))
            finished(pages[name])
        return pages[name]

    with pytest.MonkeyPatch.context() as patch:
        yield give


def section(shown, name):
    """A section of a view."""
    return {"headline": shown.headline, "curve": shown.charts["curve"]}.get(name) or shown.sections[name]


def anew(page):
    """The view of a page without anything of an earlier one, and without what was worked out for it."""
    results = replace(page.results, before=page.results.before and replace(page.results.before))
    asked = page.spec.asked(page)
    return replace(
        page.spec.view(page.plan, Shown(page.dark, page.pins, results, asked=asked)), stale=results.stale
    )


def assert_panels_have_numbers_of_core(page):
    """G(n) and H(n) of the sizes; δ of CAPE's observers, and δ_conv, of what one run releases."""
    here, observed = page.plan.here, seen(record(page), page.plan)
    sizes = (here.get("samples", 1),) * here["sites"]
    for name, ratio in (("G(n)", cape.gain(sizes)), ("H(n)", cape.excess(sizes))):
        root = f" = {number_text(math.sqrt(ratio))}²" if name == "G(n)" and ratio > 1 else ""
        assert f"{name} = {number_text(ratio)}{root}<" in page.shown.sections["noise"]
    one, other = observed["cape"], observed["conventional"]
    epsilon = (page.shown.guarantee.nominal or page.plan.settings).epsilon
    mus = [one.message if one.alone is None else one.alone, one.aggregator]
    mus.append(other.message * other.std / one.std)
    for mu in mus:
        assert f"<b>{at_most_text(float(gdp_delta(epsilon, mu)))}</b>" in page.shown.sections["privacy"]


@pytest.mark.parametrize(("name", "setting"), MOVES)
def test_a_setting_moves_what_depends_on_it_and_nothing_else_and_back(opened, monkeypatch, name, setting):
    page = opened(name)
    value, stays = ENTRIES[name].moves[setting]
    may = ALL - {*stays}
    before = page.shown
    # As on a page that was used before: only what the plan needs is kept.
    monkeypatch.setattr(Store, "most_plans", 1)
    with back(page):
        page.set({setting: value})
        after = page.shown
        assert anew(page) == after
        assert_panels_have_numbers_of_core(page)
    changed = {one for one in SECTIONS if section(before, one) != section(after, one)}
    assert changed <= may and not after.stale
    assert {"result", "headline"} <= changed
    assert changed & FORMULAS == may & FORMULAS
    if setting == page.plan.axis:  # The curve is of all its values.
        assert section(after, "curve").lines == section(before, "curve").lines
    assert [section(page.shown, one) for one in SECTIONS] == [section(before, one) for one in SECTIONS]
    assert not page.shown.stale


def test_every_algorithm_and_every_setting_in_sight_has_a_move(opened):
    assert ENTRIES.keys() == {page.name for page in PAGES if compares(page)}
    for name, entry in ENTRIES.items():
        spec, absent = kind_of(name).spec, opened(name).state.absent
        # Under another law of noise the panels have other numbers: the tests of *Average* judge them.
        assert {*spec.sliders} - {*absent, "law"} <= entry.moves.keys()
        assert "adversary" not in spec.shared or "adversary" in entry.moves


@pytest.mark.parametrize("name", ENTRIES)
def test_the_view_is_a_pure_function_of_plan_and_results(opened, name):
    page = opened(name)
    for change in (lambda: page.set_dark(True), page.pin, page.unpin, lambda: page.set_dark(False)):
        change()
        assert anew(page) == page.shown


@pytest.mark.parametrize("name", ENTRIES)
def test_every_method_has_a_row_and_a_curve(opened, name):
    page = opened(name)
    rows = len(re.findall("class='row'|<tr data-method=", page.shown.sections["result"]))
    assert rows >= len(page.plan.shown) > 4
    assert {*page.table().scheme} == {*page.plan.shown}
    means, log = (
        page.table().set_index("scheme")["mean"],
        record(page).curve.measures[page.plan.measure].log,
    )
    drawn = [m for m in page.plan.shown if not log or (means.loc[m] > 0).all()]
    assert len(page.shown.charts["curve"].lines) == len(drawn) and all(
        one.fill for one in page.shown.charts["curve"].points
    )


@pytest.mark.parametrize("name", ENTRIES)
def test_the_first_answer_has_every_section(opened, name):
    page = opened(name)
    found = page.first_html()
    for section in (
        page.shown.headline,
        page.shown.sections["result"],
        page.shown.sections["noise"],
        page.shown.sections["privacy"],
    ):
        assert section in found
    assert found.count("<tr>") > len({at for one in page.shown.charts["curve"].points for at in one.x})


@pytest.mark.parametrize("name", ENTRIES)
def test_the_script_gives_the_numbers_of_the_table(opened, name):
    page = opened(name)
    scope: dict = {}
    exec(page.script(), scope)
    keys = ["scheme", page.plan.axis]
    theirs = pd.DataFrame(scope["columns"]).set_index(keys)["mean"]
    assert theirs.to_dict() == pytest.approx(page.table().set_index(keys)["mean"].to_dict(), rel=1e-12)


@pytest.mark.parametrize("name", SOME)
def test_another_noise_seed_redraws_the_result_and_the_old_one_brings_it_back(opened, name):
    page = opened(name, fresh=True)
    before = page.shown.sections["result"]
    page.controls.noise_seed = 77
    assert page.shown.sections["result"] != before
    page.controls.noise_seed = 1
    assert page.shown.sections["result"] == before and page.runs.total == 0


@pytest.mark.parametrize("name", ENTRIES)
def test_until_results_come_the_last_picture_stands_and_says_it_is_of_other_settings(
    opened, name, monkeypatch
):
    page = opened(name)
    last = page.shown
    with back(page):
        monkeypatch.setattr(page.runs, "start", lambda jobs, paint: None)
        page.controls.epsilon = 0.017
        assert page.shown.stale and page.shown.sections["result"] == last.sections["result"]
        assert page.shown.headline == last.headline
        assert (
            page.shown.sections["privacy"] != last.sections["privacy"]
            and page.shown.sections["noise"] != last.sections["noise"]
        )  # They are formulas.


@pytest.mark.parametrize("name", ["components", "network", "topics"])
def test_beside_the_points_of_the_axis_the_curve_begins_before_all_results_stand(opened, name, monkeypatch):
    page, calls = opened(name), []
    with back(page):
        monkeypatch.setattr(page.runs, "start", lambda jobs, paint: calls.extend(jobs))
        page.set({"epsilon": 0.6, "delta": 3e-3})  # No curve has a point there, and no run is known.
        first, *others = calls
        page.paint([(first.key, first(Signal()))])
        assert page.results.spots and not page.results.ready
        for call in others:
            if any(page.results.points_of(method)["x"] for method in page.plan.shown if is_private(method)):
                break
            page.paint([(call.key, call(Signal()))])
        assert page.shown.stale and any(one.fill for one in page.shown.charts["curve"].points)
