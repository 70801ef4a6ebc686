"""`explore`: a page of the app in a notebook or a program, and the list of pages."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from dashboard.packs.notebook.explorer.explorer import Explorer
from dashboard.packs.notebook.explorer.records import OwnRecords
from dashboard.packs.notebook.explorer.settings import near
from dashboard.pages import FRONT, LISTED, algorithm_of, former


def explore(
    name: str | None = None,
    *,
    records: Any = None,
    sites: Any = None,
    bounds: Any = None,
    target: Any = "",
    **settings: Any,
) -> Explorer | Pages:
    """Show a page of the app in a notebook: its controls, picture, words, guarantee and exports.

    Run `hv.extension("bokeh", inline=True)` or `pn.extension(inline=True)` in the notebook's first cell.

    Parameters
    ----------
    name : str, optional
        The page, e.g. "gain"; "compare" takes algorithm="pca" and the like. Without it, `explore` returns the list of
        pages.
    records : array (N, d) or DataFrame, optional
        Records of your own, one a row, for a page that takes them.
    sites : int, or array (N,) of labels
        The setting of that name; or, beside `records`, the site of every record, or the name of a column that names it.
    bounds : (low, high), sequence of d such pairs, or mapping
        The public range of every column, which must not be read off the records. A mapping names columns: those that it
        leaves out are no part of a record, a list of texts in place of a pair holds the categories of a column, and two
        dates such as "2024-12-31" are the range of dates.
    target : str
        The column to predict, as its heading; default: the last one.
    **settings
        Settings of the page, e.g. epsilon=1.0. `explore(name).controls` lists them.

    Returns
    -------
    Explorer
        The page. As the last line of a cell it shows itself.

    Raises
    ------
    ValueError
        For an unknown page or setting, a value out of range, records with a missing value, labels of another length.

    Examples
    --------
    >>> gain = explore("gain", sites=5)
    >>> gain.controls.sites
    5
    >>> explore("gian")
    Traceback (most recent call last):
    ...
    ValueError: name must be a page, got 'gian'; near it: gain. explore() lists all pages.
    """
    if name is None:
        return Pages(LISTED)
    if name == "compare":
        name = algorithm_of(str(settings.pop("algorithm", FRONT)))
    settings = former.today({"page": name, **settings})
    name = settings.pop("page")
    names = {entry.name: entry for entry in LISTED}
    if name not in names:
        raise ValueError(
            f"name must be a page, got {name!r}{near(str(name), names)}. explore() lists all pages."
        )
    own = None
    if records is not None:
        own = OwnRecords(records, bounds, labels=sites, target=str(target))
        sites = None if own.labelled else sites
    elif bounds is not None or target != "":
        raise ValueError("records must be given together with bounds and target, got no records")
    if sites is not None:
        settings["sites"] = sites
    return Explorer(name, settings, own=own)


class Pages:
    """The list of pages; it shows itself as a table."""

    def __init__(self, listed: Sequence):
        self._listed = tuple(listed)

    @property
    def names(self) -> tuple[str, ...]:
        """What `explore` takes as a page's name."""
        return tuple(entry.name for entry in self._listed)

    def __iter__(self):
        return iter(self.names)

    def __len__(self) -> int:
        return len(self._listed)

    def __repr__(self) -> str:
        width = max(map(len, self.names))
        return "\n".join(f"{entry.name:<{width}}  {entry.title}" for entry in self._listed)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:left'><code>explore({html.escape(repr(entry.name))})</code></td>"
            f"<td style='text-align:left'>{html.escape(entry.title)}</td>"
            f"<td style='text-align:left'>{entry.lead}</td></tr>"
            for entry in self._listed
        )
        return f"<table><thead><tr><th>in Python</th><th>page</th><th></th></tr></thead><tbody>{rows}</tbody></table>"
