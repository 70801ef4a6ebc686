"""The examples in docstrings say what the functions do, and each program of the guide runs alone."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

import core

HOME = Path(core.__file__).parent
MODULES = sorted(
    ".".join(("core", *path.relative_to(HOME).with_suffix("").parts))
    for path in HOME.rglob("*.py")
    if path.name != "__init__.py" and ">>> " in path.read_text()
)
PROGRAMS = re.findall(
    r"```python\n(.*?)```", Path(core.__file__).with_name("README.md").read_text(), re.DOTALL
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_come_out_as_printed(name):
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    examples = finder.find(importlib.import_module(name))
    assert any(test.examples for test in examples)
    for test in examples:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_of_the_guide_runs_alone(program, capsys):
    exec(compile(program, "core/README.md", "exec"), {"__name__": "copied"})
    assert capsys.readouterr().out
