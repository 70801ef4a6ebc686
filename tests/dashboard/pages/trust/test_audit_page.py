"""The page of Audit without a browser: the attacker, its verdicts, and a visitor who guesses."""

import re
from dataclasses import replace

import numpy as np
import pytest
from trust_pages import opened

from core import Privacy
from core.audit import reference_cases
from dashboard.pages.trust.audit import attacker
from dashboard.pages.trust.audit.model import BATCHES, MECHANISMS
from dashboard.pages.trust.audit.page import AuditPage
from dashboard.state.controls import Controls


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_of_the_menu_gets_its_verdict(name):
    page = opened(AuditPage)
    page.set({"mechanism": name, "colluding": 3, "runs": 4000 if name in ("symmetric", "moment") else 60_000})
    assert page.said.problem == ""
    assert page.picture.finished
    assert page.picture.verdict.violated == (not page.picture.plan.case.sound)
    assert ("is broken" in page.said.words) == page.picture.verdict.violated
    assert ("Program caught" in page.still()) == page.picture.verdict.violated
    assert "reference_cases." in page.script()


def test_batches_join_to_the_audit_of_all_runs():
    page = opened(AuditPage)
    verdict = page.picture.verdict
    assert verdict.trials == page.picture.plan.batch * BATCHES
    assert len(page.picture.bounds) == BATCHES
    assert page.picture.bounds[-1] == verdict.epsilon


def test_the_attacker_is_drawn_from_the_runs():
    page = opened(AuditPage, mechanism="short", runs=20_000, noise_seed=3)
    page.content().received({"name": "runs", "number": 0})  # Plays, with the next noise seed.
    verdict, shown = page.picture.verdict, page.still()
    cut = attacker.threshold(verdict)
    assert (verdict.first_scores > cut).sum() == verdict.false_alarms
    assert (verdict.second_scores <= cut).sum() == verdict.missed
    heights = {
        side: re.findall(rf"<rect class='{side}[^>]* height='([\d.]+)%'", shown) for side in ("in", "out")
    }
    assert all(max(map(float, found)) <= 48 for found in heights.values())
    right = 1 - (verdict.false_alarms + verdict.missed) / (2 * verdict.trials)
    # On the way no bound is stated as one that holds.
    assert shown.count("so far ε") + shown.count("so far nothing") == BATCHES - 1
    # Between the look from which the bar stays beyond the mark and the last one the big line says so, and no more.
    bounds, at = page.picture.bounds, re.search(r"--at:([\d.]+)", shown)
    assert at and (bounds[round(float(at[1]) * BATCHES) - 1 :] > 1).all()
    assert shown.count("so far the attacker has shown more. <b>Not a verdict yet.</b>") == 1
    assert "a verdict" not in attacker.headline(page.picture)
    assert page.said.guarantee.sentence.startswith("If the")
    assert f"right in <b>{100 * right:.1f}\xa0%</b> of" in shown
    assert f"{attacker.bound_text(verdict.epsilon)}</b></span>" in shown
    widths = re.findall(r"%\{width:([\d.]+)%\}", shown)
    assert np.array(widths, float) == pytest.approx(100 * page.picture.bounds / 2, abs=0.006)
    calm = opened(AuditPage, mechanism="short", runs=20_000, noise_seed=page.controls.noise_seed)
    assert calm.said.words == page.said.words


def test_a_bound_beyond_the_stated_one_while_runs_go_on_is_no_verdict():
    whole = opened(AuditPage, mechanism="short", runs=20_000, noise_seed=4).picture
    for above, part in ((False, 1), (True, BATCHES - 1)):
        bounds = whole.bounds[:part]
        said = attacker.headline(replace(whole, bounds=bounds, trials=whole.trials[:part], finished=False))
        assert (bounds[-1] > 1) == above and ("verdict yet" in said) == above and ("caught" not in said)


def test_a_button_of_the_picture_runs_the_audit_again_and_what_is_not_gaussian_is_not_called_so():
    page = opened(AuditPage, mechanism="short", runs=20_000)
    before = page.picture.verdict
    page.content().received({"name": "runs", "number": 0})
    assert not np.array_equal(page.picture.verdict.first_scores, before.first_scores)
    page.set({"mechanism": "known_seed", "runs": 4000})
    assert "Program caught" in page.still() and "Gaussian" not in page.still() + page.said.words
    assert page.said.guarantee.sentence.startswith("The bound")


def test_a_broken_program_that_is_not_caught_is_not_called_safe():
    page = opened(AuditPage, mechanism="short", runs=2000, epsilon=0.2)
    shown = page.still()
    assert "caught yet." in shown and "class='audit good" not in shown
    assert "<b>nothing yet</b>" in shown and "These counts" in page.said.words
    assert "class='audit good" in opened(AuditPage, mechanism="message", runs=2000).still()


def test_a_user_who_guesses_is_told_the_truth_and_how_often_it_was_right():
    page = opened(AuditPage, mechanism="short", runs=20_000)
    right = 0
    for count in range(1, 21):
        page.content().received({"name": "guess", "number": count % 2})
        shown = page.still()
        was_right, was_in = "<b>Right</b>" in shown, "it was in." in shown
        right += was_right
        assert was_right == (was_in == bool(count % 2))
        assert f"You: {right} of {count}." in shown and f"class='past {'in' if was_in else 'out'}'" in shown
    assert 0 < right < 20  # Of 20 guesses that do not look at the release; false-alarm rate 2e-6.
    page.content().received({"name": "runs", "number": 0})


def test_colluders_are_asked_for():
    page = opened(AuditPage)
    picture = page.picture
    page.set({"mechanism": "cape_colluders"})
    assert "at least 1" in page.said.problem
    assert page.picture is picture
    page.set({"colluding": 2})
    assert page.said.problem == ""


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
    def said(**settings):
        return opened(AuditPage, **settings).said.words.replace("\u202f", " ")

    for settings, seen in (
        ({"mechanism": "message"}, "sees one release and guesses by the likelihood ratio; its threshold"),
        ({"mechanism": "fresh"}, "sees both releases and guesses by a score that was chosen"),
        ({"mechanism": "cape_short"}, "sees the messages of all sites and guesses by the likelihood"),
        ({"mechanism": "cape_colluders", "colluding": 3}, "the zero-sum noise of those that collude"),
    ):
        words = said(runs=4000, **settings)
        assert seen in words
        assert "1000 other releases" in words


def test_the_verdict_stands_without_a_press_and_only_a_press_plays():
    page = AuditPage(Controls())
    page.set({"runs": 2000})
    begun = attacker.begun(page.compute())
    assert "omputing" in begun and "aught" not in begun
    page.opened()
    assert page.picture.finished and "aught" in page.still() and page.said.words
    assert "audit bad" in page.still() or "audit open" in page.still()
    page.content().received({"name": "runs", "number": 0})
    assert " play'" in page.still()
    page.model.runs = 4000
    assert " again'" in page.still()
