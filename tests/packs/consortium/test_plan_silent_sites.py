"""The error that Plan promises of known hospitals of which one may fall silent: by simulation, and in any order."""

from __future__ import annotations

import html
import itertools

import numpy as np
import own_columns
import pandas as pd
import pytest
from own_columns import COLUMN, KINDS, SUMMARY, own
from sheets import answer_of

from core import Privacy, release
from core.parties import Plan
from core.schemes import average_std, message_std
from dashboard.own_table.description import Choice
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.words import text
from dashboard.problems.known_silence import stays_within
from dashboard.state.controls import Controls
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table

SIZES = {"a": 120, "b": 60, "c": 20}
HELD = {"against": "aggregator", "dropouts": 1}


def hospitals(differs, *, local="", order="abc", sizes=SIZES, shift=80.0):
    """A column in mg/L of three hospitals, of which one lies 80 mg/L above the others; none where nobody differs."""
    rng = np.random.default_rng(5)
    values = {home: rng.normal(150 + shift * (home == differs), 20, size) for home, size in sizes.items()}
    frame = pd.concat([pd.DataFrame({"CRP": values[home].round(1), "home": home}) for home in order])
    columns = Column("CRP", lower=0.0, upper=500.0, unit="mg/L"), Column("home", "category", used=False)
    described = Description(columns, "home", local=local)
    table = described_table(upload.read(frame.to_csv(index=False).encode(), "own.csv"), described)
    return table, Choice("own.csv", described)


def opened(table, choice, **values):
    page = PlanPage(
        Controls(delta=1e-5, adversary="aggregator", dropouts=1, schemes=["cape", "conventional"])
    )
    page.content()
    page.content()
    return own_columns.use(page, table, choice, **{"problem": "averaging", "column": 1} | values)


def releases(scheme, means, sizes, privacy, lost, count=4000):
    """Released means in the unit of the column, by `core.schemes.release`."""
    found = release(
        np.repeat(np.array(means)[:, None], count, axis=1),
        1 / sizes,
        privacy,
        scheme=scheme,
        rng=np.random.default_rng(11),
        weights=sizes / sizes.sum(),
        keep="value",
        dropped=lost,
        **HELD,
    )
    return 500 * found.value


@pytest.mark.parametrize("differs", ["a", "b", "c", ""])
@pytest.mark.parametrize("scheme", ["pooled", "cape", "conventional", "secure"])
def test_95_per_cent_of_releases_stay_within_the_allowed_error_whoever_is_silent(differs, scheme):
    """4,000 releases a silence; false-alarm rate 1e-5 each. The worst is at 95 %: no more is promised than needed."""
    table, choice = hospitals(differs)
    page = opened(table, choice, level=0.12, schemes=[scheme])
    question, answer = page.results.question, page.results.answers[scheme]
    assert answer.state == "found"
    sizes = np.array(table.sizes, dtype=float)
    (means,) = (np.ravel(shares) for shares in question.averages)
    kept = {}
    for lost in ((), (0,), (1,), (2,)):
        values = releases(scheme, means, sizes, Privacy(answer.high, 1e-5), lost)
        kept[lost] = np.mean(np.abs(values - 500 * (sizes / sizes.sum()) @ means) <= question.level)
    room = 4.5 * np.sqrt(0.95 * 0.05 / 4000)
    assert min(kept.values()) == pytest.approx(0.95, abs=room), kept
    # The noise alone would have promised it at an ε at which it does not hold.
    if differs == "a":
        assert min(kept, key=kept.get) == (0,) and "without &#x27;a&#x27;" in page.state.words


def test_the_file_for_the_sites_promises_what_was_simulated():
    page = opened(*hospitals("a"), level=0.12)
    question = page.results.question
    answer, saved = page.results.answers["cape-after"], Plan.read(page.plan_file().encode())
    assert saved.scheme == "cape-after" and saved.designs is not None
    assert saved.dropouts == 1 and saved.note.removeprefix("This file holds one release. ").startswith(
        text.one_epsilon(question, page.results.answers, 0)
    )
    assert {site.privacy.epsilon for site in saved.sites} == {text.promised(question, answer)}
    sizes = np.array(list(SIZES.values()), dtype=float)
    (means,) = (np.ravel(shares) for shares in question.averages)
    worst = 0.0
    for lost in ((), (0,), (1,), (2,)):
        left = [s for s in range(3) if s not in lost]
        away = 500 * (sizes[left] / sizes[left].sum() @ means[left] - sizes / sizes.sum() @ means)
        noise = float(saved.stated(dropped=lost).std)
        worst = max(worst, float(stays_within(noise, away)))
    assert 0.99 * question.level < worst <= question.level * (1 + 1e-9)


@pytest.mark.parametrize("sizes", [SIZES, {"a": 60, "b": 60, "c": 60}])
def test_sites_in_another_order_have_the_same_numbers_and_the_same_silent_names(sizes):
    found = []
    for local, order in (("", "abc"), ("", "cba"), ("c", "abc"), ("b", "bca")):
        page = opened(*hospitals("a", local=local, order=order, sizes=sizes, shift=60), level=0.12)
        answers = page.results.answers
        found.append(([answers[s].high for s in ("cape", "conventional")], page.shown.words))
    first, words = found[0]
    assert "without &#x27;a&#x27;" in words
    for numbers, said in found[1:]:
        assert numbers == pytest.approx(first, rel=1e-9) and said == words


def test_a_distance_that_no_epsilon_makes_up_for_is_said():
    page = opened(*hospitals("a"), level=0.05)
    answers = page.results.answers
    assert all(answer.state == "out of reach" for answer in answers.values())
    shown = html.unescape(answer_of(page) + page.shown.words)
    assert "not even at" in shown and "Without 'a' that is 4" in shown
    assert any("far" in one.words for one in page.unprotected(page.results.question))


@pytest.mark.parametrize("kind", KINDS)
def test_every_summary_holds_its_own_distances_and_the_program_gives_the_same(kind):
    table, choice = own()
    page = opened(table, choice, problem=kind, column=COLUMN[KINDS[kind]], free="error", risk=75)
    summary, question = SUMMARY[KINDS[kind]], page.results.question
    sizes, weights = np.array(table.sizes, dtype=float), np.array(table.sizes) / sum(table.sizes)
    _, std = message_std(summary.change / sizes, Privacy(question.settings.epsilon, 1e-5))
    shares = np.array(question.averages[0])
    for scheme, answer in page.results.answers.items():
        worst = 0.0
        for lost in ((), (0,), (1,), (2,)):
            left = np.isin(range(3), lost, invert=True)
            away = weights[left] / weights[left].sum() @ shares[left] - weights @ shares
            whole = (
                {"own_noise": "sum"} if scheme == "cape-after" else {}
            )  # As it is released, in whole numbers.
            noise = average_std(scheme, std, weights, dropped=lost, **HELD, **whole)
            worst = max(worst, float(stays_within(noise, away).max()))
        assert answer.high == pytest.approx(summary.span * worst, rel=1e-9)
    scope = {"__name__": "copied"}
    exec(compile(page.script(), "copied", "exec"), scope)
    pd.testing.assert_frame_equal(pd.DataFrame(scope["columns"]), page.table(), rtol=1e-9)
    report = page.report()
    assert "†" in report and "left out" in report and repr(float(shares[0][0])) not in report


def test_what_is_promised_is_a_bound_where_not_all_silences_are_tried():
    rng = np.random.default_rng(3)
    homes = [f"h{place:02d}" for place in range(14)]
    sizes = dict(zip(homes, rng.integers(20, 90, 14).tolist(), strict=True))
    rng = np.random.default_rng(5)
    frame = pd.concat(
        [
            pd.DataFrame({"CRP": rng.normal(rng.uniform(100, 200), 20, size), "home": home})
            for home, size in sizes.items()
        ]
    )
    columns = Column("CRP", lower=0.0, upper=500.0, unit="mg/L"), Column("home", "category", used=False)
    described = Description(columns, "home")
    table = described_table(upload.read(frame.to_csv(index=False).encode(), "own.csv"), described)
    page = opened(table, Choice("own.csv", described), free="error")
    page.set({"dropouts": 5, "risk": 75})
    question, counts = page.results.question, np.array(table.sizes, dtype=float)
    weights, (shares,) = counts / counts.sum(), question.averages
    _, std = message_std(1 / counts, Privacy(question.settings.epsilon, 1e-5))
    options = HELD | {"dropouts": 5}
    tried = []
    for lost in itertools.islice(itertools.combinations(range(14), 5), 0, 2002, 7):
        left = np.isin(range(14), lost, invert=True)
        away = weights[left] / weights[left].sum() @ np.array(shares)[left] - weights @ np.array(shares)
        noise = average_std("conventional", std, weights, dropped=lost, **options)
        tried.append(500 * float(stays_within(noise, away).max()))
    stated = page.results.answers["conventional"].high
    assert max(tried) <= stated < 1.5 * max(tried)
    assert "bound" in page.shown.words


def test_without_records_the_sentence_says_what_the_error_does_not_hold():
    page = PlanPage(Controls(adversary="aggregator", dropouts=1))
    page.content()
    page.content()
    page.set({"problem": "averaging"})
    page.opened()
    assert "not in it" in page.shown.words and page.results.question.averages == ()
    page.set({"dropouts": 0})
    assert "not in it" not in page.shown.words


def test_what_95_per_cent_stay_within_is_that_of_a_normal_distribution():
    rng = np.random.default_rng(1)
    for away in (0.0, 0.3, 1.0, 8.0):
        drawn = np.abs(rng.normal(away, 1.0, 200_000))
        assert np.mean(drawn <= stays_within(1.0, away)) == pytest.approx(0.95, abs=0.0025)
