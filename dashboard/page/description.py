"""What a page is: what its record says, and what `navigation.toml` and `lecture.toml` say of its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.page.facts import Facts, slides
from dashboard.page.lesson import Preset, Step
from dashboard.page.model import Model

_FIRST = ("data", "sites", "samples", "epsilon")  # The settings that matter most, in their order.


class Described:
    """What a page is, read from its record and its facts; nothing is copied.

    Attributes
    ----------
    spec : Sheet
        Its record.
    facts : Facts
        Its entry of `navigation.toml`: title, group, icon, heading and lead.
    """

    spec: Any
    facts: Facts

    @property
    def name(self) -> str:
        """Key in a link."""
        return self.spec.name

    @property
    def title(self) -> str:
        """Its name in the navigation."""
        return self.facts.title

    @property
    def group(self) -> str:
        """Its group in the navigation."""
        return self.facts.group

    @property
    def icon(self) -> str:
        """Material icon of the navigation."""
        return self.facts.icon

    @property
    def tab_of(self) -> str:
        """Name of the page that shows this one as a tab."""
        return self.facts.tab_of

    @property
    def heading(self) -> str:
        """Its heading; "" for its title."""
        return self.facts.heading

    @property
    def lead(self) -> str:
        """The sentence below the heading."""
        return self.facts.lead

    @property
    def no_release(self) -> str:
        """Why nothing on it counts as a release; "" if something does."""
        return self.facts.no_release

    @property
    def steps(self) -> tuple[Step, ...]:
        """The lecture's steps on it."""
        return slides(self.name)

    @property
    def model_type(self) -> type[Model]:
        """The class of its model."""
        return self.spec.model

    @property
    def opens(self) -> Mapping[str, Any]:
        """Shared controls with which it opens while their user has chosen none."""
        return self.spec.opens

    @property
    def shared(self) -> tuple[str, ...]:
        """Shared controls that apply to it."""
        return self.spec.shared

    @property
    def hidden(self) -> tuple[str, ...]:
        """Settings that have no ordinary control."""
        return self.spec.hidden

    @property
    def primary(self) -> str:
        """The slider above the picture."""
        return self.spec.primary

    @property
    def presets(self) -> tuple[Preset, ...]:
        """Its examples."""
        return self.spec.presets

    @property
    def equation(self) -> str:
        """Markdown with `$$…$$`."""
        return self.spec.equation

    @property
    def code(self) -> tuple[str, ...]:
        """Full names of the functions of `core` that compute it."""
        return self.spec.code

    @property
    def live(self) -> bool:
        """Whether it is updated while any slider moves: its picture needs no runs."""
        return self.spec.work.live

    @property
    def follows(self) -> bool:
        """Whether a page with runs takes the primary slider's values while it moves, a few a second."""
        return not self.live and bool(self.spec.play)

    @property
    def own(self) -> tuple[str, ...]:
        """Names of the page's own parameters."""
        return self.model_type.own()

    def in_order(self) -> list[str]:
        """Names of all settings of the page, those that matter first."""
        return sorted(
            (*self.own, *self.shared), key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST)
        )
