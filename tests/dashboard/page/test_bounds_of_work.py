"""No link asks for unbounded work: what is too much is refused in words, on every page."""

from __future__ import annotations

import param
import pytest

from dashboard.algorithms.network.model import NetworkModel
from dashboard.algorithms.pca.model import PcaModel
from dashboard.algorithms.topics.model import TopicsModel
from dashboard.pages import PAGES
from dashboard.state.controls import Controls

# A corner that asks for too much, what is said of it, and a change that brings it within bounds.
CORNERS = [
    (
        TopicsModel,
        {"data": "synthetic", "topics": 100, "vocabulary": 500, "documents": 50_000, "sites": 2},
        "documents times k³ must be at most 10¹⁰, got 5·10¹⁰",
        {"topics": 50},
    ),
    (
        TopicsModel,
        {"data": "synthetic", "topics": 5, "vocabulary": 1000, "sites": 50},
        "sites times vocabulary² must be at most 3.1·10⁷, got 5·10⁷",
        {"sites": 31},
    ),
    (
        NetworkModel,
        {"steps": 500, "samples": 100_000, "sites": 2},
        "steps times records must be at most 2·10⁷ for one session",
        {"samples": 1000},
    ),
    (PcaModel, {"k": 100}, "k must be at most 64", {"k": 64}),
]


def put(model, values):
    model.controls.take({k: v for k, v in values.items() if k in model.controls.param})
    model.param.update(**{k: v for k, v in values.items() if k not in model.controls.param})


@pytest.mark.parametrize(("kind", "corner", "words", "within"), CORNERS)
def test_too_much_is_refused_and_what_is_allowed_is_planned(kind, corner, words, within):
    model = kind(Controls())
    put(model, corner)
    with pytest.raises(ValueError) as refused:
        model.plan()
    assert words in str(refused.value)
    put(model, within)
    model.plan()


@pytest.mark.parametrize("kind", [kind for kind in PAGES if not kind.live], ids=lambda kind: kind.name)
def test_the_top_of_every_slider_at_once_is_planned_or_refused_in_words(kind):
    page = kind(Controls())
    for source, names in ((page.controls, page.shared), (page.model, page.own)):
        tops = {n: source.param[n].bounds[1] for n in names if isinstance(source.param[n], param.Number)}
        tops = {n: v for n, v in tops.items() if n not in ("data_seed", "noise_seed")}
        source.take(tops) if source is page.controls else source.param.update(**tops)
    try:
        plan = page.compute()
    except ValueError as error:
        assert len(str(error)) > 20
    else:
        assert plan is not None
