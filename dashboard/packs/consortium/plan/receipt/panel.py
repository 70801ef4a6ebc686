"""A part of Plan that opens a receipt: a file of bounded size, of which nothing is believed before it was checked."""

from __future__ import annotations

import panel as pn

from core.desk.released import LIMIT, opened
from dashboard.components.layout import LiveText
from dashboard.components.upload import small_upload
from dashboard.packs.consortium.plan.receipt.words import problem, words
from dashboard.theme import css


class ReceiptPanel:
    """Built when it is first opened."""

    def __init__(self):
        self.text = LiveText(css.FINE + css.NOTICE)
        self.layout = pn.Column(visible=False, margin=(8, 0), sizing_mode="stretch_width")

    def build(self) -> None:
        """Build the button when it is first opened."""
        if len(self.layout):
            return
        explain = LiveText(css.FINE, text=_EXPLAIN).pane
        take = small_upload(
            self.open,
            limit=LIMIT,
            refused=lambda why: self.text.show(problem(ValueError(why.rstrip(".")))),
            label="Open receipt.json",
            uploaded_label="Open another receipt",
        )
        self.layout.extend([explain, take, self.text.pane])

    def open(self, data: bytes) -> None:
        """Check a file and say what it proves; what is none is answered with words."""
        try:
            found = words(opened(data))
        except (ValueError, ArithmeticError, RecursionError) as error:
            found = problem(error)
        self.text.show(found)


_EXPLAIN = (
    "<p><b>A receipt</b> is what the aggregator of <code>cape-lab aggregate</code> writes after a release: the average, its "
    "plan, and the signatures of all who took part. Nothing of it is kept.</p>"
)
