"""The page of Audit without a browser: the attacker, its verdicts, and a visitor who guesses."""

import re

import numpy as np
import pytest
from sheets import AuditPage
from trust_pages import opened

from core import Privacy
from core.audit import promised_tradeoff, reference_cases
from core.sweep.workers import Signal
from dashboard.packs.trust.audit.attacker import bound_text, picture
from dashboard.packs.trust.audit.looks import ALPHA, calls, keys, looks_of
from dashboard.packs.trust.audit.model import BATCHES, MECHANISMS
from dashboard.packs.trust.audit.view import headline, view
from dashboard.sheet.spec import Shown
from dashboard.sheet.store import Results
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls


def its_looks(page):
    """What its runs found after every batch."""
    return looks_of(page.plan, page.results)


def its_attacker(page):
    """The card of the attacker, a component of its own."""
    return page.board.live["attacker"].view


def its_program(page):
    """The audit again, as the page's program repeats it."""
    space = {}
    exec(compile(page.script(), "script", "exec"), space)
    return space


@pytest.fixture
def by_hand(monkeypatch):
    """Runs stand still: a test makes the calls that were begun."""
    begun = []
    monkeypatch.setattr(Runs, "start", lambda self, jobs, *, paint: begun.append((list(jobs), paint)))
    return begun


@pytest.mark.parametrize(
    "name",
    [
        n if n in ("short", "cape", "known_seed") else pytest.param(n, marks=pytest.mark.slow)
        for n in MECHANISMS
    ],
)
def test_every_mechanism_of_the_menu_gets_its_verdict(name):
    page = opened(AuditPage)
    page.set({"mechanism": name, "colluding": 3, "runs": 4000 if name in ("symmetric", "moment") else 60_000})
    assert page.state.problem == "" and page.results.complete
    violated = its_looks(page)[-1].violated
    assert violated == (not page.plan.case.sound)
    assert ("is broken" in page.state.words) == violated
    assert ("Program caught" in page.shown.headline) == violated
    assert "reference_cases." in page.script()


def test_the_last_look_is_the_audit_of_all_runs(capsys):
    page = opened(AuditPage, mechanism="short", runs=20_000, noise_seed=3)
    looks, verdict = its_looks(page), its_program(page)["verdict"]
    last, both = looks[-1], (verdict.first_scores, verdict.second_scores)
    assert [look.trials for look in looks] == [page.plan.batch * n for n in range(1, BATCHES + 1)]
    assert (last.trials, last.epsilon, last.violated) == (verdict.trials, verdict.epsilon, verdict.violated)
    assert (both[0] > last.cut).sum() == last.false_alarms == verdict.false_alarms
    assert (both[1] <= last.cut).sum() == last.missed == verdict.missed
    for scores, counts, sample in zip(both, (last.out, last.in_), last.sample, strict=True):
        assert counts.tolist() == np.histogram(scores, last.edges)[0].tolist()
        assert counts.sum() >= 0.995 * verdict.trials and set(sample) <= set(scores)


def test_charts_hold_the_error_rates_and_the_bounds():
    page = opened(AuditPage, mechanism="short", runs=20_000)
    errors, bound = page.shown.charts["errors"], page.shown.charts["bound"]
    looks, promise = its_looks(page), page.plan.case.promise
    promised = promised_tradeoff(promise, ALPHA, gaussian=True)
    assert errors.lines[1].y == pytest.approx(promised) and errors.bands[0].high == pytest.approx(promised)
    assert errors.line("observed").y == looks[-1].observed.tolist() == list(page.table()["observed"])
    (counts,) = errors.points
    assert (counts.x, counts.y) == ([looks[-1].false_alarms / 20_000], [looks[-1].missed / 20_000])
    assert bound.lines[0].y == [look.epsilon for look in looks]
    assert bound.line("stated ε").y == [promise.epsilon] * 2
    assert page.pin() and page.shown.charts["errors"].lines[0].y == looks[-1].observed.tolist()


def test_the_attacker_is_drawn_from_the_runs_and_a_press_plays_them():
    page = opened(AuditPage, mechanism="short", runs=20_000, noise_seed=4)
    looks, still = its_looks(page), its_attacker(page).picture
    words = page.state.words
    its_attacker(page).received({"name": "play", "number": 0})
    said, shown = page.shown.headline, its_attacker(page).picture
    assert its_looks(page)[-1] is looks[-1] and " plays'" in shown and " plays'" not in still
    keyed = [re.search(r"data-key='([^']*)'", text)[1] for text in (still, shown, said)]
    assert keyed[0] != keyed[1] == keyed[2]  # Sentence and picture begin again together.
    heights = re.findall(r"<rect [^>]* height='([\d.]+)%'", shown)
    assert max(map(float, heights)) == 48
    # On the way no bound is stated as one that holds.
    assert shown.count("so far ") == BATCHES - 1
    # Between the look from which the bar stays beyond the mark and the last one the big line says so, and no more.
    bounds, at = np.array([look.epsilon for look in looks]), re.search(r"--at:([\d.]+)", said)
    assert at and (bounds[round(float(at[1]) * BATCHES) - 1 :] > 1).all()
    assert said.count("verdict yet") == 1 and "verdict yet" not in words
    assert f"<b>{100 * looks[-1].right:.1f}\xa0%</b>" in said
    assert f"{bound_text(bounds[-1])}</b></span>" in shown
    widths = re.findall(r"%\{width:([\d.]+)%\}", shown)
    assert np.array(widths, float) == pytest.approx(100 * bounds / 2, abs=0.006)
    page.set({"noise_seed": 5})
    assert " plays'" not in its_attacker(page).picture + page.shown.headline


def test_a_bound_beyond_the_stated_one_while_runs_go_on_is_no_verdict():
    page = opened(AuditPage, mechanism="short", runs=20_000, noise_seed=4)
    for above, part in ((False, 1), (True, BATCHES - 1)):
        looks = its_looks(page)[:part]
        said = headline(page.plan, looks)
        assert (looks[-1].epsilon > 1) == above == ("verdict yet" in said) and "caught" not in said


def test_the_verdict_of_earlier_settings_stands_until_the_last_look(by_hand):
    page = AuditPage(Controls())
    page.set({"runs": 2000})
    page.content()
    page.opened()
    assert "aught" not in page.shown.headline and "disabled" in its_attacker(page).picture
    jobs, paint = by_hand[-1]
    paint([(job.key, job(Signal())) for job in jobs[:3]])
    assert len(page.shown.charts["bound"].lines[0].y) == 3 and not page.state.pale
    paint([(job.key, job(Signal())) for job in jobs[3:]])
    assert "aught" in page.shown.headline
    charts = page.shown.charts
    page.set({"epsilon": 3.0})
    jobs, paint = by_hand[-1]
    paint([(job.key, job(Signal())) for job in jobs[:-1]])
    assert page.state.pale and page.shown.charts == charts
    paint([(jobs[-1].key, jobs[-1](Signal()))])
    assert not page.state.pale and page.shown.charts != charts


def test_a_run_that_begins_again_judges_as_the_first_time():
    plan = AuditPage(
        Controls(),
    ).compute()
    begun = calls(plan)
    first = [call(Signal()).epsilon for call in begun[:3]]
    assert [call(Signal()).epsilon for call in begun[:3]] == first and len(set(first)) == 3


def test_other_noise_gives_other_releases_and_what_is_not_gaussian_is_not_called_so():
    page = opened(AuditPage, mechanism="short", runs=20_000)
    before = its_looks(page)[-1]
    assert page.state.guarantee.sentence.startswith("If the")
    page.set({"noise_seed": 9})
    assert not np.array_equal(its_looks(page)[-1].sample, before.sample)
    page.set({"mechanism": "known_seed", "runs": 4000})
    assert "Program caught" in page.shown.headline
    assert "Gaussian" not in its_attacker(page).picture + page.state.words
    assert page.state.guarantee.sentence.startswith("The bound")


def test_a_broken_program_that_is_not_caught_is_not_called_safe():
    page = opened(AuditPage, mechanism="short", runs=2000, epsilon=0.2)
    shown = its_attacker(page).picture
    assert "caught yet." in page.shown.headline and "audit good" not in shown
    assert "<b>nothing yet</b>" in shown and "These counts" in page.state.words
    assert "audit good" in its_attacker(opened(AuditPage, mechanism="message", runs=2000)).picture


def test_a_user_who_guesses_is_told_the_truth_and_how_often_it_was_right():
    page = opened(AuditPage, mechanism="short", runs=20_000)
    right = 0
    for count in range(1, 21):
        its_attacker(page).received({"name": "guess", "number": count % 2})
        shown = its_attacker(page).picture
        was_right, was_in = "<b>Right</b>" in shown, "it was in." in shown
        right += was_right
        assert was_right == (was_in == bool(count % 2))
        assert f"You: {right} of {count}." in shown and f"class='past {'in' if was_in else 'out'}'" in shown
    assert 0 < right < 20  # Of 20 guesses that do not look at the release; false-alarm rate 2e-6.
    page.set({"noise_seed": 8})
    assert "You:" not in its_attacker(page).picture


def test_colluders_are_asked_for():
    page = opened(AuditPage)
    shown = page.shown
    assert "colluding" in page.state.absent
    page.set({"mechanism": "cape_colluders"})
    assert "at least 1" in page.state.problem and page.shown.charts == shown.charts
    assert "colluding" not in page.state.absent
    page.set({"colluding": 2})
    assert page.state.problem == ""


def test_a_menu_entry_writes_the_call_that_it_makes():
    shared = Controls(epsilon=0.7, sites=6, colluding=2)
    for entry in MECHANISMS.values():
        promise, options = entry.arguments(shared)
        built = eval(entry.call(shared), {"reference_cases": reference_cases, "Privacy": Privacy})
        assert (built.title, built.promise) == (
            entry.builder(promise, **options).title,
            entry.promise or Privacy(0.7, 1e-5),
        )


def test_the_words_name_what_the_attacker_knows_and_sees_and_how_it_chose_its_test():
    for settings, seen in (
        ({"mechanism": "message"}, "one release"),
        ({"mechanism": "fresh"}, "both releases"),
        ({"mechanism": "cape_short"}, "all sites"),
        ({"mechanism": "cape_colluders", "colluding": 3}, "that collude"),
    ):
        page = AuditPage(Controls())
        page.set({"runs": 4000, **settings})
        plan = page.compute()
        words = view(plan, Shown(results=Results(plan, missing=tuple(keys(plan))))).words
        assert seen in words and "1000 other releases" in words.replace("\u202f", " ")


def test_without_a_look_the_gauge_is_empty():
    plan = AuditPage(Controls()).compute()
    begun = picture(plan, [])
    assert "width:0.00%" in begun and "<rect" not in begun and "aught" not in headline(plan, [])
