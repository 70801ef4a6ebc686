"""Documents to counts, and the docstring corpus."""

import itertools
import sys
import textwrap
import urllib.error

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from data import cache, text


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CAPE_LAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def counted(texts, **options):
    options = {"min_documents": 1, "stop_words": False, **options}
    return text.corpus(texts, **options)


# Counting


def test_counts_are_those_of_the_words():
    texts = ["red red green", "blue Green blue blue", "red blue green"]
    result = counted(texts)
    assert result.vocabulary == ("blue", "green", "red")
    assert sparse.issparse(result.counts)
    np.testing.assert_array_equal(result.counts.toarray(), [[0, 1, 2], [3, 1, 0], [1, 1, 1]])
    assert result.tokens == 10
    assert result.names == ("document 1", "document 2", "document 3")


def test_short_documents_are_dropped_and_counted():
    texts = ["red green", "", "red green blue", "no of", "blue blue blue"]
    result = counted(texts)
    assert result.names == ("document 3", "document 5")
    assert result.dropped == 3
    assert (result.counts.sum(axis=1) >= 3).all()


def test_words_are_runs_of_letters_in_lower_case():
    result = counted(["n_samples <script>alert(1)</script> Größe x2y", "Samples naïve 12345 größe ok"])
    assert set(result.vocabulary) == {"samples", "script", "alert", "größe", "naïve"}


def test_digits_are_counted_if_wanted():
    words = counted(["sha256 2024 abc 7", "abc sha256 2024"], numbers=True).vocabulary
    assert words == ("2024", "abc", "sha256")


def test_stop_words_size_and_document_frequency():
    texts = ["the cat and the dog", "the cat with the hat", "the cat, the dog, the bird", "zebra " * 4]
    assert "the" in counted(texts).vocabulary
    assert "the" not in counted(texts, stop_words=True).vocabulary
    assert "cat" not in counted(texts, stop_words=["Cat"]).vocabulary
    assert counted(texts, size=2).vocabulary == ("the", "zebra")
    assert counted(texts, min_documents=2, size=3).vocabulary == ("cat", "dog", "the")


def test_a_vocabulary_found_in_the_documents_is_not_public():
    texts = ["red green blue", "red red red"]
    assert not counted(texts).vocabulary_public
    given_words = counted(texts, vocabulary=["red", "yellow", "blue"])
    assert given_words.vocabulary_public
    assert given_words.vocabulary == ("red", "yellow", "blue")
    np.testing.assert_array_equal(given_words.counts.toarray(), [[3, 0, 0]])
    assert given_words.dropped == 1


def test_a_word_has_at_most_forty_letters():
    texts = ["a" * 1000 + " bbb ccc ddd"]
    assert max(map(len, counted(texts).vocabulary)) == 40


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.text(alphabet="aAbB éßЖ中\U0001d518\n\t1_.,<&'\"\x00", max_size=40), max_size=8),
    st.integers(2, 5),
    st.booleans(),
)
def test_any_texts_are_counted_or_refused(texts, size, numbers):
    try:
        result = counted(texts, size=size, numbers=numbers)
    except ValueError as error:
        assert "must" in str(error)
        return
    assert result.counts.shape == (len(result.names), len(result.vocabulary))
    assert 2 <= len(result.vocabulary) <= size
    assert result.dropped + len(result.names) == len(texts)
    assert result.counts.sum(axis=1).min() >= 3
    assert not any(set(word) & set("<>&\"'") for word in result.vocabulary)


COW, CATS = ["cat dog cow"], ["cat cat cat"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: counted([]), "at least one, got none"),
        (lambda: counted(["", "  "]), "must share words"),
        (lambda: counted([*COW, 4]), "must be strings, got int at position 1"),
        (lambda: counted(CATS), "at least 2 words, got"),
        (lambda: counted(["cat dog", "dog cat"]), "at least 3 words of the vocabulary"),
        (lambda: counted(COW, size=1), "size must be a whole number of at least 2"),
        (lambda: counted(COW, min_documents=2), "min_documents must be at most"),
        (lambda: counted(COW, vocabulary=["cat", "cat"]), "must not repeat a word, got 'cat'"),
        (lambda: counted(COW, vocabulary=["cat"]), "at least 2 words"),
        (lambda: text.corpus(["the and of"] * 9), "must share words"),
        (lambda: text.Documents(("a",), (), "s", "u"), "names must be one for each of 1 texts"),
    ],
)
def test_bad_texts_are_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# Docstrings


SOURCE = '''
"""Module words."""
raise RuntimeError("this file must never be imported")

class Shape:
    """A shape."""

    def area(self):
        """Its area."""
        def inner():
            """Within."""

    async def wait(self):
        """Wait."""

    def silent(self):
        return "not a docstring"

if True:
    def chosen():
        """Chosen."""

def again():
    """A shape."""
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package on the path with documented modules, tests, and a file that is no Python."""
    root = tmp_path / "path" / "shapes_of_things"
    (root / "tests").mkdir(parents=True)
    (root / "sub").mkdir()
    files = {
        "__init__.py": SOURCE,
        "b.py": '"""Second."""',
        "a.py": '"""First."""\nx = "\\d"',
        "sub/__init__.py": "",
        "sub/c.py": 'class C:\n    """Third."""',
        "tests/test_it.py": '"""A test."""',
        "test_this.py": '"""A test."""',
        "conftest.py": '"""A test."""',
        "template.py": '"""Broken""" {{ name }}',
        "blank.py": '"""   """',
    }
    for name, content in files.items():
        (root / name).write_text(textwrap.dedent(content), encoding="utf-8")
    monkeypatch.syspath_prepend(str(root.parent))
    return "shapes_of_things"


def test_docstrings_are_found_without_importing_in_a_fixed_order(package):
    documents = text.docstrings([package])
    name = package
    assert list(zip(documents.names, documents.texts, strict=True)) == [
        (name, "Module words."),
        (f"{name}.Shape", "A shape."),
        (f"{name}.Shape.area", "Its area."),
        (f"{name}.Shape.area.inner", "Within."),
        (f"{name}.Shape.wait", "Wait."),
        (f"{name}.chosen", "Chosen."),
        (f"{name}.a", "First."),
        (f"{name}.b", "Second."),
        (f"{name}.sub.c.C", "Third."),
    ]
    assert documents.dropped == 1
    assert documents.unit == "one docstring"


def test_a_scan_reports_progress_and_is_cached(package, empty_cache):
    seen = []
    first = text.docstrings([package], on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 7) for i in range(1, 8)]
    assert len(list(empty_cache.iterdir())) == 1
    seen.clear()
    assert text.docstrings([package], on_progress=lambda *counts: seen.append(counts)) == first
    assert seen == []
    again = text.docstrings([package], refresh=True, on_progress=lambda *counts: seen.append(counts))
    assert again == first
    assert len(seen) == 7


def test_a_damaged_cache_is_scanned_again(package, empty_cache):
    first = text.docstrings([package])
    file = next(empty_cache.iterdir())
    for content in (b"", file.read_bytes()[:100]):
        file.write_bytes(content)
        assert text.docstrings([package]) == first
    cache.write(file.stem, {"json": np.frombuffer(b'{"texts": 3}', dtype=np.uint8)})
    assert text.docstrings([package]) == first


def test_progress_may_stop_the_scan(package, empty_cache):
    def stop(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        text.docstrings([package], on_progress=stop)
    assert not empty_cache.exists()


def test_the_key_depends_on_names_and_versions():
    from dataclasses import replace

    from data.text.docstrings import cache_name, installed

    (found,) = installed(["param"])
    others = [replace(found, version="0"), replace(found, name="q")]
    assert len({cache_name([package]) for package in (found, *others)}) == 3
    assert cache_name([replace(found, path=found.path.parent)]) == cache_name([found])


def test_a_real_package_and_a_single_module():
    documents = text.docstrings(["param", "textwrap", "no_such_package_here"])
    assert "textwrap.dedent" in documents.names
    assert "param.parameterized.Parameterized" in documents.names
    assert not any(name.startswith("tests") for name in documents.names)
    assert len(set(documents.texts)) == len(documents) > 200
    result = text.corpus(documents, size=100)
    assert {"parameter", "value"} <= set(result.vocabulary)
    assert result.unit == "one docstring"


def test_the_default_packages_are_dependencies_and_need_no_network():
    from data.text.docstrings import installed

    found = installed(text.PACKAGES)
    assert {package.name for package in found} >= {"stdlib", "numpy", "scipy", "sklearn", "pandas", "panel"}
    assert all("unknown" not in package.version for package in found)
    listed = {source.name: source for source in text.available()}
    assert listed["docstrings"].offline
    assert not listed["docstrings"].on_disk
    assert not listed["newsgroups"].offline


@pytest.mark.parametrize("packages", [[], ["no_such_package_here"], ["sys"]])
def test_no_source_is_said(packages):
    with pytest.raises(ValueError, match="installed package"):
        text.docstrings(packages)


def test_submodules_and_paths_are_refused():
    with pytest.raises(ValueError, match=r"'os\.path'"):
        text.docstrings(["os.path"])


def test_a_plural_is_counted_as_its_singular_where_both_occur():
    lines = [
        "the entries, the values",
        "one entry, two values",
        "the value of the classes",
        "class series classes",
    ]
    found = text.corpus(lines, stop_words=False, min_documents=1)
    assert {"entry", "value", "class", "series"} <= set(found.vocabulary)
    assert not {"entries", "values", "classes", "serie"} & set(found.vocabulary)
    totals = dict(zip(found.vocabulary, np.asarray(found.counts.sum(axis=0)).ravel(), strict=True))
    assert (totals["entry"], totals["value"], totals["class"], totals["series"]) == (2, 3, 3, 1)
    given = text.corpus(lines, vocabulary=["values", "value", "class", "the"], stop_words=False)
    assert given.vocabulary == ("values", "value", "class", "the")


# Newsgroups


def test_newsgroups_are_kept_once_fetched(monkeypatch):
    from sklearn import datasets
    from sklearn.utils import Bunch

    bunch = Bunch(
        data=["first\nmessage", "  \n", "third"], target=[1, 0, 0], target_names=["sci.med", "talk"]
    )
    monkeypatch.setattr(datasets, "fetch_20newsgroups", lambda **k: bunch)
    monkeypatch.setattr(cache, "reach", lambda address: None)
    documents = text.load("newsgroups")
    assert documents.texts == ("first\nmessage", "third")
    assert documents.names == ("talk, message 1", "sci.med, message 3")
    assert documents.dropped == 1
    assert text.newsgroups(download=False) == documents
    assert {source.name: source.on_disk for source in text.available()}["newsgroups"]


def test_newsgroups_offline_are_said_in_words(monkeypatch):
    def refuse(address):
        raise urllib.error.URLError("no route to host")

    with pytest.raises(text.DownloadError, match="20 newsgroups"):
        text.newsgroups(download=False)
    monkeypatch.setattr(cache, "reach", refuse)
    with pytest.raises(text.DownloadError, match="no route"):
        text.load("newsgroups")
    with pytest.raises(ValueError, match="name must"):
        text.load("wikipedia")


def test_a_text_of_too_many_different_words_is_refused_before_it_is_counted(monkeypatch):
    monkeypatch.setattr(sys.modules["data.text.corpus"], "MOST_WORDS", 40)
    words = ["".join(letters) for letters in itertools.product("abcd", repeat=3)]
    with pytest.raises(ValueError, match=r"documents must.*40"):
        text.corpus([" ".join(words)] * 5, stop_words=False)
    few = text.corpus([" ".join(words[:40])] * 5, stop_words=False)
    assert len(few.vocabulary) == 40


def test_bundled_docstrings_are_real_words_in_the_order_of_their_frequency():
    small, large = text.bundled(size=50), text.bundled(size=1000)
    assert small.counts.shape[1] == 50 and set(small.vocabulary) < set(large.vocabulary)
    assert {"array", "file", "value"} <= set(small.vocabulary) and not small.vocabulary_public
    assert not {"arrays", "files", "values", "return", "returns"} & set(large.vocabulary)
    for found in (small, large):
        assert len(found.origins) == len(found.names) and set(found.origins) == set(text.PACKAGES)
        assert found.counts.shape[0] == len(found.names) and found.counts.shape[0] + found.dropped == 28_804
        assert found.counts.sum(axis=1).min() >= 3
    totals = np.asarray(large.counts.sum(axis=0)).ravel()
    kept = [totals[large.vocabulary.index(word)] for word in small.vocabulary]
    assert min(kept) >= np.sort(totals)[-60]


@pytest.mark.parametrize("size", [1, 1001, 2.5])
def test_bundled_docstrings_have_a_thousand_words_at_most(size):
    with pytest.raises((ValueError, TypeError), match="size"):
        text.bundled(size=size)
