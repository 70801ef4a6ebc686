"""The table in which the releases of a year are planned; its cells edit the draft of `Year`."""

from __future__ import annotations

import html
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
from dashboard.packs.consortium.plan.year.answer import held
from dashboard.packs.consortium.plan.year.releases import FIRST, NOISE, WHOM, Line, Year
from dashboard.state.html_text import status
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import equals
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
_WIDTHS = {"name": 140, "statistic": 170, "scheme": 130, "epsilon": 70, "delta": 80, "times": 70, "most": 180}


class YearPanel:
    """The table of planned releases; built when it is first opened.

    Parameters
    ----------
    year : Year
    answer : callable
        The page's own answer as a `Line`; None if there is none.
    offer : callable
        What stands below of the answer's own series, as HTML.
    entries : callable
        The releases as entries of the session's ledger; none while something is wrong.
    enter : callable
        Counts them there, and returns what is said of it.
    """

    def __init__(
        self,
        year: Year,
        answer: Callable[[], Line | None],
        *,
        offer: Callable[[], str],
        entries: Callable[[], list[Drawn]],
        enter: Callable[[], str],
    ):
        self._year, self._answer, self._offer = year, answer, offer
        self._entries, self._enter = entries, enter
        self._entered: list[Drawn] = []
        self._told = ""  # Of what was entered.
        self.count = quiet_button("Enter these in the ledger", "receipt_long")
        self.said = LiveText(css.FINE)
        self.text = LiveText(css.FINE + css.NOTICE)
        self.layout = pn.Column(visible=False, margin=(8, 0), sizing_mode="stretch_width")

    def build(self) -> None:
        """Build the table when it is first opened."""
        if not len(self.layout):
            self.layout.append(self._content())

    def refresh(self) -> None:
        """The law may have changed: compose anew."""
        if len(self.layout):
            self.text.show(self._words())
            self._tell()

    def _count(self):
        """Enter the releases in the ledger, and say so as long as they stay these."""
        self._told, self._entered = self._enter(), self._entries()
        self._tell()

    def _tell(self):
        now = self._entries()
        self.count.disabled = not now
        self.said.show(status(self._told) if now and now == self._entered else "")

    def _words(self):
        """What the releases take, and what a saved plan holds of them; of none, which one is proposed."""
        line = self._answer()
        if self._year.draft.lines or line is None:
            return self._year.words() + self._saved(line) + self._of_noise(line) + self._offer()
        at = f"under {html.escape(label(line.scheme))} at {equals('ε', float(line.epsilon))}"
        named = f"<i>{html.escape(line.name)}</i> {at}"
        first = f"No release is planned yet. This plan's answer would be the first: {named}."
        return f"<p role='status'>{first}</p>{self._offer()}"

    def _saved(self, line):
        """What the file for the sites holds, where there is one to save."""
        if line is None or not self._year.draft.lines:
            return ""
        return f"<p>A saved plan for the sites holds <b>{html.escape(held(self._year, line))}</b>.</p>"

    def _of_noise(self, line):
        """Whether the saved plan has the correlated noise that was chosen, and who carries it out."""
        if not self._year.draft.noise:
            return ""
        series = self._year.series(line)
        if series is None or not series.correlated:
            return f"<p>{_UNCORRELATED}</p>"
        return f"<p>{_CORRELATED}</p>"

    def _content(self):
        year = self._year
        self.cells = EditedCells(
            _frame(year.draft),
            show_index=False,
            titles=_TITLES,
            layout="fit_data",
            theme="simple",
            sortable=False,
            height=_height(year.draft),
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
            pmui.TextInput(label=name, size="small", width=110, margin=0) for name in ("Budget ε", "at δ")
        )
        whom = _menu("Against anyone", WHOM, year.draft.observer, 260)
        noise = _menu("Noise in the saved plan", NOISE, year.draft.noise, 290)
        self._fields = {"epsilon": epsilon, "delta": delta, "observer": whom, "noise": noise}
        for name, field in self._fields.items():
            field.param.watch(lambda event, name=name: self._edit(name, event.new), "value")
        self._stands = quiet_button(_STAND, "check")
        self._stands.on_click(lambda event: year.stand())
        for source, name in ((year.model, "year"), (year, ["problem", "stood"])):
            source.param.watch(lambda *events: self._follow(), name)
        row, answer = (
            quiet_button("Add a release", "add"),
            quiet_button("Add this plan's answer", "playlist_add"),
        )
        self.count.on_click(lambda event: self._count())
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
        first, last = (
            pn.FlexBox(epsilon, delta, whom, noise, **line),
            pn.FlexBox(row, answer, self.count, self.said.pane, save, take, **line),
        )
        return pn.Column(explain, first, self.cells, self._stands, last, self.text.pane, **FULL)

    def edited(self):
        """Take the cells as they are; a line whose name was deleted goes, a scheme that is not offered goes back."""
        keys = {label(scheme): scheme for scheme in PRIVATE}
        lines = []
        for found, before in zip(self.cells.value.to_dict("records"), self._year.draft.lines, strict=True):
            texts = {
                name: "" if found[name] is None or found[name] != found[name] else str(found[name])
                for name in _TITLES
            }
            texts["scheme"] = keys.get(texts["scheme"], before.scheme)
            if texts["name"].strip():
                lines.append(Line(**texts))
        self._year.edit(lines=tuple(lines))
        self._follow()

    def _edit(self, name, value):
        """Take what was typed; what the panel itself shows is in the draft already."""
        if value != getattr(self._year.draft, name):
            self._year.edit(**{name: value})

    def _follow(self):
        """Show the draft, and what it takes."""
        draft = self._year.draft
        for name, field in self._fields.items():
            field.value = getattr(draft, name)
        self._stands.visible = draft.few and not self._year.confirmed
        show(self.cells, _frame(draft), height=_height(draft))
        self.text.show(self._words())
        self._tell()


_STAND = "I confirm: nobody is in more of these releases than I typed, at all sites together"
_CORRELATED = (
    "The saved plan's noise is correlated over the times. A site's ε there is that of all times together, which costs a "
    "person no more. Programs with <code>core.parties.SeriesSite</code> carry it out; a desk, whose noise is whole numbers, "
    "refuses it."
)
_UNCORRELATED = (
    "The saved plan has noise of its own each time: it is correlated only if the answer of this page, under CAPE with the "
    "sum after, is released 2 to 120 times, a person can be in few sets of these times, and correlation wins at least 5 %."
)
_EXPLAIN = (
    "<p><b>The releases of a year</b> on the same records, against one budget for each record. All noise is Gaussian, so "
    "that releases compose exactly: μ = √Σ μ². Delete a name to remove its line. Sites and colluding sites are those of "
    "this page. If nobody says in how many of its times a person is, all of them count. A line that is this plan's answer "
    "follows it.</p>"
)


def _menu(label, options, value, width):
    return pmui.Select(label=label, options=options, value=value, size="small", width=width, margin=0)


def _frame(draft):
    data = {name: [getattr(line, name) for line in draft.lines] for name in _TITLES}
    data["scheme"] = [label(scheme) for scheme in data["scheme"]]
    return pd.DataFrame(data, dtype=object)


def _height(draft):
    return 58 + 37 * min(max(len(draft.lines), 1), 10)
