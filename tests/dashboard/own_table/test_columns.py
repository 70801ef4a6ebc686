"""Categories, dates, answers, gaps and descriptions in the form for a user's own table, without a browser."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
import pytest
from compared import RegressionPage, guaranteed
from sheets import SitesPage

from dashboard.components.upload import PIECE
from dashboard.own_table.file import ROOM
from dashboard.own_table.panel import Panel
from dashboard.own_table.rows import LEAVE_OUT, MARK, Row, column_of, list_of, list_text, put, row_of
from dashboard.own_table.shared_table import SharedTable
from dashboard.own_table.state import OwnData
from dashboard.problems.sites import Row as SiteRow
from dashboard.session import settings_file
from dashboard.state.controls import Controls
from data import upload
from data.columns import Description, survey
from data.upload.own_table import described_table
from data.upload.sample import RANGES as RANGES_OF_SAMPLE
from data.upload.sample import TEMPLATE

DECLARED = "you declared"
WARDS = "medicine; surgery; other"
RANGES = {"kg": ("40", "160"), "crp": ("0", "200"), "came": ("2023-01-01", "31.12.2024")}


def hospital(rows=120, seed=3):
    rng = np.random.default_rng(seed)
    kg, crp = rng.normal(80, 12, rows).round(1), rng.gamma(1.5, 12, rows).round()
    came = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 730, rows), unit="D")
    frame = pd.DataFrame(
        {
            "patient": [f"P{i}" for i in range(rows)],
            "hospital": np.resize(["North", "South", "South"], rows),
            "kg": [f"{v} kg" for v in kg],
            "crp": ["<5" if v < 5 else f"{v:.0f}" for v in crp],
            "came": came.strftime("%d.%m.%Y"),
            "ward": rng.choice(["medicine", "surgery", "other"], rows),
            "back": rng.choice(["yes", "no"], rows),
            "country": "NL",
        }
    )
    frame.loc[[3, 8], "kg"] = None
    frame.loc[5, "crp"] = None
    return frame


def hand_in(own, frame=None, name="hospital.csv"):
    content = (hospital() if frame is None else frame).to_csv(index=False).encode()
    assert own.expect(PIECE) == ""
    own.receive(name, [content])
    assert own.problem == ""
    return own


def change(own, column, **values):
    own.edit(rows=tuple(replace(row, **values) if row.column == column else row for row in own.draft.rows))


def described(own):
    hand_in(own)
    for column, (least, most) in RANGES.items():
        change(own, column, used=True, least=least, most=most)
    change(own, "ward", used=True, values=WARDS)
    change(own, "kg", missing=MARK)
    own.edit(site_column="hospital", target="back", record="visit", per_person="3")
    return own


@pytest.fixture
def own():
    return OwnData()


def texts(panel):
    return " ".join(
        str(model.text) for model in panel.layout.get_root().references() if hasattr(model, "text")
    )


def test_the_form_suggests_kinds_and_drops_nothing_without_a_word(own):
    panel = Panel(own, lambda: None)
    hand_in(own)
    kinds = {row.column: (row.kind, row.used) for row in own.draft.rows}
    assert own.draft.site_column == "hospital"
    assert kinds == {
        "patient": ("category", False),
        "hospital": ("category", False),
        "kg": ("number", True),
        "crp": ("number", True),
        "came": ("date 31.12.2024", False),
        "ward": ("category", False),
        "back": ("yes / no", True),
        "country": ("category", False),
    }
    for part in ("in kg. 2", "&#x27;country&#x27;", "&#x27;came&#x27;", "&#x27;kg&#x27;, &#x27;crp&#x27;"):
        assert part in texts(panel), part


def test_the_menu_of_sites_counts_those_of_the_present_file(own):
    root = Panel(own, lambda: None).layout.get_root()
    menus = [one.data for one in root.references() if "Select" in type(getattr(one, "data", None)).__name__]
    (menu,) = (one for one in menus if "site of a record" in one.label)
    for names in ("abc", "ab"):
        hand_in(own, pd.DataFrame({"site": np.resize([*names], 60), "x": np.linspace(0, 1, 60)}))
        assert own.draft.site_column == "site"
        assert str(len(names)) in menu.value and menu.value in menu.options


def test_records_are_made_as_the_form_describes_them(own):
    described(own).use()
    assert own.objection == ""
    used = own.used
    assert [part.column for part in used.parts] == ["kg", "crp", "came", "ward", "back"]
    assert (used.sizes, used.site_names) == ((79, 40), ("South", "North"))
    assert (used.incomplete, used.marked, used.public_bounds) == (1, 2, True)
    panel = Panel(own, lambda: None)
    (target,) = (one for one in panel.layout.select(pmui.Select) if "to be predicted" in one.label)
    assert (target.value, own.draft.target) == ("back", "back")
    own.edit(target="")
    assert target.value == "back"
    change(own, "back", used=False)
    assert (target.value, own.draft.target) == ("ward", "")
    target.value = "kg"
    assert own.draft.target == "kg"
    change(own, "back", used=True)
    own.edit(target="")
    own.take_draft(own.draft.marked(own.sheet))
    own.use()
    assert (own.used.incomplete, own.used.marked) == (0, 3)
    assert used.parts[used.predicted].column == "back"
    assert np.linalg.norm(used.records, axis=1).max() <= 1


def test_the_site_that_works_alone_is_the_largest_or_the_one_that_is_picked(own):
    panel, page = Panel(own, lambda: None), SitesPage(Controls(epsilon=0.7, delta=1e-6))
    shared = SharedTable(own)
    page.use_shared_table(shared)
    page.content()
    described(own)
    (menu,) = (one for one in panel.layout.select(pmui.Select) if "works alone" in one.label)
    assert menu.visible and list(menu.options.values()) == ["", "North", "South"]
    own.use()
    assert own.used.local == "South" and own.chosen.description.local == ""
    menu.value = "North"
    own.use()
    used = own.used
    assert (used.local, used.sizes, used.site_names) == ("North", (40, 79), ("North", "South"))
    # The first site's records are North's: by weight, which no other column moves.
    frame = hospital()
    frame = frame[frame.crp.notna() & (frame.hospital == "North")]
    weights = frame.kg.str.removesuffix(" kg").astype(float)
    mapped = ((weights.fillna(100) - 100) / 60).to_numpy() / np.sqrt(5)
    assert used({})[0][0][:, 0] == pytest.approx(mapped)
    described_again = Description.read(own.described().text().encode())
    assert described_again.local == "North"
    own.take(described_again)
    assert own.draft.local == "North"
    own.edit(site_column="")
    assert not menu.visible
    own.use()
    assert own.used.local == ""
    own.edit(site_column="hospital")
    own.use()
    # The page Sites takes names and sizes; ε and δ are the session's.
    page.board.live["table"].table.take_sites()
    assert page.model.table_rows() == (SiteRow("South", 79, 0.7, 1e-6), SiteRow("North", 40, 0.7, 1e-6))


@pytest.mark.parametrize(
    ("kind", "typed", "least", "again"),
    [
        ("number", "1,500", 1500, "1500"),
        ("number", "4,5", 4.5, "4.5"),
        ("number", "0,125", 0.125, "0.125"),
        ("number", "-1,500.25", -1500.25, "-1500.25"),
        ("number", "1\u202f500", 1500, "1500"),
        ("number 1.234,5", "1.500", 1500, "1500"),
        ("number 1.234,5", "1.500,125", 1500.125, "1500,125"),
        ("number 1.234,5", "2.5", 2.5, "2,5"),
        ("date 12/31/2024", "8/1/2018", "2018-08-01", "2018-08-01"),
        ("date 12/31/2024", "1.8.2018", "2018-08-01", "2018-08-01"),
    ],
)
def test_ends_of_a_range_are_read_as_the_column_is_written(kind, typed, least, again):
    most = "2030-01-01" if kind.startswith("date") else "1e6"
    row = Row("x", (), kind=kind, least=typed, most=most)
    column = column_of(row, used=True)
    assert column.lower == least
    # What a description writes into the form is read as the same.
    written = put(row, column)
    assert written.least == again and column_of(written, used=True).lower == least


def test_whoever_chooses_number_for_what_may_be_two_numbers_means_one():
    table = upload.read(b"v,w\n200 300,1\n1,2\n", "a.csv")
    row = row_of(survey(table.frame)[0], ())
    assert row.kind == "category" and not row.used
    asked = column_of(replace(row, kind="number", least="1", most="200 300"), used=True)
    made = described_table(table, Description((asked,)))
    assert made.records[:, 0] == pytest.approx([1, -1])
    assert column_of(put(row, asked), used=True) == asked


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("ward", {"values": ""}, "Enter the categories of column 'ward'"),
        ("ward", {"values": "a; a"}, "The category 'a' is listed twice"),
        ("back", {"values": "yes"}, "Enter what counts as 1 and what as 0 in column 'back'"),
        ("came", {"least": ""}, "Enter the smallest value of column 'came', a date such as"),
        ("came", {"most": "soon"}, "The largest value of column 'came' must be a date such as 2024-12-31"),
        (
            "kg",
            {"least": "0", "most": "0"},
            "The largest value of column 'kg' must be more than the smallest, 0, got 0",
        ),
        ("came", {"kind": "number", "least": "1", "most": "9"}, "it is no number"),
        ("kg", {"kind": "yes / no", "values": "1; 0"}, "2 row|no row"),
        ("back", {"used": False}, "Tick column 'back', which is to be predicted"),
        ("", {"per_person": ""}, "visits"),
        ("", {"per_person": "1.5"}, "visits"),
    ],
)
def test_what_is_missing_in_a_row_is_said(own, column, values, words):
    described(own)
    if column:
        change(own, column, **values)
    else:
        own.edit(**values)
    if column == "kg":
        change(own, "kg", missing=LEAVE_OUT)
    own.use()
    assert own.used is None and any(part in own.objection for part in words.split("|"))


def test_what_was_taken_from_the_records_stays_marked_until_it_is_declared_public(own):
    described(own)
    change(own, "ward", values="")
    change(own, "crp", least="", most="")
    own.take_from_data()
    assert own.draft.taken == ("crp", "ward") and own.draft.from_data
    assert {row.column: row.least for row in own.draft.rows}["kg"] == "40"  # Typed ranges stay.
    own.use()
    assert not own.used.public_bounds
    panel = Panel(own, lambda: None)
    assert "&amp;#x27;crp&amp;#x27;, &amp;#x27;ward&amp;#x27;" in texts(panel)
    shared = own.described()
    assert {c.name: c.values for c in shared.columns}["ward"] == ()
    assert {c.name: c.lower for c in shared.columns}["crp"] is None
    own.take_draft(own.draft.made_public())
    own.use()
    assert own.used.public_bounds and own.chosen.description.declared and not own.draft.from_data
    assert len({c.name: c.values for c in own.described().columns}["ward"]) == 3


def test_a_description_comes_back_with_a_table_of_the_same_header(own):
    described(own).use()
    records = own.used.records
    text = own.described().text()
    assert "P1" not in text and '"sites"' in text
    assert (own.used.per_person, "visit" in own.used.source.unit) == (3, True)
    own.forget()
    assert own.draft.record == ""
    hand_in(own)
    assert "was applied" in own.remark
    own.use()
    np.testing.assert_array_equal(own.used.records, records)
    assert (own.draft.record, own.used.record, own.used.per_person) == ("visit", "visit", 3)
    other = OwnData()
    other.describe(text.encode())
    assert other.template is not None
    hand_in(other)
    other.use()
    np.testing.assert_array_equal(other.used.records, records)
    third = hand_in(OwnData(), hospital().drop(columns="crp"))
    third.describe(text.encode())
    assert "other columns" in third.objection
    for one in (own, other, third):
        one.end()


def test_a_settings_file_holds_the_description_and_no_record(own):
    described(own).use()
    text = settings_file.write(["?page=pca"], made_with="a test", table=own.described())
    assert "P17" not in text and json.loads(text)["own_table"]["target"] == "back"
    found = settings_file.read(text.encode(), {})
    assert found.table == own.described()
    broken = json.loads(text) | {"own_table": {"format": "no such"}}
    found = settings_file.read(json.dumps(broken).encode(), {})
    assert found.table is None and any("own_table" in problem for problem in found.problems)


def test_a_description_without_its_table_gives_invented_records_and_says_so(monkeypatch, tmp_path):
    page = RegressionPage(Controls(schemes=["cape", "nonprivate"], repeats=1))
    page.above_settings()
    root = page.before()
    own = page.own_table.data
    own.describe(TEMPLATE.encode())
    page.own_table.ask()
    own.use_invented()
    assert own.objection == "" and own.used.invented
    assert own.used.sizes == (1200, 800, 200, 500, 300)  # In the order of the sites' names.
    assert page.model.table is own.used and "invented" in page.model.plan().source.unit
    assert page.own_table.unprotected() == []
    words = " ".join(str(model.text) for model in root.get_root().references() if hasattr(model, "text"))
    assert "are invented" in words
    assert Description.from_dict(own.chosen.description.to_dict()) == own.chosen.description
    scope = {}
    exec(compile(f"{own.chosen.standard}{own.chosen.imports}\n{own.chosen.code()}", "copied", "exec"), scope)
    np.testing.assert_array_equal(scope["load"].records, own.used.records)
    page.own_table.end()


def test_sizes_are_asked_for_where_a_description_names_none(own):
    found = Description.read(TEMPLATE.encode())
    own.take(replace(found, sites=(), site_column="", columns=found.columns[1:]))
    own.use_invented()
    assert "sites" in own.objection
    own.use_sizes("30, many")
    assert own.objection and own.used is None
    own.use_sizes("30; 20; 10")
    own.use_invented()
    assert own.used.sizes == (30, 20, 10)
    own.end()


def test_the_code_of_a_description_reads_the_same_records(own, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hospital.csv").write_bytes(hospital().to_csv(index=False).encode())
    described(own).use()
    scope = {}
    exec(compile(f"{own.chosen.standard}{own.chosen.imports}\n{own.chosen.code()}", "copied", "exec"), scope)
    np.testing.assert_array_equal(scope["load"].records, own.used.records)
    own.end()


def test_the_column_to_predict_is_chosen_by_name(own):
    page = RegressionPage(Controls(schemes=["cape"], repeats=1))
    page.above_settings()
    data = described(page.own_table.data)
    page.own_table.ask()
    data.use()
    places = page.model.param.response
    assert places.names == ("kg", "crp", "came", "ward", "back") and page.model.response == 5
    assert "labels" in page.spec.absent(page.model.plan())
    assert "'back'" in page.settings_words().values()
    page.model.response = 4
    with pytest.raises(ValueError, match="'ward' has 3 categories"):
        page.model.plan()
    page.model.response = 1
    with pytest.raises(ValueError, match=r"without.*'kg'"):
        page.model.plan()
    page.own_table.end()


@pytest.mark.parametrize(
    "values", [("a", "b c"), ("x; y", 'say "no"', "z"), ("größe", "<5", "1,234"), ("a=b", ">=30"), ()]
)
def test_lists_of_categories_come_back_as_they_are_typed(values):
    assert list_of(list_text(values)) == (values, ())


def test_what_is_not_private_of_a_described_table_is_declared_in_one_place():
    page = RegressionPage(Controls(schemes=["cape"], repeats=1))
    page.above_settings()
    data = described(page.own_table.data)
    page.own_table.ask()
    change(data, "ward", values="medicine; surgery", missing=MARK)
    change(data, "crp", least="10", most="20")
    data.use()
    others = (hospital().ward == "other").sum()
    words = [one.words for one in page.own_table.unprotected()]
    for part in ("were clipped", "1 row", "were marked", f"{others} rows", "first 3", "'back'"):
        assert any(part in one for one in words), (part, words)
    assert not any("computed from" in one for one in words)
    change(data, "ward", values="")
    data.take_from_data()
    data.use()
    assert any("of categories" in one.words for one in page.own_table.unprotected())
    assert guaranteed(page, page.model.plan()).sentence.startswith("Not covered")
    data.take_draft(data.draft.made_public())
    data.use()
    assert any(DECLARED in one.words for one in page.own_table.unprotected())
    change(data, "back", values="no; yes")
    data.use()
    assert not any("read off" in one.words for one in page.own_table.unprotected())
    page.own_table.end()


def test_a_length_from_the_records_is_declared_apart_from_ranges():
    page = RegressionPage(Controls(schemes=["cape"], repeats=1))
    page.above_settings()
    own = hand_in(page.own_table.data, pd.DataFrame({"a": np.arange(40.0) % 7, "b": np.arange(40.0) % 5}))
    page.own_table.ask()
    own.edit(site_column="")
    own.take_from_data()
    own.edit(kind="length")
    own.take_from_data()
    own.take_draft(own.draft.made_public())
    own.use()
    assert own.used.public_bounds and own.chosen.description.declared
    assert any(DECLARED in one.words for one in page.own_table.unprotected())
    own.edit(record="visit", per_person="5")
    own.use()
    assert own.used.per_person == 5
    own.edit(kind="ranges")  # The ranges, taken from the records too, were not declared.
    own.use()
    assert not own.used.public_bounds and not own.chosen.description.declared
    assert [column.lower for column in own.described().columns] == [None, None]
    own.take_draft(own.draft.cleared())
    own.edit(kind="length")  # Nor does clearing the ranges make anyone forget how the length came about.
    own.use()
    assert own.chosen.description.declared
    page.own_table.end()


def test_the_sizes_of_one_table_are_not_told_of_another(own):
    described(own).use()
    first = dict(own.described().sites)
    hand_in(own, hospital(90).drop(columns="country"))
    for column, (least, most) in RANGES.items():
        change(own, column, used=True, least=least, most=most)
    own.edit(site_column="hospital")
    assert first and own.described().sites == ()
    own.use()
    assert sum(dict(own.described().sites).values()) == len(own.used.records) != sum(first.values())
    own.end()


def test_using_a_table_again_takes_no_more_room(own):
    free = ROOM.free
    described(own)
    change(own, "patient", used=True, values="; ".join(f"P{i}" for i in range(120)))
    left = []
    for _ in range(3):
        own.use()
        assert own.objection == ""
        left.append(ROOM.free)
    assert left[0] == left[1] == left[2] < free
    own.end()
    assert ROOM.free == free


def test_removing_a_description_removes_what_was_invented_from_it(own):
    free = ROOM.free
    view = Panel(own, lambda: None).layout
    own.describe(TEMPLATE.encode())
    own.use_invented()
    assert own.used is not None and ROOM.free < free
    next(b for b in view.select(pmui.Button) if b.label == "Remove the description").clicks += 1
    assert own.used is None and own.template is None and ROOM.free == free


def test_the_sample_comes_with_its_public_ranges(own):
    own.take_sample()
    assert own.sheet.table.facts  # It was read where files are read.
    own.use()
    assert own.objection == "" and own.used.public_bounds and not own.draft.from_data
    assert own.used.sizes == (1500, 900, 400, 200) and own.used.columns == tuple(RANGES_OF_SAMPLE)
    own.end()


US = "clinic,kg,cost,came\n" + "".join(
    f'{"AB"[i % 2]},{60 + i}.5,"{1 + i},100.50",2024-03-{i + 1:02d}\n' for i in range(14)
)
GERMAN = "clinic;kg;cost;came\n" + "".join(
    f"{'AB'[i % 2]};{60 + i},5;{1 + i}.100,50;{i + 1:02d}.03.2024\n" for i in range(14)
)
UNITS = GERMAN.replace(",5;", ",5 kg;")
SLASHES = US.replace("2024-03-", "03/").replace("\n", "/2024\n").replace("came/2024", "came")


@pytest.mark.parametrize(("here", "there"), [(US, GERMAN), (GERMAN, US), (US, UNITS), (US, SLASHES)])
def test_a_saved_description_travels_to_files_that_are_spelled_otherwise(here, there):
    ranges = {"kg": ("60", "80"), "cost": ("1000", "20000"), "came": ("2024-03-01", "2024-03-31")}
    first, second = OwnData(), OwnData()
    first.receive("a.csv", [here.encode()])
    for column, (least, most) in ranges.items():
        change(first, column, used=True, least=least, most=most)
    first.edit(site_column="clinic")
    first.use()
    second.receive("b.csv", [there.encode()])
    second.describe(first.described().text().encode())
    second.use()
    assert second.objection == "" and (first.used.records == second.used.records).all()
    assert len(second.used.records) == 14


@pytest.mark.parametrize(
    ("column", "values", "warned"),
    [
        ("kg", {"used": False}, True),
        ("ward", {"values": "medicine; surgery", "used": False}, True),
        ("came", {"used": False, "most": ""}, True),
        ("kg", {"used": False, "least": "", "most": ""}, False),
        ("kg", {}, False),
        ("back", {"used": False}, False),
    ],
)
def test_bounds_in_a_row_that_is_not_ticked_are_warned_of(own, column, values, warned):
    change(described(own), column, **values)
    idle = [row.column for row in own.draft.bounded_but_unused]
    assert idle == ([column] if warned else [])
    shown_words = [
        pane.object for pane in Panel(own, lambda: None).layout.select(pn.pane.HTML) if pane.visible
    ]
    assert any("not ticked" in words and column in words for words in shown_words) == warned


@pytest.mark.parametrize(
    ("typed", "values", "spellings"),
    [
        ("female = F = f; M", ("female", "M"), (("F", "female"), ("f", "female"))),
        ("yes=y=1; no", ("yes", "no"), (("y", "yes"), ("1", "yes"))),
    ],
)
def test_spellings_are_typed_beside_what_they_mean(typed, values, spellings):
    assert list_of(typed) == (values, spellings)
    assert list_of(list_text(values, spellings)) == (values, spellings)


def test_categories_are_merged_by_capitals_by_spelling_and_by_hand(own):
    frame = hospital().assign(sex=np.resize(["F", "f", "female", "M", "male", "w"], 120))
    hand_in(own, frame)
    change(own, "sex", used=True)
    for column in ("kg", "crp", "back"):
        change(own, column, used=False)
    own.take_from_data()
    assert {row.column: row.values for row in own.draft.rows}["sex"] == "female=F; male=M; w".replace(
        "=", " = "
    )
    change(own, "sex", values="female=F=w; male=M")  # By hand.
    own.use()
    assert (own.used.unlisted, own.used.incomplete) == (0, 0)
    order = frame.hospital.map({"South": 0, "North": 1}).to_numpy().argsort(kind="stable")
    assert (own.used.column(0) == frame.sex.isin(["M", "male"]).to_numpy()[order]).all()
    again = Description.read(own.described().text().encode())
    assert again == own.described()
    own.end()


def test_an_answer_that_nobody_chose_to_predict_is_not_made_up_either(own):
    frame = hospital()
    frame.loc[10:20, ["kg", "back"]] = None
    hand_in(own, frame)
    own.take_draft(own.draft.marked(own.sheet))
    assert own.draft.target == "" and own.draft.predicted == "back" and own.left_out == ("back",)
    own.end()


def test_what_gaps_cost_is_said_before_the_table_is_used(own):
    frame = hospital()
    frame.loc[10:20, "kg"] = None
    hand_in(own, frame)
    panel = Panel(own, lambda: None)
    mark = next(b for b in panel.layout.select(pmui.Button) if b.label == "Mark every gap")
    assert own.left_out == ("kg", "crp") and own.sheet.incomplete(own.left_out) == 14
    assert mark.visible and "14 rows" in texts(panel) and "11.7" in texts(panel)
    own.edit(target="crp")
    mark.clicks += 1
    assert (
        own.left_out == ("crp",) and own.sheet.incomplete(own.left_out) == 1
    )  # A missing answer is never made up.
    assert not mark.visible
    own.end()
