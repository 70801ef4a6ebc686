"""A page: it computes its picture when a setting changes, shows it, and keeps it while its user looks elsewhere.

A page consists of a model and a view. The *model* (`dashboard.page.model.Model`) holds the page's own parameters. It
freezes them, together with the shared controls, into a plan or a picture; it uses no widgets. The *view*, a `Page`,
states what the page is (`dashboard.page.description`) and writes the functions that draw its figures and say its words
(`dashboard.page.parts`). The shell builds the rest: controls, presets, text, guarantee, equation, actions, URL.

A page subclasses `Page` directly. An `OwnTable` (`dashboard.page.own_table`) provides the user's own records. Every
change of a setting takes the same path: `Lifecycle` calls `refresh`, which calls `compute` for a plan and `begin` with
that plan. If the picture is computed immediately, `begin` shows it. If it is computed in runs (`live = False`), `begin`
returns the runs, and `paint` takes their results as they arrive.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import panel as pn

from core.sweep.workers import Call
from dashboard.page import link
from dashboard.page.description import Description
from dashboard.page.guarantee import Guarantee
from dashboard.page.lifecycle import Lifecycle
from dashboard.page.parts import Parts
from dashboard.page.text import PageText
from dashboard.plotting.pins import Pins
from dashboard.state import seeds
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls
from dashboard.state.deferred import Deferred
from dashboard.state.ledger import Drawn
from dashboard.state.page_settings import PageSettings
from dashboard.theme import scheme_style

if TYPE_CHECKING:
    from dashboard.own_table.file import OwnFile
    from dashboard.own_table.shared_table import SharedTable
    from dashboard.page.own_table import OwnTable


class SessionPage(Description, abc.ABC):
    """What the session asks of every page: settings, link, files, and what stands in front.

    Attributes
    ----------
    life : Lifecycle
    settings : PageSettings
    runs : Runs or None
        Computes the picture of a page that is not `live`.
    plan : object
        The model's latest plan.
    own_table : OwnTable or None
    own_files : tuple of OwnFile
        Files of the user that this page alone holds.
    """

    def __init__(self, controls: Controls):
        self.controls = controls
        self.model = self.model_type(controls)
        self.model.held()
        self.settings = PageSettings(controls, self.shared, self.model, self.own)
        self.life = Lifecycle(lambda: self.refresh())
        self.runs: Runs | None = None if self.live else Runs(**self.run_settings)
        self.said = PageText()
        self.plan: Any = None
        self.own_files: tuple[OwnFile, ...] = ()
        self.own_table: OwnTable | None = None  # Set by a page that accepts the user's own records.
        self.shared_table: SharedTable | None = None  # The session's.
        self.dark = self._was_dark = False
        # Opens another page, by name, with some settings changed; set by the app.
        self.visit: Callable[..., None] = lambda name, values=None: None
        self.spend: Callable[[Iterable[Drawn]], None] = lambda drawn: None  # The ledger's; set by the app.
        # Name, title, lead, icon and group of the other pages of the app, and of those in the same row of tabs,
        # itself included, in order; set by the app.
        self.others: tuple[Any, ...] = ()
        self.tabs: tuple[Any, ...] = ()
        self.settings.watch(self.life.changed)

    def compute(self) -> Any:
        """Return the model's plan for the current settings, or directly the picture.

        Raises
        ------
        ValueError
            If the settings contradict each other; the page shows the message.
        """
        return self.model.plan()

    @abc.abstractmethod
    def refresh(self) -> None:
        """Show what the present settings say; on invalid ones say why, and keep what stands."""

    @classmethod
    def warm(cls) -> None:
        """Compute at the server's start what the page's first picture needs, so that no visitor waits for it."""
        return None

    def told(self) -> None:
        """Show at once what was left for shortly afterwards."""
        return None

    @property
    def along(self) -> str:
        """The setting on the axis of the main curve; "" if none."""
        return getattr(self.model, "axis", "")

    def figures(self) -> tuple:
        """The Bokeh figures that are saved as SVG or PNG, the main one first."""
        return ()

    def exhibits(self) -> tuple:
        """The parts that a lecture shows or hides separately."""
        return self.figures()

    def script(self) -> str:
        """A program that uses only `core` and leaves the numbers of `table` in `columns`, a dict of lists."""
        return ""

    @property
    def programmed(self) -> bool:
        """Whether the page has a program, for the current or for other settings."""
        try:
            return bool(self.script())
        except ValueError:
            return True

    def table(self) -> pd.DataFrame | None:
        """The numbers of the picture."""
        return None

    def bring(self, shared: SharedTable) -> None:
        """Use the session's shared table, if the page accepts one."""
        self.shared_table = shared
        if self.own_table is not None:
            self.own_table.bring(shared)

    def opened(self) -> None:
        """The page comes to the front: update it."""
        for name in self.shared:
            plain = type(self.controls).param[name].label
            self.controls.param[name].label = self.calls.get(name, plain)
        self.life.open()

    def closed(self) -> None:
        """The page leaves the front; when it returns, its runs continue where they stopped, or start again."""
        self.life.close()
        if self.runs is not None and self.runs.state == "running":
            self.runs.stop()
            self.life.outdate()

    def set(self, values: Mapping[str, Any]) -> None:
        """Set shared controls and own parameters at once, with one refresh.

        On a server with secret noise seeds the session keeps its own: those of presets and slides are known to all.
        """
        if seeds.secret():
            values = {name: value for name, value in values.items() if name != "noise_seed"}
        if self.own_table is not None:
            values = self.own_table.meant(values)
        with self.life.together():
            self.settings.put(values)

    def set_dark(self, dark: bool) -> None:
        """Draw the figures in the colours of the light or the dark theme."""
        self.dark = dark
        if dark or self._was_dark:  # Figures are built in the colours of the light theme.
            self._was_dark = True
            for plot in self.figures():
                scheme_style.follow_theme(plot, dark=dark)

    def program(self) -> str:
        """`script` as its user may have it: where a seed is secret, the program draws noise of its own."""
        script = self.script()
        if not script or not self.model.hides_seed:
            return script
        settings = getattr(self.plan or self.compute(), "settings", None)
        hidden = {getattr(settings, "noise_seed", None), self.controls.noise_seed if seeds.secret() else None}
        return seeds.without_seeds(script, *(hidden - {None}))

    def search(self) -> str:
        """The query part of the URL that opens this page in its current state."""
        return link.search(self)

    def take(self, query: Mapping[str, str]) -> list[str]:
        """Apply the state that a URL names; returns a sentence (foreign text) for each ignored value."""
        return link.take(self, query)

    def settings_text(self) -> list[tuple[str, str]]:
        """Every setting of this page with its value, for the header of its files."""
        pairs = self.settings.pairs()
        return pairs if self.own_table is None else self.own_table.pairs(pairs)

    def settings_words(self) -> dict[str, str]:
        """The settings of the main curve as words, without the one on its axis."""
        return self.settings.words(without={self.along, *self.said.absent}, most=self.said.most)


class Page(SessionPage, Parts):
    """A page that draws its picture in place, part by part; pages of `dashboard.sheet` are pure views instead.

    Attributes
    ----------
    picture : object
        The picture that was shown last.
    """

    def __init__(self, controls: Controls):
        super().__init__(controls)
        self.picture: Any = None
        self.pins: Pins | None = None  # Set by a page whose curves can be pinned, when its body is built.
        self._body: pn.viewable.Viewable | None = None
        self._rest = Deferred(self.tell)
        if self.runs is not None:
            self.runs.param.watch(self._ran, "state")

    def begin(self, plan) -> Sequence[Call] | None:
        """Show what a new plan allows immediately and return its runs; None leaves the current runs unchanged."""
        self.show(plan)
        return None

    def paint(self, results: list) -> None:
        """Take results of the runs and update the page; for pages that `begin` runs."""
        raise NotImplementedError(f"{type(self).__name__} begins runs and must paint their results")

    def clear(self) -> None:
        """Release everything that the page holds of its picture: its records are deleted."""
        self.picture = self.plan = None
        if self.pins:
            self.pins.clear()

    def content(self) -> pn.viewable.Viewable:
        """The page's body, built when it is first needed."""
        if self._body is None:
            self._body = self.body()
        return self._body

    def refresh(self) -> None:
        """Compute and show the picture; on invalid settings show the error and keep the last valid picture."""
        self.content()
        try:
            plan = self.compute()
        except ValueError as error:
            if self.runs is not None:
                self.runs.stop()
            if self.own_table is not None:
                self.own_table.refused()
            nothing = {"words": "", "guarantee": None} if self.picture is None else {}
            self.said.param.update(problem=str(error), pale=False, **nothing)
            return
        if self.runs is not None:
            self.told()  # Of the picture that stands, before its results go.
        self.plan = plan
        if self.own_table is not None:
            self.own_table.note(plan.problem)
        shown = self.said.shown
        jobs = self.begin(plan)
        if jobs is not None:
            # What stands until the runs answer belongs to the settings before, and says so from now on.
            earlier = self.picture is not None and len(jobs) > 0 and self.said.shown == shown
            self.said.pale = earlier
            self.runs.start(jobs, paint=lambda found: self.paint([result for _, result in found]))

    def show(self, picture) -> None:
        """Show a picture and its text; without runs, the guarantee comes shortly afterwards."""
        self.content()
        with pn.io.hold():
            self.picture = picture
            self.draw(picture)
            pale = not self.settled(picture)
            text = {"words": self.words(picture)}
            if self.runs is not None:
                text["guarantee"] = self.promise(picture)
            self.said.param.update(problem="", pale=pale, shown=self.said.shown + 1, **text)
        self.spend(self.releases(picture))
        self._rest()

    def _ran(self, event):
        if event.new == "failed":  # The picture that stands is the last one; the message says why.
            self.said.param.update(pale=False)

    def tell(self) -> None:
        """Update what came not with the current picture: further figures, and the guarantee of one without runs."""
        if self.picture is None:  # Its records were deleted in the meantime.
            return
        self.draw_more(self.picture)
        if self.runs is None:
            self.said.guarantee = self.promise(self.picture)
        if self.pins:
            self.pins.follow(self.settings_words())

    def told(self) -> None:
        """Update at once what `show` left for shortly afterwards."""
        self._rest.now()

    def promise(self, picture) -> Guarantee | None:
        """The guarantee, together with everything that the page declares as unprotected."""
        found = self.guarantee(picture)
        if found is None:
            return None
        shown = tuple(one.words for one in self.unprotected(picture))
        return replace(found, not_private=(*shown, *found.not_private), secret=self.model.hides_seed)

    def pin(self) -> bool:
        """Keep a copy of the main curves; False if there is nothing to copy."""
        return self.pins.pin(self.settings_words())
