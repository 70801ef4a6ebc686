"""The examples in docstrings say what the functions do, and each program of the guide runs alone."""

import doctest
import re
from pathlib import Path

import pytest

import core.privacy.gaussian
import core.schemes.average
import core.schemes.noise_design

PROGRAMS = re.findall(
    r"```python\n(.*?)```", Path(core.__file__).with_name("README.md").read_text(), re.DOTALL
)


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


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_guide_runs_alone(program, capsys):
    exec(compile(program, "core/README.md", "exec"), {"__name__": "copied"})
    assert capsys.readouterr().out
