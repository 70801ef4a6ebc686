"""The table in which the releases of a year are planned; its cells edit `Year.lines`."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from core.privacy.release_plan import LIMIT
from core.schemes import PRIVATE
from dashboard.compat.widgets.edited_cells import EditedCells
from dashboard.components.editable_table import show
from dashboard.components.layout import FULL, LiveText, quiet_button, text_download
from dashboard.components.upload import small_upload
from dashboard.packs.consortium.plan.year.releases import FIRST, WHOM, Line, Year
from dashboard.theme import css
from dashboard.theme.scheme_style import label

NAME = "cape-lab-releases.json"
_TITLES = {
    "name": "Name",
    "statistic": "What is released",
    "scheme": "Scheme",
    "epsilon": "ε",
    "delta": "δ",
    "times": "Times",
    "most": "A person in at most",
}
_WIDTHS = {"name": 150, "statistic": 200, "scheme": 160, "epsilon": 80, "delta": 90, "times": 80, "most": 140}


class YearPanel:
    """The table of planned releases; built when it is first opened.

    Parameters
    ----------
    year : Year
    answer : callable
        The page's own answer as a `Line`; None if there is none.
    """

    def __init__(self, year: Year, answer: Callable[[], Line | None]):
        self._year, self._answer = year, answer
        self.text = LiveText(css.FINE + css.NOTICE)
        self.layout = pn.Column(visible=False, margin=(8, 0), sizing_mode="stretch_width")

    def build(self) -> None:
        """Build the table when it is first opened."""
        if not len(self.layout):
            self.layout.append(self._content())

    def refresh(self) -> None:
        """The law may have changed: compose anew."""
        if len(self.layout):
            self.text.show(self._year.words())

    def _content(self):
        year = self._year
        self.cells = EditedCells(
            _frame(year),
            show_index=False,
            titles=_TITLES,
            layout="fit_data",
            theme="simple",
            sortable=False,
            height=_height(year),
            formatters={name: {"type": "plaintext"} for name in _TITLES},
            editors={name: {"type": "input"} for name in _TITLES}
            | {"scheme": {"type": "list", "values": [label(scheme) for scheme in PRIVATE]}},
            widths=_WIDTHS,
            configuration={"columnDefaults": {"headerSort": False}},
            stylesheets=[css.TABLE],
            margin=(6, 0),
            sizing_mode="stretch_width",
        )
        self.cells.on_values(self.edited)
        epsilon, delta = (
            pmui.TextInput(label=name, value=getattr(year, key), size="small", width=110, margin=0)
            for name, key in (("Budget ε", "epsilon"), ("at δ", "delta"))
        )
        whom = pmui.Select(
            label="Against anyone", options=WHOM, value=year.observer, size="small", width=260, margin=0
        )
        for widget, name in ((epsilon, "epsilon"), (delta, "delta"), (whom, "observer")):
            widget.param.watch(lambda event, name=name: setattr(year, name, event.new), "value")
            year.param.watch(lambda event, widget=widget: setattr(widget, "value", event.new), name)
        year.param.watch(lambda *events: self._follow(), ["lines", "epsilon", "delta", "observer", "problem"])
        stands = pmui.Checkbox(
            label="I stand for it: nobody is in more of these releases than I typed, at all sites together.",
            value=year.confirmed,
            visible=year.few,
            margin=(6, 0),
        )
        stands.param.watch(lambda event: setattr(year, "confirmed", event.new), "value")
        year.param.watch(
            lambda *events: stands.param.update(visible=year.few, value=year.confirmed),
            ["lines", "confirmed"],
        )
        year.param.watch(lambda *events: self._follow(), ["confirmed"])
        row, answer = (
            quiet_button("Add a release", "add"),
            quiet_button("Add this plan's answer", "playlist_add"),
        )
        row.on_click(lambda event: year.add(Line(*FIRST)))
        answer.on_click(lambda event: (line := self._answer()) and year.add(line))
        take = small_upload(
            year.open,
            limit=LIMIT,
            refused=lambda words: setattr(year, "problem", words),
            label="Open releases",
            uploaded_label="Open other releases",
        )
        save = text_download("Save the releases", NAME, year.text)
        line = {"gap": "8px 12px", "align_items": "center", "margin": (6, 0)}
        self._follow()
        explain = LiveText(css.FINE, text=_EXPLAIN).pane
        first, last = pn.FlexBox(epsilon, delta, whom, **line), pn.FlexBox(row, answer, save, take, **line)
        return pn.Column(explain, first, self.cells, stands, last, self.text.pane, **FULL)

    def edited(self):
        """Take the cells as they are; a line whose name was deleted goes, a scheme that is not offered goes back."""
        keys = {label(scheme): scheme for scheme in PRIVATE}
        lines = []
        for found, before in zip(self.cells.value.to_dict("records"), self._year.lines, strict=True):
            texts = {
                name: "" if found[name] is None or found[name] != found[name] else str(found[name])
                for name in _TITLES
            }
            texts["scheme"] = keys.get(texts["scheme"], before.scheme)
            if texts["name"].strip():
                lines.append(Line(**texts))
        few = [line.most for line in lines] != [line.most for line in self._year.lines]
        # Whoever types another number stands for it anew.
        self._year.param.update(lines=tuple(lines), problem="", confirmed=self._year.confirmed and not few)
        self._follow()

    def _follow(self):
        show(self.cells, _frame(self._year), height=_height(self._year))
        self.text.show(self._year.words())


_EXPLAIN = (
    "<p><b>The releases of a year</b> on the same records, against one budget for each record. All noise is Gaussian, so "
    "that releases compose exactly: μ = √Σ μ². Delete a name to remove its line. Sites and colluding sites are those of "
    "this page. If nobody says in how many of its times a person is, all of them count; if a person is in few, "
    "<a href='?page=months'>Every month</a> shows what correlated noise wins.</p>"
)


def _frame(year):
    data = {name: [getattr(line, name) for line in year.lines] for name in _TITLES}
    data["scheme"] = [label(scheme) for scheme in data["scheme"]]
    return pd.DataFrame(data, dtype=object)


def _height(year):
    return 58 + 37 * min(max(len(year.lines), 1), 10)
