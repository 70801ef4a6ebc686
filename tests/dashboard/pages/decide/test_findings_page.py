"""The Findings page without a browser: what is listed, opened, computed, said and linked."""

import html
import re
from collections import Counter

import numpy as np
import pytest
from bokeh.document import Document

from core.findings import FINDINGS, FIRST, KINDS, PAPERS
from dashboard.pages import PAGES
from dashboard.pages.decide.findings.detail import MOST_LINES, rich
from dashboard.pages.decide.findings.page import FindingsPage
from dashboard.pages.decide.findings.table import MARKS
from dashboard.problems.finding_links import LIVE
from dashboard.session.app import App
from dashboard.state.controls import Controls

QUICK = "colluders-know"


@pytest.fixture
def page():
    page = FindingsPage(Controls())
    page.content().get_root(Document())
    page.opened()
    return page


def table(page):
    """The list of findings."""
    return page._table


def detail(page):
    """The finding that is open."""
    return page._detail


def count(page):
    """The line above the list."""
    return page._count


def listed(page):
    return [row["key"] for row in table(page).rows]


def test_all_findings_are_listed_and_only_the_five_bars_are_computed_before_one_is_opened(page):
    assert listed(page) == list(FINDINGS)
    assert table(page).chosen == "" and page.picture is None
    valid = [key for key, found in FINDINGS.items() if found.kind == "valid"]
    assert count(page).text.startswith(f"<p><b>{len(FINDINGS) - len(valid)} errors</b>: ")
    # Four of the five in sight are errors.
    assert [FINDINGS[key].kind == "valid" for key in FIRST] == [False] * 4 + [True]
    assert len(FINDINGS) - len(valid) == 47 and list(FINDINGS)[1 - len(valid) :] == valid[1:]
    rows = {row["key"]: row for row in table(page).rows if "bars" in row}
    assert tuple(rows) == FIRST
    for key, row in rows.items():
        found = FINDINGS[key].demonstrate(np.random.default_rng(page.controls.noise_seed))
        most = max(abs(found.published), abs(found.correct))
        shares = [abs(found.published) / most, abs(found.correct) / most]
        assert [row["bars"][i]["share"] for i in (0, -1)] == pytest.approx(shares)
        assert (
            row["unit"] and "{" not in row["title"] + row["harm"] and row["harm"] and "[" not in row["place"]
        )
        # What is outlined is a claim or a bound, and says so.
        names = [bar["name"] for bar in row["bars"] if bar["claim"]]
        assert all(re.search("promise|claim|bound", name) for name in names)
    # What is nothing but rounding is said to be nothing.
    assert [(bar["value"], bar["claim"]) for bar in rows["asymmetric-moments"]["bars"]] == [
        ("68.5", False),
        ("0", False),
    ]
    # A card without a claim says so, since the legend names one.
    assert all(
        any(bar["claim"] for bar in row["bars"]) or "are computed" in row["unit"] for row in rows.values()
    )
    # The paper's own noise is what the title and the longest bar say, before the least noise that one message needs.
    messages = rows["several-messages"]
    assert [bar["value"] for bar in messages["bars"]] == ["10⁻⁵", "1.83·10⁻⁵"]
    assert "may fail" not in messages["harm"]
    # What the papers say themselves is the last of the five and no error; the title and the demonstration say one number.
    said = rows["data-bound"]
    assert FIRST[-1] == "data-bound" and said["about"] == "no error" and "say themselves" in said["harm"]
    page.model.finding = "data-bound"
    page.model.finding = ""
    assert page.opening().count("class='five'") == 5


def test_a_slide_has_the_first_five_alone_and_no_menus_and_the_page_has_all_again_afterwards():
    app = App({"page": "findings", "lecture": "1"})
    page = app.page
    assert tuple(row["key"] for row in table(page).rows) == FIRST
    # The sentence above counts all, and names no folds, which are not there.
    assert "<b>47 errors</b>" in count(page).text and "folded" not in count(page).text
    assert page.opening().count("class='five'") == 5 and "<details" not in page.opening()
    table(page).chosen = QUICK
    assert {row["key"] for row in table(page).rows} == {*FIRST, QUICK}
    app.lecture.leave()
    assert listed(page) == list(FINDINGS) and "folded" in count(page).text
    # A list without any of the five is shown whole.
    filtered = App({"page": "findings", "lecture": "1", "paper": "Power", "kind": "notation"}).page
    assert listed(filtered) == list(filtered.plan.listed)


def test_every_finding_has_a_plain_line_and_all_but_five_are_folded_by_kind(page):
    for row in table(page).rows:
        assert not re.search(r"[_^{α-γζ-ωΓ-Ω]", row["title"].replace("δ", "")), row["title"]
        assert len(row["title"]) < 110 and row["title"] != FINDINGS[row["key"]].title
    lines = Counter(row["fold"] for row in table(page).rows)
    assert lines.pop("") == len(FIRST)
    # "More" counts on from a kind that stands above, and both numbers add up to that of the first line.
    above = Counter(KINDS[FINDINGS[key].kind].capitalize() for key in FIRST)
    whole = Counter(KINDS[found.kind].capitalize() for found in FINDINGS.values())
    for line, count in lines.items():
        kind, said = line.split(": ")
        told = f"{count} more, {above[kind]} of {whole[kind]} above"
        assert said == (told if above[kind] else str(count)) and count + above[kind] == whole[kind]
    assert len(lines) == len(KINDS)
    # The first picture folds them alike.
    assert all(f"<summary>{line}</summary>" in page.opening() for line in lines)
    page.set({"kind": "notation"})
    assert {row["fold"] for row in table(page).rows} == {""}


def test_filters_keep_what_concerns_a_paper_and_a_kind(page):
    for paper in PAPERS:
        for kind in KINDS:
            page.set({"paper": paper, "kind": kind})
            expected = [k for k, f in FINDINGS.items() if paper in f.papers and f.kind == kind]
            assert listed(page) == expected


def test_an_open_finding_stays_listed_whatever_the_filters_say(page):
    page.set({"finding": QUICK, "paper": "Power", "kind": "notation"})
    assert QUICK in listed(page)


def test_a_click_opens_computes_and_says_the_numbers(page):
    table(page).chosen = QUICK
    shown = FINDINGS[QUICK].demonstrate(np.random.default_rng(page.controls.noise_seed))
    assert page.picture.correct == shown.correct
    assert "2.21" in detail(page)._text.text and "2.21" in page.said.words
    assert all(name in detail(page)._text.text for name in shown.names)
    drawn = detail(page)._source.data
    np.testing.assert_array_equal(drawn["line 0"], shown.curve.lines["equation (5)"])
    np.testing.assert_array_equal(drawn["line 1"], shown.curve.lines["with the right inverse"])
    np.testing.assert_array_equal(drawn["line 2"], shown.curve.lines["exact"])
    table(page).chosen = ""
    assert page.model.finding == "" and page.picture is None


def test_a_seed_changes_what_is_drawn_from_noise(page):
    page.model.finding = "drawn-once"
    one = page.picture.correct
    page.controls.noise_seed = 77
    assert page.picture.correct != one
    page.controls.noise_seed = 1
    assert page.picture.correct == one


SLOW = {
    "third-case",
    "against-variational",
    "perturbed-loss",
}  # tests/core/findings/test_findings.py runs them.


def test_every_finding_can_be_opened(page):
    for key in FINDINGS.keys() - SLOW:
        page.model.finding = key
        assert page.runs.state == "finished", page.runs.message
        assert page.picture.curve is None or len(page.picture.curve.lines) <= MOST_LINES
        assert detail(page)._figure.visible == (page.picture.curve is not None)
        assert detail(page).see.visible == (key in LIVE)
        # No index or exponent is left in its plain spelling.
        texts = (detail(page)._said.text, detail(page)._text.text)
        assert not re.search(r"[_^]", re.sub(r"<[^>]*>", "", html.unescape("".join(texts)))), key


def test_a_link_opens_a_finding_and_a_bad_one_is_named(page):
    app = App({"page": "findings", "finding": QUICK, "kind": "overstated"})
    assert table(app.page).chosen == QUICK
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
    assert "1.84·10⁻⁵" in live.said.words  # Bounds are rounded up.
    for name, values in LIVE.values():
        kinds[name](Controls()).set(values)


def test_each_of_the_first_five_has_a_button_to_its_live_page(page):
    titles = {kind.name: kind.title for kind in PAGES}
    seen = []
    page.visit = lambda name, values: seen.append((name, values))
    for row in table(page).rows[: len(FIRST)]:
        assert row["live"] == titles[LIVE[row["key"]][0]]
        table(page).visited = row["key"]
        assert seen[-1] == LIVE[row["key"]] and table(page).visited == ""
    table(page).visited = "no such finding"
    assert len(seen) == len(FIRST)


def test_see_it_live_opens_the_page_with_its_settings():
    app = App({"page": "findings", "finding": QUICK})
    detail(app.page).see.clicks += 1
    name, values = LIVE[QUICK]
    assert app.page.name == name
    shown = {n: getattr(app.controls if n in app.controls.param else app.page.model, n) for n in values}
    assert shown == dict(values)


@pytest.mark.parametrize("key", ["", QUICK, "second-moment"])
def test_the_script_leaves_the_numbers_of_the_table(page, key):
    page.model.finding = key
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
