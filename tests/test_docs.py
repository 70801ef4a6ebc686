"""The guide and the reference can be built from what is installed, without a network, and name no machine."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for library in ("pdoc", "nbconvert", "latex2mathml"):
        pytest.importorskip(library, reason="the extra 'docs' is not installed")
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    build = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = build
    spec.loader.exec_module(build)
    folder = tmp_path_factory.mktemp("site")
    chapters = sorted((ROOT / "notebooks").glob("*.ipynb"))[:2]
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
