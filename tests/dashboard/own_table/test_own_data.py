"""A user's own table on the PCA page, without a browser: read, described, used, and gone."""

from __future__ import annotations

import gc
import io
import time
import weakref
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from compared import PcaPage
from panel.pane import HTML
from pictures import drawn

from core import pca, sweep
from dashboard.algorithms.pca.model import AXES
from dashboard.components.buttons import Buttons
from dashboard.components.upload import PIECE
from dashboard.own_table.rows import number
from dashboard.own_table.state import OwnData
from dashboard.own_table.view import NOT_PUBLIC
from dashboard.shell.actions import csv_text
from dashboard.state.controls import Controls
from data.upload import sample

HOSTILE = '<img src=x onerror="window.hacked=1">'


@pytest.fixture
def own():
    return OwnData()


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setitem(AXES, "epsilon", replace(AXES["epsilon"], values=(0.01, 0.3, 10.0)))
    controls = Controls()
    controls.param.update(repeats=2, sites=4, k=5, delta=1e-2)
    page = PcaPage(controls)
    page.model.judged = "energy"
    page.content()
    page.above_settings()
    page.opened()
    yield page
    page.own_table.end()


def csv(rows=40, width=3, seed=0):
    values = np.random.default_rng(seed).normal(size=(rows, width)).round(3)
    frame = pd.DataFrame(values, columns=[f"c{i}" for i in range(width)])
    frame["ward"] = np.resize(["east", "west", "west", "north"], rows)
    return frame


def hand_in(own, frame, name="table.csv"):
    content = frame.to_csv(index=False).encode() if isinstance(frame, pd.DataFrame) else frame
    assert own.expect(PIECE) == ""
    own.receive(name, [content[:10], content[10:]])
    return own


def bounded(own, least="-3", most="3"):
    own.take_draft(own.draft.filled(least, most))
    own.edit(site_column=own.draft.site_column or "")
    own.use()
    return own


# The user says what it holds.


def test_a_table_is_looked_over(own):
    frame = csv().assign(code=np.arange(40) % 5, words=HOSTILE)
    hand_in(own, frame)
    assert own.problem == ""
    assert [row.column for row in own.draft.rows] == list(frame.columns)
    assert [row.column for row in own.draft.rows if row.used] == ["c0", "c1", "c2", "code"]
    assert own.draft.rows[0].examples == tuple(map(str, frame.c0[:3]))
    assert own.sheet.site_columns == {"ward": 3, "code": 5}
    assert set(own.sheet.unfit) == {"c0", "c1", "c2", "words"}
    assert own.left_out == () and own.draft.site_column is None


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"", "0 bytes"),
        ("a.csv", b"name,town\nAnn,Ulm\nBob,Bonn\n", "no column of numbers"),
        ("a.txt", b"one\ntwo\n", "is text; the file must be a table of numbers"),
        ("a.txt", b"site\tage\nA\t1\nB\t2\n", "let its name end in .csv"),
        ("a.npz", b"PK\x03\x04 not all of it", "not a complete NPZ file"),
        ("a.csv", b"a,b\n1,\x81\n", "neither UTF-8 nor"),
        (HOSTILE, b"1,2", "is of no kind that can be read"),
    ],
)
def test_what_is_no_table_is_said_and_what_was_there_stays(own, name, content, words):
    hand_in(own, csv())
    sheet = own.sheet
    own.receive(name, [content])
    assert words in own.problem
    assert own.sheet is sheet and own.came == 0


def test_bounds_are_asked_for_column_by_column(own):
    hand_in(own, csv())
    own.take_draft(own.draft.filled("-3", "3"))
    own.use()
    assert own.used is None and "sites" in own.objection  # Nobody said which, nor that it does not matter.
    own.edit(site_column="")
    own.take_draft(own.draft.cleared())
    own.use()
    assert "smallest" in own.objection and "'c0'" in own.objection
    own.take_draft(own.draft.filled("-3", "three"))
    own.use()
    assert "'c0'" in own.objection and "'three'" in own.objection
    own.take_draft(own.draft.filled("3", "-3"))
    own.use()
    assert "must be more than the smallest, 3, got -3" in own.objection
    assert own.used is None and own.problem == ""
    bounded(own)
    assert own.objection == ""
    assert own.used.records.shape == (40, 3)
    assert own.used.public_bounds


def test_numbers_are_understood_as_people_type_them():
    assert number(" 2,5 ", "x") == 2.5
    assert number("−3e2", "x") == -300
    assert number("+150,000", "x") == 150_000
    for text in ("", "  ", "nan", "inf", "1e999", "1;2"):
        with pytest.raises(ValueError, match=r"(?i)\bx\b"):
            number(text, "x")


def test_columns_can_be_left_out_and_a_numeric_column_can_name_the_sites(own):
    hand_in(own, csv().assign(code=np.arange(40) % 5))
    own.edit(site_column="code")
    own.edit(rows=tuple(replace(r, used=r.used and r.column != "c1") for r in own.draft.rows))
    bounded(own)
    assert own.used.columns == ("c0", "c2")
    assert own.used.sizes == (8,) * 5
    own.edit(rows=tuple(replace(r, used=False) for r in own.draft.rows))
    own.use()
    assert "one column" in own.objection


def test_bounds_from_the_data_are_remembered_as_not_private_until_cleared(own):
    hand_in(own, csv()).edit(site_column="")
    own.take_from_data()
    assert own.draft.from_data
    own.edit(rows=tuple(replace(r, most="99") for r in own.draft.rows))
    own.use()
    assert not own.used.public_bounds  # A number typed over one of them does not make it public.
    own.edit(kind="length")
    assert not own.draft.from_data
    own.edit(length="9")
    own.use()
    assert own.used.public_bounds
    own.edit(length="")
    own.take_from_data()
    own.use()
    assert own.used.clipped == 0 and not own.used.public_bounds
    own.take_draft(own.draft.cleared())
    assert not own.draft.from_data and own.draft.length == ""
    own.edit(kind="ranges")
    assert own.draft.from_data
    own.take_draft(own.draft.cleared())
    assert not own.draft.from_data and own.draft.rows[0].least == ""


def test_gaps_leave_rows_out_and_are_counted(own):
    frame = csv()
    frame.loc[[3, 8], "c1"] = np.nan
    bounded(hand_in(own, frame))
    assert own.left_out == ("c1",) and own.sheet.incomplete(own.left_out) == 2
    assert own.used.incomplete == 2 and len(own.used.records) == 38
    own.edit(rows=tuple(replace(r, used=r.used and r.column != "c1") for r in own.draft.rows))
    own.use()
    assert own.used.incomplete == 0 and len(own.used.records) == 40


# The page computes with it.


def test_the_picture_is_of_the_table(page):
    before = drawn(page)
    bounded(hand_in(page.own_table.data, csv(400, 6)))
    assert page.runs.state == "finished", page.runs.message
    assert page.model.own_records and page.state.problem == ""
    assert "table.csv" in page.shown.headline
    first = drawn(page)
    assert first["cape"] != before["cape"]
    assert page.results.spots["cape"].components.shape == (5, 6)
    assert "table.csv" in page.shown.sections["curve_words"]
    page.model.own_records = False
    assert drawn(page) == before
    page.set({"own_records": True})
    assert "table.csv" in page.shown.headline
    assert drawn(page) == first  # The same release is shown again: nothing new is known of the records.


def test_an_own_table_is_judged_by_variance_about_a_private_mean_unless_its_user_chooses(page):
    page.model.judged = "suited"
    frame = csv(400, 6)
    frame.iloc[:, :6] += [2, 0.5, 0.5, 0.5, 0.5, 0.5]
    bounded(hand_in(page.own_table.data, frame), "-3", "5")
    assert (page.plan.problem.measure, page.plan.problem.centre) == ("variance", "mean")
    assert "variance" in page.state.words and "energy" not in page.state.words
    assert "dpdispca" in page.state.absent and "dpdispca" not in page.results.spots
    spot = page.results.spots["nonprivate"]
    x = np.vstack(page.model.table(page.plan.here)[0])
    best = np.linalg.eigh(np.cov(x.T, bias=True))[1][:, :-6:-1].T
    assert pca.subspace_distance(spot.components, best) < 1e-6 and spot.energy == pytest.approx(1)
    assert 0.5 < page.results.spots["cape"].energy <= 1
    assert "centre='mean'" in page.script() and "measure='variance'" in page.script()
    page.model.share = 0.4
    assert page.plan.problem.share == 0.4 and "share=0.4" in page.script()
    page.model.own_records = False
    assert page.plan.problem.measure == "energy"


def test_a_site_column_fixes_sites_and_weighs_them_by_their_records(page):
    page.model.axis = "sites"
    page.controls.colluding = 3
    page.own_table.data.take_sample()
    page.own_table.data.use()
    plan, table = page.plan, page.own_table.data.used
    assert page.state.problem == ""
    assert page.model.axis == "epsilon"
    assert page.controls.k == 5
    assert plan.here["samples"] == table.sizes and plan.here["sites"] == 4
    assert page.state.absent == ["share", "sites", "samples", "imbalance", "data_seed", "dropouts"]
    found = sweep.statistics(plan.problem, plan.here)
    assert (found.samples == table.sizes).all()
    assert found.truth == pytest.approx(table.records.T @ table.records / len(table.records))
    best, _ = pca.top_eigenvectors(found.truth, page.controls.k)
    assert pca.subspace_distance(page.results.spots["nonprivate"].components, best) < 1e-6
    assert page.results.spots["nonprivate"].energy == pytest.approx(1)
    page.model.axis = "samples"
    assert "ε or δ" in page.state.problem
    page.model.own_records = False
    assert page.state.problem == "" and page.state.absent == ["share", "dropouts"]


def test_k_is_lowered_to_what_the_table_can_show(page):
    bar = page.before()
    bounded(hand_in(page.own_table.data, csv(100, 5)))
    assert page.controls.k == 2
    assert page.state.problem == ""
    words = " ".join(str(one.text) for one in bar.get_root().references() if hasattr(one, "text"))
    assert "5 to 2" in words


def test_more_sites_than_memory_are_refused_in_words(page, monkeypatch):
    width, most = 6, 20
    monkeypatch.setattr("dashboard.problems.pca.MOST_NUMBERS", most * width**2)
    page.closed()
    bounded(hand_in(page.own_table.data, csv(60, width)))
    page.controls.sites = most
    assert page.model.plan().here["sites"] == most
    page.controls.sites = most + 1
    with pytest.raises(ValueError, match=rf"sites must.*{most}.*{width}"):
        page.model.plan()


def test_the_guarantee_says_what_was_not_private(page):
    hand_in(page.own_table.data, csv()).edit(site_column="")
    page.own_table.data.take_from_data()
    page.own_table.data.use()
    assert NOT_PUBLIC in page.state.guarantee.not_private
    bounded_points = " ".join(page.state.guarantee.not_private)
    assert "no records" in bounded_points
    page.own_table.data.take_draft(page.own_table.data.draft.cleared())
    bounded(page.own_table.data, "-1", "1")
    points = page.state.guarantee.not_private
    assert NOT_PUBLIC not in points
    assert any(f"{page.own_table.data.used.clipped} records" in point for point in points)
    page.controls.calibration = "published"
    assert not any("and scale" in point for point in page.state.guarantee.not_private)


@pytest.mark.parametrize("case", ["sites", "dealt", "gaps", "length", "hostile"])
def test_the_script_reads_the_file_and_gives_the_numbers_of_the_table(page, case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, frame = "table.csv", csv(200, 4)
    if case == "gaps":
        frame.loc[5, "c2"] = np.nan
    if case == "hostile":
        name = '\'"""$$x$$\\(y\\).csv'
        frame.columns = [HOSTILE, '"""', "$$\\frac{a}{b}$$", "\\[z\\] '", "ward"]
    hand_in(page.own_table.data, frame, name)
    if case == "length":
        page.own_table.data.edit(kind="length", length="4")
    page.own_table.data.edit(site_column="ward" if case == "sites" else "")
    if case == "hostile":
        page.own_table.data.take_from_data()
    elif case != "length":
        page.own_table.data.take_draft(page.own_table.data.draft.filled("-3", "3"))
    page.own_table.data.use()
    assert page.runs.state == "finished" and page.model.own_records
    (tmp_path / name).write_bytes(frame.to_csv(index=False).encode())
    script, scope = page.script(), {}
    exec(script, scope)
    theirs = pd.DataFrame(scope["columns"]).set_index(["scheme", "epsilon"])["mean"]
    ours = page.table().set_index(["scheme", "epsilon"])["mean"]
    assert theirs.to_dict() == pytest.approx(ours.to_dict(), rel=1e-12)


def test_another_file_is_described_while_the_records_in_use_stay(page):
    own, bar = page.own_table.data, page.above_settings()
    press = {button.label: button.click for row in bar.select(Buttons) for button in row.buttons}
    press["Use your own table"]()
    panel = page.before().objects[-1]
    assert panel.visible
    bounded(hand_in(own, csv(400, 6)))
    assert not panel.visible
    before = drawn(page)
    press["Change"]()
    hand_in(own, csv(60, 5), "later.csv")
    assert panel.visible and drawn(page) == before
    assert "table.csv" in _words(panel) and "later.csv" in _words(panel)
    bounded(own)
    assert not panel.visible and drawn(page) != before
    assert "table.csv" not in _words(panel)


def _words(panel):
    return " ".join(str(pane.object) for pane in panel.select(HTML) if pane.visible)


def test_links_say_that_a_table_belongs_to_them_and_do_not_hold_it(page):
    bounded(hand_in(page.own_table.data, csv(100, 6), f"{HOSTILE}.csv"))
    link = page.search()
    assert "own_records=1" in link and "img" not in link
    other = PcaPage(Controls())
    assert other.take({"own_records": "1", "repeats": "2"}) == []
    other.content()
    other.above_settings()
    card = other.before().objects[0]
    assert card.visible and "link" in card.object.text
    assert other.model.plan().source.name == "digits"
    other.own_table.end()


def test_the_csv_of_the_picture_names_the_table_in_its_header(page):
    page.own_table.data.take_sample()
    page.own_table.data.use()
    head = [line for line in csv_text(page).splitlines() if line.startswith("#")]
    assert "# own table = 'patients.csv'" in head
    assert any(line.endswith("= (1500, 900, 400, 200)") for line in head)
    assert not any(line.startswith(("# data =", "# sites =", "# own_records")) for line in head)
    table = pd.read_csv(io.StringIO(csv_text(page)), comment="#")
    assert set(table.scheme) >= {"cape", "nonprivate"}


def test_settings_that_a_table_does_not_fit_have_no_program(page):
    bounded(hand_in(page.own_table.data, csv(100, 3)))
    page.set({"k": 9})
    assert page.state.problem and all(line.startswith("#") for line in page.program().splitlines())
    page.set({"k": 2})
    assert "import" in page.program()


def test_a_preset_means_its_own_records(page):
    bounded(hand_in(page.own_table.data, csv(100, 6)))
    page.set({"data": "digits", "k": 4})
    assert not page.model.own_records
    assert page.plan.source.name == "digits"
    assert page.own_table.data.used is not None


# It is gone.


def gone(*references):
    """Whether nothing holds these any more, once the worker has done what was handed to it."""
    for _ in range(100):
        gc.collect()
        if all(reference() is None for reference in references):
            return True
        time.sleep(0.05)
    return False


def test_nothing_of_a_table_stays_when_the_session_ends(page):
    bounded(hand_in(page.own_table.data, csv(100, 6)))
    plan = page.plan
    assert sweep.statistics(plan.problem, plan.here) is sweep.statistics(plan.problem, plan.here)
    table, sheet = weakref.ref(page.own_table.data.used), weakref.ref(page.own_table.data.sheet)
    del plan
    page.own_table.end()
    assert gone(table, sheet)


def test_the_end_of_a_session_touches_no_widget(page):
    def told(event):
        raise AssertionError("the session's widgets are gone")

    bounded(hand_in(page.own_table.data, csv(100, 6)))
    page.runs.state = "running"
    for source in (page.own_table.data, page.own_table.data.runs, page.runs, page.state):
        source.param.watch(told, [name for name in source.param if name != "name"])
    page.own_table.end()
    assert page.own_table.data.used is None and page.model.own_table is None


def test_removing_a_table_brings_the_built_in_records_back(page):
    before = drawn(page)
    bounded(hand_in(page.own_table.data, csv(100, 6)))
    table = weakref.ref(page.own_table.data.used)
    page.own_table.data.forget()
    assert drawn(page) == before
    assert not page.model.own_records and page.own_table.data.draft.rows == ()
    assert gone(table)


def test_another_session_knows_nothing_of_it(page):
    other = PcaPage(Controls())
    bounded(hand_in(page.own_table.data, csv(100, 6)))
    assert other.own_table.data.used is None and other.model.table is None
    assert sample.SAMPLE_NAME not in str(other.search())
    other.own_table.end()
