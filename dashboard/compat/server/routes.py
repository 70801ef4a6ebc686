"""Further addresses of the server, below its prefix: `panel serve` takes them from its command line alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.server.tornado import BokehTornado


def add_routes(routes: Sequence[tuple[Any, ...]]) -> None:
    """Serve these addresses as well; call it before the server is built. Calling it twice has no further effect.

    Parameters
    ----------
    routes : sequence of tuple
        Pattern, handler and its arguments, as Tornado takes them.
    """
    served = getattr(BokehTornado.__init__, "routes", ())
    if fresh := [route for route in routes if route not in served]:
        BokehTornado.__init__ = _adding(BokehTornado.__init__, fresh, (*served, *fresh))


def _adding(build, routes, served):
    def init(self, *args, extra_patterns=None, **kwargs):
        build(self, *args, extra_patterns=[*(extra_patterns or []), *routes], **kwargs)

    init.routes = served
    init.packs = getattr(build, "packs", False)
    return init
