"""The PCA page without a browser: what it computes, keeps, and refuses in words."""

import math
import re
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pictures import drawn, finished

from core import Privacy, sweep
from core.schemes import OFFERED
from dashboard.page.sweep_plan import points_of, summary
from dashboard.pages.analyse.pca import rebuilt
from dashboard.algorithms.pca.model import AXES, spot
from compared import PcaPage
from dashboard.algorithms.pca.text import keep
from dashboard.plotting.comparison_curve import crossing
from dashboard.state.controls import Controls
from dashboard.theme.scheme_style import subject
from data.catalogue import tables

EPSILONS = (0.03, 0.3, 10.0)


@pytest.fixture
def page(monkeypatch):
    for axis, values in {"epsilon": EPSILONS, "sites": (2, 5, 20), "samples": (20, 100, 2000)}.items():
        monkeypatch.setitem(AXES, axis, replace(AXES[axis], values=values))
    controls = Controls()
    controls.param.update(repeats=2, sites=4, k=5, delta=1e-2)
    page = PcaPage(controls)
    page.model.dpdispca = True
    return finished(page)


def test_every_method_is_drawn_along_epsilon(page):
    curves = drawn(page)
    assert set(curves) == {*OFFERED, "dpdispca"}
    assert all(len(curve["x"]) == len(EPSILONS) for curve in curves.values())
    assert np.array(curves["nonprivate"]["mean"]) == pytest.approx(100)
    assert curves["cape"]["mean"][-1] > curves["local"]["mean"][-1]


def test_moving_epsilon_keeps_the_curve_and_fits_anew(page):
    before, energy = drawn(page), page.sweep.spots["cape"].energy
    page.controls.epsilon = 0.01
    assert drawn(page)["cape"] == before["cape"]
    assert page.runs.total == 1 + len(
        {*OFFERED, "dpdispca"} - {*rebuilt.methods(page.plan)}
    )  # Pictures are one job.
    assert page.sweep.spots["cape"].energy != energy
    assert not page.curve.stale


def test_another_noise_seed_redraws_everything_and_the_old_one_brings_it_back(page):
    before = drawn(page)["cape"]["mean"]
    page.controls.noise_seed = 77
    assert drawn(page)["cape"]["mean"] != before
    page.controls.noise_seed = 1
    assert drawn(page)["cape"]["mean"] == before


def test_hiding_the_non_private_answer_leaves_the_shares_right(page):
    before = drawn(page)["cape"]["mean"]
    page.controls.schemes = ["cape"]
    page.model.dpdispca = False
    assert set(drawn(page)) == {"cape"}
    assert drawn(page)["cape"]["mean"] == before


def test_bad_settings_are_said_and_the_last_picture_stays(page):
    before = drawn(page)
    page.controls.k = 65
    assert "k must be at most 64" in page.said.problem
    assert drawn(page) == before
    page.controls.k = 5
    assert page.said.problem == ""


@pytest.mark.parametrize("axis", ("samples", "sites", "delta"))
def test_the_curve_runs_along_other_settings(page, axis):
    page.model.axis = axis
    points = drawn(page)["cape"]
    assert len(points["x"]) >= 3
    assert points["x"] == sorted(points["x"])
    assert page.runs.state == "finished"


def test_the_script_gives_the_numbers_of_the_table(page):
    scope = {}
    exec(page.script(), scope)
    theirs = pd.DataFrame(scope["columns"]).set_index(["scheme", "epsilon"])["mean"]
    ours = page.table().set_index(["scheme", "epsilon"])["mean"]
    assert theirs.to_dict() == pytest.approx(ours.to_dict(), rel=1e-12)


def test_the_published_switch_counts_the_sensitivity_it_takes_too_small(page):
    exact = {row.scheme: row.public for row in page.said.guarantee.exposures}
    page.controls.calibration = "published"
    published = page.said.guarantee
    assert any("too small by √2" in point for point in published.not_private)
    assert page.plan.problem.order == "magnitude"
    assert {row.scheme for row in published.exposures} == set(exact)


def test_dpdispca_is_in_the_table_and_in_the_sentence(page):
    page.controls.schemes = ["nonprivate"]
    (row,) = page.said.guarantee.exposures
    assert row.scheme == "dpdispca"
    assert row.public == row.aggregator == pytest.approx(1e-2, rel=1e-6)  # one message, not the average
    page.controls.param.update(calibration="published", epsilon=10.0)
    assert "in truth" in page.said.guarantee.sentence
    page.model.dpdispca = False
    assert page.said.guarantee.sentence == "Nothing private is shown."


def test_a_scale_taken_from_the_records_is_told_first(page):
    assert "Not covered" not in page.said.guarantee.sentence
    page.controls.calibration = "published"
    assert page.said.guarantee.sentence.startswith("Not covered: the scale of the records was computed from")


def test_pages_in_the_background_do_not_compute(page):
    page.closed()
    page.controls.epsilon = 5.0
    assert page.plan.settings.epsilon == 1.0
    page.opened()
    assert page.plan.settings.epsilon == 5.0


def test_moving_epsilon_recomputes_no_second_moment(page, monkeypatch):
    def refuse(*args):
        raise AssertionError("a Gram matrix was computed again")

    monkeypatch.setattr("core.pca.second_moments", refuse)
    page.controls.epsilon = 0.3
    page.controls.noise_seed = 5
    assert page.runs.state == "finished", page.runs.message


def test_energies_are_in_per_cent_of_the_plain_answer():
    found = (("cape", 1.0), ("nonprivate", 2.0), ("cape", 1.5), ("cape", 1.25), ("local", 1.0))
    rows = [{"scheme": scheme, "epsilon": 1.0, "energy": energy} for scheme, energy in found]
    rows.append({"scheme": "cape", "epsilon": 3.0, "energy": 1.0})  # Nothing to hold it against yet.
    shares = summary(rows, "epsilon", "energy", factor=100.0, relative_to="nonprivate")
    points = points_of(shares, "cape", "epsilon")
    assert points["x"] == [1.0] and points["repeats"] == [3]
    assert points["mean"] == [pytest.approx(62.5)]
    assert points["low"][0] < 62.5 < points["high"][0]
    assert list(shares.columns) == ["scheme", "epsilon", "mean", "low", "high", "repeats"]
    assert list(shares.scheme) == ["cape", "local", "nonprivate"]


def test_crossing_reads_the_last_rise_off_a_log_axis():
    assert crossing([1, 10, 100], [0, 50, 100], 75) == pytest.approx(10**1.5)
    assert crossing([1, 10, 100], [95, 80, 100], 90) == pytest.approx(10**1.5)
    assert crossing([1, 10], [95, 99], 90) == pytest.approx(1)
    assert math.isnan(crossing([1, 10], [10, 20], 90))


def test_statistics_are_shared_between_pages(page):
    again = PcaPage(page.controls)
    again.content()
    first = sweep.statistics(page.plan.problem, page.plan.here)
    again.opened()
    assert sweep.statistics(again.plan.problem, again.plan.here) is first


def test_words_and_controls_say_what_counts(page):
    page.set({"data": "digits", "sites": 10, "samples": 1000, "k": 4, "axis": "epsilon"})
    assert (
        "show those nearest to them. 0 %: a blur, the first direction alone. 100 %: the non-private row."
        in page.said.words
    )
    assert "what 3 further directions add to the first, a blur" in page.needs.text
    assert "needs <b>" in page.needs.text and "needs" not in page.said.words
    assert page.said.most == {"samples": 179}
    assert page.settings_words()["Records a site Nₛ"] == "179 (all)"
    page.set({"samples": 100})
    assert page.settings_words()["Records a site Nₛ"] == "100"
    page.set({"data": "low_rank", "samples": 200})
    assert "Energy:" not in page.said.words
    assert page.said.most == {"samples": 20_000}


def test_the_curve_of_detail_leaves_out_an_epsilon_too_small_for_any(page, monkeypatch):
    monkeypatch.setitem(AXES, "epsilon", replace(AXES["epsilon"], values=(0.01, 0.3, 10.0)))
    page.set({"data": "digits", "k": 4})
    assert [cell["epsilon"] for cell in page.plan.cells] == [0.3, 10.0]
    page.set({"judged": "energy"})
    assert [cell["epsilon"] for cell in page.plan.cells] == [0.01, 0.3, 10.0]


def pictures(page):
    """Rows of the pictures at the top: their labels, and pixels from −1 to 1 of shape (pictures, pixels)."""
    spec, width = page.content().spec, math.prod(page.content().spec["shape"])
    return {
        row["label"]: (np.frombuffer(b64decode(row["pixels"]), np.uint8).reshape(-1, width) - 128.0) / 127
        for row in spec["rows"]
    }


def test_images_are_rebuilt_from_what_the_schemes_released(page):
    page.set({"epsilon": 1.0, "sites": 5, "k": 8})
    found, images = pictures(page), tables.examples("digits")
    assert list(found) == ["the images", "non-private", "a blur", "CAPE", "conventional", "local"]
    jobs = page.plan.jobs_here("cape")
    job = jobs[0]
    moments = sweep.statistics(job.problem, dict(job.settings))
    privacy = Privacy(page.plan.here["epsilon"], page.plan.here["delta"])
    fits = [job.problem.fit(moments, "cape", privacy, one.rng, dict(job.settings)) for one in jobs]
    # The drawn release is the one whose detail is nearest to the mean.
    each = [np.einsum("kd,de,ke->", f.components, moments.truth, f.components) for f in fits]
    components = fits[int(np.argmin(np.abs(each - np.mean(each)).round(12)))].components
    expected = (images @ components.T @ components / images.max()).clip(-1, 1)
    assert np.abs(found["CAPE"] - expected).max() < 1 / 127
    assert page.content().spec["rows"][0]["head"] == "detail kept"
    assert re.findall("<text.*?>(.*?)</text>", page.tiles.spec["drawing"]) == ["+", "+", "+ … ="]
    errors = {row: np.linalg.norm(found[row] - found["the images"]) for row in found}
    assert 0 < errors["non-private"] < errors["CAPE"] < errors["conventional"] < errors["local"]
    first = page.sweep.spots["nonprivate"].components[:1]
    blur = (images @ first.T @ first / images.max()).clip(-1, 1)
    assert np.abs(found["a blur"] - blur).max() < 1 / 127
    energies = np.linalg.eigvalsh(moments.truth)[::-1][:8]
    kept = 100 * (np.mean(each) - energies[0]) / energies[1:].sum()
    assert f"CAPE keeps <b>{kept:.2g} %</b> of the detail, the conven" in page.said.words.replace(
        "\u00a0", " "
    )
    assert f"Means of {len(jobs)} releases; the pictures show those nearest to them." in page.said.words
    assert "the one with the detail kept nearest to the mean" in " ".join(page.said.guarantee.not_private)
    assert page.tiles.spec["rows"][3]["note"] == f"{kept:.2g}\u00a0%"
    page.set({"epsilon": 0.001})
    assert "every scheme keeps less than a blur." in page.said.words
    assert {row["label"]: row["note"] for row in page.tiles.spec["rows"]}["local"] == "less than a blur"
    page.set({"epsilon": 1.0})
    assert "one image of each class of Handwritten digits" in " ".join(page.said.guarantee.not_private)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            {"CAPE": "less than a blur", "conventional": "3 %"},
            "CAPE keeps <b>less than a blur</b>, conventional <b>3 %</b> of the detail",
        ),
        (
            {"CAPE": "9 %", subject("local"): "less than a blur"},
            f"CAPE keeps <b>9 %</b> of the detail, {subject('local')} less than a blur",
        ),
    ],
)
def test_a_blur_is_no_share(text, sentence):
    assert keep(text, "detail") == sentence


def test_the_drawn_release_is_the_one_nearest_to_the_mean_but_of_own_records_the_first(page):
    page.set({"epsilon": 1.0, "sites": 5, "k": 8, "repeats": 5})
    jobs = page.plan.jobs_here("conventional")
    kept = [spot([job]).energy for job in jobs]
    place = int(np.argmin(np.abs(kept - np.mean(kept))))
    assert place > 0  # Otherwise the two would be the same here.
    assert np.array_equal(spot(jobs).components, spot([jobs[place]]).components)
    assert np.array_equal(spot(jobs, own=True).components, spot(jobs[:1]).components)


def test_the_first_picture_has_the_digits_and_what_is_rebuilt_without_noise(monkeypatch):
    page = PcaPage(Controls())
    page.controls.param.update(**page.opens)
    monkeypatch.setattr(page.runs, "start", lambda jobs, paint: None)
    page.opened()
    rows = re.findall("<div class='row.*?</div>", page.still())
    known = {re.search(r"<b>([^<]*)", row)[1]: "<path " in row for row in rows}
    assert [label for label, drawn in known.items() if drawn] == ["the images", "non-private", "a blur"]
    assert [label for label, drawn in known.items() if not drawn] == ["CAPE", "conventional", "local"]
    assert all(row.count("<rect ") == 10 for row in rows[3:])
    assert page.said.words == "" and "How much do the conventional ones?" in page.said.asked
    told = PcaPage(Controls(**page.opens))
    told.revealed()
    monkeypatch.setattr(told.runs, "start", lambda jobs, paint: None)
    told.opened()
    said = told.said.words.replace("\u00a0", " ")
    assert "Without noise, 16 directions rebuild the non-private row." in said
    assert "How much of its detail does each scheme keep at ε = 2?" in said


def test_above_the_images_stands_what_sites_release_and_what_they_keep(page):
    title = page.content().spec["title"]
    assert title.startswith(f"The sites release {page.controls.k} directions: patterns of pixels.")
    assert "Each image stays at its site" in title


def test_directions_of_records_without_pictures_are_bars(page):
    page.set({"data": "low_rank", "k": 3})
    assert page.content().spec["kind"] == "bars" and page.content().spec["shape"] == [1, 200]
    found = pictures(page)
    assert {row.shape for row in found.values()} == {(3, 200)}
    assert all(np.abs(row).max(axis=1) == pytest.approx(1) for row in found.values())
    page.clear()
    assert page.content().spec == {}


def test_the_words_of_a_step_are_about_what_it_draws(page):
    assert "Bands" in page.needs.text or "too few for bands" in page.needs.text
    images, alone, _, curve = page.steps
    page.said.step = images
    page.set(dict(images.values))
    assert page.said.words == ""
    assert "computed without noise" in page.tiles.spec["title"]
    assert "release" not in page.tiles.spec["title"]
    # Any number of directions keeps all that it keeps itself: a share of that would say nothing.
    assert "sixteen" not in str(images).lower()
    assert "%" not in str(page.tiles.spec["rows"]) and "kept" not in str(page.tiles.spec["rows"])
    page.said.step = alone
    page.set(dict(alone.values))
    assert (
        "if only the result or one message is seen, one site alone (local) keeps less than a blur."
        in page.said.words
        and "ands" not in page.said.words
    )
    page.said.step = curve
    page.set(dict(curve.values))
    assert "needs <b>" in page.said.words
