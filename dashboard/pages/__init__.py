"""The pages, a folder each: a model that computes, a page that shows it.

`navigation.toml` lists them, and the algorithms of *Compare*; a page has its entry's name. Packs list theirs alike. A
placeholder replaces a page that cannot be imported and shows the error; the other pages keep working.
"""

from __future__ import annotations

from dashboard.pages.listed import Listed, entries

__all__ = ["FRONT", "LECTURED", "LISTED", "PAGES", "Listed", "algorithm_of"]  # PAGES imports every page.

LISTED = entries()
FRONT = "pca"  # The page of the bare address.

# A lecture begins with what is learnt first.
_GROUPS = dict.fromkeys(
    ("Learn", "Compare", "Consortium", "Plan", "Papers", *(entry.group for entry in LISTED))
)
LECTURED = tuple(sorted(LISTED, key=lambda entry: ([*_GROUPS].index(entry.group), entry.lectured_last)))


def algorithm_of(text: str) -> str:
    """The name of an algorithm's page: of *Compare* with that algorithm, by name or title.

    Raises
    ------
    ValueError
        For an unknown algorithm.
    """
    algorithms = [entry for entry in LISTED if entry.group == "Compare"]
    for entry in algorithms:
        if text == entry.name or text.lower() == entry.title.lower():
            return entry.name
    names = ", ".join(entry.name for entry in algorithms)
    raise ValueError(f"algorithm must be one of {names}, got {text[:40]!r}")


def __getattr__(name: str):
    """`PAGES`: all pages, which imports them all."""
    if name == "PAGES":
        return tuple(entry.kind for entry in LISTED)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
