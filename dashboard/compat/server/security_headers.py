"""Security headers: what a page of the app may do in a browser, and which other sites may use it.

Bokeh and Panel compile functions from text and run inline scripts, so scripts need 'unsafe-eval' and
'unsafe-inline'. All other rules are strict: nothing is fetched from, sent to, or framed by another site.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from bokeh.server.tornado import BokehTornado
from bokeh.server.urls import per_app_patterns
from bokeh.server.util import check_allowlist
from bokeh.settings import settings
from panel.io.server import AutoloadJsHandler, ComponentResourceHandler
from tornado.web import HTTPError, OutputTransform, RequestHandler

FRAME_ANCESTORS = "CAPE_LAB_FRAME_ANCESTORS"  # Environment variable: sites that may show the app in a frame.
_HOST = re.compile(r"[A-Za-z0-9.\-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")
_SOURCE = re.compile(r"'self'|'none'|\*|(https?://)?[A-Za-z0-9.*\-]+(:([0-9]{1,5}|\*))?")
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; connect-src {connect}; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors {frames}"
)
_BUILD, _PATH = BokehTornado.__init__, ComponentResourceHandler.parse_url_path
_COOKIE = RequestHandler.set_cookie


def allowed_origins(application: Any) -> set[str]:
    """The hosts that `--allow-websocket-origin` or `BOKEH_ALLOW_WS_ORIGIN` names, as Bokeh writes them."""
    return set(settings.allowed_ws_origin() or getattr(application, "websocket_origins", ()))


def allows(application: Any, origin: str) -> bool:
    """Whether a page of this origin may open a websocket, as Bokeh decides it for its own."""
    return bool(origin) and check_allowlist(urlsplit(origin).netloc.lower(), allowed_origins(application))


def _lines(host, origins):
    """Sources of connections: for some browsers 'self' does not include the page's own websocket.

    Behind a proxy the request may name another host than the browser's.
    """
    hosts = [host, *(name.removesuffix(":80") for name in sorted(origins))]
    named = [f"ws://{one} wss://{one}" for one in dict.fromkeys(hosts) if _HOST.fullmatch(one)]
    return " ".join(["'self'", *named])


def frame_ancestors(text: str) -> str:
    """Check the sites that may show the app in a frame, and return them.

    Parameters
    ----------
    text : str
        Sources of a content security policy, separated by spaces: `https://moodle.example.org`, `'none'`.

    Raises
    ------
    ValueError
        If one of them is not a valid source.
    """
    sources = text.split()
    for source in sources:
        if not _SOURCE.fullmatch(source):
            raise ValueError(f"frame ancestors must be like https://moodle.example.org, got {source[:80]!r}")
    return " ".join(sources) or "'self'"


def headers(host: str, origins: Iterable[str] = ()) -> dict[str, str]:
    """The headers of every response.

    Parameters
    ----------
    host : str
        The host name in the browser's request; foreign text.
    origins : iterable of str
        `allowed_origins` of the server.
    """
    frames = frame_ancestors(os.environ.get(FRAME_ANCESTORS, ""))
    # Components are loaded from the page's own blobs.
    connect = _lines(host, origins).replace("'self'", "'self' blob:", 1)
    found = {
        "Content-Security-Policy": _POLICY.format(connect=connect, frames=frames),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return found | ({"X-Frame-Options": "SAMEORIGIN"} if frames == "'self'" else {})


class _Headers(OutputTransform):
    """Adds the headers to every response, including errors and files."""

    def __init__(self, application, request):
        self._host, self._application = request.host or "", application

    def transform_first_chunk(self, status_code, headers_, chunk, finishing):
        for name, value in headers(self._host, allowed_origins(self._application)).items():
            # A page of the app's own may set a stricter policy.
            if name != "Content-Security-Policy" or name not in headers_:
                headers_[name] = value
        headers_.pop("Server", None)
        return status_code, headers_, chunk


def send_security_headers() -> None:
    """Install the headers; call it before the server is built. Calling it twice has no further effect."""
    frame_ancestors(os.environ.get(FRAME_ANCESTORS, ""))  # Raise for an invalid value when the server starts.
    BokehTornado.__init__ = _init
    RequestHandler.set_cookie = _set_cookie
    # The script that embeds the app in another site's page: the headers above forbid it, and a frame does the same.
    per_app_patterns[:] = [entry for entry in per_app_patterns if entry[1] is not AutoloadJsHandler]
    ComponentResourceHandler.parse_url_path = _parse_url_path


def strict_policy(host: str, origins: Iterable[str] = (), *, script: str, style: str) -> str:
    """The policy of a page whose one script and one style sheet are known: nothing else runs, and nothing is loaded.

    Parameters
    ----------
    host : str
        The host name in the browser's request; foreign text.
    origins : iterable of str
        `allowed_origins` of the server.
    script, style : str
        Hashes as the policy names them, e.g. "sha256-…".
    """
    return (
        f"default-src 'none'; script-src '{script}'; style-src '{style}'; connect-src {_lines(host, origins)}; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _init(self, *args, **kwargs):
    _BUILD(self, *args, **kwargs)
    self.add_transform(partial(_Headers, self))


def _set_cookie(self, name, value, *args, **options):
    """A cookie that other sites cannot have sent, and that leaves over https alone where it came so."""
    given = {key.lower() for key in options}
    options |= {} if "samesite" in given else {"samesite": "Lax"}
    options |= {"secure": True} if self.request.protocol == "https" else {}
    _COOKIE(self, name, value, *args, **options)


def _parse_url_path(self, path):
    """The file of an address, for imported modules only; the library would import any module that it names."""
    if path.split("/")[0] not in sys.modules:
        raise HTTPError(404, "Module not found")
    return _PATH(self, path)
