"""Public bounds: nothing leaves them, and what was moved is counted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from data import bounds

TABLES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(-1e308, 1e308, allow_nan=False),
)


def exact_norms(records):
    """Row lengths by repeated hypot, which neither overflows nor underflows."""
    return np.hypot.reduce(records.astype(float), axis=1)


@settings(deadline=None)
@given(TABLES, st.floats(1e-3, 1e3))
def test_clip_leaves_no_row_above_the_bound_and_counts_the_rest(records, bound):
    result = bounds.clip(records, bound)
    assert (exact_norms(result.records) <= bound).all()
    before = exact_norms(records)
    assert (before > bound * (1 + 1e-12)).sum() <= result.clipped <= (before > bound * (1 - 1e-12)).sum()
    inside = before <= bound * (1 - 1e-12)
    np.testing.assert_array_equal(result.records[inside], records[inside])


@settings(deadline=None)
@given(TABLES)
def test_clip_keeps_directions(records):
    result = bounds.clip(records, 1.0).records
    for raw, clipped in zip(records, result, strict=True):
        if np.abs(raw).max() > 1:
            np.testing.assert_allclose(
                clipped / np.abs(clipped).max(), raw / np.abs(raw).max(), rtol=1e-9, atol=1e-300
            )


def test_clip_in_single_precision_and_many_columns():
    records = np.random.default_rng(0).standard_normal((200, 3000)).astype(np.float32)
    result = bounds.clip(records, 1.0)
    assert result.records.dtype == np.float32
    assert result.clipped == 200
    norms = exact_norms(result.records)
    assert norms.max() <= 1
    assert norms.min() > 0.999


def test_clip_does_not_touch_what_it_was_given():
    records = np.array([[3.0, 4.0], [0.3, 0.4]])
    result = bounds.clip(records, 2.5)
    np.testing.assert_array_equal(records, [[3, 4], [0.3, 0.4]])
    np.testing.assert_allclose(result.records, [[1.5, 2], [0.3, 0.4]])
    assert (result.clipped, result.private) == (1, True)


def test_unit_ball_subtracts_and_divides_by_public_constants():
    result = bounds.to_unit_ball([[5.0, 1.0], [1.0, 9.0]], bound=4, centre=[1, 1])
    np.testing.assert_allclose(result.records, [[1, 0], [0, 1]])
    assert result.clipped == 1
    assert result.private


@settings(deadline=None)
@given(TABLES)
def test_unit_box_stays_in_the_unit_ball(records):
    result = bounds.to_unit_box(records, lower=-3, upper=7)
    assert (exact_norms(result.records) <= 1).all()
    assert result.clipped == ((records < -3) | (records > 7)).any(axis=1).sum()


def test_unit_box_maps_ends_to_ends():
    result = bounds.to_unit_box([[0.0, 10.0], [2.0, 20.0], [1.0, 15.0]], lower=[0, 10], upper=[2, 20])
    np.testing.assert_allclose(result.records * np.sqrt(2), [[-1, -1], [1, 1], [0, 0]], atol=1e-14)


def test_interval_maps_and_clips():
    result = bounds.to_interval([0.0, 50.0, 100.0, 130.0], lower=0, upper=100)
    np.testing.assert_allclose(result.records, [-1, 0, 1, 1])
    assert result.clipped == 1
    np.testing.assert_allclose(bounds.to_interval([2.0], lower=2, upper=4, onto=(0, 1)).records, [0])


def test_largest_norm_is_marked_as_not_private():
    records = np.random.default_rng(1).standard_normal((50, 4)) + 3
    result = bounds.by_largest_norm(records)
    assert not result.private
    np.testing.assert_allclose(result.records.mean(axis=0), 0, atol=1e-15)
    assert exact_norms(result.records).max() == pytest.approx(1, abs=1e-13)
    assert exact_norms(result.records).max() <= 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.clip([[1.0, np.nan]]), r"finite, got nan at index \(0, 1\)"),
        (lambda: bounds.clip([[1.0]], -1), "bound must be a finite number above 0, got -1"),
        (lambda: bounds.clip([[1.0]], np.inf), "bound must be"),
        (lambda: bounds.clip([1.0, 2.0]), "must be a table"),
        (lambda: bounds.clip(np.zeros((0, 3))), "at least one row"),
        (lambda: bounds.clip([["a"]]), "real numbers"),
        (
            lambda: bounds.to_unit_ball([[1.0, 2.0]], bound=1, centre=[1, 2, 3]),
            "centre must be one number or 2",
        ),
        (lambda: bounds.to_unit_ball([[1e308]], bound=1e-3), "finite"),
        (lambda: bounds.to_unit_box([[1.0, 2.0]], lower=[0, 2], upper=[1, 2]), "column 1"),
        (lambda: bounds.to_interval([1.0], lower=2, upper=1), "upper must exceed lower"),
        (lambda: bounds.by_largest_norm([[1.0, 1.0], [1.0, 1.0]]), "all be the same"),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()
