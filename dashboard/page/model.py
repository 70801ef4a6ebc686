"""The model of a page: its own parameters and the plan that they define, without widgets."""

from __future__ import annotations

import param

from dashboard.state.controls import Controls


class Model(param.Parameterized):
    """A page's own parameters together with the shared controls; no widgets."""

    def __init__(self, controls: Controls, **values):
        super().__init__(**values)
        self.controls = controls

    @classmethod
    def own(cls) -> tuple[str, ...]:
        """Names of the page's own parameters, in the order of their declaration."""
        return tuple(name for name in cls.param.objects() if name != "name" and not name.startswith("_"))
