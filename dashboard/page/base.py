"""What every page has in common.

A page is two things in one module. Its *model* (a `Model`) holds the page's own parameters and computes a
frozen picture from them and the shared controls; it knows no widget. Its *view* (a `Page`) shows the
picture and declares what stands around it. The frame builds the rest: controls, presets, words, guarantee,
equation, actions, URL.

To write one: subclass both, fill the class attributes, write the methods that raise here by being abstract,
and name its module in `dashboard.pages.PAGES`. A page whose picture takes time overrides `refresh` to start a
run (see `dashboard.state.background_runs`) and calls `show` with every picture that the run completes.
"""

from __future__ import annotations

import abc
import html
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd
import panel as pn
import param

from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.plotting.guess import Answer
from dashboard.plotting.pins import MOST_PINS, Pins
from dashboard.state import seeds, url
from dashboard.state.background_runs import Runs
from dashboard.state.controls import Controls
from dashboard.state.deferred import Soon
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import setting_text
from dashboard.theme import scheme_style

if TYPE_CHECKING:
    from dashboard.own_table.shared_table import Brought

GROUPS = ("Learn", "Analyse", "Trust", "Decide")


@dataclass(frozen=True)
class Preset:
    """A named constellation of settings.

    Attributes
    ----------
    name : str
        The lesson in a few words; it is the button's text.
    values : mapping
        Values of shared controls and of the page's own parameters.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One step of a lecture: a sentence, the settings that show it, and where to look.

    Attributes
    ----------
    title, look : str
        What is claimed, and where it is seen.
    values : mapping
        Settings that differ from the page's defaults.
    figures : tuple of int
        Places in `Page.exhibits` of what stays.
    more, guarantee : bool
        Whether the further figures, and the guarantee in full, are shown.
    """

    title: str
    look: str
    values: Mapping[str, Any] = field(default_factory=dict)
    figures: tuple[int, ...] = (0,)
    more: bool = False
    guarantee: bool = False


class Said(param.Parameterized):
    """What a page says around its picture; the frame shows it."""

    words = param.String("", doc="HTML.")
    problem = param.String("", doc="Plain text.")
    guarantee = param.ClassSelector(class_=Guarantee, default=None)
    step = param.ClassSelector(class_=Step, default=None, doc="The step of a lecture that is shown.")
    absent = param.List([], doc="Names of controls that mean nothing at the moment; they are not shown.")


class Model(param.Parameterized):
    """A page's own parameters beside the shared controls; no widgets."""

    def __init__(self, controls: Controls, **values):
        super().__init__(**values)
        self.controls = controls

    @classmethod
    def own(cls) -> tuple[str, ...]:
        """Names of the page's own parameters, in the order of their declaration."""
        return tuple(name for name in cls.param.objects() if name != "name" and not name.startswith("_"))


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

    def __init__(self, controls: Controls):
        self.controls = controls
        self.model = self.model_type(controls)
        self.picture: Any = None
        self.said = Said()
        self._rest = Soon(self._show_rest)
        self.runs: Runs | None = None  # A page whose picture is computed in runs sets it.
        # Opens another page, by name, with some of its settings changed; set by the app.
        self.visit: Callable[..., None] = lambda name, values=None: None
        self.spend: Callable[[Iterable[Drawn]], None] = lambda drawn: None  # The ledger's; set by the app.
        self.others: tuple[type[Page], ...] = ()  # The other pages of the app.
        self.tabs: tuple[type[Page], ...] = ()  # Those it shares tabs with and itself, in the app's order.
        self.pins: Pins | None = None  # A page whose curves can be pinned sets it when its body is built.
        self.dark = False
        self._open = False
        self._due = True
        self._body: pn.viewable.Viewable | None = None
        controls.param.watch(self._changed, list(self.shared))
        if self.own:
            self.model.param.watch(self._changed, list(self.own))

    def bring(self, brought: Brought) -> None:
        """Take over what the session's user brought; most pages have no use for it."""
        return None

    # What a page says of itself.

    @abc.abstractmethod
    def body(self) -> pn.viewable.Viewable:
        """Build the main picture of the page, and all else that `draw` updates; called once, before any `draw`."""

    @abc.abstractmethod
    def compute(self) -> Any:
        """The picture of the present settings, as the model computes it."""

    @abc.abstractmethod
    def draw(self, picture) -> None:
        """Paint a picture by updating the figures in place."""

    def draw_more(self, picture) -> None:
        """Paint the further figures; the frame calls this a moment after `draw`, with the latest picture."""
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

    def guarantee(self, picture) -> Guarantee | None:
        """What is promised for this picture."""
        return None

    def unprotected(self, picture) -> tuple[Unprotected, ...]:
        """All that this picture paints from records without noise; "Not private here" lists it.

        Records, ranges, centres, and what was chosen by them: nothing else may be painted from records but
        releases.
        """
        return ()

    def promise(self, picture) -> Guarantee | None:
        """The guarantee with all that the page declares as unprotected."""
        found = self.guarantee(picture)
        if found is None:
            return None
        shown = tuple(one.words for one in self.unprotected(picture))
        return replace(found, not_private=(*shown, *found.not_private))

    def releases(self, picture) -> Iterable[Drawn]:
        """Every draw of private noise that this picture shows, for the session's ledger.

        A page without any says in `no_release` why.
        """
        return ()

    def script(self) -> str:
        """A program that uses `core` alone and leaves the numbers of `table` in `columns`, name to list."""
        return ""

    def table(self) -> pd.DataFrame | None:
        """The numbers of the picture."""
        return None

    @property
    def along(self) -> str:
        """The setting along which the main curve runs; "" if none."""
        return getattr(self.model, "axis", "")

    def answer(self) -> Answer | None:
        """What a class may guess, on the main figure's axes, before it is shown."""
        return None

    def figures(self) -> tuple:
        """The Bokeh figures that are saved as SVG or PNG, the main one first."""
        return ()

    def exhibits(self) -> tuple:
        """What a lecture shows or leaves out by itself: the figures, and further parts after them."""
        return self.figures()

    # What the frame does with it.

    @property
    def own(self) -> tuple[str, ...]:
        """Names of the page's own parameters."""
        return self.model_type.own()

    def source(self, name: str) -> param.Parameterized:
        """What the control of this name sets: the page's own parameters, or the shared ones."""
        return self.model if name in self.own else self.controls

    def content(self) -> pn.viewable.Viewable:
        """The built middle of the page."""
        if self._body is None:
            self._body = self.body()
        return self._body

    def refresh(self) -> None:
        """Compute and show anew; what is wrong with the settings is said, and the last good picture stays."""
        try:
            picture = self.compute()
        except ValueError as error:
            self.said.problem = str(error)
            return
        self.show(picture)

    def show(self, picture) -> None:
        """Paint a picture, and a moment later say what it shows."""
        self.content()
        with pn.io.hold():
            self.picture = picture
            self.draw(picture)
            self.said.problem = ""
        self.spend(self.releases(picture))
        self._rest()

    def _show_rest(self):
        self.draw_more(self.picture)
        self.said.param.update(words=self.words(self.picture), guarantee=self.promise(self.picture))
        if self.pins:
            self.pins.follow(self.settings_words())

    def opened(self) -> None:
        """The page comes to the front: bring it up to date."""
        self._open = True
        if self._due:
            self._due = False
            self.refresh()

    def closed(self) -> None:
        """The page leaves the front: from now on it does no work."""
        self._open = False

    def set(self, values: Mapping[str, Any]) -> None:
        """Set shared controls and own parameters at once, with one refresh."""
        was_open, self._open = self._open, False
        try:
            self.controls.take({k: v for k, v in values.items() if k in self.controls.param})
            self.model.param.update(**{k: v for k, v in values.items() if k not in self.controls.param})
        finally:
            self._open = was_open
        if self._open and self._due:
            self._due = False
            self.refresh()

    def set_dark(self, dark: bool) -> None:
        """Let the figures follow the page into light or dark."""
        self.dark = dark
        for plot in self.figures():
            scheme_style.follow_theme(plot, dark=dark)

    def search(self) -> str:
        """The query part of the URL that opens this page as it stands, with what is pinned if `links_pins`."""
        pinned = url.nested(self.pins.values) if self.pins and self.links_pins else {}
        return url.search(self.name, self._texts() | pinned)

    def take(self, query: Mapping[str, str]) -> list[str]:
        """Take the state that a URL names; returns a sentence (foreign text) for each ignored value."""
        pinned = url.unnested(query) if self.links_pins else []
        known = {"page", *([url.PINNED] if self.links_pins else [])}
        values, problems = self._decode({n: text for n, text in query.items() if n not in known})
        if self.links_pins:
            self.pins.clear()
        for one in pinned[:MOST_PINS]:
            again, bad = self._decode(one)
            problems += [f"a pinned curve: {problem}" for problem in bad]
            self.set(again)
            self.refresh()
            if not self.said.problem:
                self.pin()
        if pinned:
            self._due = True  # Else what is pinned stays in front if nothing differs from it.
        self.set(values)
        return problems

    @property
    def links_pins(self) -> bool:
        """Whether a link can hold pinned curves: as their settings, where these are drawn at once."""
        return self.live and self.pins is not None

    def pin(self) -> bool:
        """Keep a copy of the main curves; False if there is nothing to copy."""
        return self.pins.pin(self.settings_words(), self._texts())

    def _texts(self):
        return url.encode(self.controls, self.shared) | url.encode(self.model, self.own)

    def _decode(self, query):
        """Values of all settings of this page, and a sentence for each ignored one."""
        shared, problems = url.decode(Controls, self.shared, query)
        own, more = url.decode(lambda: self.model_type(Controls()), self.own, query)
        unknown = [n for n in query if n not in {*self.shared, *self.own}]
        return shared | own, problems + more + [
            f"{name[:40]} is not a setting of this page" for name in unknown
        ]

    def settings_text(self) -> list[tuple[str, str]]:
        """Every setting of this page with its value, for the header of its files."""
        sources = [(self.controls, self.shared), (self.model, self.own)]
        return [(name, str(getattr(source, name))) for source, names in sources for name in names]

    def settings_words(self) -> dict[str, str]:
        """What the main curve was drawn under: settings and values in words, but for the one it runs along."""
        sources = [(self.controls, self.shared), (self.model, self.own)]
        return {
            source.param[name].label: seeds.told(
                name, setting_text(source.param[name], getattr(source, name))
            )
            for source, names in sources
            for name in names
            if name not in {self.along, *self.said.absent}
        }

    def _changed(self, *events):
        self._due = True
        if self._open:
            self._due = False
            self.refresh()


def paragraph(*sentences: str) -> str:
    """Sentences as one paragraph of HTML; they are the program's own words, already safe."""
    return f"<p>{' '.join(sentences)}</p>"


def plain(text: str) -> str:
    """Foreign text made safe for HTML."""
    return html.escape(text)
