"""Addresses of the server: further ones below its prefix, and where the bare one leads.

`panel serve` takes further ones from its command line alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.server.tornado import BokehTornado
from panel.io.server import RootHandler
from tornado.web import URLSpec

_REDIRECT = RootHandler.redirect


def add_routes(routes: Sequence[tuple[Any, ...]]) -> None:
    """Serve these addresses as well; call it before the server is built. Calling it twice has no further effect.

    Parameters
    ----------
    routes : sequence of tuple
        Pattern, handler and its arguments, as Tornado takes them.

    Raises
    ------
    TypeError, ValueError, re.error
        If one of them is no route: Tornado would say so while the server is built.
    """
    for route in routes:
        URLSpec(*route)
    served = getattr(BokehTornado.__init__, "routes", ())
    if fresh := [route for route in routes if route not in served]:
        BokehTornado.__init__ = _adding(BokehTornado.__init__, fresh, (*served, *fresh))


def _adding(build, routes, served):
    def init(self, *args, extra_patterns=None, **kwargs):
        build(self, *args, extra_patterns=[*(extra_patterns or []), *routes], **kwargs)

    init.routes = served
    init.packs = getattr(build, "packs", False)
    return init


def lead_to_app() -> None:
    """Lead the bare address to the app with its query, also without the slash after a prefix. A second call does nothing."""
    RootHandler.redirect = _redirect


def _redirect(self, url, permanent=False, status=None):
    """Panel's way to the app is relative to an address with a slash at its end, and forgets the query."""
    if url in [f".{app}" for app in self.applications]:
        url = f"./{self.request.path.rpartition('/')[2]}/{url.removeprefix('./')}".replace(".//", "./")
        url += f"?{self.request.query}" if self.request.query else ""
    _REDIRECT(self, url, permanent=permanent, status=status)
