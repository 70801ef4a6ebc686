"""Strategies against a general solver of semidefinite programs, whose numbers are stored: tests/oracles/series_solver.py."""

import json
import math
from pathlib import Path

import pytest

from core.series import Participation, queries, strategy

STORED = json.loads((Path(__file__).parents[2] / "oracles" / "series_solver.json").read_text())


@pytest.mark.parametrize("kind, months, most, apart, least", STORED)
def test_the_least_error_is_that_of_a_general_solver(kind, months, most, apart, least):
    """Within the certified gap, and never below: the sensitivity counts all signs in both."""
    asked, person = queries(kind, months), Participation(months, most, apart)
    found = strategy(asked, person)
    error = math.sqrt(found.variances(asked).mean())
    assert least * (1 - 1e-5) <= error <= least * math.sqrt(1 + found.gap) * (1 + 1e-5)
    assert found.gap < 3e-3 and error == pytest.approx(least, rel=1e-3)
