"""The server alone says which session a browser gets.

Bokeh obeys `?bokeh-session-id=`, `?bokeh-token=` and the header `Bokeh-Session-Id`: whoever sends a link with one
of them shares the session of whoever follows it. Here they are as if they were not there, and a token counts only
with the server's signature. All processes of a server sign with one key.
"""

from __future__ import annotations

import secrets

from bokeh.server.views.session_handler import SessionHandler
from bokeh.settings import settings

_NAMES = ("bokeh-session-id", "bokeh-token")
_HEADER = "Bokeh-Session-Id"
_GET = SessionHandler.get_session


def choose_session_ids() -> None:
    """Have the server alone choose; call it before the server is built. Once is enough, twice does no harm."""
    if settings.secret_key() is None:  # The operator's own stays: BOKEH_SECRET_KEY.
        settings.secret_key.set_value(secrets.token_hex(32))
    # Bokeh keeps the key that it found when it was imported.
    settings._secret_key_bytes = settings.secret_key().encode()
    settings.sign_sessions.set_value(True)
    SessionHandler.get_session = _get_session


def _get_session(self):
    for arguments in (self.request.arguments, self.request.query_arguments, self.request.body_arguments):
        for name in _NAMES:
            arguments.pop(name, None)
    if _HEADER in self.request.headers:
        del self.request.headers[_HEADER]
    return _GET(self)
