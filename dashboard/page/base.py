"""What the session asks of every page: its settings, its link and its files, and whether it stands in front.

A page consists of a model and a view. The *model* (`dashboard.page.model.Model`) holds the page's own parameters. It
freezes them, together with the shared controls, into a plan; it uses no widgets. The *view* is a pure function of the
plan and of results (`dashboard.sheet`). Every change of a setting takes the same path: `Lifecycle`
calls `refresh`, which calls `compute` for a plan, runs what is missing, and shows the view. An `OwnTable`
(`dashboard.page.own_table`) provides the user's own records.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
import panel as pn
import param

from dashboard.page import link
from dashboard.page.description import Described
from dashboard.page.facts import Facts
from dashboard.page.lifecycle import Lifecycle
from dashboard.page.view_state import ViewState
from dashboard.state import seeds
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls
from dashboard.state.ledger import Drawn
from dashboard.state.page_settings import PageSettings
from dashboard.theme import scheme_style

if TYPE_CHECKING:
    from dashboard.own_table.file import OwnFile
    from dashboard.own_table.shared_table import SharedTable
    from dashboard.page.own_table import OwnTable


class SessionPage(Described, abc.ABC):
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

    def __init__(self, spec: Any, facts: Facts, controls: Controls):
        self.spec, self.facts = spec, facts
        self.controls = controls
        self.model = self.model_type(controls)
        self.model.attached()
        self.settings = PageSettings(controls, self.shared, self.model, self.own)
        self.life = Lifecycle(lambda: self.refresh())
        self.runs: Runs | None = None if self.live else Runs(**self.model.run_settings)
        self.state = ViewState()
        self.plan: Any = None
        self.own_files: tuple[OwnFile, ...] = ()
        self.own_table: OwnTable | None = None  # Set by a page that accepts the user's own records.
        self.shared_table: SharedTable | None = None  # The session's.
        self.dark = self._was_dark = False
        # Opens another page, by name, with some settings changed; set by the app.
        self.visit: Callable[..., None] = lambda name, values=None: None
        # The ledger's; set by the app.
        self.record_releases: Callable[[Iterable[Drawn]], None] = lambda drawn: None
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

    @abc.abstractmethod
    def laid_out(self, browser: Any) -> pn.viewable.Viewable:
        """The whole page, with its controls and actions."""

    def source(self, name: str) -> param.Parameterized:
        """The object whose parameter this control sets: the page's model, or the shared controls."""
        return self.model if name in self.own else self.controls

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

    def table(self) -> pd.DataFrame | None:
        """The numbers of the picture."""
        return None

    def use_shared_table(self, shared: SharedTable) -> None:
        """Use the session's shared table, if the page accepts one."""
        self.shared_table = shared
        if self.own_table is not None:
            self.own_table.use_shared_table(shared)

    def opened(self) -> None:
        """The page comes to the front: update it."""
        for name in self.shared:
            plain = type(self.controls).param[name].label
            self.controls.param[name].label = self.model.renames.get(name, plain)
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
        values = self.model.current_settings(values)
        if seeds.secret():
            values = {name: value for name, value in values.items() if name != "noise_seed"}
        if self.own_table is not None:
            values = self.own_table.completed(values)
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
        """`script` as its user may have it: where a seed is secret, the program draws noise of its own.

        Settings that contradict each other have none; a comment says why.
        """
        if self.state.problem:
            return f"# There is no program for these settings. {' '.join(self.state.problem.split())}\n"
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
        pairs = self.settings.pairs(self.state.most)
        return pairs if self.own_table is None else self.own_table.pairs(pairs)

    def settings_words(self) -> dict[str, str]:
        """The settings of the main curve as words, without the one on its axis."""
        replaced = set() if self.own_table is None else self.own_table.replaced
        without = {self.along, *replaced, *self.state.absent}
        return self.settings.words(without=without, most=self.state.most)
