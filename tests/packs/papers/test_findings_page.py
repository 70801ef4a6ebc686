"""The page Findings: its numbers are core's, its list is all that pass the filters, and it opens what it is asked for."""

import html
import re
from collections import Counter

import numpy as np
import pytest
from bokeh.document import Document
from sheets import FindingsPage

from core.findings import FINDINGS, FIRST, KINDS, PAPERS
from dashboard.packs.papers.finding_links import LIVE
from dashboard.packs.papers.findings.model import demonstrated
from dashboard.packs.papers.findings.view import MARKS, PLACES
from dashboard.pages import PAGES
from dashboard.session.app import App
from dashboard.state.controls import Controls
from dashboard.state.html_text import rich
from dashboard.state.number_text import number_text

QUICK = "colluders-know"


@pytest.fixture
def page():
    page = FindingsPage(Controls())
    page.content().get_root(Document())
    page.opened()
    return page


def pressed(text, act="open"):
    """The findings of the buttons in a part, in their order."""
    return [PLACES[int(number)] for number in re.findall(rf"data-press='{act}' data-number='(\d+)'", text)]


def cards(page):
    """The cards of the first five, by key."""
    parts = page.shown.sections["found"].split("<div class='five'>")[1:]
    return {pressed(part)[0]: part for part in parts}


def listed(page):
    return [key for text in page.shown.sections.values() for key in pressed(text)]


def test_all_findings_are_listed_and_only_the_five_bars_are_computed_before_one_is_opened(page):
    assert sorted(listed(page)) == sorted(FINDINGS) and page.plan.opened is None and not page.shown.charts
    valid = [key for key, found in FINDINGS.items() if found.kind == "valid"]
    assert f"<b>{len(FINDINGS) - len(valid)} errors</b>" in page.shown.headline
    # Four of the five in sight are errors.
    assert [FINDINGS[key].kind == "valid" for key in FIRST] == [False] * 4 + [True]
    assert len(FINDINGS) - len(valid) == 47
    assert tuple(cards(page)) == FIRST
    for key, text in cards(page).items():
        found = FINDINGS[key].demonstrate(np.random.default_rng(page.controls.noise_seed))
        most = max(abs(found.published), abs(found.correct))
        bars = re.findall(r"<span>([^<]*)</span><i class='([^']*)' style='--share:([\d.]+)'></i>", text)
        assert [float(share) for *_, share in bars] == pytest.approx(
            [abs(found.published) / most, abs(found.correct) / most], abs=1e-4
        )
        # What is outlined is a claim or a bound, and says so; a card without a claim says so, since the legend names one.
        claims = [name for name, kinds, _ in bars if "claim" in kinds]
        assert all(re.search("promise|claim|bound", name) for name in claims)
        assert claims or text.count("computed")
    # What is nothing but rounding is nothing; the paper's own noise is what the title and the longest bar say.
    values = {key: re.findall(r"class='value'>([^<]*)<", text) for key, text in cards(page).items()}
    assert values["asymmetric-moments"] == ["68.5", "0"] and values["several-messages"] == [
        "10⁻⁵",
        "1.83·10⁻⁵",
    ]
    assert [key for key, text in cards(page).items() if "no error" in text] == ["data-bound"]


def test_a_slide_has_the_first_five_alone_and_the_page_has_all_again_afterwards():
    app = App({"page": "findings", "lecture": "1"})
    body = app.first_picture().body
    assert body.count("class='five'") == 5 and "<details" not in body
    assert "<b>47 errors</b>" in app.page.shown.headline
    app.lecture.leave()
    assert "<details" in app.first_picture().body


def test_every_finding_has_a_plain_line_and_all_but_five_are_folded_by_kind(page):
    for found in FINDINGS.values():
        assert (
            not re.search(r"[_^{α-γζ-ωΓ-Ω]", found.plain.replace("δ", "").replace("{", "", 1))
            or found.key in FIRST
        )
        assert len(found.plain) < 110 and found.plain != found.title
    folds = page.shown.sections["rest"].split("<details>")[1:]
    assert len(folds) == len(KINDS)
    # "More" counts on from a kind that stands above, and both numbers add up to that of the first line.
    above = Counter(FINDINGS[key].kind for key in FIRST)
    for fold in folds:
        keys = pressed(fold)
        (kind,) = {FINDINGS[key].kind for key in keys}
        line = re.match(r"<summary>(.*?)</summary>", fold)[1]
        numbers = [int(number) for number in re.findall(r"\d+", line)]
        assert line.startswith(KINDS[kind].capitalize())
        whole = len(keys) + above[kind]
        assert numbers == ([len(keys), above[kind], whole] if above[kind] else [len(keys)])
        assert whole == sum(found.kind == kind for found in FINDINGS.values())
    page.set({"kind": "notation"})
    assert "<details" not in page.shown.sections["rest"]


def test_filters_keep_what_concerns_a_paper_and_a_kind(page):
    for paper in PAPERS:
        for kind in KINDS:
            page.set({"paper": paper, "kind": kind})
            assert listed(page) == [k for k, f in FINDINGS.items() if paper in f.papers and f.kind == kind]


def test_a_press_opens_computes_and_says_the_numbers_whatever_the_filters_say(page):
    page.set({"paper": "Power", "kind": "notation"})
    page.press("open", PLACES.index(QUICK))
    found = FINDINGS[QUICK].demonstrate(np.random.default_rng(page.controls.noise_seed))
    assert page.model.finding == QUICK
    text = page.shown.sections["found"]
    for number in (found.published, found.correct):
        assert f"<b>{number_text(number)}</b>" in text
    assert number_text(found.correct) in page.state.words and all(name in text for name in found.names)
    drawn = {line.name: line for line in page.shown.charts["curve"].lines}
    assert list(drawn) == list(found.curve.lines)
    for name, y in found.curve.lines.items():
        np.testing.assert_array_equal(drawn[name].x, found.curve.x)
        np.testing.assert_array_equal(drawn[name].y, y)
    page.press("close", 0)
    assert page.model.finding == "" and page.plan.opened is None and not page.shown.charts
    page.press("open", len(FINDINGS))  # A browser may send any number.
    assert page.model.finding == ""


def test_copies_of_a_curve_go_with_its_finding(page):
    page.set({"finding": QUICK})
    lines = len(page.shown.charts["curve"].lines)
    assert page.pin() and len(page.shown.charts["curve"].lines) == 2 * lines
    page.set({"finding": "honest-gain"})
    assert len(page.shown.charts["curve"].lines) == len(page.table().columns) - 1


def test_a_seed_changes_what_is_drawn_from_noise(page):
    page.set({"finding": "drawn-once"})
    one = page.table()
    page.controls.noise_seed = 77
    assert not page.table().equals(one)
    page.controls.noise_seed = 1
    assert page.table().equals(one)


SLOW = {
    "third-case",
    "against-variational",
    "perturbed-loss",
}  # tests/core/findings/test_findings.py runs them.


EVERY = [key for key in FINDINGS if key not in SLOW]


@pytest.mark.parametrize("keys", [EVERY[::4], pytest.param(EVERY, marks=pytest.mark.slow)], ids=len)
def test_every_finding_can_be_opened(page, keys):
    for key in keys:
        page.set({"finding": key})
        assert page.runs.state == "finished", page.runs.message
        curve, text = demonstrated(key, page.plan.seed).curve, page.shown.sections["found"]
        assert ("curve" in page.shown.charts) == (curve is not None)
        if curve is not None:
            chart = page.shown.charts["curve"]
            assert len(chart.lines) == len(curve.lines)
            known = [
                y for line in chart.lines for y in line.y if np.isfinite(y) and (y > 0 or not chart.y.log)
            ]
            assert chart.y.ends[0] < min(known) and max(known) < chart.y.ends[1]
        assert bool(pressed(text, "live")) == (key in LIVE)
        # No index or exponent is left in its plain spelling.
        texts = re.sub(
            r"<p class='place'>.*?</p>|<(small|code)\b.*?</\1>|<[^>]*>", "", text + page.shown.headline
        )
        assert not re.search(r"[_^]", html.unescape(texts)), key


def test_a_link_opens_a_finding_and_a_bad_one_is_named(page):
    app = App({"page": "findings", "finding": QUICK, "kind": "overstated"})
    assert app.page.plan.opened.key == QUICK
    assert app.page.search() == f"?page=findings&kind=overstated&finding={QUICK}"
    app = App({"page": "findings", "finding": "<b>x"})
    assert "finding must" in app.notice
    assert "<b>x" not in app.notice


def test_places_to_see_it_live_exist_and_take_their_settings():
    kinds = {kind.name: kind for kind in PAGES}
    assert set(LIVE) <= set(FINDINGS)
    # The first card's number stands on the page that its button opens.
    live = kinds["guarantee"](Controls())
    live.set(LIVE["several-messages"][1])
    live.opened()
    assert "1.84·10⁻⁵" in live.state.words  # Bounds are rounded up.
    for name, values in LIVE.values():
        kinds[name](Controls()).set(values)


def test_each_of_the_first_five_leads_to_its_live_page(page):
    seen = []
    page.visit = lambda name, values: seen.append((name, values))
    for key, text in cards(page).items():
        assert pressed(text, "live") == [key]
        page.press("live", PLACES.index(key))
        assert seen[-1] == LIVE[key]
    page.press("live", next(place for place, key in enumerate(PLACES) if key not in LIVE))
    assert len(seen) == len(FIRST)


def test_what_is_seen_live_opens_the_page_with_its_settings_and_tabs_lead_on():
    app = App({"page": "findings", "finding": QUICK})
    app.page.press("live", PLACES.index(QUICK))
    name, values = LIVE[QUICK]
    assert app.page.name == name
    shown = {n: getattr(app.controls if n in app.controls.param else app.page.model, n) for n in values}
    assert shown == dict(values)
    app = App({"page": "findings"})
    app.page.press("tab", [tab.name for tab in app.page.tabs].index("power_stream"))
    assert app.page.name == "power_stream"


@pytest.mark.parametrize("key", ["", QUICK, "second-moment"])
def test_the_script_leaves_the_numbers_of_the_table(page, key):
    page.set({"finding": key})
    namespace = {}
    exec(compile(page.script(), "script", "exec"), namespace)
    expected = page.table()
    assert list(namespace["columns"]) == list(expected.columns)
    for name in expected.columns:
        assert list(namespace["columns"][name]) == list(expected[name])


def test_formulas_become_html_and_nothing_else_does():
    assert rich("σ_k² and u_{R−1}") == "σ<sub>k</sub>² and u<sub>R−1</sub>"
    assert rich("k^1.5, *all* of ŵ = w* + b") == "k<sup>1.5</sup>, <em>all</em> of ŵ = w* + b"
    assert rich("<b>&") == "&lt;b&gt;&amp;"
    assert set(MARKS) == set(KINDS)
