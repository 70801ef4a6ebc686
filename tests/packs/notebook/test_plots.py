"""Pictures for notebooks: HoloViews elements for either backend, straight from results."""

from __future__ import annotations

import subprocess
import sys

import holoviews as hv
import numpy as np
import pandas as pd
import pytest

from core import Privacy, network, pca, release, sweep
from dashboard import plots


@pytest.fixture(params=("bokeh", pytest.param("matplotlib", marks=pytest.mark.slow)))
def backend(request):
    pytest.importorskip(request.param)
    hv.extension(request.param, logo=False)
    yield request.param
    hv.Store.set_current_backend("bokeh")


def load(settings):
    rng = np.random.default_rng(settings["sites"])
    return [0.3 * rng.normal(size=(50, 3)) / 3**0.5 for _ in range(settings["sites"])], None


@pytest.fixture(scope="module")
def rows():
    problem = pca.Problem(load, data_settings=("sites",))
    cells = sweep.grid(epsilon=[0.1, 1.0, 10.0], delta=1e-5, sites=[3, 5], samples=50, k=1)
    return sweep.run(problem, cells, schemes=("nonprivate", "cape", "conventional"), repeats=3, seed=1)


def test_every_picture_is_drawn_and_composes(backend, rows):
    rng = np.random.default_rng(1)
    values = np.linspace(0.4, 0.6, 6)
    one = release(values, 0.01, Privacy(1.0, 1e-5), scheme="cape", rng=rng)
    many = release(np.repeat(values[:, None], 300, 1), 0.01, Privacy(1.0, 1e-5), scheme="cape", rng=rng)
    noise, words = np.geomspace(1, 30, 20), rng.dirichlet(np.ones(8), 2)
    small = network.start(2, 4, rng=rng)
    three = rows[rows.sites == 3]
    elements = [
        plots.averaging(one) + plots.errors({"cape": many}, values.mean()),
        plots.lines(noise, {"cape": 1 / noise, "mine": noise - 5}, x_label="a", y_label="b", y_log=True),
        plots.tradeoffs({"public": 0.5, "aggregator": 0.7}),
        plots.comparison(three) * hv.HLine(0.5),
        plots.comparison(rows, x="epsilon", panels="sites").opts(shared_axes=False),
        plots.components({"a": rng.normal(size=(3, 16)), "b": rng.normal(size=(3, 16))}, shape=(4, 4)),
        plots.topics({"found": words[::-1]}, words),
        plots.topics({"found": words}, vocabulary=list("abcdefgh")),
        plots.classes({"start": small}, (rng.normal(size=(40, 2)), rng.integers(0, 2, 40))),
    ]
    for element in elements:
        assert hv.render(element, backend=backend) is not None


def test_a_comparison_shows_the_means_of_a_sweep(rows):
    hv.extension("bokeh", logo=False)
    three = rows[rows.sites == 3]
    drawn = plots.comparison(three, y="energy")
    mean = three[three.scheme == "cape"].groupby("epsilon").energy.mean()
    curve = next(part for part in drawn if isinstance(part, hv.Curve) and part.label == "CAPE")
    np.testing.assert_allclose(curve.dimension_values(1), mean)
    figure = hv.render(drawn)
    assert type(figure.x_scale).__name__ == "LogScale" and figure.xaxis[0].axis_label == "ε"


def test_what_cannot_be_drawn_is_refused(rows):
    hv.extension("bokeh", logo=False)
    with pytest.raises(ValueError, match="x must"):
        plots.comparison(rows)
    with pytest.raises(ValueError, match="several values"):
        plots.comparison(rows, x="epsilon")
    with pytest.raises(ValueError, match=r"y must.*'energi'"):
        plots.comparison(rows[rows.sites == 3], y="energi")
    with pytest.raises(ValueError, match="column 'scheme'"):
        plots.comparison(pd.DataFrame({"epsilon": [1.0]}))
    values = np.linspace(0.4, 0.6, 6)
    with pytest.raises(ValueError, match="cape"):
        plots.averaging(release(values, 0.01, None, scheme="nonprivate", rng=np.random.default_rng(1)))
    with pytest.raises(ValueError, match="vocabulary must"):
        plots.topics({"a": np.ones((2, 3)) / 3}, vocabulary=["one"])


def test_no_import_loads_a_backend_and_a_picture_without_one_says_what_to_do():
    program = (
        "import numpy, holoviews\nfrom dashboard import plots\nassert not holoviews.Store.loaded_backends()\n"
        "plots.tradeoffs({'a': 1.0})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "run hv.extension('bokeh', inline=True)" in done.stderr
