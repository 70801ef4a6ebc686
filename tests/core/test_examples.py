"""The examples in docstrings say what the functions do."""

import doctest

import pytest

import core.privacy.gaussian
import core.schemes.average
import core.schemes.noise_design


@pytest.mark.parametrize(
    "module",
    (core.privacy.gaussian, core.schemes.average, core.schemes.noise_design),
    ids=lambda module: module.__name__,
)
def test_examples_come_out_as_printed(module):

    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    found = finder.find(module)
    assert any(test.examples for test in found)
    for test in found:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
