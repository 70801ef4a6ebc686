"""A scheme that is registered is on every page that offers schemes, in its sweep, ledger, table and program.

The pages are opened with few and small runs. `further_scheme` is the record; nothing of the dashboard knows it.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

import further_scheme
import numpy as np
import pytest
import small_pages
from bokeh.document import Document
from compared import record
from further_scheme import LABEL, MUS, NAME
from small_pages import axes_of

from core import Privacy
from core.privacy import gdp_delta, gdp_mu
from core.schemes import SCHEMES, over_stages
from dashboard.compare import choices
from dashboard.compare.view import chips, seen
from dashboard.guarantee.guarantee import exposures
from dashboard.pages import PAGES
from dashboard.session.app import App
from dashboard.shell.ledger_drawer import ledger_html
from dashboard.state import url
from dashboard.state.controls import Controls
from dashboard.state.number_text import at_most_text
from dashboard.theme.scheme_style import LOOKS, label

OFFERING = [kind for kind in PAGES if "schemes" in kind.shared]
# Of those that are not here, the settings are those of `small_pages`.
OWN = {
    "average": {"sites": 4},
    "power": {"d": 10, "sites": 3, "iterations": 2, "restarts": 1, "components": 2, "repeats": 1},
    "protocol": {"draws": 200, "sites": 4},
    "pca": {"data": "digits", "sites": 3, "samples": 60, "k": 2, "repeats": 1, "dpdispca": False},
    "components": {"dimension": 10, "k": 2, "sites": 3, "samples": 300, "repeats": 1, "delta": 1e-2},
    "topics": {"sites": 3, "documents": 600, "vocabulary": 100, "topics": 2, "repeats": 1, "delta": 1e-3},
    "regression": {"dimension": 3, "sites": 3, "samples": 60, "repeats": 2},
    "network": {"data": "moons", "sites": 3, "samples": 60, "repeats": 1, "steps": 10, "hidden": 2},
    "plan": {"problem": "pca", "data": "digits", "sites": 3, "samples": 60, "k": 2, "most": 24, "level": 0.3},
}
SMALL = {kind.name: OWN.get(kind.name) or small_pages.SMALL[kind.name] for kind in OFFERING}
CHOSEN = ["nonprivate", "conventional", NAME]


@pytest.fixture(autouse=True)
def few_points(monkeypatch):
    for name in SMALL:
        if axes := axes_of(name):
            monkeypatch.setitem(axes, "epsilon", replace(axes["epsilon"], values=(0.5, 5.0)))
    monkeypatch.setattr("dashboard.packs.consortium.plan.model.EPSILONS", (0.1, 1.0, 10.0, 100.0))


@pytest.fixture(scope="module")
def further():
    with further_scheme.registered() as scheme:
        yield scheme


_OPEN: dict[str, App] = {}


@pytest.fixture
def opened(further):
    """Opens a page with the further scheme chosen, once for all tests: its session and itself."""

    def make(name):
        if name not in _OPEN:
            app = App({"page": "gain"})
            page = app.pages[name]
            page.set({**SMALL[name], "schemes": CHOSEN})
            app.open(name)
            page.content().get_root(Document())
            getattr(page, "more", lambda: None)()  # A view has all at once.
            page.figures()
            runs = getattr(page, "runs", None)
            assert runs is None or runs.state == "finished", runs.message
            assert page.state.problem == ""
            _OPEN[name] = app
        return _OPEN[name], _OPEN[name].pages[name]

    yield make


@pytest.fixture(scope="module", autouse=True)
def closed():
    yield
    _OPEN.clear()


def drawn_by_server(page):
    """The HTML of what is no Bokeh figure."""
    shown = getattr(page, "shown", None)
    return "".join(getattr(shown, "sections", {}).values())


def legends(page):
    """Texts of all legend entries that are shown, over all figures, and names of histograms."""
    items = [
        item for plot in page.figures() for legend in plot.legend for item in legend.items if item.visible
    ]
    # One entry may name every curve of a source.
    names = [
        item.renderers[0].data_source.data[item.label.field]
        if hasattr(item.label, "field")
        else [item.label.value]
        for item in items
    ]
    rows = re.findall(r"<b [^>]*style[^>]*>([^<]*)</b>", drawn_by_server(page))
    return {name.partition("\u2002")[0].strip() for some in (*names, rows) for name in some}


@pytest.mark.parametrize("name", SMALL)
def test_a_further_scheme_is_offered_drawn_and_named(opened, name):
    _, page = opened(name)
    assert LABEL in page.controls.param.schemes.get_range()
    assert LABEL in legends(page)
    colour = LOOKS[NAME].colour
    drawn = [
        renderer
        for plot in page.figures()
        for renderer in plot.renderers
        if renderer.visible
        and (
            colour in (getattr(renderer.glyph, "line_color", ""), getattr(renderer.glyph, "fill_color", ""))
            or colour in renderer.data_source.data.get("colour", ())
        )
        and any(len(column) for column in renderer.data_source.data.values())
    ]
    histogram = f"fill='{colour}'" in drawn_by_server(page)
    assert drawn or histogram, "nothing with points has its colour"


@pytest.mark.parametrize("name", [name for name in SMALL if name not in ("protocol", "plan")])
def test_a_comparison_has_a_further_scheme_in_every_panel(opened, name):
    _, page = opened(name)
    assert (NAME, True) in choices.offered(record(page), page) and LABEL in chips(
        choices.offered(record(page), page)
    )
    for section in (
        page.shown.sections["result"],
        page.shown.sections["noise"],
        page.shown.guarantee.sentence,
    ):
        assert LABEL in section


def test_its_noise_is_its_own_and_its_chip_turns_it_off(opened):
    _, page = opened("pca")
    std = {name: one.std for name, one in seen(record(page), page.plan).items()}
    sites = page.controls.sites
    ratio = math.sqrt(further_scheme.variance(sites) / sites)
    assert std[NAME] / std["conventional"] == pytest.approx(ratio)
    page.press("method", choices.offered(record(page), page).index((NAME, True)))
    assert NAME not in page.controls.schemes and LABEL not in page.shown.sections["result"]
    page.set({"schemes": CHOSEN})


@pytest.mark.parametrize("name", SMALL)
def test_the_table_has_a_further_scheme(opened, name):
    table = opened(name)[1].table()
    assert NAME in set(table.scheme)
    rows = table[table.scheme == NAME]
    assert np.isfinite(rows.select_dtypes("number").to_numpy(dtype=float)).any()


@pytest.mark.parametrize(
    "name", [n if n in ("average", "pca", "plan") else pytest.param(n, marks=pytest.mark.slow) for n in SMALL]
)
def test_the_generated_program_runs_a_further_scheme_to_the_numbers_of_the_table(opened, name):
    _, page = opened(name)
    scope = {"__name__": "copied"}
    exec(compile(page.script(), name, "exec"), scope)
    columns, table = scope["columns"], page.table()
    assert NAME in columns["scheme"]
    value = next(c for c in ("mean", "measured_std", "high") if c in columns)
    found = [v for v, s in zip(columns[value], columns["scheme"], strict=True) if s == NAME]
    np.testing.assert_allclose(found, table[table.scheme == NAME][value], rtol=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_the_ledger_has_its_draws_with_its_own_mu(opened, name):
    app, page = opened(name)
    entries = [entry.drawn for entry in app.ledger.entries if entry.drawn.method == NAME]
    assert entries
    for drawn in entries:
        assert drawn.aggregator / drawn.public == pytest.approx(
            MUS["aggregator"] / further_scheme.mu_public(page.controls.sites)
        )
        assert not drawn.curator and not drawn.one_site
    assert LABEL in ledger_html(app.ledger, 1e-5, {})


# Tensors have no colluders.
@pytest.mark.parametrize("name", [name for name in SMALL if name not in ("plan", "power")])
def test_the_guarantee_states_its_own_delta_for_everybody(opened, name):
    _, page = opened(name)
    page.controls.colluding = 1
    shown = page.state.guarantee
    (row,) = (row for row in shown.exposures if row.scheme == NAME)
    epsilon, delta = shown.nominal.epsilon, shown.nominal.delta
    unit = gdp_mu(Privacy(epsilon, delta))
    expected = {**MUS, "public": further_scheme.mu_public(page.controls.sites)}
    # Whoever sees a site's messages of several stages learns of the averages before the last one.
    earlier = {"components": 0.5, "topics": 0.804, "network": 1.0}.get(name, 0.0)
    expected["message"] = over_stages(MUS["message"], MUS["aggregator"], earlier)
    for onlooker, mu in expected.items():
        found = float(gdp_delta(epsilon, unit * mu))
        assert getattr(row, onlooker) == pytest.approx(found, rel=1e-6, abs=1e-300), onlooker
    said = f"For an observer of all messages of {LABEL}, the exact δ at this ε is "
    assert said + at_most_text(row.aggregator) in shown.sentence


def test_the_plan_answers_for_it_and_weighs_its_own_risk(opened):
    _, page = opened("plan")
    answers = page.results.answers
    assert answers[NAME].state != "running" and answers[NAME].runs > 0
    assert LABEL in page.state.words
    page.set({"problem": "averaging", "level": 0.1, "epsilon": 1.0, "colluding": 1})
    exact = page.results.answers
    ratio = exact[NAME].high / exact["conventional"].high
    assert exact[NAME].state == exact["conventional"].state == "found" and ratio > 1.2
    from dashboard.packs.consortium.plan.words import risk, text

    table = risk.table(page.results.question, exact, 1)
    assert f"<th scope='row'>{LABEL}</th>" in table
    unit = gdp_mu(Privacy(exact[NAME].high, page.controls.delta))
    found = text.mus(page.results.question, exact[NAME], 1)
    sites = page.controls.sites
    expected = [unit * further_scheme.mu_public(sites), unit * MUS["aggregator"], unit * MUS["colluders"]]
    assert found == pytest.approx(expected)


def test_the_sites_page_predicts_and_measures_its_average(further):
    page = next(kind for kind in PAGES if kind.name == "sites")(Controls())
    page.content().get_root(Document())
    page.opened()
    picture = page.plan
    assert picture.std[NAME] == pytest.approx(math.sqrt(2) * picture.std["conventional"])
    # Of 2000 draws: 1.6 %; five of those are exceeded with probability 6e-7.
    assert picture.measured[NAME] == pytest.approx(picture.std[NAME], rel=0.08)
    assert any(LABEL in section for section in page.shown.sections.values())


def test_controls_links_and_settings_know_it_while_it_is_registered(further):
    controls = Controls()
    assert NAME in controls.schemes and NAME in controls.snapshot().schemes
    assert "schemes" not in url.encode(controls, ["schemes"])
    controls.schemes = [NAME]
    texts = url.encode(controls, ["schemes"])
    values, problems = url.decode(Controls, ["schemes"], texts)
    assert values["schemes"] == [NAME] and not problems


def test_it_looks_like_no_other_scheme(further):
    looks = {name: LOOKS[name] for name in SCHEMES}
    assert label(NAME) == LABEL and LOOKS[NAME].plain == further.explanation
    for part in ("colour", "marker", "label"):
        assert len({getattr(look, part) for look in looks.values()}) == len(looks), part
    assert list(LOOKS).index("conventional") < list(LOOKS).index(NAME) < list(LOOKS).index("local")


def test_methods_that_are_no_schemes_have_no_exposure(further):
    privacy = Privacy(1.0, 1e-5)
    found = exposures(("avn", NAME), privacy, sites=4, colluding=0, calibration="exact")
    assert [row.scheme for row in found] == [NAME]
