"""What a page is: its name and group, its settings, its presets, the slides of its lecture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import param

from dashboard.page.facts import pages, slides
from dashboard.page.lesson import Preset, Step
from dashboard.page.model import Model


class Description:
    """What a page is: a page states it as class attributes, or `navigation.toml` and `lecture.toml` do by its `name`.

    Class attributes
    ----------------
    name, title, group, icon : str
        Key in the URL, heading, group, and Material icon of the navigation.
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
    presets : tuple of Preset
        Three presets, each named after what it demonstrates.
    steps : tuple of Step
        The lecture's steps on this page; empty for none.
    equation : str
        Markdown with `$$…$$`.
    code : tuple of str
        Full names of the functions of `core` that compute it, e.g. "core.pca.fit".
    calls : mapping of str to str
        Labels of shared controls that have a plainer one on this page.
    no_release : str
        The reason why nothing on this page counts as a release; "" if something does.
    noise_button : bool
        Whether the actions offer new noise; False where a button beside the picture does.
    live : bool
        Update while a slider moves; False for pictures that are computed in runs.
    follows : bool
        On a page that is not `live`: take the primary slider's values while it moves, a few a second.
    protects : str
        What ε protects, for the line below its slider and the help of ε and δ.
    run_settings : dict
        Parameters of the page's `Runs`, e.g. the noun for a job.
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
    presets: ClassVar[tuple[Preset, ...]] = ()
    steps: ClassVar[tuple[Step, ...]] = ()
    equation: ClassVar[str] = ""
    code: ClassVar[tuple[str, ...]] = ()
    calls: ClassVar[Mapping[str, str]] = {}
    no_release: ClassVar[str] = ""
    noise_button: ClassVar[bool] = True
    live: ClassVar[bool] = True
    follows: ClassVar[bool] = False
    protects: ClassVar[str] = "one record"
    run_settings: ClassVar[Mapping[str, Any]] = {}

    model: Model
    controls: param.Parameterized

    def __init_subclass__(cls, **options: Any):
        super().__init_subclass__(**options)
        stated, name = vars(cls), vars(cls).get("name", "")
        if found := pages().get(name):
            for word in ("title", "group", "icon", "tab_of", "heading", "lead", "no_release"):
                if word not in stated:
                    setattr(cls, word, getattr(found, word))
            if "steps" not in stated:
                cls.steps = slides(name)

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
