"""The order of findings: the five with the largest consequences, then less privacy than stated before all else."""

from __future__ import annotations

from itertools import groupby

from core.findings import FINDINGS, FIRST


def test_five_come_first_and_the_others_by_kind():
    keys = list(FINDINGS)
    assert keys[:5] == [*FIRST]
    assert [FINDINGS[key].kind for key in FIRST] == [*["overstated"] * 3, "accuracy", "valid"]
    assert [kind for kind, _ in groupby(FINDINGS[key].kind for key in keys[5:])] == [
        "overstated",
        "accuracy",
        "understated",
        "notation",
        "valid",
    ]
