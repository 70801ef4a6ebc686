"""Every month: its numbers are those of `core`, and what it says follows from them."""

import re

import numpy as np
import pytest
from sheets import MonthsPage

from core import Privacy, series
from core.privacy import gdp_mu
from dashboard.packs.consortium.months.model import READ, SCHEMES, MonthsModel, found, quick
from dashboard.packs.consortium.months.pictures import heat_map
from dashboard.packs.consortium.months.view import view
from dashboard.sheet.spec import Shown
from dashboard.sheet.store import Results
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text

ONE_OUT = {"dropouts": 1, "sites": 7}


def planned(most=1, *, shared=None, **own):
    controls = Controls(**shared or {})
    return MonthsModel(controls, most=most, **own).plan()


def shown(plan):
    return view(plan, Shown(results=Results(plan, {plan.key: found(plan.question)})))


def words(found):
    return re.sub(r"<[^>]+>", "", found.headline + " " + found.words)


@pytest.mark.parametrize(
    "own, shared",
    [
        ({}, {}),
        ({"most": 2, "apart": 4, "asked": "window"}, ONE_OUT),
        ({"asked": "differences", "months": 6}, {}),
    ],
)
def test_every_error_is_that_of_a_series(own, shared):
    """Strategies in the first chart, schemes in the second, and both tables; by `core` from the settings alone."""
    plan = planned(shared=shared, **own)
    drawn, person = shown(plan), plan.question.person
    asked = series.queries(plan.question.asked, person.months, window=3)
    best, mu = series.strategy(asked, person), float(gdp_mu(Privacy(1.0, 1e-5)))
    s, r = shared.get("sites", 10), shared.get("dropouts", 0)

    def errors(strategy, kind, scheme="cape-after"):
        silent = 0 if scheme == "pooled" else r
        noise = series.Series(strategy=strategy, sites=s, mu=mu, scheme=scheme, dropouts=silent)
        return s * np.sqrt(noise.expected(series.queries(kind, person.months, window=3)))

    read = plan.question.read
    lines = {line.name: line for line in drawn.charts["strategies"].lines}
    strategies = (
        ("independent", series.independent(person)),
        ("best for what is asked", best),
        ("one buffer", series.best_buffer(asked, person)),
        ("tree", series.tree(person)),
        ("square root", series.square_root(person)),
    )
    for name, one in strategies:
        assert lines[name].y == pytest.approx(errors(one, read), rel=1e-9)
    schemes = list(drawn.charts["schemes"].lines)
    assert len(schemes) == len(SCHEMES)
    for line, scheme in zip(schemes, SCHEMES, strict=True):
        assert line.y == pytest.approx(errors(best, read, scheme), rel=1e-9)
    cells = re.findall(r"<td>([^<]+)</td>", drawn.sections["numbers"])
    rows = [(one, "cape-after") for _, one in strategies] + [(best, scheme) for scheme in SCHEMES]
    expected = [
        number_text(float(np.sqrt(np.square(errors(one, kind, scheme)).mean())))
        for one, scheme in rows
        for kind in READ
    ]
    assert cells == expected


def test_the_bound_is_below_everything_and_the_best_for_totals_is_near():
    plan = planned(asked="totals")
    drawn = shown(plan)
    *strategies, bound = drawn.charts["strategies"].lines
    means = [np.sqrt(np.square(line.y).mean()) for line in strategies]
    assert all(mean >= bound.y[0] * (1 - 1e-9) for mean in means)
    # CAPE's cap costs half a per cent beside one curator.
    assert min(means) == pytest.approx(bound.y[0], rel=0.01)


def test_the_year_of_ten_sites_says_what_is_won():
    """33.1 if a person may be in all months, 9.55 in one, and correlated noise wins more; see core/README.md."""
    said = words(shown(planned(asked="totals")))
    numbers = [float(n) for n in re.findall(r"\d+\.\d+", said)]
    assert numbers[0] == pytest.approx(6.0, rel=0.012) and numbers[1] == pytest.approx(33.1, rel=0.012)
    assert "37 % less" in said


def test_in_all_months_correlation_wins_next_to_nothing_and_that_is_said():
    said = words(shown(planned(12, asked="totals")))
    assert "wins only 4." in said and "37 %" not in said
    worse = re.search(r"Here ([^.]*?)are worse than no correlation", said)[1]
    assert "square root (39 % more)" in worse and "tree (64 % more)" in worse
    assert "worse than no correlation" in words(shown(planned(1, asked="months")))


def test_a_month_without_a_release_costs_what_core_says():
    plan = planned(missing=5, asked="totals")
    drawn, person = shown(plan), plan.question.person
    best = series.strategy(series.queries("totals", 12), person)
    noise = series.Series(strategy=best, sites=10, mu=float(gdp_mu(Privacy(1.0, 1e-5))))
    last = np.ones((1, 12))
    whole, without = (10 * np.sqrt(noise.expected(a))[0] for a in (last, series.without(last, (4,))))
    assert without > whole
    headline = re.sub("<[^>]+>", "", drawn.headline)
    assert (
        f"has a standard error of {number_text(without)}, that of all had {number_text(whole)};" in headline
    )
    more = float(re.search(r"their mean has ([\d.]+) % more", headline)[1])
    assert more == pytest.approx(100 * (without / 11 / (whole / 12) - 1), rel=0.02)
    had = next(line for line in drawn.charts["strategies"].lines if "had month 5 come" in line.name)
    totals = series.queries("totals", 12)
    assert had.y == pytest.approx(10 * np.sqrt(noise.expected(totals)), rel=1e-9)
    assert drawn.charts["strategies"].rules == (5.0,)
    assert len(drawn.charts["strategies"].lines[0].x) == 12
    assert len(shown(planned(missing=5, asked="months")).charts["strategies"].lines[0].x) == 11


def test_one_path_is_a_series_of_core():
    plan = planned(asked="totals")
    best = found(plan.question).strategies["best"]
    running = plan.series(best).begin(rng=np.random.default_rng(plan.seed))
    noise = [10 * running.release(np.zeros(10)) for _ in range(12)]
    path = shown(plan).charts["path"]
    assert path.lines[2].y == pytest.approx(np.cumsum(noise), rel=1e-12)
    band = path.bands[1].high
    assert band == pytest.approx(plan.errors(best, kind="totals"), rel=1e-12)


def test_the_guarantee_is_of_the_whole_series():
    sentence = shown(planned(2, shared={"colluding": 2, "epsilon": 0.5})).guarantee.sentence
    assert "12 months together meet ε\u00a0=\u00a00.5" in sentence and "in at most 2 of them" in sentence
    assert "2 sites that collude" in sentence


@pytest.mark.parametrize(
    "own, shared", [({"most": 5, "months": 24}, {}), ({}, {"sites": 5, "dropouts": 3}), ({"missing": 30}, {})]
)
def test_what_no_series_allows_is_refused_in_words(own, shared):
    with pytest.raises(ValueError, match=r"[Cc]hoose"):
        planned(shared=shared, **own)


def test_more_months_than_there_are_count_as_all():
    assert planned(30, months=6).question.person == series.Participation(6, 6)


def test_a_long_search_leaves_the_picture_until_it_is_known():
    plan, before = planned(3), planned()
    assert quick(before) and not quick(plan)
    first = view(plan, Shown(results=Results(plan, {}, (plan.key,), frozenset({plan.key}))))
    assert "search" in first.headline and not first.charts and first.guarantee is not None
    stood = Results(before, {before.key: found(before.question)})
    later = view(plan, Shown(results=Results(plan, {}, (plan.key,), frozenset({plan.key}), stood)))
    assert later.headline == shown(before).headline


def test_a_map_has_a_pixel_for_every_entry():
    import base64
    import io

    from PIL import Image

    text = re.search(r"base64,([^']+)", heat_map(np.array([[1.0, -0.5], [0.0, 0.25]]), "C"))[1]
    pixels = np.array(Image.open(io.BytesIO(base64.b64decode(text))))
    assert pixels.shape == (2, 2, 4) and pixels[1, 0, 3] == 0 and pixels[0, 0, 3] == 255
    assert tuple(pixels[0, 0, :3]) == tuple(pixels[1, 1, :3]) != tuple(pixels[0, 1, :3])


def test_the_script_leaves_the_numbers_of_the_table():
    page = MonthsPage(Controls(**ONE_OUT))
    page.set({"missing": 3, "most": 2, "apart": 6})
    page.opened()
    namespace = {}
    exec(compile(page.script(), "months", "exec"), namespace)
    expected = page.table()
    assert list(namespace["columns"]) == list(expected.columns)
    for name in expected.columns:
        np.testing.assert_allclose(namespace["columns"][name], expected[name], rtol=1e-12)
