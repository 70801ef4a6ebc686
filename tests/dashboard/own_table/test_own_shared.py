"""What a user brought on one page stands ready on the others, once in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import panel as pn
import pytest
from compared import PcaPage, RegressionPage

from dashboard.components.buttons import Buttons
from dashboard.components.upload import PIECE
from dashboard.own_table.shared_table import SharedTable
from dashboard.packs.consortium.plan.page import PAGE as PlanPage
from dashboard.state.controls import Controls


def hand_in(own, content, name):
    assert own.expect(PIECE) == ""
    own.receive(name, [content])
    return own


def table(rows=400, width=6):
    values = np.random.default_rng(0).normal(size=(rows, width)).round(3)
    return pd.DataFrame(values, columns=[f"c{i}" for i in range(width)]).to_csv(index=False).encode()


def buttons(view):
    """All buttons of a part of a page."""
    return [button for row in view.select(Buttons) for button in row.buttons]


@pytest.fixture
def shared():
    found = SharedTable()
    yield found
    found.table.end()


def test_a_table_of_one_page_is_offered_on_the_others_and_stands_in_memory_once(shared):
    controls = Controls(k=10)
    page, built, later = (kind(controls) for kind in (PcaPage, RegressionPage, PlanPage))
    page.use_shared_table(shared)
    built.use_shared_table(shared)
    offer = next(b for b in buttons(built.above_settings()) if b.icon == "history")
    assert not offer.visible
    page.own_table.ask()
    own = hand_in(shared.table, table(), "table.csv")
    own.take_draft(own.draft.filled("-3", "3"))
    shared.table.use()
    later.use_shared_table(shared)
    assert page.model.own_records and controls.k == 3
    assert not built.model.own_records and not later.model.own_records
    assert offer.visible and "'table.csv'" in offer.label
    # It is the same frame; what a page must know of it, it knows before it is used.
    assert page.model.own_table is built.model.own_table is later.model.own_table
    assert built.model.param.response.bounds == (1, 6) and built.model.response != 6
    offer.click()
    assert built.model.table is shared.table.used and built.model.response == 6
    assert not later.model.own_records
    # The panel of a page that was built later knows the table, too.
    next(b for b in buttons(later.above_settings()) if b.label == "Use your own table").click()
    told = [pane.object for pane in later.before().select(pn.pane.HTML) if "400 rows" in str(pane.object)]
    assert len(told) == 1
    shared.table.forget()
    for one in (page, built, later):
        assert one.model.own_table is None and not one.model.own_records
        one.own_table.end()
    assert not offer.visible
