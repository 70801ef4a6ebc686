"""The handout's file without a browser: size, settings that it opens with, refused ones, the command."""

import json
import re

import numpy as np
import pytest
from scipy.special import erfcx

from dashboard.packs.handout import cli
from dashboard.packs.handout.build import LARGEST, handout
from dashboard.packs.handout.facts import mills_table


def facts_of(text):
    return json.loads(re.search(r"^const FACTS = (.*)$", text, re.M).group(1))


def test_the_table_of_the_mills_ratio_has_eleven_digits():
    x = np.concatenate([[0], np.geomspace(1e-6, 1e8, 5000)])
    t = 2 / (2 + x)
    found = t * np.exp(np.polynomial.chebyshev.chebval(2 * t - 1, mills_table()))
    np.testing.assert_allclose(found, erfcx(x), rtol=1e-11)


def test_one_file_without_addresses_opens_with_the_chosen_settings(tmp_path, capsys):
    path = tmp_path / "lecture.html"
    assert cli.main(["--out", str(path), "--page", "gain", "--sites", "12", "--epsilon", "0.5"]) == 0
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < LARGEST and "lecture.html" in capsys.readouterr().out
    assert not re.search(r"(src|href)=.?(http|//)|import\(|fetch\(|url\((?!#)", text)
    facts = facts_of(text)
    assert facts["front"] == "gain" and facts["settings"]["sites"]["value"] == 12
    assert facts["settings"]["epsilon"]["value"] == 0.5 and facts["settings"]["delta"]["value"] == 1e-5
    assert text.count("<script>") == text.count("</script>") == 1


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"sites": 1}, "sites must be a whole number from 2 to 50, got 1"),
        ({"sites": 2.5}, "sites must be a whole number from 2 to 50, got 2.5"),
        ({"epsilon": 0.0}, "epsilon must be a number from 0.001 to 10, got 0"),
        ({"noise": float("nan")}, "noise must be a number from 0.1 to 1e\\+06, got nan"),
        ({"tau": 1.0}, "a setting must be one of .*, got 'tau'"),
    ],
)
def test_a_setting_that_it_cannot_have_is_refused_in_words(chosen, words):
    with pytest.raises(ValueError, match=words):
        handout(chosen)


@pytest.mark.parametrize(("typed", "value"), [("0,5", 0.5), ("0.5", 0.5), ("5e-1", 0.5), (" 2", 2)])
def test_numbers_of_the_command_have_a_decimal_point_or_a_comma(typed, value, tmp_path):
    path = tmp_path / "x.html"
    assert cli.main(["--out", str(path), "--epsilon", typed]) == 0
    assert facts_of(path.read_text(encoding="utf-8"))["settings"]["epsilon"]["value"] == value


@pytest.mark.parametrize("typed", ["half", "1.2.3,", "nan"])
def test_what_is_no_number_is_refused_by_the_command(typed, capsys):
    with pytest.raises(SystemExit):
        cli.main(["--epsilon", typed])
    assert f"--epsilon: must be a number, got '{typed}'" in capsys.readouterr().err


def test_a_page_that_it_has_not_is_refused_by_the_command(tmp_path, capsys):
    assert cli.main(["--out", str(tmp_path / "x.html"), "--page", "pca"]) == 2
    assert "guarantee, got 'pca'" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()
