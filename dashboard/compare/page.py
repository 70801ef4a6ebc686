"""The page of a comparison: it turns a change of a setting into a plan, missing results into runs, and shows the view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import pandas as pd
import panel as pn

from core.schemes import SCHEMES, most_dropouts, named
from core.sweep.workers import Call
from dashboard.compare import store
from dashboard.compare.curve import Pinned
from dashboard.compare.first import first
from dashboard.compare.layout import NO_TABLE, Board
from dashboard.compare.spec import Comparison
from dashboard.compare.store import Results
from dashboard.compare.view import Shown, View, methods_offered, view
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.control_panel import ControlPanel
from dashboard.components.layout import FULL, LiveText
from dashboard.guarantee import observer
from dashboard.guarantee.guarantee import of_rows
from dashboard.page.own_table import OwnTable, OwnTableModel
from dashboard.plotting.chart import Line
from dashboard.runs.fit import Fit
from dashboard.sheet.viewed import ViewedPage
from dashboard.state.controls import Controls
from dashboard.state.ledger import Drawn
from dashboard.theme import css
from dashboard.theme.scheme_style import label


def refuse_dropouts(plan: Any) -> None:
    """Raise a ValueError if the sum of a scheme comes after the messages, and more sites may drop out than it allows."""
    after = [s for s in plan.shown if s in SCHEMES and named(s).summed and not named(s).sum_only]
    for scheme in after:
        for cell in (plan.here, *map(dict, getattr(plan, "cells", ()))):
            sites, dropouts = cell.get("sites"), cell.get("dropouts", 0)
            if not dropouts or not isinstance(sites, int):
                continue
            if dropouts > (most := most_dropouts(scheme, sites, colluding=cell.get("colluding", 0))):
                raise ValueError(
                    f"of {sites} sites at most {most} may drop out under {label(scheme)}, not {dropouts}: with more, two "
                    "sums of one run could be revealed. Choose fewer dropouts, or leave this scheme out."
                )


class ComparePage(ViewedPage):
    """A comparison in a session.

    Class attributes
    ----------------
    spec : Comparison
    """

    spec: ClassVar[Comparison]
    pins: tuple[Pinned, ...]
    results: Results | None
    live = False
    several = True
    follows = True
    noise_button = True
    programmed = True

    def __init__(self, controls: Controls):
        super().__init__(controls)
        if isinstance(self.model, OwnTableModel):
            self.own_table = OwnTable(
                self,
                records=self.spec.records,
                suited=lambda table: self.spec.suited(table, self.model, self.controls),
            )
        self.holder = self.spec.own_files(self) if self.spec.own_files else None
        self.drawn: Results | None = None  # The latest complete results.
        self.fits: list[Fit] = []  # Of the plan.
        self._others: tuple = ()  # All settings but the one on the axis, and the user's table.
        self._moves_along = False  # Whether the plan differs from the one before on its axis alone.

    @classmethod
    def of(cls, spec: Comparison, **words: Any) -> type[ComparePage]:
        """The page of an algorithm."""
        return super().of(spec, **{"protects": spec.protects, "lasting": spec.lasting} | words)

    def set(self, values: Mapping[str, Any]) -> None:
        """Set controls and own parameters at once; those of earlier links mean what they meant."""
        super().set(self.spec.current_settings(values))

    # What changes: settings, results, the theme.

    def compute(self) -> Any:
        """The plan; a ValueError if more sites may drop out in it than a scheme allows."""
        plan = super().compute()
        refuse_dropouts(plan)
        return plan

    def begin(self, plan: Any) -> list:
        """The jobs of everything that is not yet known of a plan."""
        unplanned = ["dropouts"] if plan.settings.adversary == "message" else []
        absent, most = [*self.spec.absent(plan), *unplanned], self.spec.most(plan)
        self.state.param.update(absent=absent, most=most)
        plan.share(None if self.results is None else self.results.plan)
        others = (
            {name: text for name, text in self.settings.texts().items() if name != plan.axis},
            self.model.table,
        )
        self._moves_along, self._others = others == self._others, others
        self.fits = self.spec.fits(plan)
        calls = store.missing(self.store, plan, self.fits, self.spec.together(plan))
        return self.unknown(plan, calls)

    def opens_with(self, plan: Any) -> Callable[[Call], bool]:
        return lambda call: isinstance(call.key[0], Fit) and not self.spec.lasting

    def keep(self, plan: Any, results: Iterable) -> None:
        self._record(plan, store.add(self.store, plan, results))

    def paint(self, results: list) -> None:
        """Take results of the runs."""
        self.keep(self.plan, results)
        self.paint_view()

    def current_view(self) -> View:
        """The view of what is known."""
        found = store.known(self.store, self.plan, self.fits, self.spec.means)
        if self.results is not None and (self._moves_along or self.results.plan is self.plan):
            found.follow(self.results)
        self.results = found
        if self.results.complete:
            self.drawn = self.results
        return view(self.spec, self.plan, self.results, self.drawn, self.view_inputs(), self.shown)

    def view_inputs(self) -> Shown:
        """What the view depends on besides plan and results."""
        return Shown(
            dark=self.dark,
            pins=tuple(
                pin
                for pin in self.pins
                if (pin.axis, pin.measure) == (self.plan.axis, self.spec.measure(self.plan))
            ),
            offered=self.offered(),
            axes=self.axes,
            measures=self.measures(),
            problem=self.problem,
            progress=self.progress,
            table=self.model.table,
            unprotected=self._of_table(),
            secret=self.model.hides_seed,
            printed=getattr(self.model, "printed", ""),
            observers=self._observers(),
        )

    @property
    def axes(self):
        """The settings along which the curve may run."""
        return self.model.axes

    def measures(self) -> tuple[tuple[str, str], ...]:
        """Value and label of every measure that the menu offers."""
        if self.spec.judged not in self.own or self.spec.judged in self.state.absent:
            return ()
        known = self.plan and self.spec.applies(self.plan)
        return tuple((n, one.label) for n, one in self.spec.measures.items() if not known or n in known)

    def algorithms(self) -> list[tuple[str, str]]:
        """Name and title of every tab; a page without an app has its own alone."""
        return [(kind.name, kind.title) for kind in self.tabs or (self,)]

    def offered(self) -> tuple[tuple[str, bool], ...]:
        """Schemes and methods with chips, and whether each is chosen."""
        chosen = {*self.controls.schemes, *(m for m in self.spec.methods if self._asked(m))}
        left = [m for m, name in self.spec.methods.items() if name in self.state.absent]
        names = methods_offered(self.spec, SCHEMES)
        return tuple((name, name in chosen) for name in names if name not in left)

    def _observers(self):
        known = "adversary" in self.shared and "adversary" not in self.state.absent
        return tuple((text, name) for name, text in observer.SEES.items()) if known else ()

    def _asked(self, method):
        asked = getattr(self.model, self.spec.methods[method])
        return method in asked if isinstance(asked, list) else asked

    def _record(self, plan, jobs):
        self.record_releases(_costs(self.spec, plan, jobs))

    # What its user does.

    def press(self, name: str, number: int) -> None:
        """A choice in a part of the page that the server draws."""
        acts = {
            "method": self._turn,
            "example": lambda place: self.set(self.presets[place].values),
            "measure": lambda place: self.set({self.spec.judged: self.measures()[place][0]}),
            "algorithm": lambda place: self.visit(self.algorithms()[place][0]),
            "against": lambda place: self.set({"adversary": self._observers()[place][1]}),
            "runs": lambda place: self.press_runs(),
            "pin": lambda place: self.pin(),
        }
        if "axis" in self.own:
            acts["axis"] = lambda place: self.set({"axis": list(self.axes)[place]})
        if name in acts:
            try:
                acts[name](number)
            except IndexError:
                return  # A browser may send any number.

    def _turn(self, place):
        name, on = self.offered()[place]
        if name in self.spec.methods:
            parameter = self.spec.methods[name]
            asked = getattr(self.model, parameter)
            if isinstance(asked, list):
                known = [m for m, of in self.spec.methods.items() if of == parameter]
                self.set({parameter: [m for m in known if (m in asked) != (m == name)]})
            else:
                self.set({parameter: not on})
            return
        chosen = {*self.controls.schemes} ^ {name}
        self.set({"schemes": [scheme for scheme in SCHEMES if scheme in chosen]})

    def curves(self) -> Sequence[Line]:
        """The curves of the chart."""
        return () if self.shown is None else self.shown.curve.lines

    def copied(self, lines: tuple[Line, ...], words: str) -> Pinned:
        """A copy that is shown while axis and measure are the same."""
        return Pinned(words, self.plan.axis, self.spec.measure(self.plan), lines)

    # What the session asks of every page.

    def made_board(self) -> Board:
        return Board(self)

    def first_html(self, *, slide: bool = False) -> str:
        """The page in the answer to a request."""
        return first(self, slide=slide)

    def above_settings(self) -> pn.viewable.Viewable:
        """The menu of records."""
        menu = ControlPanel([(self.model, name) for name in (self.spec.records,) if name])
        if self.own_table is not None:
            return self.own_table.bar(menu)
        held = LiveText(css.FINE, text=NO_TABLE).pane if self.holder is None else self.holder.bar()
        return Stack(menu, held, **FULL)

    def arrived(self) -> bool:
        return self.results is not None and self.results.complete

    def forget(self) -> None:
        self.drawn, self.fits, self._others = None, [], ()
        super().forget()

    def guarantee(self, picture: Any):
        return of_rows(self.spec.guarantee(picture, self.model.table), self.model.table)

    def unprotected(self, picture: Any):
        return (*self.spec.unprotected(picture, self.model.table), *self._of_table())

    def _of_table(self):
        return () if self.own_table is None else tuple(self.own_table.unprotected())

    def table(self) -> pd.DataFrame:
        """The numbers of the curve; the last column says what they count."""
        means = None if self.results is None else self.results.means
        if means is None:
            return pd.DataFrame({"scheme": [], "mean": [], "measure": []})
        measure = self.spec.measures[self.spec.measure(self.plan)]
        return means.assign(measure=measure.words)

    def script(self) -> str:
        own = None if self.own_table is None else self.own_table.chosen
        return self.spec.script(self.plan or self.compute(), own)


def _costs(spec, plan, jobs):
    """What runs cost in the ledger: repeats at the same settings cost the same."""
    found: dict[tuple, Drawn | None] = {}
    for job in jobs:
        place = job.scheme, job.settings
        if place not in found:
            found[place] = spec.cost(plan, job)
        if (cost := found[place]) is not None:
            yield replace(cost, identity=job)
