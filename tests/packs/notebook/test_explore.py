"""`explore` as a program calls it: settings, numbers, links, own records, and errors in one sentence."""

import ast
import asyncio
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard import explore
from dashboard.packs.notebook.kernel.display import here
from dashboard.pages import LISTED
from dashboard.session.app import App
from dashboard.state import url

ROOT = Path(__file__).resolve().parents[3]
RNG = np.random.default_rng(1)
RECORDS = RNG.uniform(-1, 1, (90, 4))
LABELS = np.repeat(["a", "b", "c"], 30)
PCA = {"repeats": 1, "k": 2}


def test_controls_drive_the_page_and_its_numbers_link_and_program_follow():
    gain = explore("gain", sites=5)
    assert gain.table()["gain"].iloc[0] == pytest.approx(5)
    gain.controls.sites = 20
    assert gain.controls.sites == 20
    assert gain.table()["gain"].iloc[0] == pytest.approx(20)
    gain.controls.update(sites=30, colluding=3)
    assert repr(gain) == "explore('gain', sites=30, colluding=3)"
    app = App(url.parse(gain.link("")))
    assert (app.page.name, app.controls.sites, app.controls.colluding) == ("gain", 30, 3)
    columns: dict = {}
    exec(compile(gain.script(), "script", "exec"), columns)
    assert np.allclose(columns["columns"]["gain"], gain.table()["gain"])
    assert gain.figure.renderers


def test_a_page_that_computes_in_runs_has_its_numbers_when_they_are_asked_for():
    pca = explore("pca", epsilon=2, sites=4, samples=50, repeats=1)
    table = pca.table()
    assert {"cape", "conventional"} <= set(table["scheme"])
    assert (table["repeats"] == 1).all()


def test_a_setting_that_changes_while_another_is_taken_is_computed():
    pca = explore("pca", epsilon=1, sites=4, samples=50, **PCA)

    async def cell():
        pca.page.opened()

        def again(event):
            if pca.controls.epsilon == 0.5:
                pca.controls.epsilon = 2

        pca.page.state.param.watch(again, "shown")
        pca.controls.epsilon = 0.5
        while pca.page.runs.state == "running":
            await asyncio.sleep(0.01)

    asyncio.run(cell())
    assert "At ε = 2" in pca.page.shown.headline.replace("\xa0", " ")
    assert not pca.page.shown.stale


def test_a_message_that_comes_to_another_thread_is_taken_where_the_cells_run():
    async def cell():
        taken = []
        take = here(lambda message: taken.append((message, threading.get_ident())))
        await asyncio.to_thread(take, "moved")
        await asyncio.sleep(0)
        take("moved again")
        assert taken == [(message, threading.get_ident()) for message in ("moved", "moved again")]

    asyncio.run(cell())


def test_the_list_of_pages_names_what_explore_takes():
    pages = explore()
    assert len(pages) > 15
    assert "gain" in pages.names and "gain" in repr(pages)
    assert "explore(&#x27;gain&#x27;)" in pages._repr_html_()


@pytest.mark.parametrize("own", ["array", "frame", "dealt"])
def test_own_records_are_computed_on(own):
    frame = pd.DataFrame(RECORDS, columns=list("wxyz")).assign(clinic=LABELS)
    ways = {
        "array": lambda: explore("pca", records=RECORDS, sites=LABELS, bounds=(-1, 1), **PCA),
        "frame": lambda: explore(
            "pca", records=frame, sites="clinic", bounds={"w": (-1, 1), "y": (-2, 2)}, repeats=1, k=1
        ),
        "dealt": lambda: explore("pca", records=RECORDS, sites=6, bounds=[(-1, 1)] * 4, **PCA),
    }
    found = ways[own]()
    table = found.page.model.table
    assert table.records.shape == ((90, 2) if own == "frame" else (90, 4))
    assert table.sizes == (None if own == "dealt" else (30, 30, 30))
    assert table.public_bounds and table.incomplete == 0
    assert np.isfinite(found.table()["mean"]).all()
    assert "records.csv" in found.script()


def test_a_closed_page_is_built_again_with_its_settings_and_records():
    found = explore("pca", records=RECORDS, sites=LABELS, bounds=(-1, 1), **PCA)
    found.controls.epsilon = 3
    before = found.table()
    found.close()
    assert found.controls.epsilon == 3
    after = found.table()
    pd.testing.assert_frame_equal(
        after.drop(columns=["mean", "low", "high"]), before.drop(columns=["mean", "low", "high"])
    )
    assert (after["mean"] == before["mean"]).tolist() == (
        after.scheme == "nonprivate"
    ).tolist()  # Fresh noise.


GAPS = np.where(np.arange(360).reshape(90, 4) == 9, np.nan, RECORDS)
OWN = {"records": RECORDS, "bounds": (-1, 1)}
WRONG = {
    "page": (lambda: explore("gian"), "name must be a page, got 'gian'; near it: gain"),
    "setting": (
        lambda: explore("pca", epsilom=1),
        "epsilom is not a setting of page 'pca'; near it: epsilon",
    ),
    "value": (lambda: explore("pca", epsilon=-1), "epsilon must be a number from 0.001 to 10, got '-1'"),
    "gaps": (
        lambda: explore("pca", records=GAPS, bounds=(-1, 1)),
        "got none in row 2, column 'x2' .1 in total",
    ),
    "labels": (
        lambda: explore("pca", sites=LABELS[:5], **OWN),
        "a label for each of the 90 records, got shape .5,",
    ),
    "no label": (
        lambda: explore("pca", sites=np.where(LABELS == "b", None, LABELS), **OWN),
        "the site of every record, got none in row 30 .30 in total",
    ),
    "words": (
        lambda: explore("pca", records=pd.DataFrame(RECORDS).assign(x="u"), bounds=(-1, 1)),
        "finite numbers in column 'x', got 'u' in row 0",
    ),
    "infinite": (
        lambda: explore("pca", records=np.where(np.isnan(GAPS), np.inf, RECORDS), bounds=(-1, 1)),
        "finite numbers in column 'x2', got inf in row 2",
    ),
    "no bounds": (lambda: explore("pca", records=RECORDS), "bounds must be given with records"),
    "bounds": (
        lambda: explore("pca", records=RECORDS, bounds=(1, -1)),
        "the lower one first, got .1, -1. for col",
    ),
    "pairs": (
        lambda: explore("pca", records=RECORDS, bounds=[(0, 1)] * 3),
        "each of the 4 columns, got shape .3, 2",
    ),
    "column": (
        lambda: explore("pca", records=RECORDS, bounds={"age": (0, 1)}),
        "name columns of records, got 'age'",
    ),
    "shape": (lambda: explore("pca", records=RECORDS[0], bounds=(0, 1)), "records must be .*got shape .4,"),
    "no place": (lambda: explore("gain", **OWN), "page 'gain' takes no records; .*pca,"),
    "no records": (lambda: explore("pca", bounds=(0, 1)), "records must be given together with bounds"),
    "target": (
        lambda: explore("regression", target="y", **OWN),
        "target must be a column with bounds, got 'y'",
    ),
    "drive": (
        lambda: explore("gain").set({"sites": 1}),
        "sites must be a whole number from 2 to 50, got '1'",
    ),
    "figure": (lambda: explore("glossary").figure, "page 'glossary' has no figure"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_answered_in_one_sentence(case):
    call, words = WRONG[case]
    with pytest.raises(ValueError, match=words) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_a_setting_that_a_page_does_not_have_cannot_be_read_or_set():
    controls = explore("gain").controls
    with pytest.raises(AttributeError, match=r"'site'.*sites"):
        _ = controls.site
    with pytest.raises(ValueError, match=r"'gain'.*sites"):
        controls.site = 3


def test_the_package_is_imported_without_the_app():
    code = "import dashboard, sys; print(sorted({'panel', 'bokeh', 'numpy', 'core'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    ("records", "bounds", "words"),
    [
        (pd.DataFrame(RECORDS, columns=["w", "x", "w", "z"]), (-1, 1), "'w' twice"),
        (pd.DataFrame(RECORDS, columns=[1, "1", 2, 3]), (-1, 1), "'1' twice"),
        (np.empty((20, 0)), (-1, 1), "got shape (20, 0)"),
        (pd.DataFrame(index=range(20)), (-1, 1), "got shape (20, 0)"),
        (pd.DataFrame(), (-1, 1), "got shape (0, 0)"),
        (RECORDS[:1], (-1, 1), "got shape (1, 4)"),
        (RECORDS, {}, "bounds must name"),
    ],
    ids=range(7),
)
def test_records_that_are_no_table_are_refused_in_words(records, bounds, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        explore("pca", records=records, bounds=bounds)


def test_columns_without_names_are_called_by_their_numbers():
    """As pandas reads a file without a line of names: 0, 1, 2."""
    frame = pd.DataFrame(RECORDS).assign(**{"4": LABELS})
    found = explore("regression", records=frame, sites="4", bounds=dict.fromkeys(range(4), (-1, 1)), target=0)
    table = found.page.model.table
    assert table.columns == ("0", "1", "2", "3") and table.predicted == 0 and table.sizes == (30, 30, 30)
    found.close()


@pytest.mark.parametrize("name", [entry.name for entry in LISTED])
def test_what_a_page_says_of_itself_is_a_program_that_makes_it(name):
    found = explore(name)
    assert repr(found) == f"explore({name!r})"
    if "epsilon" in found.controls:
        found.controls.update(epsilon=0.3)
    if "schemes" in found.controls:
        found.controls.update(schemes=["cape", "local"])
    again = eval(repr(found), {"explore": explore})
    assert repr(again) == repr(found)
    assert {n: getattr(again.controls, n) for n in again.controls} == {
        n: getattr(found.controls, n) for n in found.controls
    }


def test_of_records_a_page_says_that_there_are_some_and_not_what_they_fix():
    found = explore("pca", records=RECORDS, sites=LABELS, bounds=(-1, 1), repeats=1, k=2)
    found.table()
    call = ast.parse(repr(found), mode="eval").body
    said = {one.arg: ast.unparse(one.value) for one in call.keywords}
    assert {"records", "k", "repeats"} <= said.keys() and said["sites"] == "..."
    assert {"samples", "own_records"}.isdisjoint(said)
    words = found.page.settings_words()  # What prints say of the settings names no other records.
    assert found.page.model.param["data"].label not in words
    found.close()
