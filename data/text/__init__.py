"""Text: where documents come from, and how they become word counts.

The unit of privacy is one document, and what a document is each source says. A vocabulary that is found in
the documents is *not private*: whoever publishes topics over it publishes these words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from data import cache, check
from data.cache import DownloadError
from data.text.bundled import bundled
from data.text.corpus import Corpus, corpus
from data.text.docstrings import PACKAGES, docstrings
from data.text.documents import Documents
from data.text.newsgroups import newsgroups

__all__ = [
    "PACKAGES",
    "Corpus",
    "Documents",
    "DownloadError",
    "TextSource",
    "available",
    "bundled",
    "corpus",
    "docstrings",
    "load",
    "newsgroups",
]


@dataclass(frozen=True)
class TextSource:
    """What is known of a collection of documents before it is loaded.

    Attributes
    ----------
    name, title : str
        What `load` takes, and what to show.
    unit : str
        What one document is.
    offline : bool
        Can be had without a network.
    on_disk : bool
        Is in the cache, and so there at once.
    """

    name: str
    title: str
    unit: str
    offline: bool
    on_disk: bool


def available() -> tuple[TextSource, ...]:
    """The collections that `load` knows."""
    return (
        TextSource(
            "docstrings",
            "Docstrings of the Python packages on this machine",
            "one docstring",
            offline=True,
            on_disk=cache.kept(docstring_cache()),
        ),
        TextSource(
            "newsgroups", "20 newsgroups", "one message", offline=False, on_disk=cache.kept("newsgroups")
        ),
    )


@check.arguments
def load(
    name: str, *, on_progress: Callable[[int, int], None] | None = None, download: bool = True
) -> Documents:
    """Load a collection by name.

    Parameters
    ----------
    name : {"docstrings", "newsgroups"}
    on_progress : callable, optional
        Called with (files read, files in all) while docstrings are scanned for the first time.
    download : bool
        False: never use the network.

    Raises
    ------
    DownloadError
        If the newsgroups are not on disk and cannot be fetched.
    """
    check.choice("name", name, ("docstrings", "newsgroups"))
    if name == "newsgroups":
        return newsgroups(download=download)
    return docstrings(on_progress=on_progress)


def docstring_cache() -> str:
    """Name of the cached scan of the default packages."""
    from data.text.docstrings import cache_name, installed

    return cache_name(installed(PACKAGES))
