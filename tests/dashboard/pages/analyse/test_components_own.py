"""One's own table on the Components page: a mixture of Gaussians held against what is found without noise."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core import sweep
from dashboard.own_table.description import Choice
from dashboard.pages.analyse.components.model import AXES
from dashboard.pages.analyse.components.page import ComponentsPage
from dashboard.state.controls import Controls
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table

CENTRES = np.array([[3.0, 0.0, 0.0, 0.5], [0.0, 3.0, 0.5, 0.0]])


@pytest.fixture
def page(monkeypatch, tmp_path):
    monkeypatch.setitem(AXES, "epsilon", replace(AXES["epsilon"], values=(0.1, 10.0)))
    monkeypatch.chdir(tmp_path)
    controls = Controls()
    controls.param.update(repeats=2, sites=3, k=2, delta=1e-2, samples=200)
    controls.schemes = ["nonprivate", "cape"]
    page = ComponentsPage(controls)
    page.model.param.update(random=False, avn=False)
    page.content()
    return page


def bring(page, tmp_path, *, site_column=None, k=2, public=True, **values):
    rng = np.random.default_rng(3)
    rows = CENTRES[rng.integers(2, size=900)] + 0.3 * rng.standard_normal((900, 4))
    body = [",".join(f"{v:.4f}" for v in row) + f",{'xyyzz'[i % 5]}" for i, row in enumerate(rows)]
    content = "\n".join(["a,b,<i>c</i>,d,home", *body]).encode()
    (tmp_path / "mix <b>$.csv").write_bytes(content)
    table = upload.read(content, "mix <b>$.csv")
    names = ("a", "b", "<i>c</i>", "d")
    columns = [Column(name, lower=-5.0, upper=5.0, public=public) for name in names]
    described = Description((*columns, Column("home", "category", used=False)), site_column or "")
    choice = Choice("mix <b>$.csv", names, site_column, public_bounds=public, description=described)
    page.own_table.data.chosen = choice
    page.set({"k": k, **values})
    page.own_table.data.used = described_table(table, described)
    page.opened()
    assert page.runs.state == "finished", page.runs.message
    return page.plan


def test_the_components_without_noise_are_the_clusters_and_noise_moves_them(page, tmp_path):
    plan = bring(page, tmp_path)
    truth = sweep.statistics(plan.problem, plan.here).components
    wanted = CENTRES / np.linalg.norm(CENTRES, axis=1, keepdims=True)
    assert np.abs(truth @ wanted.T).max(axis=1) == pytest.approx(1, abs=0.02)
    assert page.sweep.spots["nonprivate"].figures["matched"] == pytest.approx(0, abs=1e-9)
    means = page.table().set_index(["scheme", "epsilon"])["mean"]
    assert means["cape", 0.1] > 2 * means["cape", 10.0] > 0
    assert {"dimension", "length"} <= set(page.said.absent) and "deviation" not in page.said.absent
    assert page.details._components.figure.title.text.startswith("Non-private and released")
    assert page.curve.figure.yaxis.axis_label == "distance to the non-private centre"
    assert "non-private" not in page.said.words


def test_sites_of_unequal_size_come_from_the_column(page, tmp_path):
    plan = bring(page, tmp_path, site_column="home", axis="samples")
    assert page.model.axis == "epsilon"
    assert sorted(plan.here["samples"]) == [180, 360, 360] and plan.here["sites"] == 3
    assert page.said.guarantee.nominal.epsilon == 1.0
    page.model.axis = "sites"
    assert (
        "sites of “mix <b>$.csv”" in page.said.problem or "and their records are given" in page.said.problem
    )


def test_only_public_bounds_and_a_public_spread_are_covered(page, tmp_path):
    bring(page, tmp_path)
    assert page.said.guarantee.sentence.startswith("Not covered: bounds or σ² were computed")
    assert any("σ², taken from the records" in point for point in page.said.guarantee.not_private)
    page.model.deviation = 0.06
    assert not page.said.guarantee.sentence.startswith("Not covered")
    assert any("clipped" in point for point in page.said.guarantee.not_private)


def test_the_script_reads_the_file_and_gives_the_same_numbers(page, tmp_path):
    bring(page, tmp_path)
    source, scope = page.script(), {"__name__": "copied"}
    exec(compile(source, "copied", "exec"), scope)
    theirs = pd.DataFrame(scope["columns"]).set_index(["scheme", "epsilon"])["mean"]
    ours = page.table().set_index(["scheme", "epsilon"])["mean"]
    assert theirs.to_dict() == pytest.approx(ours.to_dict(), rel=1e-12, abs=1e-12)


def test_too_many_components_are_refused_in_words(page, tmp_path):
    bring(page, tmp_path)
    page.controls.k = 5
    assert "k must be at most 4" in page.said.problem
    page.model.deviation = 1.0
    page.controls.k = 2
    assert "do not show 2 components, even without noise" in page.runs.message


def test_nothing_of_the_table_stays_when_it_is_forgotten(page, tmp_path):
    plan = bring(page, tmp_path)
    held = sweep.statistics(plan.problem, plan.here)
    page.own_table.data.used = None
    assert page.plan.own is None and page.plan.problem != plan.problem
    assert sweep.statistics(plan.problem, plan.here) is not held
    sweep.forget(plan.problem)
