"""The Papers page without a browser: figures, counts, stand-ins, the way to the live pages."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sheets import PapersPage

from core.findings import FINDINGS
from dashboard.packs.papers.finding_links import findings_of
from dashboard.packs.papers.papers import text as papers_told
from dashboard.packs.papers.papers.model import PapersModel, live
from dashboard.packs.papers.papers.view import NAMES, view
from dashboard.packs.papers.reproduce import cache, comparison
from dashboard.packs.papers.reproduce.experiments import EFFORTS, Plan, plan
from dashboard.packs.papers.reproduce.script import program
from dashboard.pages import PAGES
from dashboard.sheet.spec import Shown
from dashboard.sheet.store import Results
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import LOOKS
from data import published
from data.published import experiments

KINDS = {kind.name: kind for kind in PAGES}


def about(page):
    """What stands beside the chart."""
    return page.shown.sections["about"]


def details(page):
    """How the figure is made."""
    return page.shown.sections["details"]


def chart(page):
    return page.shown.charts["figure"]


def rings(page):
    """The printed points."""
    return [one for one in chart(page).points if one.fill == 0]


def missed(page):
    """How many printed points are crossed, by method."""
    return {one.name: len(one.x) for one in rings(page) if one.marker == "circle_x"}


def arrows(page):
    """x, from and to of the arrows of a change."""
    return [(line.x[0], *line.y) for line in chart(page).lines if line.name == "change"]


def level(page):
    """The height of the line of chance; None for none."""
    return next((line.y[0] for line in chart(page).lines if line.name == "chance"), None)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """A cache of this test alone."""
    monkeypatch.setenv("CAPE_LAB_CACHE", str(tmp_path))


@pytest.fixture
def page():
    """The page at a figure that takes no time."""
    made = PapersPage(Controls())
    made.content()
    made.model.figure = "Cape-Fig6a"
    return made


@pytest.fixture
def still(page):
    """No run is begun: what is said before one has come does not depend on any."""
    page.runs.start = lambda jobs, paint: None


def headline(page):
    """The headline, with plain spaces."""
    return plainly(page.shown.headline)


def plainly(text):
    return text.replace("&nbsp;", " ").replace("\u00a0", " ")


def told(page):
    """What is said of rings and lines, as text."""
    return [plainly(re.sub(r"<[^>]*>", "", key)).strip() for key in re.findall(r"<li>.*?</li>", about(page))]


def named(page):
    """The entries of the legend, with their values."""
    return [
        f"{line.name} {plainly(line.value)}".strip()
        for line in chart(page).lines
        if line.listed and len(line.x)
    ]


def drawn(page, method):
    """x and y of a method's curve."""
    line = chart(page).line(LOOKS[method].legend or LOOKS[method].label)
    return list(line.x), list(line.y)


def test_a_figure_is_drawn_and_kept_and_switched(page):
    page.opened()
    assert page.runs.state == "finished"
    x, as_published = drawn(page, "cape")
    assert x == list(range(10))
    assert np.diff(as_published)[:3].max() < 0  # Printed: collusion seems to protect.
    assert cache.read(plan(experiments.load("Cape-Fig6a"), "published", "live")) is not None
    conventional = drawn(page, "conventional")[1]
    x = int(np.argmax(np.abs(np.log(as_published) - np.log(conventional))))
    said = [number_text(float(y[x])) for y in (as_published, conventional)]
    assert f"CAPE {said[0]}, conventional {said[1]}." in headline(page)
    page.model.convention = "corrected"
    # The revised figure is read where the published one was, and the legend has the values of both methods.
    now = [number_text(drawn(page, method)[1][x]) for method in ("cape", "conventional")]
    moved = [f"CAPE {said[0]} → {now[0]}", f"conventional {said[1]} → {now[1]}"]
    assert chart(page).rules == (x,) and named(page) == moved
    assert len(told(page)) == 2
    assert all(move in headline(page) for move in moved)
    assert np.diff(drawn(page, "cape")[1]).min() > 0
    assert "from 0 to 9" in details(page)
    # Coming back, nothing is run again.
    page.model.convention = "published"
    assert page.runs.total <= 1
    assert drawn(page, "cape")[1] == as_published


def open_with_all_runs(page, name):
    """Open a figure all of whose runs are kept."""
    e = experiments.load(name)
    full = plan(e, "published", "full")
    cache.write(full, rows_like(e, full))
    page.model.figure = e.name
    page.opened()


def test_printed_points_stand_beside_ours_and_are_counted(page):
    open_with_all_runs(page, "Cape-Fig7a")
    assert sum(len(one.x) for one in rings(page)) == 54 and missed(page) == {"dp-fm": 9}
    colours = {one.name: one.colour for one in rings(page)}
    page.set_dark(True)
    changed = {one.name for one in rings(page) if one.colour != colours[one.name]}
    assert changed == {"non-private", "CAPE"}  # Ink follows the dark, and a thin blue is lighter there.
    # objPert leaves the scale of the print, and the axis does not follow it.
    ends = {one.name: max(one.y) for one in rings(page)}
    assert ends["objPert"] > chart(page).y.ends[1] > ends["CAPE"]
    assert "<b>45 of 54</b> points" in page.state.words
    assert "Not reproduced: dp-fm" in details(page)
    table = page.table()
    assert len(table) == 54 and table["published"].notna().all()


def test_no_point_is_called_missed_before_all_draws_of_the_records_are_run(page):
    open_with_all_runs(page, "Cape-Fig7a")
    whole = page.plan.kept
    running = replace(page.plan, kept=None)
    raw = whole.assign(scheme=whole.method, epsilon=whole.x, data_seed=whole.draw)
    keys = [call.key for call in running.calls]
    for known in (keys[:1], keys):
        found = dict.fromkeys(known, raw.iloc[:0]) | {keys[0]: raw}
        results = Results(running, found, tuple(key for key in keys if key not in found))
        made = view(running, Shown(results=results))
        crossed = any(one.marker == "circle_x" for one in made.charts["figure"].points)
        assert ("Not reproduced" in made.sections["details"], crossed) == (results.complete,) * 2
        assert ("So far" in made.words) is not results.complete


@pytest.mark.parametrize(
    ("name", "convention"),
    [
        ("Cape-Fig6a", "corrected"),  # A closed form,
        pytest.param("Power-FigAa", "corrected", marks=pytest.mark.slow),  # records made up here,
        ("Fact-Fig4a", "published"),  # options of the print,
        ("Cape-Fig4c", "published"),  # its own programs, and records counted over all sites.
    ],
)
def test_the_program_of_a_figure_needs_no_app_and_gives_its_numbers(name, convention):
    e, quick = experiments.load(name), EFFORTS["quick"]
    runs = Plan(e, convention, replace(quick, draws=dict.fromkeys(quick.draws, 2)))
    expected = comparison.summary(e, pd.concat([runs.rows(batch.run()) for batch in runs.batches]))
    source, scope = program(runs), {}
    assert "dashboard" not in source
    exec(compile(source, name, "exec"), scope)
    found = pd.DataFrame(scope["columns"]).sort_values(["method", "x"])
    assert found.method.tolist() == expected.method.tolist()
    np.testing.assert_allclose(found[["x", "mean"]], expected[["x", "mean"]], rtol=1e-12)


def test_the_page_offers_the_program_of_the_figure_in_front(page):
    assert "[Cape] 6(a)" in page.script()
    page.model.convention = "corrected"
    page.model.figure = "Cape-Fig6b"
    assert page.script().startswith('"""[Cape] 6(b), revised')


def rows_like(experiment, made):
    """Rows that meet every printed point but one method's."""
    figure, rows = published.load(experiment.name), []
    for series, method in experiment.series.items():
        for x, mean in zip(figure.x, figure.series[series].mean, strict=True):
            level = 5 * mean if method == "dpfm" else mean
            rows += [(method, x, draw, 0, level, level) for draw in range(2)]
    return pd.DataFrame(rows, columns=["method", "x", "draw", "repeat", "loss", "error"])


def test_a_stand_in_is_named_and_nothing_is_counted(page, monkeypatch):
    live = EFFORTS["live"]
    monkeypatch.setitem(EFFORTS, "live", replace(live, draws=dict.fromkeys(live.draws, 2)))
    page.model.figure = "Cape-Fig4c"
    page.opened()
    assert "progression of scikit-learn" in page.state.words
    assert "reproduced" not in page.state.words
    assert rings(page) == []
    assert cards(page)["Cape-Fig4c"].count("≈") == 1


def cards(page):
    """The cards of the figures of one paper, by name."""
    parts = page.shown.sections["others"].split("<button type='button' class='figure'")[1:]
    return {NAMES[int(re.search(r"data-number='(\d+)'", part)[1])]: part for part in parts}


def test_every_figure_has_a_card_and_measured_ones_a_sketch(page, still):
    page.opened()
    papers = re.findall(r"class='chip'[^>]*data-number='(\d+)'", page.shown.sections["others"])
    found = {}
    for number in map(int, papers):
        page.press("figure", number)
        assert page.model.figure == NAMES[number]
        found |= cards(page)
        pressed = [name for name, card in cards(page).items() if "aria-pressed='true'" in card]
        assert pressed == [NAMES[number]]
    assert sorted(found) == sorted(experiments.names())
    assert all("<svg" in found[name] for name in published.figures())
    page.press("figure", len(NAMES))
    assert page.model.figure == pressed[0]


@pytest.mark.parametrize("name", experiments.names())
def test_every_figure_opens_a_live_page_with_settings_that_it_takes(name):
    for convention in ("published", "corrected"):
        kind, values = live(experiments.load(name), convention)
        controls = Controls()
        model = KINDS[kind].model_type(controls)
        shared = {n: v for n, v in values.items() if n in controls.param}
        controls.take(shared)
        model.param.update(**{n: v for n, v in values.items() if n not in shared})
        if hasattr(model, "plan"):
            model.plan()


def test_the_button_opens_it(page):
    seen = []
    page.visit = lambda name, values=None: seen.append((name, values))
    page.opened()
    assert "data-press='live'" in about(page)
    page.press("live", 0)
    assert seen[0][0] == "guarantee" and seen[0][1]["sites"] == 10


_ALL = ("Fact", "Cape", "Lda", "Power")
# What a figure's line "As published" says, if and only if a finding concerns it: words, and for which papers.
_SAID = {
    "same-samples": ("same first fifth", _ALL),
    "estimated-variance": ("σ² estimated", _ALL),
    "mixture-third": ("6dσ²", _ALL),
    "second-moment": ("1/Nₛ", _ALL),
    "data-bound": ("largest norm", ("Fact",)),
    "asymmetric-moments": ("M2 − M2ᵀ leaves without noise", _ALL),
    "magnitude-order": ("largest absolute eigenvalues", _ALL),
    "copied-noise": ("copied", ("Fact",)),
    "basic-composition": ("ε and δ halved", ("Fact",)),
    "per-step-epsilon": ("of every single step", _ALL),
    "network-noise": ("instead of √S", _ALL),
    "whole-budget-each": ("given the whole (ε, δ)", _ALL),
    "dpfm-constant": ("2(d+1)²/N", _ALL),
    "objpert-as-run": ("Gamma(d, 2/ε)", _ALL),
    "unbounded-quadratic": ("over the box as it is", _ALL),
    "perturbed-loss": ("The loss drawn is", _ALL),
    "plotted-delta": ("μ_z)/σ_z", _ALL),
    "conventional-delta": ("1.25 exp", _ALL),
    "gap-sensitivity": ("3 and 4 have no valid guarantee", _ALL),
    "whitened-sensitivity": ("leans on Theorem 5", _ALL),
    "dropped-constants": ("without constants", _ALL),
    "spectrum-grows": ("as equation (7) scales it", _ALL),
    "third-case": ("O(λ/√k)", _ALL),
}


@pytest.mark.parametrize("name", experiments.names())
def test_a_figure_is_charged_with_the_findings_on_its_own_method(name):
    e = experiments.load(name)
    found = {one.key for one in findings_of(e)}
    assert found and all(e.paper in FINDINGS[key].papers for key in found)
    for key, (words, papers) in _SAID.items():
        if e.paper in papers and not (key == "spectrum-grows" and e.label == "3(b)"):
            assert (key in found) == (words in e.published), key
    # Each of two moments has half of ε.
    highest = (max(e.x) if e.axis == "epsilon" else e.fixed.get("epsilon", 0)) / (
        2 if e.problem == "decomposition" else 1
    )
    classical = e.paper in ("Fact", "Cape") and e.problem != "delta"
    assert ("classical-beyond-one" in found) == (classical and highest > 1)
    assert ("stopped-early" in found) == ("3,000 evaluations" in e.published and e.fixed["dimension"] == 50)


def test_what_is_no_error_is_not_called_one(page):
    def lists(name):
        page.model.figure = name
        parts = papers_told.found_here(page.model.plan()).split("<p>")
        return [part for part in parts if part]

    errors, others = lists("Fact-Fig2a")
    assert "√2/n, not 1/n" in errors and "beyond ε = 1" in errors
    assert "be √2 smaller" in others and "largest norm" in others and ("same result" in others)
    assert "smaller" not in errors and "same result" not in errors
    mixtures, topics = (lists(name)[0] for name in ("Fact-Fig3a", "Fact-Fig4a"))
    assert "same records" in mixtures and "antisymmetric" not in mixtures
    assert "same records" not in topics and "antisymmetric" in topics
    assert "beyond ε = 1" in topics


def test_a_corrected_figure_that_was_not_run_as_published_stands_beside_the_print(page):
    e = experiments.load("Fact-Fig4c")
    printed = published.load(e.name)
    ours = {m: printed.series[s].mean.copy() for s, m in e.series.items()}
    ours["cape"][4] = 0.103
    rows = [
        {"method": m, "x": float(x), e.measure: y, "draw": 0, "repeat": 0}
        for m, means in ours.items()
        for x, y in zip(printed.x, means, strict=True)
    ]
    page.model.param.update(figure=e.name, convention="corrected")
    shown = page.model.plan()
    was = number_text(float(printed.series["capeAGN"].mean[4]))
    x = number_text(float(printed.x[4]))
    said = plainly(papers_told.seen(shown, pd.DataFrame(rows)))
    same = number_text(float(printed.series["conv"].mean[4]))
    assert f"ε = {x}: CAPE {was} → 0.103, conventional {same}" in said
    assert papers_told.reading(shown, pd.DataFrame(rows)).x == float(printed.x[4])


def test_the_headline_names_the_most_there_is_and_ranks_what_ran_on_other_data():
    def said(name):
        model = PapersModel(Controls())
        model.figure = name
        shown = model.plan()
        energy = {"nonprivate": 275.2, "cape": 218.0, "conventional": 115.0}
        rows = pd.DataFrame(
            [{"method": m, "x": 1.0, "value": v, "draw": 0, "repeat": 0} for m, v in energy.items()]
        )
        return plainly(papers_told.seen(shown, rows.rename(columns={"value": shown.experiment.measure})))

    # The axis is the ε that the paper states, and nothing guarantees.
    bold = re.sub("<[^>]*>", "", said("Fact-Fig2a"))
    assert "218, conventional 115 (of 275" in bold
    ranked = said("Fact-Fig2b")  # Another data set stands in for MNIST.
    assert "= 1, best captured energy" in ranked
    assert "218" not in ranked


def made_up(experiment, methods):
    """Rows of one draw in which every method has a curve of its own."""
    cells = [
        (m, x, (1 + i) * (2 + j)) for i, m in enumerate(methods) for j, x in enumerate(experiment.here[1])
    ]
    rows = pd.DataFrame(cells, columns=["method", "x", experiment.measure])
    return rows.assign(draw=0, repeat=0)


@pytest.mark.parametrize("convention", ["published", "corrected"])
def test_every_figure_has_one_sentence_and_its_values_in_the_legend(convention, page):
    for name in experiments.names()[convention == "corrected" :: 3]:
        model = PapersModel(Controls())
        model.param.update(figure=name, convention=convention)
        shown, e = replace(model.plan(), other=None), experiments.load(name)
        said = re.sub("<[^>]*>", "", plainly(papers_told.seen(shown, made_up(e, shown.runs.methods))))
        assert 20 < len(said) < 170 and said.endswith(".") and "_" not in said, said
        # Numbers stand for what the axis counts, in the words of the axis.
        assert papers_told.counted(e, published=convention == "published").lower() in said.lower()
        before, rows = made_up(e, e.methods), made_up(e, shown.runs.methods)
        shown = replace(shown, kept=rows, other=before.assign(**{e.measure: 0.4 * before[e.measure]}))
        read = papers_told.reading(shown, rows)
        assert read.values.keys() <= set(shown.runs.methods)
        if read.values:  # The sentence begins with the value that the legend has of the same method.
            first = next(iter(read.values.values()))
            assert first in plainly(papers_told.seen(shown, rows))
        assert bool(read.values) == (read.x is not None)


def test_the_first_figure_needs_no_run_and_its_correction_is_drawn_and_credited(page):
    assert f"{len(experiments.names())} figures" in PapersPage.lead
    page.model.figure = "Fact-Fig2a"
    page.opened()
    assert arrows(page) == [] and "45 of 45" in headline(page)
    # The floor is drawn: 50 of 200 random components keep a quarter.
    spectrum = np.linspace(10, 1, 50).sum() + 150 * 0.25
    assert len(told(page)) == 3 and told(page)[-1].endswith(f" {spectrum / 4:.0f}")
    assert level(page) == round(spectrum / 4) and chart(page).rules == (1,)
    others = ["local", "DPdisPCA"]  # The headline names no value of these.
    assert named(page) == ["non-private 275", "CAPE 217", "conventional 117", *others]
    assert chart(page).x.ends[0] < 1e-3 and chart(page).x.ends[1] > 10
    page.model.convention = "corrected"
    assert page.runs.total == 0
    # Both methods move; what the errors make alone is said below the figure, and the axis names the observer.
    moved = {"CAPE": ("217", "245"), "conventional": ("117", "168")}
    assert [(x, *map(number_text, ends)) for x, *ends in arrows(page)] == [(1, *v) for v in moved.values()]
    assert named(page)[:3] == ["non-private 275", *(f"{name} {' → '.join(v)}" for name, v in moved.items())]
    assert "217 to 187, conventional" in plainly(page.state.words)
    # No fix is claimed for what is not fixed.
    assert "Not revised.</b>" in details(page) and "δ = 0.01." in about(page)
    page.model.convention = "published"
    assert arrows(page) == []


def test_copies_of_curves_stand_behind_those_of_their_own_figure(page):
    page.opened()
    before = drawn(page, "cape")
    assert page.pin()
    page.model.convention = "corrected"
    copies = [line for line in chart(page).lines if line.name.startswith("CAPE;")]
    assert [(list(line.x), list(line.y)) for line in copies] == [before]
    page.model.figure = "Cape-Fig6b"
    assert not any(line.name.startswith("CAPE;") for line in chart(page).lines)


def test_what_a_print_draws_is_not_called_a_loss_and_the_axis_of_a_correction_is_its_own(page, still):
    page.model.figure = "Cape-Fig4a"
    page.opened()
    assert "objective" in chart(page).y.label and "which is" in about(page)
    page.model.convention = "corrected"
    assert chart(page).y.label.startswith("loss") and arrows(page) == []
    page.model.figure = "Cape-Fig2b"
    assert "whole training" in about(page) and "every step" in about(page)
    page.model.param.update(figure="Cape-Fig5b", convention="published")
    assert "1, it states" in about(page)
