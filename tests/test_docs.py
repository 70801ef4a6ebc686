"""The guide and the reference can be built from what is installed, without a network, and name no machine."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def build():
    for library in ("pdoc", "nbconvert"):
        pytest.importorskip(library, reason="the extra 'docs' is not installed")
    import build

    return build


@pytest.fixture(scope="module")
def site(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    chapters = sorted((ROOT / "notebooks").glob("*.ipynb"))[1:3]
    build.build(folder, run=False, notebooks=chapters, packages=("core.privacy",))
    return folder


def test_chapters_have_their_formulas_and_lead_to_each_other(site):
    first = (site / "01_averaging.html").read_text()
    assert "<math" in first and "FORMULA" not in first
    assert not re.search(r"\$[^$]*\\(tau|frac)", first)
    assert "rel='next' href='02_pca.html'" in first
    assert "href='01_averaging.html'" in (site / "index.html").read_text()
    assert "<h1" in (site / "mathematics.html").read_text()


def test_the_reference_holds_public_functions(site):
    text = (site / "api" / "core" / "privacy.html").read_text()
    assert "gaussian_std" in text and "_log_gdp_delta" not in re.sub(
        r"<pre.*?</pre>", "", text, flags=re.DOTALL
    )


def test_nothing_names_this_machine_or_another(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) >= 5
    for page in pages:
        text = page.read_text()
        assert str(ROOT) not in text and str(Path.home()) not in text
        loaded = re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=[\"']?(https?://[^\"' >]+)", text)
        assert loaded == []


def test_stored_pictures_stand_in_where_notebooks_are_not_run(site):
    page = (site / "01_averaging.html").read_text()
    pictures = [re.search(r'alt="([^"]*)"', tag)[1] for tag in re.findall(r"<img[^>]*image/png[^>]*>", page)]
    assert len(pictures) >= 3 and all(len(words) > 20 for words in pictures)


def test_a_live_page_has_a_button_for_each_of_four_states_and_needs_no_script(build, capfd):
    leaf = build.chapter(ROOT / "notebooks" / "00_start_here.ipynb", run=True)
    assert capfd.readouterr().err == ""
    states = re.search(r'class="states".*?class="note">', leaf.body, re.DOTALL)[0]
    names = re.findall(r"<label for=\"00_start_here-1-0-\d\">([^<]*)</label>", states)
    assert names == [f"Colluding sites: {n}" for n in (0, 3, 6, 9)]
    assert len(re.findall(r'<input[^>]* name="00_start_here-1-0"[^>]* type="radio"', states)) == 4
    pictures = states.split('<div class="state">')[1:]
    assert len(set(pictures)) == 4 and all("<svg" in picture for picture in pictures)
    assert "<details><summary>Answer</summary>" in leaf.body and "<script" not in leaf.body


def test_the_reference_is_asked_for_no_module_twice(build):
    from pdoc.extract import walk_specs

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = walk_specs(name for package in build.PACKAGES for name in build.modules(package))
    assert {"core.schemes.known.cape", "data.catalogue.corpora", "core.privacy"} <= set(names)
