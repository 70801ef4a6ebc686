"""The model of a page: its own parameters and the plan that they define, without widgets."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import param

from dashboard.state import seeds
from dashboard.state.controls import Controls, Settings


class Model(param.Parameterized):
    """A page's own parameters together with the shared controls; no widgets.

    Class attributes
    ----------------
    renames : mapping of str to str
        Labels of shared controls that have a plainer one on its page.
    protects : str
        What ε protects.
    run_settings : mapping
        See `dashboard.state.background_runs.Runs`.
    lasting : bool
        Whether the results with which the page opens take seconds: the server does not wait for them.
    """

    renames: ClassVar[Mapping[str, str]] = {}
    protects: ClassVar[str] = "one record"
    run_settings: ClassVar[Mapping[str, Any]] = {}
    lasting: ClassVar[bool] = False

    def __init__(self, controls: Controls, **values):
        super().__init__(**values)
        self.controls = controls

    def attached(self) -> None:
        """A page has been made with this model: put what follows from the shared controls."""
        return None

    def current_settings(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Settings of earlier links, as those that mean the same now."""
        return values

    @property
    def table(self) -> Any:
        """The user's own table, if the page computes on it."""
        return None

    @property
    def uploaded(self) -> Any:
        """The records of the user's own that the page computes on; None for all others."""
        return None

    @property
    def hides_seed(self) -> bool:
        """Whether no link, file or program may have the seed of the noise."""
        return seeds.secret() or self.uploaded is not None

    @property
    def public(self) -> bool:
        """Whether every visitor may have what is computed: of public records, with noise of seeds that are shown."""
        return self.table is None and not self.hides_seed

    def with_noise(self, settings: Settings, problem: Hashable) -> Settings:
        """The settings with the seed of the noise that runs of a problem draw, see `seeds.fresh`."""
        if self.uploaded is None:
            return settings
        return replace(settings, noise_seed=seeds.fresh(self.uploaded, problem, settings.noise_seed))

    @classmethod
    def own(cls) -> tuple[str, ...]:
        """Names of the page's own parameters, in the order of their declaration."""
        return tuple([name for name in cls.param.objects() if name != "name" and not name.startswith("_")])
