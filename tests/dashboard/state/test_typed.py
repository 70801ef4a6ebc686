"""Numbers as people type them: one reading in every form and link, and a question where there are two."""

import numpy as np
import pytest

from core import Privacy
from core.parties import Plan
from dashboard import explore
from dashboard.own_table.rows import Row, column_of
from dashboard.own_table.state import OwnData
from dashboard.packs.classroom.live_class import LiveClass
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.year.releases import Draft, Law, Line
from dashboard.packs.consortium.sites.model import SitesModel
from dashboard.problems.sites import parse_rows, read_rows, rows_from_csv, write_rows
from dashboard.session import settings_file
from dashboard.state import url
from dashboard.state.controls import Controls
from dashboard.state.typed_number import typed_counts, typed_number
from data.columns import Column, Description

# What is typed; as a number, as a whole number, and in a column that is written 1.234,5; None: a question.
TYPED = [
    ("1,000", None, 1000, 1.0),
    ("1.000", 1.0, None, 1000.0),
    ("12,345", None, 12_345, 12.345),
    ("1,000,000", 1e6, 1_000_000, 1e6),
    ("1 000", 1000.0, 1000, 1000.0),
    ("1\u202f000", 1000.0, 1000, 1000.0),
    ("1’000.5", 1000.5, None, 1000.5),
    ("1,234.5", 1234.5, None, 1234.5),
    ("1.234,5", 1234.5, None, 1234.5),
    ("0,123", 0.123, None, 0.123),
    ("7,5", 7.5, None, 7.5),
    (" −3 ", -3.0, -3, -3.0),
    ("1e-5", 1e-5, None, 1e-5),
    ("1.2·10⁻⁵", 1.2e-5, None, 1.2e-5),
    ("340282366920938463463374607431768211455", 2.0**128, 2**128 - 1, 2.0**128),
    *(
        (text, None, None, None)
        for text in ("", "nan", "inf", "1e999", "12 34", "1_000", "0x10", "1,23,456", "٣")
    ),
]


def read(text, **options):
    try:
        return typed_number(text, **options)
    except ValueError:
        return None


LAW = Law(5, 0, lambda scheme: ())


@pytest.mark.parametrize("text, number, whole, german", TYPED)
def test_a_number_has_one_reading_or_none(text, number, whole, german):
    assert read(text) == number
    assert read(text, whole=True) == whole and isinstance(read(text, whole=True), int | None)
    assert read(text, written="1.234,5") == german


@pytest.mark.parametrize(
    "text, sizes",
    [
        ("1200, 800, 500", [1200, 800, 500]),
        ("1,200, 800", [1200, 800]),
        ("1,200; 800", [1200, 800]),
        ("1 200, 2 800, 50", [1200, 2800, 50]),
        ("1200,800", [1200, 800]),
        ("50,60,70", [50, 60, 70]),
        ("200,300", None),
        ("1,200,800", None),
        ("1200, 800,500", None),
        ("1.200; 800", None),
        ("1200 800", None),
        ("12,5; 80", None),
    ],
)
def test_sizes_of_sites_are_two_numbers_or_a_question(text, sizes):
    own = OwnData()
    own.template = Description((Column("x", "number", lower=0.0, upper=1.0),))
    own.use_sizes(text)
    assert (own.objection == "") == (sizes is not None)
    if sizes is None:
        with pytest.raises(ValueError):
            typed_counts(text)
    else:
        assert [size for _, size in own.template.sites] == sizes


@pytest.mark.parametrize(
    "text, times", [("1,000", 1000), ("2 500", 2500), ("10,000", 10_000), ("52", 52), ("7,5", None)]
)
def test_times_of_a_year_are_whole_numbers(text, times):
    year = Draft(epsilon="2,5", lines=(Line("week", "mean", "cape", "0,1", "1e-6", text),))
    if times is None:
        with pytest.raises(ValueError, match="times"):
            year.plan(LAW)
        return
    assert year.plan(LAW).releases[0].times == times
    assert year.plan(LAW).releases[0].privacy == Privacy(0.1, 1e-6) and year.plan(LAW).budget.epsilon == 2.5


@pytest.mark.parametrize("epsilon", ["1,000", "2,500", "12,345"])
def test_an_epsilon_that_may_be_one_or_a_thousand_is_asked_about(epsilon):
    line = Line("week", "mean", "cape", epsilon, "1e-6", "1")
    with pytest.raises(ValueError, match="ε"):
        Draft(lines=(line,)).plan(LAW)
    with pytest.raises(ValueError, match="ε"):
        parse_rows([{"size": "10", "epsilon": epsilon, "delta": "1e-5"}] * 2)
    values, problems = url.decode(Controls, ("epsilon", "sites"), {"epsilon": epsilon, "sites": "7"})
    assert len(problems) == 1 and values == {"epsilon": 1.0, "sites": 7}


@pytest.mark.parametrize(
    "text, samples", [("1,000", 1000), ("2,000", 2000), ("10 000", 10_000), ("250", 250)]
)
def test_counts_in_links_and_in_the_table_of_sites_are_thousands(text, samples):
    values, problems = url.decode(Controls, ("samples",), {"samples": text})
    assert (values, problems) == ({"samples": samples}, [])
    rows = parse_rows([{"size": text, "epsilon": "0,5", "delta": "1e-5"}] * 2)
    assert [(row.size, row.epsilon) for row in rows] == [(samples, 0.5)] * 2


@pytest.mark.parametrize(
    "kind, text, most",
    [("number", "150,000", 150_000), ("number 1.234,5", "1,500", 1.5), ("number", "1.500", 1.5)],
)
def test_a_bound_counts_as_its_column_is_written(kind, text, most):
    column = column_of(Row("x", (), kind=kind, least="0", most=text), used=True)
    assert column.upper == most


@pytest.mark.parametrize(
    "weights",
    [
        ["0.3333333333333333"] * 3,
        ["0.16666666666666666"] * 6,
        ["0.333333"] * 3,
        ["0.33"] * 3,
        ["0,1667"] * 6,
        ["0.1428571"] * 7,
        ["0.17", "0.17", "0.17", "0.17", "0.16", "0.16"],
    ],
)
def test_own_weights_that_were_rounded_are_scaled_to_one(weights):
    records = [{"size": "1000", "epsilon": "1", "delta": "1e-5", "weight": weight} for weight in weights]
    model = SitesModel(Controls(), rows=write_rows(parse_rows(records)), weights="table")
    found = model.plan().weights
    typed = np.array([float(w.replace(",", ".")) for w in weights])
    assert found.sum() == pytest.approx(1, abs=1e-15) and found == pytest.approx(
        typed / typed.sum(), rel=1e-12
    )


@pytest.mark.parametrize(
    "weights", [(0.5, 0.4), (0.3,) * 3, (0.3333, 0.3333, 0.3331), (0.25, 0.25, 0.25, 0.22)]
)
def test_own_weights_that_miss_one_by_more_than_rounding_are_refused(weights):
    records = [{"size": 1000, "epsilon": 1, "delta": 1e-5, "weight": weight} for weight in weights]
    with pytest.raises(ValueError, match="sum to"):
        SitesModel(Controls(), rows=write_rows(parse_rows(records)), weights="table").plan()


@pytest.mark.parametrize("epsilon", [0.123456789, 1 / 3, 0.1 + 0.2, 2.000000001])
def test_all_digits_of_an_epsilon_survive_links_settings_and_plans(epsilon):
    page = PlanPage(Controls(epsilon=epsilon, sites=5, samples=200))
    values, problems = url.decode(Controls, ("epsilon",), url.encode(page.controls, ("epsilon",)))
    assert (values["epsilon"], problems) == (epsilon, [])
    rows = parse_rows([{"size": 10, "epsilon": epsilon, "delta": 1e-5}] * 2)
    assert read_rows(write_rows(rows)) == rows
    content = settings_file.write([page.search()], made_with="x").encode()
    assert settings_file.read(content, {"plan": PlanPage}).controls["epsilon"] == epsilon
    page.set({"problem": "averaging", "free": "samples", "schemes": ["cape"]})
    page.content()
    page.content()
    page.opened()
    assert Plan.read(page.plan_file().encode()).sites[0].privacy.epsilon == epsilon
    assert float(page.answer_line().epsilon) == epsilon


NUMPY = [np.float64(0.1), np.float32(0.5), np.float16(0.25), np.array(0.3), np.int64(2), np.array(3)]


@pytest.mark.parametrize("value", NUMPY)
def test_numbers_of_numpy_are_numbers(value):
    assert float(url.as_text(value)) == float(value)
    page = explore("pca", epsilon=value)
    assert page.controls.epsilon == float(value)
    page.controls.sites = np.int32(6)
    assert page.controls.sites == 6


def test_a_truth_value_of_numpy_is_one():
    assert [url.as_text(value) for value in (np.True_, np.False_, np.array(True))] == ["1", "0", "1"]


@pytest.mark.parametrize(
    "low, high, epsilon",
    [("0", "1,000", "1"), ("0,5", "12", "1.000,5"), ("0", "12", "11"), ("0", "12", "1,250")],
)
def test_the_form_of_a_class_asks_what_is_unclear(low, high, epsilon):
    live = LiveClass(lambda: Privacy(1.0, 1e-5))
    live.screen.received(
        {"act": "open", "question": "?", "low": low, "high": high, "epsilon": epsilon, "form": "masks"}
    )
    assert live.room is None and "server" not in live.screen.state["problem"] != ""


@pytest.mark.parametrize(
    "low, high, epsilon", [("0,5", "12,5", "1"), ("0", "10 000", "0,1"), ("−3", "3", "1e-1")]
)
def test_the_form_of_a_class_reads_a_decimal_comma(low, high, epsilon):
    live = LiveClass(lambda: Privacy(1.0, 1e-5))
    live.screen.received(
        {"act": "open", "question": "?", "low": low, "high": high, "epsilon": epsilon, "form": "masks"}
    )
    assert "server" in live.screen.state["problem"]  # All numbers were read: what is missing is the server.


def test_a_table_of_sites_with_rounded_weights_is_read():
    head = "site,size,epsilon,delta,weight\n"
    rows = rows_from_csv(head + "".join(f"s{i},1000,1,1e-5,0.3333333333333333\n" for i in range(3)))
    model = SitesModel(Controls(), rows=write_rows(rows), weights="table")
    assert model.plan().weights == pytest.approx([1 / 3] * 3, rel=1e-15)
