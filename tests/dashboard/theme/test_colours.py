"""A colour is said once: what stands for CAPE in one picture stands for it in all."""

from pathlib import Path

import pytest

from dashboard.theme import colours

DASHBOARD = Path(__file__).parents[3] / "dashboard"
SAID = {value for value in vars(colours).values() if isinstance(value, str) and value.startswith("#")}


def test_a_named_colour_is_written_nowhere_else():
    written = [
        (str(path.relative_to(DASHBOARD)), colour)
        for path in DASHBOARD.rglob("*.*")
        if path.suffix in {".py", ".css", ".js"} and path != DASHBOARD / "theme" / "colours.py"
        for colour in SAID
        if colour in path.read_text(encoding="utf-8").lower()
    ]
    assert written == []


@pytest.mark.parametrize("line", ["CAPE", "AGGREGATOR", "CORRECTED", "OBSERVED"])
def test_what_shares_a_colour_with_cape_keeps_it_when_capes_is_changed(line):
    """The line of CAPE is the only one to edit: in the source another colour there leaves the rest alone."""
    source = (
        Path(colours.__file__).read_text(encoding="utf-8").replace("\nCAPE = BLUE\n", '\nCAPE = "#123456"\n')
    )
    names = {"__name__": "colours"}
    exec(compile(source, "colours", "exec"), names)
    assert names["ZERO_SUM"] == "#123456"  # It is CAPE's own.
    assert names[line] == ("#123456" if line == "CAPE" else getattr(colours, line))
