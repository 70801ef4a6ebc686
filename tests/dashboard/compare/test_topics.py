"""Topics on *Compare*: numbers against core, what a move changes, and that foreign words stay text."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from compared import TopicsPage, record
from pictures import Shared, finished

from core import Privacy, topics
from core.privacy import gaussian_mu
from core.schemes import OFFERED, noise_factor
from core.sweep import runs
from core.topics import configuration_e, metrics
from core.topics.problem import ONE_CURATOR, Problem
from dashboard.algorithms.topics.comparison import TOPICS
from dashboard.algorithms.topics.model import AXES, CURATOR, Background, Spot, TopicsModel, read
from dashboard.algorithms.topics.naming import Name
from dashboard.algorithms.topics.own_text import OwnText
from dashboard.algorithms.topics.words import words_table
from dashboard.compare import choices
from dashboard.compare.store import Results
from dashboard.compare.view import seen
from dashboard.guarantee.guarantee import exposures, terms_of
from dashboard.sheet.spec import Shown
from dashboard.state.controls import Controls
from data.catalogue import corpora
from data.text import Documents

SMALL = {"data": "synthetic", "documents": 1000, "vocabulary": 100, "topics": 3, "repeats": 2, "sites": 4}
SMALL |= {"delta": 1e-6, "epsilon": 1.0}
SETTINGS = (
    {"epsilon": 10.0, "measure": "error", "delta": 1e-3},
    {"epsilon": 3.0, "sites": 6, "measure": "overlap"},
    {
        "epsilon": 10.0,
        "adversary": "colluders",
        "colluding": 2,
        "third": 0.4,
        "alpha0": 1.0,
        "measure": "mass",
    },
    {"epsilon": 5.0, "delta": 1e-4, "sites": 2},
)
PAYLOAD = "<img src=x onerror=alert(1)>"


def made():
    page = TopicsPage(Controls())
    page.set(SMALL)
    return finished(page)


SHARED = Shared(made)


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setitem(AXES, "epsilon", replace(AXES["epsilon"], values=(0.1, 1.0, 10.0)))
    with SHARED.lent() as page:
        yield page


def cells(page, method):
    """Kind, words and the bold ones of every topic in the row of a method; "" for a word."""
    (row,) = re.findall(rf"<tr data-method='{method}'>(.*?)</tr>", page.shown.sections["result"])
    found = re.findall(r"<td class='(\w+)'.*?<div>(.*?)</div>", row)
    return [
        (kind, re.findall(r"<(?:b|span)>(\w+)</", inside), re.findall(r"<b>(\w+)</b>", inside))
        for kind, inside in found
    ]


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_numbers_equal_core_called_by_hand(page, settings):
    page.set(settings)
    here, problem = page.plan.here, page.plan.problem
    dealt = corpora.load({n: here[n] for n in problem.data_settings})
    privacy = Privacy(here["epsilon"], here["delta"])
    terms = {n: here[n] for n in ("against", "colluding") if n in here}
    data = configuration_e.statistics(
        list(dealt.sites), problem.equalisation(privacy, here), rng=np.random.default_rng(0)
    )
    plain = topics.fit(
        sp.vstack(dealt.sites).tocsr(), here["k"], alpha0=here["alpha0"], configuration="nonprivate", privacy=None,
        rng=np.random.default_rng(0),
    ).words  # fmt: skip
    measures = {
        "found": lambda words: metrics.topics_found(plain, words, count=10),
        "overlap": lambda words: metrics.overlap(plain, words, count=10),
        "mass": lambda words: metrics.shared_mass(plain, words),
        "error": lambda words: metrics.topic_error(dealt.topics, words),
    }
    equalised = problem.statistics(here).equalised(problem.equalisation(privacy, here), together=False)
    observed = seen(TOPICS, page.plan)
    for scheme in ("cape", "conventional"):
        sharing = configuration_e.Sharing(privacy, scheme, **terms)
        _, std, _ = sharing.join(equalised.held, equalised.sizes, rng=np.random.default_rng(1))
        scaled = equalised.sizes.sum() * std / equalised.equalisation.scales[2]
        assert observed[scheme].std == pytest.approx(scaled)
        fits = [
            configuration_e.fit(data, here["k"], alpha0=here["alpha0"], sharing=sharing, rng=job.rng)
            for job in page.plan.jobs_here(scheme)
        ]
        by_hand = np.mean([measures[here["measure"]](one.words) for one in fits])
        spot = page.results.spots[scheme]
        assert spot.value == pytest.approx(by_hand, rel=1e-6, abs=1e-9)
        means = page.table().set_index(["scheme", "epsilon"])["mean"]
        if here["epsilon"] in (0.1, 1.0, 10.0):
            assert means[scheme, here["epsilon"]] == pytest.approx(by_hand, rel=1e-6)
        found = [measures["found"](one.words) for one in fits]
        if here["measure"] in ("found", "overlap"):
            assert spot.number == pytest.approx(np.mean(found))
            assert np.count_nonzero(spot.right > 0.5) == min(found, key=lambda n: abs(n - np.mean(found)))


def test_noise_is_that_of_the_statistics_and_privacy_that_of_the_guarantee(page):
    plan = page.plan
    data = page.plan.problem.statistics(plan.here).equalised(
        plan.problem.equalisation(plan.privacy, plan.here), together=False
    )
    observed = seen(TOPICS, plan)
    for scheme in ("cape", "conventional"):
        sharing = configuration_e.Sharing(plan.privacy, scheme)
        _, std, _ = sharing.join(data.held, data.sizes, rng=np.random.default_rng(1))
        assert observed[scheme].std == pytest.approx(data.sizes.sum() * std / data.equalisation.scales[2])
    assert observed["conventional"].std / observed["cape"].std == pytest.approx(
        noise_factor("conventional", 4)
    )
    (row,) = exposures(
        ["cape"], plan.privacy, sites=4, colluding=0, calibration="exact", terms=terms_of(plan.here),
        earlier=plan.problem.earlier(plan.here),
    )  # fmt: skip
    cape = observed["cape"]
    assert cape.delta(1.0) == pytest.approx(row.message) and cape.delta(1.0, "aggregator") == pytest.approx(
        row.aggregator
    )
    # One message by itself meets the target; all of one site, which depend on the averages between them, tell more.
    alone = replace(cape, message=cape.alone).delta(1.0)
    assert alone == pytest.approx(1e-6, rel=1e-4) and alone < row.message


def test_words_stand_for_every_scheme_with_its_number(page):
    assert set(page.table().scheme) == set(OFFERED)
    known = page.results.spots["documents"]
    top = [{known.words[i] for i in row} for row in known.reference.top_words(10)]
    for method in page.plan.shown:
        spot, found = page.results.spots[method], cells(page, method)
        assert len(found) == 3 and f"<strong>{spot.value:g} of 3</strong>" in page.shown.sections["result"]
        for topic, (kind, words, bold) in enumerate(found):
            assert 0 < len(words) <= 5 and bold == [word for word in words if word in top[topic]]
            assert (kind == "hit") == (spot.right[topic] > 0.5)
    assert all(kind == "hit" and words == bold for kind, words, bold in cells(page, "nonprivate"))


def test_the_sentence_has_the_means_and_no_forecast(page):
    page.set({"epsilon": 3.0})
    said = re.sub(r"<[^>]*>", "", page.state.words)
    for method, lead in (("cape", "CAPE finds "), ("conventional", "the conventional scheme ")):
        number = page.results.spots[method].number
        assert f"{lead}{f'{number:g}' if number else 'none'}" in said
    assert "orecast" not in page.shown.sections["curve_words"] + page.shown.sections["further"] + said
    page.set({"schemes": ["pooled"]})
    number = page.results.spots["pooled"].number
    assert f"pooled finds {f'{number:g}' if number else 'none'} of 3" in re.sub(
        r"<[^>]*>", "", page.state.words
    )
    page.set({"schemes": ["nonprivate"]})
    assert "3 topics" in page.state.words


def test_the_view_is_pure_and_stands_before_anything_is_known(page):
    plan, asked = page.plan, page.spec.asked(page)

    def viewed(results):
        return page.spec.view(plan, Shown(results=results, asked=asked))

    assert viewed(page.results) == viewed(page.results)
    nothing = Results(plan, {}, awaited=frozenset(["documents"]))
    first = viewed(nothing)
    assert first.sections["result"].count("computing") == len(plan.shown)
    assert (first.sections["noise"], first.sections["privacy"]) == (
        page.shown.sections["noise"],
        page.shown.sections["privacy"],
    )
    # Releases may be ready before the documents are, without which nothing says which words are right.
    spots = {m: s for m, s in page.results.spots.items() if m != "documents"}
    late = viewed(Results(plan, spots, awaited=frozenset(["documents"])))
    assert late.sections["result"].count("computing") == len(plan.shown)


def test_configurations_stand_beside_schemes_and_abstain_in_words(page):
    page.set({"compare": "configurations", "measure": "error", "epsilon": 0.3, "repeats": 1, "cut": "3"})
    assert page.runs.state == "finished", page.runs.message
    assert page.plan.shown == ("nonprivate", *CURATOR)
    assert set(page.table().scheme) == {"nonprivate", *CURATOR}
    assert "abstains" in page.shown.sections["result"] and "[Lda] Table 1" in page.shown.sections["further"]
    assert page.state.guarantee.nominal is None
    assert "least three" in page.state.guarantee.unit
    alone = page.table().set_index(["scheme", "epsilon"])["mean"]
    page.set({"schemes": ["cape"], "configurations": ["configuration-e", "configuration-2"]})
    page.press("method", [name for name, _ in choices.offered(record(page), page)].index("configuration-2"))
    assert page.plan.shown == ("cape", "configuration-e") and page.state.guarantee.nominal is not None
    assert [m for m, on in choices.offered(record(page), page) if on] == ["cape", "configuration-e"]
    both = page.table().set_index(["scheme", "epsilon"])["mean"]
    assert both["configuration-e"].tolist() == alone["configuration-e"].tolist()


def test_what_the_published_calibration_truly_keeps_is_said_where_it_fails():
    page, told = TopicsPage(Controls(delta=0.01, calibration="published")), {}
    page.set({"data": "synthetic", "compare": "configurations"})
    for epsilon, calibration in ((0.5, "published"), (10.0, "published"), (10.0, "exact")):
        page.controls.param.update(epsilon=epsilon, calibration=calibration)
        told[epsilon, calibration] = TOPICS.guarantee(page.model.plan(), None).sentence
    assert [key for key, said in told.items() if "0.0406" in said] == [(10.0, "published")]


def test_perplexity_is_compared_with_one_distribution_for_all(page):
    page.set({"measure": "perplexity", "schemes": ["nonprivate"]})
    mean = page.table()["mean"].iloc[0]
    assert page.results.spots["documents"].trivial > mean > 1
    assert f"{mean:.3g}" in page.shown.sections["result"]


def test_settings_that_do_not_go_together_are_said(page):
    before = page.shown.sections["result"]
    page.set({"topics": 60})
    assert "topics k" in page.state.problem
    page.set({"topics": 3, "data": "newsgroups", "measure": "error"})
    assert "measure" in page.state.problem or "true topics" in page.state.problem
    page.set({"data": "synthetic", "measure": "found"})
    assert page.state.problem == "" and page.shown.sections["result"] == before
    assert dict(choices.measures(record(page), page)).keys() == TOPICS.curve.measures.keys()


def test_the_error_is_offered_of_documents_whose_topics_are_known():
    page = TopicsPage(Controls())
    page.plan = page.compute()
    assert "error" not in dict(choices.measures(record(page), page))


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
    page.set({"epsilon": 0.5, "noise_seed": 9})
    assert page.runs.state == "finished", page.runs.message


def test_topics_are_named_by_words_and_by_what_they_belong_to():
    page = TopicsPage(Controls(**TopicsPage.opens))
    assert {name.origin for name in read(page.model.plan()).names} == {
        f"mostly {ward}" for ward in ("heart", "births", "bones", "lungs", "stomach")
    }
    page.set(page.presets[0].values)
    named = {one.words: one.origin for one in read(page.model.plan()).names}
    assert "scipy, sklearn" in named["array · shape"] and named["file · path"] == "mostly stdlib"


@pytest.mark.parametrize("calibration", ["exact", "published"])
def test_a_curator_s_runs_count_in_the_ledger_by_what_their_noise_is_calibrated_for(calibration):
    page = TopicsPage(Controls(calibration=calibration))
    page.set(SMALL)
    plan = page.model.plan()
    costs = {job.scheme: TOPICS.law.of_run(plan, job) for job in map(plan.job_here, ONE_CURATOR)}
    target, mu = Privacy(1.0, 1e-6), gaussian_mu(Privacy(1.0, 1e-6), calibration=calibration)
    assert all(one.curator and one.public == one.aggregator for one in costs.values())
    pure = {name: one.pure for name, one in costs.items() if one.pure}
    assert pure == {"configuration-1-pure": 1.0} and costs["configuration-1-pure"].public == 0
    assert costs["configuration-e"].public == mu
    assert costs["variational"].public == gaussian_mu(target)
    first = topics.first_mu(target, alpha0=plan.here["alpha0"], documents=1000, calibration=calibration)
    assert costs["configuration-1"].public == first
    # Nothing bounds what one document changes: their noise is scaled by the records themselves.
    assert all(costs[f"configuration-{i}"].public == np.inf for i in (2, 3, 4))


def test_who_finds_the_topics_is_who_finds_most_of_them(page):
    said = TOPICS.reached(page.plan, page.results)
    found = {m: spot.number for m, spot in page.results.spots.items() if m in ("cape", "conventional")}
    assert said.short.startswith("3") and said.who["CAPE"] == (found["cape"] >= 3)
    page.set({"epsilon": 0.1})
    assert not any(TOPICS.reached(page.plan, page.results).who.values())


@pytest.mark.slow
def test_a_play_of_the_opening_shows_where_each_scheme_begins_to_find_the_topics():
    page = TopicsPage(Controls(**TopicsPage.opens))
    page.set({"schemes": ["cape", "conventional", "local"]})
    least = {}
    for epsilon in record(page).play:
        page.controls.epsilon = epsilon
        plan = page.model.plan()
        spots = {fit.name: fit.make(None) for fit in TOPICS.result.fits(plan)}
        who = TOPICS.reached(plan, Results(plan, spots)).who
        least |= {name: epsilon for name, there in who.items() if there and name not in least}
    assert least == {"CAPE": 0.2, "the conventional scheme": 1.0, "one site alone (local)": 5.0}


def own_text(lines):
    return corpora.OwnText(
        Documents(tuple(lines), tuple(map(str, range(len(lines)))), f"“{PAYLOAD}.txt”", "one line")
    )


def test_own_text_is_used_and_forgotten(page):
    rng = np.random.default_rng(0)
    themes = (
        ["apple", "pear", "plum", "fig"],
        ["iron", "gold", "zinc", "lead"],
        ["oboe", "harp", "lute", "drum"],
    )
    page.set({"measure": "error"})
    page.records.own.text.used = own_text([" ".join(rng.choice(themes[i % 3], 12)) for i in range(900)])
    assert page.runs.state == "finished", page.runs.message
    assert page.model.measure == "mass" and "data" in page.state.absent
    page.set({"topics": 2})
    assert "k = 3" in page.shown.sections["curve_words"]
    page.set({"topics": 3})
    assert (
        "apple" in page.shown.sections["result"]
        and PAYLOAD not in page.shown.sections["result"] + page.state.words
    )
    points = page.state.guarantee.not_private
    assert any("vocabulary" in point for point in points) and any("blank lines" in point for point in points)
    problem = page.plan.problem
    page.records.own.text.forget()
    assert page.model.own_text is None and "apple" not in page.shown.sections["result"]
    assert not [key for key in runs._STATISTICS if key[0] == problem]


@pytest.mark.parametrize(
    ("data", "words"), [("docstrings", "repeated ones"), ("newsgroups", "blank messages"), ("synthetic", "")]
)
def test_documents_that_are_left_out_before_they_are_counted_are_named(data, words):
    plan = TopicsModel(Controls(), data=data).plan()
    points = [shown.words for shown in TOPICS.unprotected(plan, None) if "left out" in shown.words]
    assert len(points) == bool(words) and all(words in point for point in points)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("text.txt", b"\x00\x01\x02binary\xff", "not text"),
        ("text.txt", b"   \n\n ", "no words"),
        ("text.txt", b"", "empty"),
        (f"{PAYLOAD}.csv", b"1,2\n3,4\n", "a table"),
        ("text.pdf", b"%PDF", "no kind"),
    ],
)
def test_files_that_are_no_text_are_refused_in_words(name, content, words):
    own = OwnText()
    own.receive(name, [content])
    assert words in own.problem and own.used is None


@pytest.mark.parametrize("lines", [["same same same"] * 30, ["one"] * 30, ["word other thing"]])
def test_text_with_too_few_words_is_refused_in_words(page, lines):
    page.records.own.text.used = own_text(lines)
    assert page.runs.message or page.state.problem
    page.records.own.text.forget()
    assert page.runs.state == "finished", page.runs.message


@pytest.mark.parametrize(("schemes", "words"), [([], 10), (["local"], 10), (["local", "cape"], 5)])
def test_few_rows_have_room_for_all_words_of_a_topic(page, schemes, words):
    page.set({"schemes": ["nonprivate", *schemes]})
    vocabulary = tuple(f"w{i}" for i in range(20))
    counts = sp.csr_array(np.random.default_rng(0).multinomial(20, np.full(20, 0.05), 300))
    rng = np.random.default_rng(0)
    found = topics.fit(counts, 1, alpha0=0.5, configuration="nonprivate", privacy=None, rng=rng)
    known = Background(vocabulary, 300, found, 0.0, (Name("a"),))
    spot = Spot("nonprivate", found, np.array([0]), np.ones(1), 1.0, 1.0, ())
    drawn = words_table(page.plan, Results(page.plan, {"documents": known, "nonprivate": spot}))
    assert len(set(re.findall(r">(w\d+)<", drawn))) == words


def test_a_hostile_vocabulary_is_shown_as_text(page):
    words = ("<script>alert(1)</script>", PAYLOAD, "'\" onmouseover=alert(1)")
    counts = sp.csr_array(np.random.default_rng(0).multinomial(20, [0.5, 0.3, 0.2], 300))
    found = topics.fit(
        counts, 1, alpha0=0.5, configuration="nonprivate", privacy=None, rng=np.random.default_rng(0)
    )
    known = Background(words, 300, found, 0.0, (Name(PAYLOAD, "<b>'"),))
    spot = Spot("nonprivate", found, np.array([0]), np.ones(1), 1.0, 1.0, ())
    drawn = words_table(page.plan, Results(page.plan, {"documents": known, "nonprivate": spot}))
    assert "<script" not in drawn and "<img" not in drawn and "title='<" not in drawn
    assert "&lt;script&gt;" in drawn and not re.search(r"'[^'<>]*' onmouseover", drawn)
