"""An end of connections on which no request comes: the library keeps them for an hour, and each costs a descriptor."""

from __future__ import annotations

from functools import partial

from bokeh.server import server
from tornado.httpserver import HTTPServer

LONGEST = 30.0  # Seconds for the head of a request, also of the next one, and again for its body.


def end_idle_connections(seconds: float = LONGEST) -> None:
    """Close connections that stay silent so long; call it before the server is built.

    A request that is being answered may take longer. A websocket is a request that has come, and has its own pings.
    """
    server.HTTPServer = partial(HTTPServer, idle_connection_timeout=seconds, body_timeout=seconds)
