"""The topics page without a browser: what it computes, keeps, says and refuses; foreign words stay text."""

import re
from dataclasses import replace
from threading import Event

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from pictures import drawn

from core import Privacy, topics
from core.schemes import OFFERED, noise_factor
from core.sweep import runs
from core.topics.problem import METHODS, Problem
from dashboard.page import openings
from dashboard.pages.analyse.topics import text
from dashboard.pages.analyse.topics.flow_graph import flow_graph
from dashboard.pages.analyse.topics.model import (
    Background,
    Spot,
    TopicsModel,
    background,
    found_on_average,
    opening,
    spot,
)
from dashboard.pages.analyse.topics.naming import Name
from dashboard.pages.analyse.topics.own_text import OwnText
from dashboard.pages.analyse.topics.page import TopicsPage
from dashboard.pages.analyse.topics.words import words_table
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import pictured
from data.catalogue import corpora
from data.text import Documents

SMALL = {
    "documents": 1000,
    "vocabulary": 100,
    "topics": 3,
    "repeats": 1,
    "sites": 4,
    "delta": 1e-6,
    "epsilon": 1.0,
    "measure": "overlap",
}
PAYLOAD = "<img src=x onerror=alert(1)>"


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setattr("dashboard.pages.analyse.topics.model.EPSILONS", (0.1, 1.0, 10.0))
    page = TopicsPage(Controls())
    page.set(SMALL)
    page.content()
    page.more()
    page.opened()
    assert page.runs.state == "finished", page.runs.message
    return page


def test_words_and_curves_of_every_scheme(page):
    curves = drawn(page)
    assert set(curves) == set(OFFERED)
    assert np.array(curves["nonprivate"]["mean"]) == pytest.approx(1)
    assert curves["cape"]["mean"][-1] > curves["local"]["mean"][0]
    for label in ("non-private", "CAPE", "conventional", "local"):
        assert label in page._words.picture
    assert page._words.picture.count("<td data-topic=") == 3 * len(pictured(OFFERED))
    assert "Forecast" in page._notes.text and "top words shared" in page._notes.text


def test_moving_epsilon_changes_words_and_keeps_the_curve(page):
    before, words = drawn(page), page._words.picture
    page.controls.epsilon = 0.1
    assert drawn(page)["cape"] == before["cape"]
    assert page._words.picture != words
    page.controls.epsilon = 1.0
    assert page._words.picture == words and page._words.picture.count("<td data-topic=") == 3 * 4


@pytest.mark.parametrize("last", ["the documents", "the non-private topics"])
def test_fits_may_be_ready_before_what_they_are_compared_with(monkeypatch, last):
    ordered = TopicsPage._fits

    def late(self, plan):
        documents, plain, *others = ordered(self, plan)
        return [*others, plain, documents] if last == "the documents" else [documents, *others, plain]

    monkeypatch.setattr(TopicsPage, "_fits", late)
    monkeypatch.setattr("dashboard.pages.analyse.topics.model.EPSILONS", (1.0,))
    page = TopicsPage(Controls())
    page.set(SMALL)
    page.content()
    page.opened()
    for schemes in (["nonprivate"], ["nonprivate", "local"], ["nonprivate", "cape", "conventional", "local"]):
        page.set({"schemes": schemes})  # As the steps of the lecture do.
        assert page.runs.state == "finished", page.runs.message
        assert page._words.picture.count("<td data-topic=") == 3 * len(schemes)
        assert "…" not in page._words.picture


def test_shares_below_the_curve_are_those_of_the_present_epsilon(page, monkeypatch):
    assert re.search(r"At ε\s=\s1, in this release.*CAPE <b>\d+ %</b>", page._notes.text)
    page.life.close()
    page.controls.epsilon = 0.3
    before = page._notes.text
    page.begin(page.compute())  # Its fits are to come: text and picture stay those of ε = 1 together.
    assert page.picture.settings.epsilon == 1 and page._notes.text == before
    page.life.open()
    page.controls.epsilon = 10.0
    assert "At ε\u00a0=\u00a010, in this release" in page._notes.text


def test_configurations_are_compared_and_abstain_in_words(page):
    choices = {"data": "synthetic", "compare": "configurations", "measure": "error", "cut": "3"}
    page.set(choices | {"epsilon": 0.3, "repeats": 1})
    assert page.runs.state == "finished", page.runs.message
    assert set(drawn(page)) == {"nonprivate", *(m for m in METHODS if m.startswith("conf")), "variational"}
    assert "abstains" in page._words.picture
    assert page._table.visible and "[Lda] Table 1" in page._table.object
    assert "e7" in page._flow.object and "abstains" in page._flow.object
    assert "no valid guarantee" in page.said.guarantee.sentence


def test_what_the_published_calibration_truly_keeps_is_said_where_it_fails():
    page = TopicsPage(Controls())
    page.set({"data": "synthetic", "compare": "configurations", "measure": "error"})
    page.set({"calibration": "published", "delta": 0.01})
    told = {}
    for epsilon, calibration in ((0.5, "published"), (10.0, "published"), (10.0, "exact")):
        page.controls.param.update(epsilon=epsilon, calibration=calibration)
        told[epsilon, calibration] = text.guarantee(page.model.plan())
    broken = "The published calibration misses this for E: its exact guarantee is δ\u00a0=\u00a00.0406"
    assert {key for key, found in told.items() if broken in found.sentence} == {(10.0, "published")}
    assert sum("its exact guarantee is" in found.sentence for found in told.values()) == 1
    assert all("at least three words, whose number is public" in found.unit for found in told.values())


def test_perplexity_has_its_unigram_line(page):
    page.model.measure = "perplexity"
    means = page.table().set_index(["scheme", "epsilon"])["mean"]
    assert page._trivial.location > means["nonprivate"].iloc[0]


def test_settings_that_do_not_go_together_are_said(page):
    before = drawn(page)
    page.model.topics = 60
    assert "topics k must be at most half the vocabulary" in page.said.problem
    page.set({"topics": 3, "data": "newsgroups", "measure": "error"})
    assert "which only synthetic documents have" in page.said.problem
    assert drawn(page) == before
    page.set({"data": "synthetic", "measure": "overlap"})
    assert page.said.problem == ""


def test_sentence_and_scores_count_the_bold_words_and_the_found_topics_of_the_picture(page):
    page.set({"data": "synthetic", "measure": "overlap", "epsilon": 0.3})
    said = {
        "CAPE": "CAPE finds",
        "conventional": "the conventional scheme",
        "local": r"one site alone \(local\)",
    }
    for name, told in said.items():
        cells = re.findall(rf"<td data-topic='[^']*' data-scheme='{name}'.*?</td>", page._words.picture)
        # Found or lost, each tile counts the words that are right, of which it shows three.
        marked = [int(re.search(r"<i>(\d+)/10</i></small>", cell)[1]) for cell in cells]
        assert marked == [cell.count("class='kept") for cell in cells]
        assert f"{name} <b>{100 * sum(marked) / (10 * page.model.topics):.0f} %</b>" in page._notes.text
        found = sum(count > 5 for count in marked)
        assert [count > 5 for count in marked] == ["class='found" in cell for cell in cells]
        assert re.search(
            rf"<b>{name}</b><small class='one'><i>one release: </i>{found} of 3<", page._words.picture
        )
        assert re.search(rf"{told} {found or 'none'}", page.said.words)
    assert (
        "in one release" in page.said.words and "if only the result or one message is seen" in page.said.words
    )
    page.controls.adversary = "aggregator"
    assert "even if all messages are seen" in page.said.words


def test_means_over_releases_are_said_once_each_has_been_run_and_are_those_of_the_runs(page):
    page.set({"data": "docstrings", "repeats": 4, "epsilon": 1.0, "measure": "found"})
    said, plan = page.said.words, page.plan
    for method, lead in (("cape", r"CAPE finds on average <b>"), ("conventional", "conventional scheme <b>")):
        counts = [spot(plan.job_here(method, repeat)).found_topics for repeat in range(4)]
        number = float(re.search(rf"{lead}([\d.]+)</b>", said)[1])
        assert number == pytest.approx(np.mean(counts), abs=0.051)
        # The curve that the page opens with counts in the sentence's unit.
        curve = page.table().set_index(["scheme", "epsilon"])["mean"]
        assert curve[method, 1.0] == pytest.approx(np.mean(counts))
        drawn = min(counts, key=lambda count: abs(count - np.mean(counts)))
        assert re.search(rf"{'CAPE' if method == 'cape' else method} <b>{drawn}</b>", page._notes.text)
        label = "CAPE" if method == "cape" else method
        cells = re.findall(rf"data-scheme='{label}' class='(\w+)", page._words.picture)
        assert cells.count("found") == drawn  # As many filled boxes as the release nearest to the mean has.
        ticks = re.findall(
            rf"data-scheme='{label}' class='(\w+).*?<small class='much'>(✓?) ?<", page._words.picture
        )
        assert (
            all((kind == "found") == bool(tick) for kind, tick in ticks) and len(ticks) == page.model.topics
        )
        # One number a scheme: the head has that of the sentence.
        assert f"<small>{number:g} of {page.model.topics} on average</small>" in page._words.picture
    noisier = noise_factor("conventional", 4) / noise_factor("cape", 4)
    assert f"The conventional scheme has {noisier:g} times as much noise as CAPE" in said
    assert (
        "Means of 4 releases; words and ✓ are of those nearest to them." in said
        and "in one release" not in said
    )
    page.controls.epsilon = 0.3  # Between two ε of the curve, 0.1 and 1.
    share = np.log(3) / np.log(10)
    between = found_on_average(page.sweep.rows.values(), page.plan)["cape"]
    ends = []
    for epsilon in (0.1, 1.0):
        page.controls.epsilon = epsilon
        ends.append(found_on_average(page.sweep.rows.values(), page.plan)["cape"])
    assert between == pytest.approx((1 - share) * ends[0] + share * ends[1])
    page.controls.epsilon = 0.3
    assert (
        "CAPE finds about <b>" in page.said.words
        and "interpolated between ε\u00a0=\u00a00.1" in page.said.words
    )
    page.controls.epsilon = 0.05  # Below the curve nothing is averaged.
    assert (
        "follow" not in page.said.words
        and "in one release" in page.said.words
        and "on average" not in page.said.words
    )


def test_a_single_row_lists_words_and_names_no_rule_that_needs_noise(page):
    page.set({"schemes": ["nonprivate"]})
    assert "class='topics methods-1 '" in page._words.picture
    assert "the most frequent first" in page._words.picture and "found:" not in page._words.picture
    page.set({"schemes": ["nonprivate", "local"]})
    assert "class='topics methods-2 few'" in page._words.picture and "found: 6 or more" in page._words.picture


def test_the_first_picture_has_the_topics_without_noise_before_any_run(monkeypatch):
    page = TopicsPage(Controls())
    page.controls.param.update(**page.opens)
    monkeypatch.setattr(page.runs, "start", lambda jobs, paint: None)
    page.opened()
    first = page.still()
    reference = background(page.model.plan())
    for topic in reference.reference.top_words(3):
        for word in topic:
            assert f">{reference.words[word]}</span>" in first
    assert "topics methods-4 few waiting" in first and "…" in first  # No scheme has words yet.
    said = page.said.words.replace("\u00a0", " ").replace("\u202f", "")
    assert "Without noise, 27500 texts give the 5 topics above." in said
    assert "Which of them does each scheme find at ε = 0.2?" in said


def test_a_first_visit_has_the_means_and_the_words_of_every_scheme(monkeypatch):
    page = TopicsPage(Controls(**TopicsPage.opens))
    openings.keep_rows(opening(page.compute(), Event()))
    monkeypatch.setattr(page.runs, "start", lambda jobs, paint: None)
    page.opened()
    drawn, spent = page.still(), []
    assert "…" not in drawn and drawn.count("of 5 on average") == 3
    assert page.picture is page.plan and page.arrived()  # It can be played: only a curve's runs are to come.
    assert drawn.count("<small class='much'>✓") == 5 and drawn.count("/10</i></small>") == 3 * 5
    said = "CAPE finds on average <b>5</b> of 5 topics, the conventional scheme <b>none</b>"
    assert said in page.said.words
    page = TopicsPage(Controls(**TopicsPage.opens))
    page.spend = spent.extend
    page.content()
    page.begin(page.compute())
    assert len(spent) == 3 * page.controls.repeats  # The ledger has every release.
    openings.forget()


def test_schemes_come_one_by_one_at_first_and_at_once_when_the_slider_plays(monkeypatch):
    started = []
    page = TopicsPage(Controls())
    page.controls.param.update(**page.opens)
    monkeypatch.setattr(page.runs, "start", lambda jobs, paint: started.append((jobs, paint)))
    page.opened()
    page.controls.epsilon = (
        0.5  # Before the first results: the words of one ε never stand beside another's slider.
    )
    alone, together = (jobs[0].take(jobs[0].compute(Event())) for jobs, _ in started)
    assert alone.fit.name == "cape"  # The first that the table shows.
    assert {one.fit.name for one in together} == {"nonprivate", "cape", "conventional", "local"}
    started[1][1]([together])
    assert page._words.picture.count("one release") == 3 and "…" not in page._words.picture
    assert "At ε\u00a0=\u00a00.5" in page.said.words


def test_topics_are_named_by_words_and_packages():
    page = TopicsPage(Controls())
    page.set(page.presets[0].values)
    known = background(page.model.plan())
    named = {one.words: one.origin for one in known.names}
    assert named["array · shape"] == "mostly scipy, sklearn" and named["file · path"] == "mostly stdlib"
    assert named["dtype · native"] == "mostly pandas, narwhals"
    assert {one.plain for one in known.names} == {
        "values",
        "grids of numbers",
        "kinds of objects",
        "files",
        "tables of data",
    }
    table = words_table([], known, ["nonprivate", "cape"], topics=5, data="docstrings")
    assert f"<b>{number_text(known.documents)} help texts of Python programs</b>" in table
    assert "such as “sort: orders the list’s values”" in table
    assert "title='mostly stdlib'>files<" in table and "stdlib</small>" not in table


def test_the_forecast_says_when_a_topic_is_found_and_its_numbers_agree(page):
    page.set({"data": "synthetic", "measure": "overlap"})
    for epsilon in (0.1, 0.3, 1, 3, 10):
        page.controls.epsilon = epsilon
        said = re.search(
            r"half as strong as a topic is likely to hide it\. Here it is ([\d.]+) times as strong as the weakest, "
            r"(which rules out none|so this one is likely|so [23] of 3 topics are likely).*"
            r" ([\d\u202f]+) documents are needed, "
            r"and there are ([\d\u202f]+)(, just too few|, too few|)\. In this release",
            page._notes.text,
        )
        ratio, verdict, needed, there, count = said.groups()
        needed, there = (int(n.replace("\u202f", "")) for n in (needed, there))
        found = float(ratio) <= 0.5
        lost = int(verdict[3]) if verdict[3].isdigit() else 1 - found
        spectrum = page._known.reference.spectrum
        # The noise hides what is less than twice as strong, here up to the ratio's last digit.
        hidden = [float(ratio) * spectrum[-1] / one for one in spectrum]
        assert sum(r > 0.51 for r in hidden) <= lost <= sum(r > 0.49 for r in hidden)
        assert found == verdict.startswith("which") == (not count.endswith("too few")) == (needed <= there)
        # A forecast that rules nothing out is no promise: what the release found stands beside it.
        finds = page.sweep.spots["cape"].found_topics
        assert f"In this release CAPE finds {finds} of 3 topics." in page._notes.text


def test_the_script_gives_the_numbers_of_the_table(page):
    scope = {}
    exec(page.script(), scope)
    theirs = pd.DataFrame(scope["columns"]).set_index(["scheme", "epsilon"])["mean"]
    ours = page.table().set_index(["scheme", "epsilon"])["mean"]
    assert theirs.to_dict() == pytest.approx(ours.to_dict(), rel=1e-12)


def test_moving_epsilon_reads_no_documents_again(page, monkeypatch):
    def refuse(*args):
        raise AssertionError("documents were read again")

    monkeypatch.setattr(Problem, "statistics", refuse)
    page.controls.epsilon = 0.5
    page.controls.noise_seed = 9
    assert page.runs.state == "finished", page.runs.message


@pytest.mark.parametrize("configuration", ["E", "1", "1-pure", "2", "3", "4"])
def test_every_cut_is_drawn(configuration):
    drawing = flow_graph(configuration, None)
    assert (
        drawing.count("url(#noisy)") == {"E": 2, "1": 3, "1-pure": 2, "2": 2, "3": 2, "4": 1}[configuration]
    )


def own_text(lines):
    return corpora.OwnText(
        Documents(tuple(lines), tuple(map(str, range(len(lines)))), f"“{PAYLOAD}.txt”", "one line")
    )


def test_own_text_is_used_and_forgotten(page):
    rng = np.random.default_rng(0)
    themes = [
        ["apple", "pear", "plum", "fig"],
        ["iron", "gold", "zinc", "lead"],
        ["oboe", "harp", "lute", "drum"],
    ]
    lines = [" ".join(rng.choice(themes[i % 3], 12)) for i in range(900)]
    page.set({"measure": "error"})
    own = own_text(lines)
    page.own_text.used = own
    assert page.runs.state == "finished", page.runs.message
    assert page.model.measure == "mass"
    page.model.topics = 2
    assert "k = 3 may suit these documents" in page.said.words
    page.model.topics = 3
    assert "may suit" not in page.said.words
    assert "apple" in page._words.picture
    assert PAYLOAD not in page._words.picture and PAYLOAD not in page.said.words
    assert any("vocabulary" in point for point in page.said.guarantee.not_private)
    assert any("blank lines of the file are left out" in point for point in page.said.guarantee.not_private)
    problem = page.plan.problem
    page.own_text.forget()
    assert page.model.own_text is None
    assert "apple" not in page._words.picture
    assert not [key for key in runs._STATISTICS if key[0] == problem]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("docstrings", "repeated ones are left out"),
        ("newsgroups", "blank messages are left out"),
        ("synthetic", ""),
    ],
)
def test_documents_that_are_left_out_before_they_are_counted_are_named(data, words):
    plan = TopicsModel(Controls(), data=data).plan()
    points = [shown.words for shown in text.unprotected(plan) if "left out" in shown.words]
    assert len(points) == bool(words) and all(words in point for point in points)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("text.txt", b"\x00\x01\x02binary\xff", "is not text"),
        ("text.txt", b"   \n\n ", "no words"),
        ("text.txt", b"", "empty"),
        (f"{PAYLOAD}.csv", b"1,2\n3,4\n", "a text is expected"),
        ("text.pdf", b"%PDF", "no kind that can be read"),
    ],
)
def test_files_that_are_no_text_are_refused_in_words(name, content, words):
    own = OwnText()
    own.receive(name, [content])
    assert words in own.problem
    assert own.used is None


@pytest.mark.parametrize("lines", [["same same same"] * 30, ["one"] * 30, ["word other thing"]])
def test_text_with_too_few_words_is_refused_in_words(page, lines):
    before = page._words.picture
    page.own_text.used = own_text(lines)
    assert page.runs.state == "failed" or page.said.problem
    assert page.runs.message or page.said.problem
    assert before
    page.own_text.forget()
    assert page.runs.state == "finished", page.runs.message


def test_a_hostile_vocabulary_is_shown_as_text():
    words = ("<script>alert(1)</script>", PAYLOAD, "'\" onmouseover=alert(1)")
    counts = sp.csr_array(np.random.default_rng(0).multinomial(20, [0.5, 0.3, 0.2], 300))
    found = topics.fit(
        counts, 1, alpha0=0.5, configuration="nonprivate", privacy=None, rng=np.random.default_rng(0)
    )
    known = Background(words, 300, found, 0.0, False, 1.0)
    known = replace(known, names=(Name(PAYLOAD, "<b>"),))
    spot = Spot("nonprivate", found, np.array([0]), 1.0, np.ones(1))
    drawing = words_table([spot], known, ["nonprivate"], topics=1)
    assert "<b></small>" not in drawing
    assert "<script" not in drawing and "<img" not in drawing and "onmouseover" in drawing
    assert "&lt;script&gt;" in drawing


def test_every_preset_names_settings_that_exist():
    for preset in TopicsPage.presets:
        page = TopicsPage(Controls())
        page.set(preset.values)
        assert page.model.plan().privacy == Privacy(preset.values["epsilon"], preset.values["delta"])


def test_a_play_of_the_opening_shows_where_each_scheme_begins_to_find_the_topics():
    page = TopicsPage(Controls(**TopicsPage.opens))
    least, found = {}, {"cape": 0.2, "conventional": 1.0, "local": 5.0}
    for epsilon in page.plays_over:
        page.controls.epsilon = epsilon
        plan = page.model.plan()
        for method in found.keys() - least.keys():
            counts = [spot(job).found_topics for job in plan.jobs_here(method)]
            if np.mean(counts) >= 4:
                least[method] = epsilon
    assert len(page.plays_over) <= 6 and least == found


def test_invented_notes_are_said_to_be_invented_and_topics_are_named_by_ward():
    page = TopicsPage(Controls(**TopicsPage.opens | {"repeats": 1}))
    plan = page.compute()
    known = background(plan)
    assert {name.plain for name in known.names} == {"heart", "births", "bones", "lungs", "stomach"}
    spots = {method: spot(plan.job_here(method)) for method in ("cape", "conventional")}
    assert (
        spots["cape"].found_topics > spots["conventional"].found_topics + 2
    )  # Why the example opens at this ε.
    table = words_table(list(spots.values()), known, list(spots), topics=5, data=plan.source.name)
    assert "invented notes of a hospital’s wards</b>" in table
    assert "one invented note at one site" in text.guarantee(plan).unit
    assert not [one for one in text.unprotected(plan) if one.kind in ("words", "counts")]
