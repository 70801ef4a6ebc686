"""Components as pixels: their order shows a component's number; and which result stands beside which pattern."""

import math

import numpy as np
import pytest

from core import tensors
from dashboard.components.numerals import drawn, shape_of
from dashboard.problems.patterns import Search, marks
from data.synthetic.tensors import tensor_components


@pytest.mark.parametrize("width", (30, 40, 64, 100, 1000))
def test_every_number_of_a_component_has_a_pixel(width):
    rows, columns = shape_of(width)
    assert width <= rows * columns < width + columns
    true = tensor_components(3, dimension=width, rng=np.random.default_rng(1)).vectors
    found = drawn(true, true)
    scale = 1.3 / np.sqrt(width)
    expected = np.clip(0.5 + 0.5 * true / scale, 0, 1)
    for picture, numbers in zip(found, expected, strict=True):
        left = sorted(picture, reverse=True)[: width - (numbers == 0).sum()]
        assert left == pytest.approx(sorted(numbers[numbers > 0], reverse=True))


def test_a_component_shows_its_number_and_noise_does_not():
    rng = np.random.default_rng(2)
    true = tensor_components(2, dimension=64, rng=rng).vectors
    assert shape_of(64) == (8, 8)
    first = drawn(-true, true)[0].reshape(8, 8)  # The sign of a component is arbitrary.
    assert first[1:7, 3].min() > first[1:7, [0, 7]].max()
    again = drawn(-true[[0, 0]], true, like=[0, 0]).reshape(2, 8, 8)  # Drawn as the first, with its own sign.
    assert again[1] == pytest.approx(1 - first) and np.array_equal(*again)
    noise = rng.standard_normal((2, 64))
    noise = drawn(noise / np.linalg.norm(noise, axis=1, keepdims=True), true)[0].reshape(8, 8)
    assert noise[1:7, 3].min() < noise[1:7, [0, 7]].max()


def test_every_result_of_a_search_is_drawn_once_and_beside_the_pattern_that_it_found():
    true = np.eye(4)[:3]
    off = np.array([0.0, 0.92, 0.0, math.sqrt(1 - 0.92**2)])  # The second; nearest to the others, too.
    vectors = np.stack([off, np.eye(4)[3], -true[0]])
    paths = tuple(np.stack([v, v]) for v in vectors)
    search = Search.of(tensors.Eigenpairs(np.ones(3), vectors, paths=paths), true)
    np.testing.assert_array_equal(search.vectors, vectors[[2, 0, 1]])
    assert search.cosines.tolist() == [1, 0.92, 0] and marks(search.cosines) == ["✓", "✓", "✗"]
    assert search.paths[0] is paths[2]
