"""Labelled records by name: bounded where methods need it, dealt to sites, the truth beside them."""

import numpy as np
import pytest

from data import synthetic
from data.catalogue import labelled

HERE = {"sites": 4, "samples": 50, "data_seed": 1, "dimension": 6, "noise": 0.1}


@pytest.mark.parametrize("name", labelled.regressions())
def test_regressions_are_within_their_bounds(name):
    source = labelled.regressions()[name]
    sites, truth = labelled.load({**HERE, "data": name})
    assert [len(y) for _, y in sites] == [50] * 4
    x, y = (np.concatenate(part) for part in zip(*sites, strict=True))
    assert x.shape[1] == (6 if source.synthetic else source.width)
    assert np.linalg.norm(x, axis=1).max() <= 1
    assert (np.abs(y) <= 1).all() if source.response == "linear" else set(y) == {0.0, 1.0}
    assert (truth is None) != source.synthetic
    assert len(source.features) == (0 if source.synthetic else source.width)
    if not source.synthetic:
        assert source.features[-1] == "intercept"
        assert np.ptp(x[:, -1]) == 0


@pytest.mark.parametrize("name", labelled.classifications())
def test_classes_come_with_records_to_test_on(name):
    source = labelled.classifications()[name]
    sites, (x, y) = labelled.load_classes({**HERE, "data": name})
    assert [site[0].shape for site in sites] == [(50, source.width)] * 4
    assert x.shape == (len(y), source.width)
    assert set(y) == {0, 1}
    assert len(y) == (labelled.TEST_RECORDS if name != "breast_cancer" else 171)
    assert source.records >= 200


def test_the_data_seed_alone_decides_what_is_drawn():
    first, again, other = (
        labelled.load({**HERE, "data": "diabetes", "data_seed": seed})[0][0][1] for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize("shape", synthetic.plane.SHAPES)
def test_plane_classes_are_centred_and_no_line_parts_them(shape):
    drawn = synthetic.plane_classes(4000, shape=shape, rng=np.random.default_rng(0))
    assert drawn.features.shape == (4000, 2)
    assert drawn.labels.sum() == 2000
    assert np.abs(drawn.features.mean(axis=0)).max() < 0.06
    x = np.column_stack([drawn.features, np.ones(4000)])
    line = x @ np.linalg.lstsq(x, drawn.labels - 0.5, rcond=None)[0]
    assert np.mean((line > 0) == drawn.labels) < 0.9
