"""The part of a page that knows no widget: its own parameters, and what they ask to be computed."""

from __future__ import annotations

import param

from dashboard.state.controls import Controls


class Model(param.Parameterized):
    """A page's own parameters beside the shared controls; no widgets."""

    def __init__(self, controls: Controls, **values):
        super().__init__(**values)
        self.controls = controls

    @classmethod
    def own(cls) -> tuple[str, ...]:
        """Names of the page's own parameters, in the order of their declaration."""
        return tuple(name for name in cls.param.objects() if name != "name" and not name.startswith("_"))
