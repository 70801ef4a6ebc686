"""Links to pages that are parts of others today: the same settings in today's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HOSPITALS = tuple(map(str, range(2, 21)))


def today(query: Mapping[str, Any]) -> dict[str, Any]:
    """The page and the settings that a link to a former page means; any other link as it is.

    *Start* and *Averaging* are *Protocol*, with their numbers of runs and, of Averaging, its stream of noise.

    Examples
    --------
    >>> today({"page": "start", "hospitals": "7", "step": "3"})
    {'page': 'protocol', 'sites': '7', 'samples': '100', 'draws': '201', 'step': '3'}
    >>> today({"page": "gain", "sites": "7"})
    {'page': 'gain', 'sites': '7'}
    """
    given = {name: value for name, value in query.items() if name != "page"}
    page = str(query.get("page", "")).lower()
    if page == "start":
        known = str(given.get("hospitals", 5)) in _HOSPITALS
        sites = given.pop("hospitals", 5) if known else 5
        return {"page": "protocol", "sites": str(sites), "samples": "100", "draws": "201", **given}
    if page == "averaging":
        few = {} if given else {"samples": "100"}
        return {"page": "protocol", "sites": "10", "draws": "2000", "together": "1", **few, **given}
    return dict(query)
