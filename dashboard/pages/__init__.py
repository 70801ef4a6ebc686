"""The pages, a folder each: a model that computes, a page that shows it. Navigation keeps this order.

A page has its folder's name. Its module is imported when the page is opened. A placeholder replaces a page that
cannot be imported and shows the error; the other pages keep working.
"""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.page.description import GROUPS
from dashboard.pages.listed import Listed, compared, listed

__all__ = [
    "ALGORITHMS",
    "FRONT",
    "LECTURED",
    "LISTED",
    "PAGES",
    "Listed",
    "algorithm_of",
    "load",
]  # PAGES imports every page.


def load(names: Iterable[str]) -> tuple[Listed, ...]:
    """The entries of these folders; the placeholder of a broken page is listed in the group of the page before it."""
    found: list[Listed] = []
    for folder in names:
        group = found[-1].group if found else GROUPS[0]
        found.append(listed(f"{__name__}.{folder}.page", folder.rsplit(".", 1)[-1], group=group))
    return tuple(found)


# The algorithms of *Compare* in the order of their tabs. One without a module has a page of its own behind its tab.
ALGORITHMS = (
    ("average", "Average", "dashboard.algorithms.average.comparison"),
    ("pca", "PCA", "dashboard.algorithms.pca.comparison"),
    ("components", "Clusters", ""),
    ("topics", "Topics", ""),
    ("regression", "Regression", "dashboard.algorithms.regression.comparison"),
    ("network", "Network", ""),
    ("power", "Tensors", "dashboard.algorithms.power.comparison"),
)
FRONT = "pca"  # The page of the bare address.
_LEADS = {
    "average": "The sites compute an average together and add noise. How large is its standard error?",
    "pca": "The sites compute principal components of their records together and add noise. What is still captured?",
    "regression": "Sites fit one model together and add noise to what they share. How well does it still predict?",
    "power": "A search turns random pixels, step by step, into a hidden component. Which noise spoils the search?",
}
_LECTURED = ("pca",)  # Algorithms on which a lecture has steps.


def _algorithm(name, title, module):
    if not module:
        return load((f"analyse.{name}",))[0]
    return compared(name, title, module, first=FRONT, lead=_LEADS[name], steps=name in _LECTURED)


LISTED = tuple(_algorithm(*entry) for entry in ALGORITHMS) + load(
    (
        "decide.papers",
        "decide.findings",
        "decide.power_stream",
        "decide.power_noise",
        "learn.start",
        "learn.averaging",
        "learn.gain",
        "learn.guarantee",
        "learn.glossary",
        "trust.sites",
        "trust.limits",
        "trust.secure_sum",
        "trust.audit",
        "decide.plan",
    )
)

# A lecture begins with what is learnt first.
_GROUPS = ("Learn", "Compare", "Consortium", "Plan", "Papers")
LECTURED = tuple(sorted(LISTED, key=lambda entry: (_GROUPS.index(entry.group), entry.name == "limits")))

_BY_TITLE = {title.lower(): name for name, title, _ in ALGORITHMS}


def algorithm_of(text: str) -> str:
    """The name of an algorithm's page: of *Compare* with that algorithm, by name or title.

    Raises
    ------
    ValueError
        For an unknown algorithm.
    """
    names = [name for name, _, _ in ALGORITHMS]
    name = text if text in names else _BY_TITLE.get(text.lower(), "")
    if not name:
        raise ValueError(f"algorithm must be one of {', '.join(names)}, got {text[:40]!r}")
    return name


def __getattr__(name: str):
    """`PAGES`: the classes of all pages, which imports them all."""
    if name == "PAGES":
        return tuple(entry.kind for entry in LISTED)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
