"""What pages paint of records without noise is declared, and stands under "Not private here"."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared import NetworkPage, RegressionPage, compares, record, unprotected
from small_pages import axes_of, kind_of, narrow

from dashboard.algorithms.regression.drawing import lines_along
from dashboard.components.upload import PIECE
from dashboard.guarantee.guarantee import Unprotected, details
from dashboard.own_table.columns import DESCRIPTION
from dashboard.pages import PAGES
from dashboard.sheet.open_page import OpenPage
from dashboard.sheet.spec import Shown
from dashboard.state.controls import Controls
from data.catalogue.labelled import LabelledSource
from data.upload.table import shown

OWN = ("average", "pca", "components", "regression", "plan")
WATCHED = {DESCRIPTION}  # What a declaration may name.
CELLS = 40  # A column may hold so many records; all are told apart.
_NUMBER = re.compile(r"-?\d+\.\d{4,}(?:e[+-]?\d+)?")
_LONG = 10  # Digits in which a painted number and a tracer agree.


def tracers(rows=CELLS, width=4, seed=5):
    """A table whose cells are all told apart, far from any number that a page has of its own."""
    rng = np.random.default_rng(seed)
    centre = np.where(np.arange(width) % 2, 0.3137, -0.2719)
    values = np.round(centre + 0.4 * rng.standard_normal((rows, width)).clip(-1.9, 1.9), 9)
    frame = pd.DataFrame(values, columns=[f"column{i}" for i in range(width)])
    frame["ward"] = [f"Tracerward{'ABCD'[i % 3]}" for i in range(rows)]
    return frame


def upload(page, frame, *, sites=True):
    """Hand a table in on a page, with public ranges."""
    own = page.own_table.data
    page.own_table.ask()
    assert own.expect(PIECE) == ""
    own.receive("tracers.csv", [frame.to_csv(index=False).encode()])
    own.take_draft(own.draft.filled("-1.5", "1.5"))
    own.edit(site_column="ward" if sites else "")
    own.use()
    assert own.objection == "" and page.model.own_records


def built(name, monkeypatch, **values):
    """A page with small settings that was not opened yet, and all that it consists of."""
    axes = axes_of(name)
    if "epsilon" in axes:
        monkeypatch.setitem(axes, "epsilon", replace(axes["epsilon"], values=(1.0, 10.0)))
    page = kind_of(name)(Controls(repeats=2, sites=3, samples=30, k=2, epsilon=10.0))
    page.set(values)
    parts = [page.content(), page.above_settings(), page.before()]
    parts += [part() for name in ("more", "after") if (part := getattr(page, name, None))]
    parts += [page.board.tail, page.board.runs] if isinstance(page, OpenPage) else []
    return page, [part for part in parts if part is not None]


def shown_own(name, frame, monkeypatch, *, sites=True, **values):
    """A page that was opened with a table of one's own."""
    page, parts = built(name, monkeypatch, **values)
    upload(page, frame, sites=sites)
    page.opened()
    assert page.runs.state == "finished", page.runs.message
    assert page.state.problem == ""
    return page, parts


def painted(parts):
    """Numbers and texts of every model behind the page: (names of where it stands, what)."""
    models, places = {}, {}
    for model in (model for part in parts for model in part.get_root().references()):
        models[model.id] = model
        names = {model.name, *getattr(model, "css_classes", ())} & WATCHED
        for one in model.references() if names else ():
            places.setdefault(one.id, set()).update(names)
    return [
        (places.get(key, set()), value)
        for key, model in models.items()
        for value in _plain(model.properties_with_values(include_defaults=False))
    ]


def _plain(value):
    """Numbers and texts inside of a value."""
    if isinstance(value, bool | type(None)):
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float | np.number):
        yield float(value)
    elif isinstance(value, np.ndarray):
        yield from _plain(value.ravel().tolist())
    elif isinstance(value, pd.Series):
        yield from _plain(value.tolist())
    elif isinstance(value, dict):
        for pair in value.items():
            yield from _plain(list(pair))
    elif isinstance(value, list | tuple | set):
        for one in value:
            yield from _plain(one)


def mark(number):
    """The digits by which a tracer is known."""
    return f"{float(number):.{_LONG - 1}e}"


def traces(page, frame):
    """What would give records away, by what a page must declare to paint it."""
    raw = frame.drop(columns="ward").to_numpy()
    arrays = [raw, page.model.table.records]
    plan = page.compute()
    sites, *_ = plan.problem.load(dict(plan.here))
    arrays += [np.asarray(part) for site in sites if isinstance(site, tuple) for part in site]
    arrays = [a.reshape(len(a), -1) for a in arrays]
    found = {"records": arrays, "ranges": [], "centres": []}
    for array in arrays:
        found["ranges"] += [np.quantile(array, q, axis=0) for q in (0, 0.01, 0.05, 0.95, 0.99, 1)]
        found["centres"] += [array.mean(axis=0), np.median(array, axis=0), array.std(axis=0)]
    marks = {kind: {mark(x) for a in parts for x in np.ravel(a)} for kind, parts in found.items()}
    # Constants: labels, the intercept, bounds that many records may be clipped to.
    values, counts = np.unique(np.concatenate([np.ravel(a) for a in arrays]), return_counts=True)
    constants = {mark(x) for x in (0, 1, -1, *values[counts > 3])}
    found = {kind: known - constants for kind, known in marks.items()}
    # The least record of a column is a record.
    return {kind: known - (found["records"] if kind != "records" else set()) for kind, known in found.items()}


def undeclared(page, parts, marks):
    """Traces that are painted where the page has not declared their kind."""
    declared = unprotected(page)
    missing = []
    for places, value in painted(parts):
        known = {mark(value)} if isinstance(value, float) else {mark(x) for x in _NUMBER.findall(value)}
        for kind in (kind for kind, traced in marks.items() if known & traced):
            if not any(d.kind == kind and (not d.where or d.where in places) for d in declared):
                missing.append((kind, sorted(places), value))
    return missing


@pytest.fixture(params=OWN)
def own(request, monkeypatch):
    """A page with a table of tracers in use, all of it painted."""
    small = {
        "components": {"deviation": 0.4, "k": 1},
        "plan": {"problem": "pca", "most": 24, "schemes": ["pooled"]},
    }
    frame = tracers()
    page, parts = shown_own(request.param, frame, monkeypatch, **small.get(request.param, {}))
    yield page, parts, frame
    page.own_table.end()


def test_no_trace_of_ones_own_records_is_painted_undeclared(own):
    page, parts, frame = own
    marks = traces(page, frame)
    assert min(map(len, marks.values())) >= 8 and len(marks["records"]) > 300
    assert undeclared(page, parts, marks) == []
    # What is declared stands under "Not private here".
    listed = details(page.state.guarantee).partition("Not private here")[2]
    declared = unprotected(page)
    assert len(declared) >= 3
    assert {one.words for one in declared} <= set(page.state.guarantee.not_private)
    assert "its description" in listed


def test_the_watch_finds_records_that_are_painted(monkeypatch):
    frame = tracers()
    page, parts = shown_own("regression", frame, monkeypatch)
    marks = traces(page, frame)
    least = min(page.plan.problem.load(page.plan.here)[0][0][0][:, 0])
    for value in (least, np.quantile(page.model.table.records, 0.01, axis=0)[1]):
        page.board.tail.picture = f"<p>{value:.15f}</p>"
        assert len(undeclared(page, parts, marks)) >= 1
    page.board.tail.picture = ""
    assert undeclared(page, parts, marks) == [] and "records" not in {
        one.kind for one in record(page).unprotected(page.plan, page.model.table)
    }
    page.model.dots = True
    assert undeclared(page, parts, marks) == []
    assert any(f"40 records of {shown('tracers.csv')}" in p for p in page.state.guarantee.not_private)
    page.own_table.end()


def test_the_line_of_a_private_answer_follows_public_bounds_alone(monkeypatch):
    drawn = []
    for seed in (5, 6):
        frame, only = tracers(seed=seed), {"schemes": ["cape"], "curators": []}
        page, _ = shown_own("regression", frame, monkeypatch, sites=False, **only)
        (line,) = lines_along(page.plan, page.results)
        w = page.results.spots["cape"].coefficients[0]
        # Three features within ±1/√3, over √2 for the intercept, which is 1/√2.
        ends = np.linspace(-1, 1, 41) / np.sqrt(6)
        np.testing.assert_allclose(line.x, ends, atol=1e-12)
        np.testing.assert_allclose(line.y, w[3] / np.sqrt(2) + ends * w[0], atol=1e-12)
        drawn.append((list(line.x), record(page).further(page.plan, page.results)[-1][0]))
        page.own_table.end()
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("data", ["linear", "diabetes"])
def test_the_feature_does_not_follow_the_coefficients_without_noise(data, monkeypatch):
    titles = set()
    for seed in (1, 2, 3):
        only = {"schemes": ["cape"], "curators": []}
        page, _ = built("regression", monkeypatch, data=data, data_seed=seed, **only)
        page.opened()
        titles.add(record(page).further(page.plan, page.results)[-1][0])
        (dots,) = (u for u in unprotected(page) if u.kind == "records")
        assert page.plan.source.title in dots.words and dots.words in page.state.guarantee.not_private
    assert len(titles) == 1


def test_the_intercept_is_no_feature_to_predict_along():
    page = RegressionPage(Controls())
    page.set({"data": "diabetes", "feature": 50})
    assert page.model.plan().feature == 10
    low, middle, high = page.model.plan().source.public_span(11)
    assert (low[:-1] < middle[:-1]).all() and (middle[:-1] < high[:-1]).all()
    assert low[-1] == middle[-1] == high[-1] == pytest.approx(1 / np.sqrt(2))


@pytest.mark.parametrize("width", [2, 20])
def test_the_span_of_synthetic_features_holds_nearly_all_of_them(width):
    source = LabelledSource("linear", "", "linear", None, 10, "")
    low, _, high = source.public_span(width)
    x = np.random.default_rng(0).random((4000, width))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    assert ((x >= low) & (x <= high)).mean() > 0.9


@pytest.mark.parametrize("data", ["moons", "rings", "quarters"])
def test_boundaries_stand_in_a_public_window_and_name_their_dots(data, monkeypatch):
    narrow("network", monkeypatch)
    places = []
    for seed in (1, 2):
        page = NetworkPage(Controls(schemes=["cape"], sites=2, samples=40, repeats=1, data_seed=seed))
        page.model.steps = 10
        page.set({"data": data})
        page.opened()
        (wide, high), (x, _) = page.plan.source.window, page.results.spots["cape"].dots
        found = {
            (float(a), float(b))
            for a, b in re.findall(r"M([-\d.]+) ([-\d.]+)h0", page.shown.sections["result"])
        }
        right = {(round(50 * (a + wide) / wide, 1), round(50 * (high - b) / wide, 1)) for a, b in x}
        assert found == right and len(x) == 80
        places.append(found)
        (dots,) = (u for u in unprotected(page) if u.kind == "records")
        assert dots.words.startswith("80 ") and page.plan.source.title in dots.words
        assert dots.words in page.state.guarantee.not_private
    assert places[0] != places[1]


def test_words_of_single_documents_are_not_painted_and_the_vocabulary_is_declared(monkeypatch):
    rng, words = (
        np.random.default_rng(0),
        [f"common{chr(97 + i)}{chr(97 + j)}" for i in range(8) for j in range(8)],
    )
    lines = []
    for i in range(120):
        single = "".join(chr(97 + int(c)) for c in str(1000 + i))
        lines.append(" ".join([*rng.choice(words, 12), f"tracer{single}"]))
    page, parts = built("topics", monkeypatch, topics=2, vocabulary=100, repeats=1)
    page.records.own.text.expect(PIECE)
    page.records.own.text.receive("own.txt", ["\n".join(lines).encode()])
    page.opened()
    assert page.runs.state == "finished", page.runs.message
    texts = " ".join(value for _, value in painted(parts) if isinstance(value, str))
    assert "common" in texts and "tracer" not in texts
    kinds = {one.kind for one in unprotected(page)}
    assert {"words", "choice", "answer"} <= kinds
    assert any("vocabulary" in point for point in page.state.guarantee.not_private)
    page.records.own.end()


def declares(kind):
    """Whether a page says what else it paints of records."""
    if compares(kind) or hasattr(kind.kind, "unprotected"):
        return True
    if not kind.spec.work.counts:
        return False
    return bool(kind.spec.view(kind(Controls()).compute(), Shown()).guarantee.not_private)


def test_every_page_that_releases_declares_what_else_it_paints():
    releasing = {kind.name for kind in PAGES if not kind.no_release}
    assert {kind.name for kind in PAGES if declares(kind)} == releasing


def test_a_kind_that_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="kind must"):
        Unprotected("rows", "some rows")


def test_a_guarantee_is_shown_with_the_declaration_alone():
    # Pages call `promise`; whoever shows `guarantee` would leave the declaration out.
    root = Path(__file__).parents[2] / "dashboard"
    bare = [p for p in root.rglob("*.py") if re.search(r"guarantee=self\.guarantee\(", p.read_text())]
    assert bare == []
