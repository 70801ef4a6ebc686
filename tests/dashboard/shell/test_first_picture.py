"""The first picture of every page: right numbers in static markup, no scripts, no hidden answers, no foreign HTML."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser

import pytest
from panel_material_ui.base import BUNDLE_PATH
from vocabulary import private, read_of

from core import cape
from dashboard.pages import PAGES
from dashboard.session.app import App
from dashboard.shell.first_picture import TEMPLATE
from dashboard.state.background_runs import Runs

KINDS = {kind.name: kind for kind in PAGES}


@pytest.fixture
def opened(monkeypatch):
    """Opens the app in the state of a link, as a request does: runs have not begun."""
    monkeypatch.setattr(Runs, "start", lambda self, jobs, *, paint: None)
    return lambda **query: App({name: str(value) for name, value in query.items()})


class Tags(HTMLParser):
    """Checks that elements are closed in the order in which they were opened."""

    VOID = frozenset(("meta", "br", "link", "img", "hr", "input"))

    def __init__(self, markup):
        super().__init__()
        self.open, self.seen, self.handlers = [], set(), []
        self.feed(markup)

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.handlers += [name for name, _ in attributes if name.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize("name", KINDS)
def test_every_page_has_its_frame_and_title(opened, name):
    app = opened(page=name)
    page = app.page
    first = app.first_picture()
    assert first.title.startswith(page.title.replace("&", "&amp;"))
    assert (
        f"<h1>{page.heading or page.title}</h1>" in first.body and "<header>CAPE Lab</header>" in first.body
    )
    assert 'property="og:title"' in first.head and 'property="og:description"' in first.head
    assert private(read_of(first.body)) == []
    tags = Tags(first.body)
    assert not tags.open and not tags.handlers and not tags.seen & {"script", "iframe", "object", "form"}


def played(body):
    """The numbers of a still picture of the play."""
    return [float(value) for value in re.findall(r'data-value="([^"]*)"', body)]


def test_protocol_has_the_values_of_its_link_and_both_averages(opened):
    app = opened(page="protocol", sites=17)
    first, run = app.first_picture(), app.page.plan.run
    assert played(first.body) == [*run.values.tolist(), run.average, run.conventional]
    assert played(opened(page="protocol", sites=17, step=1).first_picture().body) == run.values.tolist()


def test_gain_has_the_gains_of_its_link(opened):
    app = opened(page="gain", sites=20, colluding=3)
    table = app.first_picture().body.partition("<table class='numbers'>")[2].partition("</table>")[0]
    rows = re.findall(r"<tr><th scope='row'>([^<]+)</th><td>([^<]*)</td><td>([^<]*)</td></tr>", table)
    found = {int(s): (float(fair or "nan"), float(alone)) for s, fair, alone in rows}
    assert len(found) > 15
    for sites, (fair, alone) in found.items():
        assert alone == pytest.approx(sites**0.5, rel=1e-3)
        assert sites <= 3 or fair == pytest.approx(cape.honest_gain(sites, 3) ** 0.5, rel=1e-3)


def test_guarantee_has_the_deltas_of_its_link(opened):
    app = opened(page="guarantee", epsilon=0.5, colluding=2)
    table = app.first_picture().body.partition("<table class='numbers'>")[2].partition("</table>")[0]
    found = re.findall(r"<tr><th scope='row'>([^<]+)</th><td>([^<]+)</td>", table)
    assert len(found) > 15
    for noise, delta in found:
        exact = float(cape.delta(0.5, tau=float(noise), samples=None, sensitivity=1.0, sites=10, colluding=2))
        assert math.log(float(delta)) == pytest.approx(math.log(exact), abs=0.01 * (1 - math.log(exact)))


def test_its_letters_are_files_of_the_server_that_come_first(opened):
    head = opened(page="protocol").first_picture().head
    preloaded = re.findall(
        r'<link rel="preload" as="font" [^>]*href="static/extensions/panel-material-ui/([^"]+)"', head
    )
    faces = re.findall(
        r"@font-face \{ font-family: Letters; font-weight: (\d+); .*?url\(static/[^)]*/([^)/]+)\)", head
    )
    assert len(preloaded) == 2 and {weight for weight, _ in faces} == {"400", "700"}
    assert {*preloaded} < {file for _, file in faces}
    assert all((BUNDLE_PATH.parent / file).is_file() for _, file in faces)
    assert head.index("preload") < head.index("<style>")


def test_the_first_picture_of_the_protocol_has_its_histograms(opened):
    app = opened(page="protocol", sites=6, data_seed=4)
    assert app.first_picture().body.count("class='spread'") == 5
    run = app.page.plan.run
    values = run.values.tolist()
    assert played(app.first_picture().body) == [*values, run.average, run.conventional]


def test_the_bells_of_averages_are_in_the_first_picture_but_for_a_step_before(opened):
    def bells(**query):
        body = opened(**query).first_picture().body
        return [float(half) for half in re.findall(r'class="still-bell" style="--bell:([\d.]+);', body)]

    for query in ({"page": "protocol", "step": 1}, {"page": "protocol", "lecture": 1}):
        assert bells(**query) == [] and "±" not in opened(**query).first_picture().body
    assert len(bells(page="protocol")) == 2
    cape, conventional = bells(page="protocol", sites=6)
    assert conventional / cape == pytest.approx(3.3 / 3.5 * 6**0.5, rel=1e-3)


def test_a_slider_that_ends_early_stands_where_the_live_one_does(opened):
    page = opened(page="power_stream", read=2).page
    assert page.state.most == {"read": 33} and page.model.read == 2
    assert "class='track' style='--part:0.0606'" in opened(page="power_stream", read=2).first_picture().body


def test_pages_that_open_with_words_have_them(opened):
    body = opened(page="glossary", term="cape").first_picture().body
    assert body.count("<h2>") > 40 and "<h2>Advantage</h2>" in body
    first = opened(page="glossary").first_picture().body
    assert first.count("class='card' ") == 8 and first.index("class='cards'") < first.index(
        "<h2>Advantage</h2>"
    )
    targets = set(re.findall(r"class='try' href='\?page=(\w+)'", first))
    assert targets and targets <= set(KINDS)
    page = opened(page="findings")
    body = page.first_picture().body
    folded = body[body.index("<details>") :].count("<li>")
    assert folded + body.count("class='five'") == len(page.page.plan.listed) > 10


def test_bad_links_are_answered_in_words(opened):
    body = opened(page="gain", sites="<b>many</b>").first_picture().body
    assert "whole number" in body and "<b>many" not in body
    assert "there is" in opened(page="<script>").first_picture().body
    assert "<script" not in opened(page="<script>").first_picture().body
    assert opened(page="noise").page.name == "power_noise"  # What its tab is called.
    bare, unknown = opened(page="components"), opened(page="components", colour="red")
    assert unknown.controls.snapshot() == bare.controls.snapshot() and "colour is" in unknown.notice


def test_text_of_a_link_is_escaped(opened):
    app = opened(page="glossary", search="<img src=x onerror=alert(1)>")
    first = app.first_picture()
    assert "<img" not in first.body + first.head


def test_the_step_of_a_lecture_shows_its_figures_only(opened):
    app = opened(page="gain", lecture=1)
    body = app.first_picture().body
    step = app.page.steps[0]
    assert step.title.split("'")[0] in body and '<div class="side">' not in body
    assert body.count("class='part ") == len(step.figures)


def test_a_picture_that_fails_leaves_the_live_page(opened, monkeypatch, caplog):
    app = opened(page="gain")
    monkeypatch.setattr(type(app.page), "first_html", lambda *a, **k: 1 / 0)
    first = app.first_picture()
    assert first.body == "" and first.title == "CAPE Lab" and ("could not" in caplog.text)


def test_scripts_come_behind_the_picture():
    assert TEMPLATE.index("first.body") < TEMPLATE.index("bokeh_js if bokeh_js")
    before = TEMPLATE.partition("first.body")[0]
    assert "<script" not in before and "{% block js_resources %}{% endblock %}" in before
