"""Saved CSV files: no name in them is a formula or breaks a line, and they open again with the same names."""

import csv

import numpy as np
import pandas as pd
import pytest

from dashboard.state.safe_csv import neutral, original, written

FORMULAS = [
    "=1+1",
    "+1-2",
    "-2+3",
    "@SUM(A1)",
    '=HYPERLINK("http://x","y")',
    "\t=1",
    "\r=1",
    " =1",
    "＝1+1",
    "=-5",
]
HARMLESS = ["-5", "+3.25", "-1e-3", "North", "a=b", "it's", "'quoted'", "5 @ 6", "", "−5"]


@pytest.mark.parametrize("name", FORMULAS)
def test_what_begins_like_a_formula_is_text_and_has_its_name_again(name):
    assert neutral(name).startswith("'") and original(neutral(name)) == name.strip()
    assert neutral(original(neutral(name))) == neutral(name)


@pytest.mark.parametrize("name", HARMLESS)
def test_other_texts_and_numbers_stay_as_they_are(name):
    assert neutral(name) == name == original(name)


@pytest.mark.parametrize("letter", ["\n", "\r\n", "\0", "\x1b", "\x85", "\u2028", "\u202e", "\t", "\x7f"])
def test_a_control_letter_ends_no_line_and_no_cell(letter):
    name = f"North{letter}=1+1,x"
    frame = pd.DataFrame({name: ["a", name], "y": [-1.5, 2.0]})
    lines = written(frame, [f"site = {name}", "seed = 1"]).splitlines()
    assert len(lines) == 5 and [line[0] == "#" for line in lines] == [True, True, False, False, False]
    assert not any(cell.lstrip()[:1] in tuple("=+-@") for line in lines[:2] for cell in line.split(","))
    rows = list(csv.reader(lines[2:]))
    assert [len(row) for row in rows] == [2, 2, 2] and letter not in "".join(map("".join, rows))


def test_numbers_are_written_as_before():
    frame = pd.DataFrame({"x": [-1.5, np.nan], "n": [3, -4], "name": ["a", None]})
    assert written(frame) == frame.to_csv(index=False, lineterminator="\n")
