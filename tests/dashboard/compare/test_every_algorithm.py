"""What holds on *Compare* for every algorithm, such as which setting moves what."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import pandas as pd
import pytest
from pictures import back, finished
from small_pages import axes_of, kind_of

from core import cape
from core.privacy import gdp_delta
from core.schemes import is_private
from core.sweep.workers import Signal
from dashboard.compare.page import ComparePage
from dashboard.compare.view import seen, view
from dashboard.pages import PAGES
from dashboard.sheet.store import Store
from dashboard.state.controls import Controls
from dashboard.state.number_text import at_most_text, number_text

SECTIONS = {
    *("headline", "result", "curve_title", "curve", "curve_words"),
    *("noise", "privacy", "guaranteed", "further"),
}
ALL = SECTIONS - {"curve_title"}
FORMULAS = {"noise", "privacy"}


@dataclass(frozen=True)
class Entry:
    """One algorithm at small settings.

    Attributes
    ----------
    controls, values : dict
        Shared and own settings with which it is opened.
    moves : dict
        What each setting moves: another value, and the sections of the view that may differ.
    """

    controls: dict
    values: dict
    moves: dict
    axes: dict = field(default_factory=dict)


ENTRIES = {
    "average": Entry(
        {"sites": 4, "samples": 50},
        {},
        {
            "epsilon": (2.0, ALL - {"curve_words"}),
            "delta": (1e-4, ALL - {"curve_words"}),
            "sites": (9, ALL),
            "samples": (90, ALL - {"curve_words", "privacy", "guaranteed"}),
            "adversary": ("aggregator", ALL),
            "data": ("differ", {"headline", "result", "curve", "further", "guaranteed"}),
        },
    ),
    "components": Entry(
        {"repeats": 2, "sites": 3, "k": 2, "samples": 1000, "delta": 1e-2, "epsilon": 2.0},
        {"dimension": 10},
        {
            "epsilon": (4.0, ALL),
            "delta": (1e-3, ALL),
            "sites": (5, ALL),
            "samples": (2000, ALL - {"privacy", "guaranteed"}),
            "k": (3, ALL - {*FORMULAS, "guaranteed"}),
            "share": (0.3, ALL),
            "adversary": ("aggregator", ALL),
        },
        {"epsilon": (0.5, 10.0)},
    ),
    "pca": Entry(
        {"repeats": 2, "sites": 4, "k": 5, "delta": 1e-2},
        {"dpdispca": True},
        {
            "epsilon": (2.0, ALL - {"curve_words"}),
            "delta": (1e-4, ALL),
            "sites": (9, ALL),
            "samples": (50, ALL - {"privacy", "guaranteed"}),
            "k": (2, ALL - {*FORMULAS, "guaranteed"}),
            "adversary": ("aggregator", ALL),
        },
        {"epsilon": (0.03, 0.3, 10.0)},
    ),
    "regression": Entry(
        {"repeats": 2, "sites": 4, "samples": 100},
        {"dimension": 4, "curators": ["dpfm", "objpert"]},
        {
            "epsilon": (2.0, ALL - {"curve_words"}),
            "delta": (1e-4, ALL),
            "sites": (9, ALL),
            "samples": (80, ALL - {"privacy", "guaranteed"}),
            "dimension": (5, ALL - {*FORMULAS, "guaranteed"}),
            "noise": (0.2, ALL - {*FORMULAS, "guaranteed"}),
            "adversary": ("aggregator", ALL),
        },
        {"epsilon": (0.1, 1.0, 10.0)},
    ),
    "power": Entry(
        {"repeats": 2, "sites": 5, "epsilon": 0.3},
        {"d": 30, "strength": 300.0},
        {
            "epsilon": (2.0, ALL - {"curve_words"}),
            "delta": (1e-2, ALL),
            "sites": (20, ALL),
            "components": (2, ALL - {*FORMULAS}),
            "d": (31, ALL - {*FORMULAS, "guaranteed"}),
            "strength": (1000.0, ALL - {*FORMULAS, "guaranteed"}),
            "restarts": (1, ALL - {*FORMULAS}),
        },
        {"epsilon": (0.03, 0.3, 10.0)},
    ),
    "network": Entry(
        {"repeats": 2, "sites": 3, "samples": 60},
        {"steps": 10, "hidden": 3, "step": 10},
        {
            "step": (3, {"headline", "result", "curve_words", "further"}),
            "epsilon": (0.1, ALL),
            "delta": (1e-3, ALL),
            "sites": (5, ALL),
            "samples": (80, ALL - {"privacy"}),
            "adversary": ("aggregator", ALL),
            "steps": (12, ALL - {"privacy"}),
        },
        {"epsilon": (0.1, 1.0)},
    ),
    "topics": Entry(
        {"repeats": 2, "sites": 4, "delta": 1e-6, "epsilon": 1.0},
        {"data": "synthetic", "documents": 600, "vocabulary": 100, "topics": 3},
        {
            "epsilon": (0.1, ALL),
            "delta": (1e-3, ALL),
            "sites": (6, ALL),
            "documents": (800, ALL - {*FORMULAS, "guaranteed"}),
            "topics": (2, ALL - {*FORMULAS, "guaranteed"}),
            "adversary": ("aggregator", ALL),
        },
        {"epsilon": (0.1, 1.0, 10.0)},
    ),
}
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
            pages[name].set(entry.values)
            finished(pages[name])
        return pages[name]

    with pytest.MonkeyPatch.context() as patch:
        yield give


def anew(page):
    """The view of a page without anything of an earlier one, and without what was worked out for it."""
    return view(page.spec, page.plan, replace(page.results), replace(page.drawn), page.view_inputs())


def assert_panels_have_numbers_of_core(page):
    """G(n) and H(n) of the sizes; δ of CAPE's observers, and δ_conv, of what one run releases."""
    here, observed = page.plan.here, seen(page.spec, page.plan)
    sizes = (here.get("samples", 1),) * here["sites"]
    for name, ratio in (("G(n)", cape.gain(sizes)), ("H(n)", cape.excess(sizes))):
        assert f"{name} = {number_text(ratio)}<" in page.shown.noise
    one, other = observed["cape"], observed["conventional"]
    epsilon = (page.shown.guarantee.nominal or page.plan.settings).epsilon
    mus = [one.message if one.alone is None else one.alone, one.aggregator]
    mus.append(other.message * other.std / one.std)
    for mu in mus:
        assert f"<b>{at_most_text(float(gdp_delta(epsilon, mu)))}</b>" in page.shown.privacy


@pytest.mark.parametrize(("name", "setting"), MOVES)
def test_a_setting_moves_what_depends_on_it_and_nothing_else_and_back(opened, monkeypatch, name, setting):
    page = opened(name)
    value, may = ENTRIES[name].moves[setting]
    before = page.shown
    # As on a page that was used before: only what the plan needs is kept.
    monkeypatch.setattr(Store, "most_plans", 1)
    with back(page):
        page.set({setting: value})
        after = page.shown
        assert anew(page) == after
        assert_panels_have_numbers_of_core(page)
    changed = {one for one in SECTIONS if getattr(before, one) != getattr(after, one)}
    assert changed <= may and not after.stale
    assert {"result", "headline"} <= changed
    assert changed & FORMULAS == may & FORMULAS
    if setting == page.plan.axis:  # The curve is of all its values.
        assert after.curve.lines == before.curve.lines
    assert [getattr(page.shown, one) for one in SECTIONS] == [getattr(before, one) for one in SECTIONS]
    assert not page.shown.stale


def test_every_algorithm_and_every_setting_in_sight_has_a_move(opened):
    assert ENTRIES.keys() == {page.name for page in PAGES if issubclass(page, ComparePage)}
    for name, entry in ENTRIES.items():
        spec, absent = kind_of(name).spec, opened(name).state.absent
        assert {spec.primary, *spec.sliders} - {*absent} <= entry.moves.keys()
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
    rows = len(re.findall("class='row'|<tr data-method=", page.shown.result))
    assert rows >= len(page.plan.shown) > 4
    assert {*page.table().scheme} == {*page.plan.shown}
    means, log = (
        page.table().set_index("scheme")["mean"],
        page.spec.measures[page.spec.measure(page.plan)].log,
    )
    drawn = [m for m in page.plan.shown if not log or (means.loc[m] > 0).all()]
    assert len(page.shown.curve.lines) == len(drawn) and all(one.fill for one in page.shown.curve.points)


@pytest.mark.parametrize("name", ENTRIES)
def test_the_first_answer_has_every_section(opened, name):
    page = opened(name)
    found = page.first_html()
    for section in (page.shown.headline, page.shown.result, page.shown.noise, page.shown.privacy):
        assert section in found
    assert found.count("<tr>") > len({at for one in page.shown.curve.points for at in one.x})


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
    before = page.shown.result
    page.controls.noise_seed = 77
    assert page.shown.result != before
    page.controls.noise_seed = 1
    assert page.shown.result == before and page.runs.total == 0


@pytest.mark.parametrize("name", ENTRIES)
def test_until_results_come_the_last_picture_stands_and_says_it_is_of_other_settings(
    opened, name, monkeypatch
):
    page = opened(name)
    last = page.shown
    with back(page):
        monkeypatch.setattr(page.runs, "start", lambda jobs, paint: None)
        page.controls.epsilon = 0.017
        assert page.shown.stale and page.shown.result == last.result
        assert page.shown.headline == last.headline
        assert page.shown.privacy != last.privacy and page.shown.noise != last.noise  # They are formulas.


@pytest.mark.parametrize("name", ["components", "network", "topics"])
def test_beside_the_points_of_the_axis_the_curve_begins_before_all_results_stand(opened, name, monkeypatch):
    page, calls = opened(name), []
    with back(page):
        monkeypatch.setattr(page.runs, "start", lambda jobs, paint: calls.extend(jobs))
        page.set({"epsilon": 0.6, "delta": 3e-3})  # No curve has a point there, and no run is known.
        first, *others = calls
        page.paint([(first.key, first(Signal()))])
        assert page.results.spots and not page.results.complete
        for call in others:
            if any(page.results.points_of(method)["x"] for method in page.plan.shown if is_private(method)):
                break
            page.paint([(call.key, call(Signal()))])
        assert page.shown.stale and any(one.fill for one in page.shown.curve.points)
