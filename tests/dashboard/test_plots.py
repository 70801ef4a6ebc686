"""Pictures for notebooks."""

from __future__ import annotations

import numpy as np
import pytest

from core import Privacy, cape, release
from dashboard import plots


def test_plots_turn_results_into_elements():
    import holoviews as hv

    rng = np.random.default_rng(1)
    values = np.linspace(0.4, 0.6, 6)
    released = release(values, 0.01, Privacy(1.0, 1e-5), scheme="cape", rng=rng)
    noise = np.geomspace(1, 30, 20)
    exact = cape.delta(1.0, tau=noise, samples=None, sensitivity=1.0, sites=6)
    x = np.arange(1.0, 4.0)
    elements = [
        plots.averaging(values, released),
        plots.histogram({"cape": rng.normal(size=300)}, {"cape": 1.0}),
        plots.gains(np.array([1.0, 10.0]), np.array([6.0, 30.0]), 6, 600),
        plots.deltas(noise, {("cape", "exact"): exact}),
        plots.tradeoffs({"public": 0.5, "aggregator": 0.7}),
        plots.comparison(x, {"cape": (x, x - 1, x + 1)}, x_label="ε", y_label="energy", x_log=True),
    ]
    for element in elements:
        assert hv.render(element).renderers
    with pytest.raises(ValueError, match="cape"):
        plots.averaging(values, release(values, 0.01, None, scheme="nonprivate", rng=rng))
