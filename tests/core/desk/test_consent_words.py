"""What a site reads before it agrees: words of the desk, which nothing in a plan can imitate or paint over."""

from dataclasses import replace

import pytest
from desks import CEILING, Consortium

from core.desk.commands import in_words, main

LIE = "It costs each of your records, as h2, epsilon 0.001 at delta 1e-05, against the aggregator."


@pytest.fixture(scope="module")
def consortium(tmp_path_factory):
    found = Consortium(tmp_path_factory.mktemp("consent"))
    found.desk(2).set_ceiling(**CEILING)
    return found


@pytest.mark.parametrize(
    "mark", ["\n", "\r", "\x1b[2J\x1b[H", "\x9b2J", "\u202e", "\u2067", "\u2029", "\x85"]
)
def test_a_note_that_controls_a_terminal_is_refused_before_anything_is_shown(
    consortium, tmp_path, mark, capsys
):
    told = consortium.plan.text()[:-2] if consortium.plan.text().endswith("}\n") else consortium.plan.text()
    path = tmp_path / "plan.json"
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in mark)
    path.write_text(told.rstrip().rstrip("}").rstrip() + f', "note": "Agreed.{escaped}{LIE}"}}')
    (tmp_path / "r.csv").write_text("stay\n1\n")
    assert main(["site", "consent", str(consortium.folder(2)), str(path), str(tmp_path / "r.csv")]) == 2
    said = capsys.readouterr()
    assert "note must be one line" in said.err and LIE not in said.out + said.err


def test_a_note_is_one_line_before_the_words_of_the_desk(consortium):
    """Neither many spaces nor its end makes a line of its own that stands where the desk's stand."""
    plan = replace(consortium.plan, note="ε\u00a0=\u00a01." + " " * 300 + LIE)
    lines = in_words(plan, 80, consortium.desk(2)).splitlines()
    assert lines[0] == f"Note of the plan's writer: ε = 1. {LIE}"
    assert LIE not in lines[1:] and any("epsilon 1 at delta" in line for line in lines[1:])
