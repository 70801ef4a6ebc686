"""Only the server chooses the session of a browser.

Bokeh accepts `?bokeh-session-id=`, `?bokeh-token=` and the header `Bokeh-Session-Id`: the sender of a link with one
of them shares the session of everybody who opens it. Here they are ignored, and a token is valid only
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
    """Install this; call it before the server is built. Calling it twice has no further effect."""
    if settings.secret_key() is None:  # Keep the operator's own key: BOKEH_SECRET_KEY.
        settings.secret_key.set_value(secrets.token_hex(32))
    # Bokeh stores the key at its import.
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
