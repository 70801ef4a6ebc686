"""Labelled records by name: bounded where methods need it, dealt to sites, the truth beside them."""

import numpy as np
import pytest

from data import real, synthetic, upload
from data.catalogue import labelled
from data.columns import Column, Description
from data.upload.own_table import described_table

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
    held_out = {about.name: about.shape[0] - source.records for about in real.available()}
    assert len(y) == held_out.get(name, labelled.TEST_RECORDS)
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


def constant(y="1", kind=None):
    text = "a,b,y\n" + "".join(f"{i},{20 - i},{y}\n" for i in range(20))
    target = kind or Column("y", lower=0, upper=9)
    columns = (Column("a", lower=0, upper=25), Column("b", lower=0, upper=25), target)
    return described_table(upload.read(text.encode(), "t.csv"), Description(columns, target="y"))


@pytest.mark.parametrize(
    ("table", "labels"),
    [
        (lambda: constant(), False),
        (lambda: constant("0.25"), False),
        (lambda: constant("12"), False),  # Beyond its range: clipped to one end.
        (lambda: constant("8"), True),
        (lambda: constant("no", kind=Column("y", "yes/no", values=("yes", "no"))), False),
        (lambda: constant("u", kind=Column("y", "category", values=("u", "v"))), False),
    ],
)
def test_a_response_that_never_differs_is_refused_by_name(table, labels):
    with pytest.raises(ValueError, match="response"):
        labelled.LabelledTable(table(), 2, labels)


def test_features_that_never_differ_are_refused_by_name():
    text = "a,b,y\n" + "".join(f"3,4,{i}\n" for i in range(20))
    columns = tuple(Column(name, lower=0, upper=25) for name in "aby")
    table = described_table(upload.read(text.encode(), "t.csv"), Description(columns))
    with pytest.raises(ValueError, match="table"):
        labelled.LabelledTable(table, 2)


@pytest.mark.parametrize("centring", ["public", "none"])
@pytest.mark.parametrize(("low", "high", "centre"), [(0, 12, None), (0, 12, 2), (-3, 40, 30), (5, 6, 5)])
def test_labels_are_cut_at_the_middle_of_the_range_wherever_the_centre_is(low, high, centre, centring):
    """By counting cells; some lie on the middle itself and some beyond the range."""
    y = np.linspace(low - 0.1 * (high - low), high, 300).round(3)
    y[::50] = (low + high) / 2
    text = "a,y\n" + "".join(f"{i % 7},{value!r}\n" for i, value in enumerate(y.tolist()))
    columns = (Column("a", lower=0, upper=9), Column("y", lower=low, upper=high, centre=centre))
    description = Description(columns, target="y", centring=centring)
    table = labelled.LabelledTable(described_table(upload.read(text.encode(), "t.csv"), description), 1, True)
    (pairs, _) = table({"sites": 2, "samples": 150, "data_seed": 0})
    right = int((y > (low + high) / 2).sum())
    assert 0 < right < 300 and sum(labels.sum() for _, labels in pairs) == right
