"""The file of a plan: JSON that a person can read and write. What such a file says is foreign text.

The models below are all that a file may say; docs/schemas/plan.json publishes `schema`. Whether what is said can be
true is for `Plan` to check.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo

from core import check
from core.parties.second_version import Column, SeriesTerms
from core.parties.statistic import LETTERS, MOST_AXES, MOST_NUMBERS, Member, Statistic, short_text
from core.privacy import Calibration, Privacy
from core.schemes.graph_noise import Graph
from core.schemes.messages import ZeroSum
from core.schemes.terms import Adversary, OwnNoise
from core.series.participation import MOST_MONTHS
from core.summaries import MOST_CELLS, Kind, Summary

FORMAT, VERSION = "CAPE Lab plan", 2
SECOND = ("cap", "own_noise", "designs", "keys", "draw", "columns", "series", "pure")
"""What only version 2 has: a plan without any of it is written as version 1."""
LIMIT = 1_000_000  # Bytes of a file.
MOST_SITES = 2048
NOTE_LETTERS = 1000
MOST_PARTS = 1000
MOST_DELTA = 0.1  # A larger δ protects nobody: with that probability anything may be shown.

Noise = Literal["iid", "symmetrised", "copied", "discrete"]


def _short_text(value: str, info: ValidationInfo) -> str:
    return short_text(info.field_name or "text", value)


Text = Annotated[str, Field(min_length=1, max_length=LETTERS), AfterValidator(_short_text)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=0, lt=2**31)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class SummaryEntry(_Part):
    """What is released of one column, among several."""

    kind: Kind
    lower: Annotated[float, Field(description="public bound of the column")] = 0.0
    upper: Annotated[float, Field(description="public bound of the column")] = 1.0
    cells: Annotated[int, Field(ge=1, le=MOST_CELLS, description="categories or bins")] = 1


class StatisticEntry(_Part):
    """What every site computes."""

    name: Annotated[
        Text,
        Field(
            description="'mean', 'shares', 'summaries', 'second moment', 'second moment and mean' or 'regression', "
            "or another"
        ),
    ]
    shape: Annotated[list[Annotated[int, Field(ge=0, le=MOST_NUMBERS)]], Field(max_length=MOST_AXES)] = []
    lower: Annotated[float | None, Field(description="public bound of every entry")] = None
    upper: Annotated[float | None, Field(description="public bound of every entry")] = None
    norm: Annotated[float | None, Field(gt=0, description="public bound on the norm of a record")] = None
    share: Annotated[float | None, Field(gt=0, lt=1, description="of the budget, for the mean")] = None
    parts: Annotated[
        list[SummaryEntry] | None, Field(max_length=MOST_PARTS, description="of summaries, one a column")
    ] = None


class SiteEntry(_Part):
    """A site; its number is its place, from 0."""

    name: Text
    records: Annotated[int | None, Field(ge=1, lt=2**53, description="n_s, how many records it has")] = None
    weight: Annotated[float, Field(gt=0, le=1, description="w_s of the average; all sum to 1")]
    sensitivity: Annotated[
        Positive, Field(description="Δ_s, l2 change of its statistic if a record is replaced")
    ]
    epsilon: Positive | None = None
    delta: Annotated[float | None, Field(gt=0, le=MOST_DELTA)] = None


class GraphEntry(_Part):
    """The graph of noise that neighbours share."""

    sites: Annotated[int, Field(ge=2, le=MOST_SITES)]
    edges: list[Annotated[list[Count], Field(min_length=2, max_length=2)]]


class ColumnEntry(_Part):
    """What is released of one column, in its own units."""

    name: Text
    unit: Annotated[str, Field(max_length=40)] = ""
    lower: Annotated[float | None, Field(description="public bound")] = None
    upper: Annotated[float | None, Field(description="public bound")] = None
    bins: Annotated[int | None, Field(ge=1, le=MOST_CELLS)] = None
    categories: Annotated[list[Text] | None, Field(min_length=1, max_length=MOST_CELLS)] = None


class SeriesEntry(_Part):
    """How often the plan is carried out, and in how many months a person is."""

    months: Annotated[int, Field(ge=1, le=MOST_MONTHS)]
    most: Annotated[int, Field(ge=1, le=MOST_MONTHS, description="months that one person is in, at most")]
    apart: Annotated[int, Field(ge=1, le=MOST_MONTHS)] = 1
    matrix: Annotated[
        list[list[float]] | None,
        Field(
            max_length=MOST_MONTHS,
            description="C, where noise is correlated over months; ε of a site is then the series'",
        ),
    ] = None
    lost: Annotated[
        int, Field(ge=0, le=MOST_SITES, description="sites that may lose their noise history")
    ] = 0
    month: Annotated[
        int | None,
        Field(ge=0, lt=MOST_MONTHS, description="which month this is, from 0, where they are correlated"),
    ] = None


class PlanFile(_Part):
    """A plan of CAPE Lab: all that the parties of a release agree on beforehand."""

    format: Literal["CAPE Lab plan"]
    version: Annotated[int, Field(ge=1, le=VERSION)]
    id: Annotated[str | None, Field(max_length=64, description="SHA-256 of the rest; may be left out")] = None
    statistic: StatisticEntry
    sites: Annotated[list[SiteEntry], Field(min_length=2, max_length=MOST_SITES)]
    scheme: Text = "cape"
    zero_sum: ZeroSum = "secure"
    noise: Noise = "iid"
    calibration: Calibration = "exact"
    against: Adversary = "message"
    colluding: Count = 0
    dropouts: Count = 0
    amplitude: Annotated[float, Field(ge=0)] | Literal["published", "best"] | None = None
    graph: GraphEntry | Literal["complete", "ring"] | Count | None = None
    threshold: Annotated[int | None, Field(ge=2, le=MOST_SITES)] = None
    grid: Positive | None = None
    run: Text = "1"
    note: Annotated[
        str, Field(max_length=NOTE_LETTERS, description="for people, such as what is promised")
    ] = ""
    cap: Annotated[
        float | None,
        Field(gt=1, description="version 2: largest variance of ê_s, in units of what a message needs"),
    ] = None
    own_noise: Annotated[OwnNoise | None, Field(description="version 2: where own noise is added")] = None
    designs: Annotated[
        list[Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=2, max_length=2)]] | None,
        Field(
            max_length=MOST_SITES, description="version 2: standard deviations of ê_s and g_s of every site"
        ),
    ] = None
    keys: Annotated[
        dict[Text, Annotated[str, Field(pattern="^[0-9a-f]{64}$")]] | None,
        Field(
            description="version 2: public keys (Ed25519) of every site, by its name, and of the 'aggregator'"
        ),
    ] = None
    draw: Annotated[Text | None, Field(description="version 2: name of the sampler of discrete noise")] = None
    columns: Annotated[
        list[ColumnEntry] | None,
        Field(max_length=MOST_PARTS, description="version 2: what is released of each column"),
    ] = None
    series: Annotated[SeriesEntry | None, Field(description="version 2: releases every month")] = None
    pure: Annotated[bool, Field(description="version 2: the sites' ε hold with a δ of 0")] = False


def content(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan's attributes as a JSON object, without its identifier."""
    graph, statistic = plan["graph"], plan["statistic"]
    if isinstance(graph, Graph):
        graph = {"sites": graph.sites, "edges": [list(edge) for edge in graph.edges]}
    about = {name: value for name, value in vars(statistic).items() if value is not None}
    lists: dict[str, Any] = {"shape": list(statistic.shape)}
    if statistic.parts is not None:
        lists["parts"] = [dict(vars(part)) for part in statistic.parts]
    own: dict[str, Any] = {
        "statistic": about | lists,
        "sites": list(map(_row, plan["sites"])),
        "graph": graph,
    }
    second = {name: plan[name] for name in SECOND if plan[name] not in (None, False)}
    plan = {name: value for name, value in plan.items() if name not in SECOND}
    if not plan["note"]:
        plan = {name: value for name, value in plan.items() if name != "note"}
    return {"format": FORMAT, "version": 2 if second else 1} | plan | own | _second(second)


def _second(found):
    """What only version 2 has, as JSON."""
    if "columns" in found:
        found["columns"] = [
            {n: list(v) if n == "categories" else v for n, v in vars(column).items() if v not in (None, "")}
            for column in found["columns"]
        ]
    if "keys" in found:
        found["keys"] = dict(found["keys"])
    if "designs" in found:
        found["designs"] = [list(pair) for pair in found["designs"]]
    if "series" in found:
        series = {name: value for name, value in vars(found["series"]).items() if value is not None}
        found["series"] = series | (
            {"matrix": list(map(list, series["matrix"]))} if "matrix" in series else {}
        )
    return found


def note_text(note: str) -> None:
    """Raise a ValueError if a note is no text of one line, all of which can be seen, or is too long.

    A program that shows a plan prints it between sentences of its own.
    """
    if not isinstance(note, str) or len(note) > NOTE_LETTERS:
        raise ValueError(f"note must be a text of at most {NOTE_LETTERS} letters, got {check.shown(note)}")
    if hidden := next((x for x in note if not x.isprintable() and unicodedata.category(x) != "Zs"), ""):
        raise ValueError(
            "note must be one line, without marks that control a terminal or the direction of writing, got "
            f"{hidden!a} in it"
        )


def identifier(found: Mapping[str, Any]) -> str:
    """SHA-256 of what a file says besides its identifier, in 64 hexadecimal digits."""
    rest = {name: value for name, value in found.items() if name != "id"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def attributes(found: Any) -> dict[str, Any]:
    """The attributes of the plan that a JSON object describes.

    Raises
    ------
    ValueError
        For what is no plan; the message may quote foreign text.
    """
    try:
        file = PlanFile.model_validate(found)
    except ValidationError as error:
        raise ValueError("found must be a plan: " + "; ".join(check.worded(error.errors()))) from None
    about = {name: getattr(file, name) for name in type(file).model_fields}
    for name in ("format", "version", "id"):
        del about[name]
    told = file.statistic.model_dump() | {"shape": tuple(file.statistic.shape)}
    if told["parts"] is not None:
        told["parts"] = tuple(Summary(**part) for part in told["parts"])
    about["statistic"] = Statistic(**told)
    if file.version == 1 and (early := [name for name in SECOND if about[name] not in (None, False)]):
        raise ValueError(f"version must be 2 for {', '.join(early)}, got 1")
    if file.columns is not None:
        about["columns"] = tuple(Column(**column.model_dump()) for column in file.columns)
    if file.series is not None:
        about["series"] = SeriesTerms(**file.series.model_dump())
    about["sites"] = tuple(_member(place, site) for place, site in enumerate(file.sites))
    if isinstance(file.graph, GraphEntry):
        about["graph"] = Graph(file.graph.sites, tuple((s, t) for s, t in file.graph.edges))
    return about


def text(found: Mapping[str, Any]) -> str:
    """The file of what `content` says: JSON with one line for each entry and each site."""
    whole: dict[str, Any] = {"format": FORMAT, "version": found["version"], "id": identifier(found)} | dict(
        found
    )
    lines = []
    for name, value in whole.items():
        shown = json.dumps(value, ensure_ascii=False)
        if name == "sites":
            rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
            shown = f"[\n  {rows}\n ]"
        lines.append(f" {json.dumps(name)}: {shown}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def schema() -> str:
    """The JSON Schema of the file."""
    return json.dumps(PlanFile.model_json_schema(), indent=1, ensure_ascii=False) + "\n"


def parsed(data: bytes) -> Any:
    """The JSON of a file; ValueError if it is none, too long, or can be read in two ways."""
    if not isinstance(data, bytes) or len(data) > LIMIT:
        raise ValueError(f"content must be the bytes of a plan, at most {LIMIT // 1000} kB")
    return check.strict_json(data)


def _row(site):
    return {
        "name": site.name,
        "records": site.records,
        "weight": site.weight,
        "sensitivity": site.sensitivity,
        "epsilon": None if site.privacy is None else site.privacy.epsilon,
        "delta": None if site.privacy is None else site.privacy.delta,
    }


def _member(place, site):
    if (site.epsilon is None) != (site.delta is None):
        raise ValueError(f"sites.{place} must have both epsilon and delta, or neither")
    privacy = None if site.epsilon is None else Privacy(site.epsilon, site.delta)
    return Member(site.name, site.weight, site.sensitivity, privacy, site.records)
