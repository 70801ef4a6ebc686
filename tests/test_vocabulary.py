"""No private word stands in what a user reads; `docs/vocabulary.md` has the table.

The first answer of every page is checked where it is made, in `dashboard/shell/test_first_picture.py`.
"""

from __future__ import annotations

import ast
import json
import re

import pytest
from vocabulary import ROOT, TABLE, private, words

CODE = ("core", "data", "dashboard")
# What happened, and the table itself.
OTHER = {ROOT / "CHANGELOG.md", TABLE}


def _files(folder, *ends):
    found = sorted((ROOT / folder).rglob("*"))
    return [path for path in found if path.suffix in ends]


def _python(path):
    """Texts of several words, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in statements:
            yield node.value if " " in node.value.strip() else ""


def _web(path):
    """Strings of scripts, and the text of pages."""
    text = path.read_text(encoding="utf-8")
    strings = re.findall(r"\"[^\"\n]*\"|`[^`]*`", text)
    return [string for string in strings if " " in string] if path.suffix == ".js" else [text]


def _notebook(path):
    """Markdown, and what cells print."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            yield "".join(cell["source"])
        for out in cell.get("outputs", ()):
            yield "".join(out.get("text", ()) or out.get("data", {}).get("text/plain", ()))


def _plain(path):
    return [path.read_text(encoding="utf-8")]


SOURCES = {
    "code": lambda: [(path, _python) for folder in CODE for path in _files(folder, ".py")],
    "web": lambda: [(path, _web) for path in _files("dashboard", ".js", ".html")],
    "registers": lambda: [
        (path, _plain) for path in (*_files("dashboard", ".toml"), ROOT / "data/published/settings.json")
    ],
    "documents": lambda: [
        (path, _plain)
        for path in (
            *ROOT.glob("*.md"),
            *_files("docs", ".md"),
            *_files("examples", ".md"),
            *_files("core", ".md"),
        )
        if path not in OTHER
    ],
    "notebooks": lambda: [(path, _notebook) for path in _files("notebooks", ".ipynb")],
}


@pytest.mark.parametrize("kind", SOURCES)
def test_no_private_word_stands_in(kind):
    read = [(path, text) for path, texts in SOURCES[kind]() for text in texts(path)]
    assert len(read) > 3
    assert [(path.name, found) for path, text in read for found in private(text)] == []


def test_a_private_word_is_found_and_others_are_not():
    assert len(words()) > 15 and all(private(f"as a {word.upper()}, wide") for word in words())
    public = "Cheap principal components are directed; the histogram is narrower."
    assert not private(public)
