"""The base class of all pages.

A page consists of a model and a view. The *model* (`dashboard.page.model.Model`) holds the page's own parameters. It
freezes them, together with the shared controls, into a plan or a picture; it uses no widgets. The *view*, a `Page`,
declares the page's properties and implements a few functions that draw the figures and write the text. The shell
builds the rest: controls, presets, text, guarantee, equation, actions, URL.

A page subclasses `Page` directly. Further parts are attributes: a `Sweep` (`dashboard.page.sweep`) draws a curve of
repeated runs, an `OwnTable` (`dashboard.page.own_table`) provides the user's own records. Every change of a setting
takes the same path: `Lifecycle` calls `refresh`, which calls `compute` for a plan and `begin` with that plan. If the
picture is computed immediately, `begin` shows it. If it is computed in runs (`live = False`), `begin` returns the
runs, and `paint` takes their results as they arrive.
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
from dashboard.page.lesson import Preset, Step, Tool
from dashboard.page.lifecycle import Lifecycle
from dashboard.page.model import Model
from dashboard.plotting.guess import Question
from dashboard.plotting.pins import Pins
from dashboard.state.background_runs import Job, Runs
from dashboard.state.controls import Controls
from dashboard.state.deferred import Deferred
from dashboard.state.ledger import Drawn
from dashboard.state.page_settings import PageSettings
from dashboard.theme import scheme_style

if TYPE_CHECKING:
    from dashboard.own_table.file import OwnFile
    from dashboard.own_table.shared_table import SharedTable
    from dashboard.page.own_table import OwnTable
    from dashboard.page.sweep import Sweep

GROUPS = ("Learn", "Analyse", "Trust", "Decide")
_FIRST, _FEW = 3, 5  # Settings shown at once; all, where there are no more than five.


class PageText(param.Parameterized):
    """The text around a page's picture; the shell shows it."""

    words = param.String("", doc="HTML.")
    problem = param.String("", doc="Plain text.")
    guarantee = param.ClassSelector(class_=Guarantee, default=None)
    step = param.ClassSelector(class_=Step, default=None, doc="The current step of a lecture.")
    absent = param.List([], doc="Names of controls that have no effect at the moment; they are hidden.")
    most = param.Dict({}, doc="The largest values that the records allow, by the name of the control.")
    shown = param.Integer(0, doc="How many pictures were shown so far.")
    old = param.Boolean(
        False, doc="Whether the picture and the curves still belong to other records or choices."
    )
    pale = param.Boolean(False, doc="Whether the picture still belongs to earlier settings.")
    late = param.Boolean(False, doc="Whether the words do.")
    leaves = param.Boolean(False, doc="Whether another slide of a lecture takes the place of this one.")


class Page(abc.ABC):
    """A page: its name, its figures, and its text.

    Class attributes
    ----------------
    name, title, group, icon : str
        Key in the URL, heading, one of `GROUPS`, and Material icon of the navigation.
    tab_of : str
        Name of the page that shows this one as a tab; such a page is not listed in the navigation.
    heading, lead : str
        The page's heading (default: its title), and one sentence below it.
    model_type : type of Model
    opens : mapping
        Shared controls with which the page opens while their user has chosen none: a picture that shows something.
    shared : tuple of str
        Shared controls that apply to this page; the others are not shown.
    hidden : tuple of str
        Names among `shared` and the page's own parameters that have no ordinary control.
    primary : str
        The slider above the picture.
    first : tuple of str
        The settings that matter most, in their order.
    at_once : int
        So many settings are shown at once; the others unfold below them. 0: three, or all of five.
    presets : tuple of Preset
        Three presets, each named after what it demonstrates.
    steps : tuple of Step
        The lecture's steps on this page; empty for none.
    equation : str
        Markdown with `$$…$$`.
    code : tuple of str
        Full names of the functions of `core` that compute it, e.g. "core.pca.fit".
    no_release : str
        The reason why nothing on this page counts as a release; "" if something does.
    guessable : bool
        Whether the page has a `question` that a class may guess before it sees the picture.
    noise_button : bool
        Whether the actions offer new noise; False where a button beside the picture does.
    live : bool
        Update while a slider moves; False for pictures that are computed in runs.
    follows : bool
        On a page that is not `live`: take the primary slider's values while it moves, a few a second, and give it a
        button that plays it, from the share `plays_from` of its length.
    run_settings : dict
        Parameters of the page's `Runs`, e.g. the noun for a job.
    above : (int, int)
        Pixels of the controls above the main figure besides its slider, on wide and on narrow screens: the first
        picture, which is shown until scripts run, leaves them free.
    first_figure : bool
        Whether the first picture shows the main figure; False for a page that opens with something else.
    picture_first : bool
        Whether the picture stands directly below the heading; presets, slider and tools then stand below it.
    figure_below : bool
        Whether the main figure stands below the text, after what `still` shows.

    Attributes
    ----------
    life : Lifecycle
    settings : PageSettings
    runs : Runs or None
        Computes the picture of a page that is not `live`.
    plan, picture : object
        The model's latest plan, and the picture that was shown last.
    sweep : Sweep or None
    own_table : OwnTable or None
    own_files : tuple of OwnFile
        Files of the user that this page alone holds.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    group: ClassVar[str]
    icon: ClassVar[str] = "circle"
    tab_of: ClassVar[str] = ""
    heading: ClassVar[str] = ""
    lead: ClassVar[str] = ""
    model_type: ClassVar[type[Model]] = Model
    opens: ClassVar[Mapping[str, Any]] = {}
    shared: ClassVar[tuple[str, ...]] = ()
    hidden: ClassVar[tuple[str, ...]] = ()
    primary: ClassVar[str | None] = None
    first: ClassVar[tuple[str, ...]] = ("data", "sites", "samples", "epsilon")
    at_once: ClassVar[int] = 0
    presets: ClassVar[tuple[Preset, ...]] = ()
    steps: ClassVar[tuple[Step, ...]] = ()
    equation: ClassVar[str] = ""
    code: ClassVar[tuple[str, ...]] = ()
    no_release: ClassVar[str] = ""
    guessable: ClassVar[bool] = False
    noise_button: ClassVar[bool] = True
    live: ClassVar[bool] = True
    follows: ClassVar[bool] = False
    plays_from: ClassVar[float] = 0.3
    run_settings: ClassVar[Mapping[str, Any]] = {}
    above: ClassVar[tuple[int, int]] = (0, 0)
    first_figure: ClassVar[bool] = True
    picture_first: ClassVar[bool] = False
    figure_below: ClassVar[bool] = False

    def __init__(self, controls: Controls):
        self.controls = controls
        self.model = self.model_type(controls)
        self.settings = PageSettings(controls, self.shared, self.model, self.own)
        self.life = Lifecycle(lambda: self.refresh())
        self.runs: Runs | None = None if self.live else Runs(**self.run_settings)
        self.said = PageText()
        self.plan: Any = None
        self.picture: Any = None
        self.sweep: Sweep | None = None  # Set by a page with a curve of repeated runs.
        self.own_files: tuple[OwnFile, ...] = ()
        self.own_table: OwnTable | None = None  # Set by a page that accepts the user's own records.
        self.pins: Pins | None = None  # Set by a page whose curves can be pinned, when its body is built.
        self.dark = self._was_dark = False
        # Opens another page, by name, with some settings changed; set by the app.
        self.visit: Callable[..., None] = lambda name, values=None: None
        self.spend: Callable[[Iterable[Drawn]], None] = lambda drawn: None  # The ledger's; set by the app.
        # Name, title, lead, icon and group of the other pages of the app, and of those in the same row of tabs,
        # itself included, in order; set by the app.
        self.others: tuple[Any, ...] = ()
        self.tabs: tuple[Any, ...] = ()
        self._body: pn.viewable.Viewable | None = None
        self._rest = Deferred(self.tell)
        self.settings.watch(self.life.changed)

    # What a page implements.

    @abc.abstractmethod
    def body(self) -> pn.viewable.Viewable:
        """Build the main figure and everything else that `draw` updates; called once, before any `draw`."""

    def compute(self) -> Any:
        """Return the model's plan for the current settings, or directly the picture.

        Raises
        ------
        ValueError
            If the settings contradict each other; the page shows the message.
        """
        return self.model.plan()

    def begin(self, plan) -> Sequence[Job] | None:
        """Show what a new plan allows immediately and return its runs; None leaves the current runs unchanged."""
        if self.sweep is not None:
            return self.sweep.begin(plan)
        self.show(plan)
        return None

    def paint(self, results: list) -> None:
        """Take results of the runs and update the page."""
        self.sweep.paint(results)

    @abc.abstractmethod
    def draw(self, picture) -> None:
        """Show a picture by updating the figures in place."""

    def draw_more(self, picture) -> None:
        """Update the further figures; called shortly after `draw`, with the latest picture."""
        return None

    def settled(self, picture) -> bool:
        """Whether everything in the main picture, as drawn, is of this picture's settings; else it stays pale."""
        return self.sweep is None or self.sweep.settled

    @abc.abstractmethod
    def words(self, picture) -> str:
        """Two sentences, in HTML, that state what the picture shows; they change with it."""

    def tools(self) -> tuple[Tool, ...]:
        """What the page opens from the toolbar above its picture, over the whole window."""
        return ()

    def before(self) -> pn.viewable.Viewable | None:
        """The part of the page above the primary slider."""
        return None

    def below_settings(self) -> pn.viewable.Viewable | None:
        """The part of the page below its settings."""
        return None

    def opening(self) -> str:
        """HTML above the main figure in the first picture, which stands before scripts run and without them."""
        return ""

    def still(self) -> str:
        """HTML of a main figure that is no Bokeh figure, for the first picture."""
        return ""

    def more(self) -> pn.viewable.Viewable | None:
        """Further figures, below the text."""
        return None

    def after(self) -> pn.viewable.Viewable | None:
        """The part of the page below everything else."""
        return None

    def absent(self, plan) -> list[str]:
        """Names of controls that have no effect under this plan."""
        return []

    def most(self, plan) -> dict[str, int]:
        """The largest values that the records of this plan allow, by the name of the control."""
        return {}

    def guarantee(self, picture) -> Guarantee | None:
        """The privacy guarantee of this picture."""
        return None

    def unprotected(self, picture) -> tuple[Unprotected, ...]:
        """Everything that this picture shows of records without noise; "Not private here" lists it.

        This includes records, ranges, centres, and choices that depend on them. Besides these, a picture may show
        only releases of the records.
        """
        return ()

    def releases(self, picture) -> Iterable[Drawn]:
        """Every draw of private noise that this picture shows, for the session's ledger.

        A page without releases states the reason in `no_release`. Those of a sweep are recorded as they arrive.
        """
        return ()

    def script(self) -> str:
        """A program that uses only `core` and leaves the numbers of `table` in `columns`, a dict of lists."""
        return ""

    def table(self) -> pd.DataFrame | None:
        """The numbers of the picture."""
        return None if self.sweep is None else self.sweep.table()

    @property
    def along(self) -> str:
        """The setting on the axis of the main curve; "" if none."""
        return getattr(self.model, "axis", "" if self.sweep is None else "epsilon")

    def question(self) -> Question | None:
        """What a class may guess before it sees the picture; None on a page without such a question."""
        return None if self.sweep is None else self.sweep.question()

    def answer(self) -> float | None:
        """The answer to the question for the present settings; None before it is known."""
        return None if self.sweep is None else self.sweep.answer()

    def figures(self) -> tuple:
        """The Bokeh figures that are saved as SVG or PNG, the main one first."""
        return ()

    def exhibits(self) -> tuple:
        """The parts that a lecture shows or hides separately: the figures, then further parts."""
        return self.figures()

    def clear(self) -> None:
        """Release everything that the page holds of its picture: its records are deleted."""
        self.picture = self.plan = None
        if self.sweep is not None:
            self.sweep.clear()
        if self.pins:
            self.pins.clear()

    # What the shell and the session call.

    @property
    def own(self) -> tuple[str, ...]:
        """Names of the page's own parameters."""
        return self.model_type.own()

    def source(self, name: str) -> param.Parameterized:
        """The object whose parameter this control sets: the page's model, or the shared controls."""
        return self.model if name in self.own else self.controls

    def in_order(self) -> list[str]:
        """Names of all settings of the page, those that matter first."""
        names = (*self.own, *self.shared)
        return sorted(
            names, key=lambda name: self.first.index(name) if name in self.first else len(self.first)
        )

    def in_sight(self, names: Sequence[str]) -> int:
        """How many of these settings, in order, are shown before the others are unfolded."""
        return min(self.at_once or (len(names) if len(names) <= _FEW else _FIRST), len(names))

    def bring(self, shared: SharedTable) -> None:
        """Use the session's shared table, if the page accepts one."""
        if self.own_table is not None:
            self.own_table.bring(shared)

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
            self.said.problem = str(error)
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
            self.said.param.update(pale=earlier, late=earlier)
            self.runs.start(jobs, paint=self.paint)

    def show(self, picture) -> None:
        """Show a picture and its text; without runs, the guarantee comes shortly afterwards."""
        self.content()
        with pn.io.hold():
            self.picture = picture
            self.draw(picture)
            pale = not self.settled(picture)
            text = {"words": self.words(picture), "late": pale}
            if self.runs is not None:
                text["guarantee"] = self.promise(picture)
            self.said.param.update(problem="", old=False, pale=pale, shown=self.said.shown + 1, **text)
        self.spend(self.releases(picture))
        self._rest()

    def tell(self) -> None:
        """Update what came not with the current picture: further figures, and the guarantee of one without runs."""
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
        return replace(found, not_private=(*shown, *found.not_private))

    def opened(self) -> None:
        """The page comes to the front: update it."""
        self.life.open()

    def closed(self) -> None:
        """The page leaves the front; when it returns, its runs continue where they stopped, or start again."""
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
        """Draw the figures in the colours of the light or the dark theme."""
        self.dark = dark
        if dark or self._was_dark:  # Figures are built in the colours of the light theme.
            self._was_dark = True
            for plot in self.figures():
                scheme_style.follow_theme(plot, dark=dark)

    def search(self) -> str:
        """The query part of the URL that opens this page in its current state."""
        return link.search(self)

    def take(self, query: Mapping[str, str]) -> list[str]:
        """Apply the state that a URL names; returns a sentence (foreign text) for each ignored value."""
        return link.take(self, query)

    @property
    def links_pins(self) -> bool:
        """Whether a link can hold pinned curves: only as settings, of curves that are computed immediately."""
        return self.live and self.pins is not None

    def pin(self) -> bool:
        """Keep a copy of the main curves; False if there is nothing to copy."""
        return self.pins.pin(self.settings_words(), self.settings.texts())

    def settings_text(self) -> list[tuple[str, str]]:
        """Every setting of this page with its value, for the header of its files."""
        pairs = self.settings.pairs()
        return pairs if self.own_table is None else self.own_table.pairs(pairs)

    def settings_words(self) -> dict[str, str]:
        """The settings of the main curve as words, without the one on its axis."""
        return self.settings.words(without={self.along, *self.said.absent}, most=self.said.most)
