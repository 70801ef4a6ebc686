"""A receipt on Plan: numbers beside what was planned; hostile files are answered with words."""

import html
import json

import numpy as np
import pytest
from desks import Consortium

from core.desk.result import rows_of, std_of
from core.parties import Column, Statistic
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.packs.consortium.plan.receipt.panel import ReceiptPanel
from dashboard.state.controls import Controls
from dashboard.state.number_text import number_text


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    consortium = Consortium(tmp_path_factory.mktemp("a")).agree()
    return consortium, consortium.run(silent=(1,)).receipt


def shown(data):
    part = ReceiptPanel()
    part.build()
    part.open(data)
    return part.text.text


def test_a_receipt_stands_beside_what_was_planned(made):
    consortium, receipt = made
    text = shown(json.dumps(receipt).encode())
    std = std_of(consortium.plan, ["h1"])
    assert (
        f"4 sites released: stay {number_text(receipt['average'][0], digits=4)} ± {number_text(1.959964 * std)} days"
        in text
    )
    half, value = 1.959963984540054 * std, receipt["average"][0]
    ends = " to ".join(number_text(end, digits=4) for end in (value - half, value + half))
    assert f"<td>{ends} (± {number_text(half)})</td>" in text
    assert "Planned: ε\u00a0=\u00a01, δ\u00a0=\u00a010⁻⁵ for one record, against the aggregator." in text
    assert "signed by 5 of 6 parties" in text and "Dropped out: h1; 1 site may drop out" in text
    planned = max(std_of(consortium.plan), *(std_of(consortium.plan, [f"h{s}"]) for s in range(5)))
    assert f"± {number_text(1.959964 * planned)}" in text
    assert text.count("against the aggregator") == 5 and "does not prove" in text and "no release" in text


def test_files_that_are_none_are_answered_with_words(made):
    _, receipt = made
    script = "<script>alert(1)</script>"
    plan = {name: value for name, value in receipt["plan"].items() if name != "id"}
    for data in (
        b"",
        b"\xff",
        b"[" * 100_000,
        b"{}",
        json.dumps(receipt | {"average": [1e400]}).encode(),
        json.dumps(receipt | {"plan": plan | {"note": script}}).encode(),
        json.dumps(receipt | {"plan": plan | {"scheme": script}}).encode(),
        json.dumps(receipt | {"ledgers": [{}] * 10}).encode(),
    ):
        text = shown(data)
        assert text.startswith("<div class='notice error'") and "<script" not in text


def test_names_of_a_receipt_are_escaped(tmp_path):
    name = "<img src=x onerror=a>"
    consortium = Consortium(
        tmp_path,
        statistic=Statistic("mean", (1,), 0.0, 50.0),
        columns=(Column(name, "<b>", 0.0, 50.0),),
        sites=3,
        dropouts=0,
    ).agree()
    text = shown(json.dumps(consortium.run().receipt).encode())
    assert "<img" not in text and html.escape(name) in text and "&lt;b&gt;" in text


def test_a_regression_has_intervals_in_units_and_components_the_noise_of_their_moment(tmp_path):
    rng = np.random.default_rng(1)
    age, noise = rng.uniform(0, 100, (3, 20_000)), rng.normal(0, 3, (3, 20_000))
    weight = np.clip(40 + 0.4 * age + noise, 40, 90)
    scaled = np.stack([np.ones_like(age), age / 50 - 1, (weight - 65) / 25], axis=2) / np.sqrt(3)
    columns = (Column("age", "years", 0.0, 100.0), Column("weight", "kg", 40.0, 90.0))
    options = {"sites": 3, "dropouts": 0, "tables": list(scaled), "columns": columns}
    made = Consortium(tmp_path / "a", statistic=Statistic("regression", (3, 3), norm=1.0), **options).agree()
    receipt = made.run().receipt
    rows = rows_of(made.plan, np.array(receipt["average"]))
    text = shown(json.dumps(receipt).encode())
    for row in rows:
        assert f"(± {number_text(1.959964 * row.std)})" in text and row.unit in text
    assert "Each entry" not in text
    moment = Consortium(tmp_path / "b", statistic=Statistic("second moment", (2, 2), norm=1.0), **options | {"tables": [
        x[:, 1:] for x in scaled]}).agree()  # fmt: skip
    text = shown(json.dumps(moment.run().receipt).encode())
    assert "component 1, age" in text
    assert (
        f"Each entry of the released moment has noise of ± {number_text(1.959964 * std_of(moment.plan))}"
        in text
    )


def test_plan_offers_it():
    """The button stands beside the others of the answer, and opens the part."""
    page = PlanPage(Controls())
    page.content()
    page.opened()
    try:
        row, part = page.board.live["files"].view[0][0], page.board.live["files"].view[-1]
        place = [item["label"] for item in row.items].index("Open a receipt")
        assert not part.visible
        row.received({"pressed": place})
        assert part.visible and len(part)
    finally:
        page.own_table.end()
