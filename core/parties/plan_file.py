"""The file of a plan: JSON that a person can read and write. What such a file says is foreign text."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

from core import check
from core.parties.statistic import Member, Statistic
from core.privacy import Privacy
from core.schemes.graph_noise import Graph

FORMAT, VERSION = "CAPE Lab plan", 1
LIMIT = 1_000_000  # Bytes of a file.
MOST_SITES = 2048


def content(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A plan's attributes as a JSON object."""
    graph, statistic = plan["graph"], plan["statistic"]
    if isinstance(graph, Graph):
        graph = {"sites": graph.sites, "edges": [list(edge) for edge in graph.edges]}
    about = {f.name: getattr(statistic, f.name) for f in fields(Statistic)} | {"shape": list(statistic.shape)}
    about = {name: value for name, value in about.items() if value is not None}
    sites = [_row(site) for site in plan["sites"]]
    own = {"statistic": about, "sites": sites, "graph": graph}
    return {"format": FORMAT, "version": VERSION} | dict(plan) | own


def attributes(found: Any, names: Collection[str]) -> dict[str, Any]:
    """The attributes, of these names, of a plan that `content` wrote.

    Raises
    ------
    ValueError
        For what is no plan; the message may quote foreign text.
    """
    if not isinstance(found, Mapping) or found.get("format") != FORMAT or found.get("version") != VERSION:
        raise ValueError(f'found must be a plan: "format": "{FORMAT}", "version": {VERSION}')
    about = {key: value for key, value in found.items() if key not in ("format", "version", "id")}
    if unknown := set(about) - set(names):
        raise ValueError(f"found must be a plan, got the unknown entries {sorted(map(str, unknown))[:5]}")
    rows = about.get("sites")
    if not isinstance(rows, list | tuple) or not 2 <= len(rows) <= MOST_SITES:
        raise ValueError(f"sites must be a list of 2 to {MOST_SITES}, got {check.shown(rows)}")
    about["sites"] = tuple(map(_member, rows))
    about["statistic"] = _made(Statistic, "statistic", about.get("statistic"))
    if isinstance(graph := about.get("graph"), Mapping):
        about["graph"] = _graph(graph)
    return about


def text(identifier: str, found: Mapping[str, Any]) -> str:
    """The file: JSON with one line for each entry and each site."""
    lines = []
    whole: dict[str, Any] = {"format": FORMAT, "version": VERSION, "id": identifier} | dict(found)
    for name, value in whole.items():
        shown = json.dumps(value, ensure_ascii=False)
        if name == "sites":
            rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
            shown = f"[\n  {rows}\n ]"
        lines.append(f" {json.dumps(name)}: {shown}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def parsed(data: bytes) -> Any:
    """The JSON of a file; ValueError if it is none or too long."""
    if not isinstance(data, bytes) or len(data) > LIMIT:
        raise ValueError(f"content must be the bytes of a plan, at most {LIMIT // 1000} kB")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise ValueError("content must be a plan: JSON in UTF-8") from None


def _row(site):
    return {
        "name": site.name,
        "records": site.records,
        "weight": site.weight,
        "sensitivity": site.sensitivity,
        "epsilon": None if site.privacy is None else site.privacy.epsilon,
        "delta": None if site.privacy is None else site.privacy.delta,
    }


def _member(found):
    if not isinstance(found, Mapping):
        raise ValueError(f"sites must be objects, got {check.shown(found)}")
    rest = {key: value for key, value in found.items() if key not in ("epsilon", "delta")}
    given = found.get("epsilon"), found.get("delta")
    privacy = None if given == (None, None) else Privacy(*given)
    return _made(Member, "sites", rest | {"privacy": privacy})


def _made(kind, name, found):
    if not isinstance(found, Mapping) or not set(found) <= {f.name for f in fields(kind)}:
        raise ValueError(f"{name} must have {[f.name for f in fields(kind)]}, got {check.shown(found)}")
    try:
        return kind(**found)
    except TypeError:
        raise ValueError(f"{name} must have {[f.name for f in fields(kind)]}, got {sorted(found)}") from None


def _graph(found):
    edges = found.get("edges")
    if not isinstance(edges, list) or not all(isinstance(e, list) and len(e) == 2 for e in edges):
        raise ValueError(f"graph must have sites and edges, got {check.shown(found)}")
    return Graph(found.get("sites"), tuple((s, t) for s, t in edges))
