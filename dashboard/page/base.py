"""What every page has in common.

A page is a model and a view. Its *model* (`dashboard.page.model.Model`) holds the page's own parameters and freezes
them, with the shared controls, into a plan or a picture; it knows no widget. Its *view*, a `Page`, declares what the
page is, and says in a few functions what is drawn and told. The frame builds the rest: controls, presets, words,
guarantee, equation, actions, URL.

A page subclasses `Page` once. What else it needs it *has*: a `Sweep` (`dashboard.page.sweep`) draws a curve of
repeated runs, an `OwnTable` (`dashboard.page.own_table`) brings the user's own records. A setting that changes takes
one way through all pages: `Lifecycle` calls `refresh`, which asks `compute` for a plan and `begin` for what follows
from it. Where the picture answers at once, `begin` shows it. Where it is computed in runs (`live = False`), `begin`
returns them, and `paint` takes their results as they come.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd
import panel as pn
import param

from dashboard.page import link
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset, Step
from dashboard.page.lifecycle import Lifecycle
from dashboard.page.model import Model
from dashboard.plotting.guess import Answer
from dashboard.plotting.pins import Pins
from dashboard.state.background_runs import Job, Runs
from dashboard.state.controls import Controls
from dashboard.state.deferred import Deferred
from dashboard.state.ledger import Drawn
from dashboard.state.page_settings import PageSettings
from dashboard.theme import scheme_style

if TYPE_CHECKING:
    from dashboard.own_table.shared_table import SharedTable
    from dashboard.page.own_table import OwnTable
    from dashboard.page.sweep import Sweep

GROUPS = ("Learn", "Analyse", "Trust", "Decide")


class PageText(param.Parameterized):
    """What a page says around its picture; the frame shows it."""

    words = param.String("", doc="HTML.")
    problem = param.String("", doc="Plain text.")
    guarantee = param.ClassSelector(class_=Guarantee, default=None)
    step = param.ClassSelector(class_=Step, default=None, doc="The step of a lecture that is shown.")
    absent = param.List([], doc="Names of controls that mean nothing at the moment; they are not shown.")


class Page(abc.ABC):
    """A page: what it is called, what it shows, and what it says about it.

    Class attributes
    ----------------
    name, title, group, icon : str
        Key in the URL, heading, one of `GROUPS`, and Material icon of the navigation.
    tab_of : str
        Name of the page beside which this one stands as a tab, instead of in the navigation.
    heading, lead : str
        What stands above the page (by default its title), and one sentence under it.
    model_type : type of Model
    shared : tuple of str
        Shared controls that mean something here; others are absent.
    hidden : tuple of str
        Those of `shared` and of the page's own parameters that have no ordinary control.
    primary : str
        The one slider that stands above the picture.
    presets : tuple of Preset
        Three, named by their lesson.
    steps : tuple of Step
        What a lecture shows of this page; empty if nothing.
    equation : str
        Markdown with `$$…$$`.
    code : tuple of str
        Full names of the functions of `core` that compute it, e.g. "core.pca.fit".
    no_release : str
        Why nothing on this page counts as a release; "" if something does.
    guessable : bool
        Whether a class may guess the main figure before it is shown.
    live : bool
        Follow a slider while it moves; False for pictures that are computed in runs.
    run_settings : dict
        Parameters of these `Runs`, e.g. what a job is called.

    Attributes
    ----------
    life : Lifecycle
    settings : PageSettings
    runs : Runs or None
        What computes the picture of a page that is not `live`.
    plan, picture : object
        What the model made of the settings last, and what was shown last.
    sweep : Sweep or None
    own_table : OwnTable or None
    """

    name: ClassVar[str]
    title: ClassVar[str]
    group: ClassVar[str]
    icon: ClassVar[str] = "circle"
    tab_of: ClassVar[str] = ""
    heading: ClassVar[str] = ""
    lead: ClassVar[str] = ""
    model_type: ClassVar[type[Model]] = Model
    shared: ClassVar[tuple[str, ...]] = ()
    hidden: ClassVar[tuple[str, ...]] = ()
    primary: ClassVar[str | None] = None
    presets: ClassVar[tuple[Preset, ...]] = ()
    steps: ClassVar[tuple[Step, ...]] = ()
    equation: ClassVar[str] = ""
    code: ClassVar[tuple[str, ...]] = ()
    no_release: ClassVar[str] = ""
    guessable: ClassVar[bool] = True
    live: ClassVar[bool] = True
    run_settings: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, controls: Controls):
        self.controls = controls
        self.model = self.model_type(controls)
        self.settings = PageSettings(controls, self.shared, self.model, self.own)
        self.life = Lifecycle(lambda: self.refresh())
        self.runs: Runs | None = None if self.live else Runs(**self.run_settings)
        self.said = PageText()
        self.plan: Any = None
        self.picture: Any = None
        self.sweep: Sweep | None = None  # A page with a curve of repeated runs sets it.
        self.own_table: OwnTable | None = None  # A page that takes the user's own records sets it.
        self.pins: Pins | None = None  # A page whose curves can be pinned sets it when its body is built.
        self.dark = False
        # Opens another page, by name, with some of its settings changed; set by the app.
        self.visit: Callable[..., None] = lambda name, values=None: None
        self.spend: Callable[[Iterable[Drawn]], None] = lambda drawn: None  # The ledger's; set by the app.
        self.others: tuple[type[Page], ...] = ()  # The other pages of the app.
        self.tabs: tuple[type[Page], ...] = ()  # Those it shares tabs with and itself, in the app's order.
        self._body: pn.viewable.Viewable | None = None
        self._rest = Deferred(self.tell)
        self.settings.watch(self.life.changed)

    # What a page says of itself.

    @abc.abstractmethod
    def body(self) -> pn.viewable.Viewable:
        """Build the main picture of the page, and all else that `draw` updates; called once, before any `draw`."""

    def compute(self) -> Any:
        """What the model makes of the present settings: a plan, or at once the picture.

        Raises
        ------
        ValueError
            If they do not go together; the page says it in words.
        """
        return self.model.plan()

    def begin(self, plan) -> Sequence[Job] | None:
        """Say what can be said of a new plan at once, and return the runs it asks for; None leaves them as they are."""
        if self.sweep is not None:
            return self.sweep.begin(plan)
        self.show(plan)
        return None

    def paint(self, results: list) -> None:
        """Take results of the runs and show what they change."""
        self.sweep.paint(results)

    @abc.abstractmethod
    def draw(self, picture) -> None:
        """Paint a picture by updating the figures in place."""

    def draw_more(self, picture) -> None:
        """Paint the further figures; called a moment after `draw`, with the latest picture."""
        return None

    @abc.abstractmethod
    def words(self, picture) -> str:
        """Two sentences, in HTML, that say what the picture shows; they change with it."""

    def before(self) -> pn.viewable.Viewable | None:
        """What stands above the primary slider."""
        return None

    def more(self) -> pn.viewable.Viewable | None:
        """Further figures, below the words."""
        return None

    def after(self) -> pn.viewable.Viewable | None:
        """What stands below all else."""
        return None

    def absent(self, plan) -> list[str]:
        """Controls that mean nothing under this plan."""
        return []

    def guarantee(self, picture) -> Guarantee | None:
        """What is promised for this picture."""
        return None

    def unprotected(self, picture) -> tuple[Unprotected, ...]:
        """All that this picture paints from records without noise; "Not private here" lists it.

        Records, ranges, centres, and what was chosen by them: nothing else may be painted from records but
        releases.
        """
        return ()

    def releases(self, picture) -> Iterable[Drawn]:
        """Every draw of private noise that this picture shows, for the session's ledger.

        A page without any says in `no_release` why; those of a sweep are entered as they come.
        """
        return ()

    def script(self) -> str:
        """A program that uses `core` alone and leaves the numbers of `table` in `columns`, name to list."""
        return ""

    def table(self) -> pd.DataFrame | None:
        """The numbers of the picture."""
        return None if self.sweep is None else self.sweep.table()

    @property
    def along(self) -> str:
        """The setting along which the main curve runs; "" if none."""
        return getattr(self.model, "axis", "" if self.sweep is None else "epsilon")

    def answer(self) -> Answer | None:
        """What a class may guess, on the main figure's axes, before it is shown."""
        return None if self.sweep is None else self.sweep.answer()

    def figures(self) -> tuple:
        """The Bokeh figures that are saved as SVG or PNG, the main one first."""
        return ()

    def exhibits(self) -> tuple:
        """What a lecture shows or leaves out by itself: the figures, and further parts after them."""
        return self.figures()

    def let_go(self) -> None:
        """Drop what the page holds of its picture: the records behind it are gone."""
        self.picture = self.plan = None
        if self.sweep is not None:
            self.sweep.clear()
        if self.pins:
            self.pins.clear()

    # What the frame does with it.

    @property
    def own(self) -> tuple[str, ...]:
        """Names of the page's own parameters."""
        return self.model_type.own()

    def source(self, name: str) -> param.Parameterized:
        """What the control of this name sets: the page's own parameters, or the shared ones."""
        return self.model if name in self.own else self.controls

    def bring(self, shared: SharedTable) -> None:
        """Take over what the session's user brought, if the page has a use for it."""
        if self.own_table is not None:
            self.own_table.bring(shared)

    def content(self) -> pn.viewable.Viewable:
        """The built middle of the page."""
        if self._body is None:
            self._body = self.body()
        return self._body

    def refresh(self) -> None:
        """Compute and show anew; what is wrong with the settings is said, and the last good picture stays."""
        self.content()
        try:
            plan = self.compute()
        except ValueError as error:
            if self.runs is not None:
                self.runs.stop()
            self.said.problem = str(error)
            return
        self.plan = plan
        if self.own_table is not None:
            self.own_table.note(plan.problem)
        jobs = self.begin(plan)
        if jobs is not None:
            self.runs.start(jobs, paint=self.paint)

    def show(self, picture) -> None:
        """Paint a picture, and a moment later say what it shows."""
        self.content()
        with pn.io.hold():
            self.picture = picture
            self.draw(picture)
            self.said.problem = ""
        self.spend(self.releases(picture))
        self._rest()

    def tell(self) -> None:
        """Draw the further figures, and say what the picture in front shows and promises."""
        self.draw_more(self.picture)
        self.said.param.update(words=self.words(self.picture), guarantee=self.promise(self.picture))
        if self.pins:
            self.pins.follow(self.settings_words())

    def promise(self, picture) -> Guarantee | None:
        """The guarantee with all that the page declares as unprotected."""
        found = self.guarantee(picture)
        if found is None:
            return None
        shown = tuple(one.words for one in self.unprotected(picture))
        return replace(found, not_private=(*shown, *found.not_private))

    def opened(self) -> None:
        """The page comes to the front: bring it up to date."""
        self.life.open()

    def closed(self) -> None:
        """The page leaves the front; coming back goes on where its runs stopped, or begins anew."""
        self.life.close()
        if self.runs is not None and self.runs.state == "running":
            self.runs.stop()
            self.life.outdate()

    def set(self, values: Mapping[str, Any]) -> None:
        """Set shared controls and own parameters at once, with one refresh."""
        if self.own_table is not None:
            values = self.own_table.meant(values)
        with self.life.together():
            self.settings.put(values)

    def set_dark(self, dark: bool) -> None:
        """Let the figures follow the page into light or dark."""
        self.dark = dark
        for plot in self.figures():
            scheme_style.follow_theme(plot, dark=dark)

    def search(self) -> str:
        """The query part of the URL that opens this page as it stands."""
        return link.search(self)

    def take(self, query: Mapping[str, str]) -> list[str]:
        """Take the state that a URL names; returns a sentence (foreign text) for each ignored value."""
        return link.take(self, query)

    @property
    def links_pins(self) -> bool:
        """Whether a link can hold pinned curves: as their settings, where these are drawn at once."""
        return self.live and self.pins is not None

    def pin(self) -> bool:
        """Keep a copy of the main curves; False if there is nothing to copy."""
        return self.pins.pin(self.settings_words(), self.settings.texts())

    def settings_text(self) -> list[tuple[str, str]]:
        """Every setting of this page with its value, for the header of its files."""
        pairs = self.settings.pairs()
        return pairs if self.own_table is None else self.own_table.pairs(pairs)

    def settings_words(self) -> dict[str, str]:
        """What the main curve was drawn under: settings and values in words, but for the one it runs along."""
        return self.settings.words(without={self.along, *self.said.absent})
