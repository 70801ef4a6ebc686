"""The list of a page's scripts and style sheets, computed once, and without libraries that few pages need.

Panel collects the list from all models and components at every request, which takes half the time of answering for
a small page. Its result depends on the server, not on the session.

Panel loads its table libraries on every page, since it cannot know what a session will show later. `TABLES` takes these
out; `late_libraries.js` loads them in front of the first table. Libraries for formulas and WebGL are left out: formulas
of the app are MathML, and no figure asks for WebGL.

`lighter_views.js` keeps the libraries' views from doing again what is done already.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Hashable
from typing import Any

import panel.io.resources
import panel.io.server
from panel.config import config, panel_extension
from panel.io.resources import Bundle, Resources
from panel.io.state import state

from dashboard.theme.assets import beside

TABLES = re.compile(r"/(tabulator|luxon)[^/]*\.(js|css)|/tabulator-tables@")
_UNUSED = re.compile(r"/bokeh-(gl|mathjax)\.")
LATE_LIBRARIES = beside(__file__, "late_libraries.js")
LIGHTER_VIEWS = beside(__file__, "lighter_views.js")
_BUNDLE = panel.io.resources.bundle_resources
_kept: dict[Hashable, KeptBundle] = {}
_MOST = 32  # Further combinations, e.g. of foreign prefixes, are computed anew.


class KeptBundle(Bundle):
    """A bundle that renders its tags once.

    Attributes
    ----------
    late : list of str
        Addresses of scripts and style sheets that are loaded when they are needed.
    """

    late: list[str]

    @classmethod
    def of(cls, bundle: Bundle, *, split: bool) -> KeptBundle:
        """Keep a bundle; with `split`, without the libraries that come later."""
        kept = cls(
            notebook=bundle.notebook,
            js_files=bundle.js_files,
            js_raw=bundle.js_raw,
            css_files=bundle.css_files,
            css_raw=bundle.css_raw,
            hashes=bundle.hashes,
            js_modules=bundle.js_modules,
            js_module_exports=bundle.js_module_exports,
        )
        kept.late = []
        if split:
            files = [*map(str, kept.css_files), *map(str, kept.js_files)]
            kept.late = list(filter(TABLES.search, files))
            dropped = {*kept.late, *filter(_UNUSED.search, files)}
            kept.js_files = [url for url in kept.js_files if str(url) not in dropped]
            kept.css_files = [url for url in kept.css_files if str(url) not in dropped]
        kept._tags = kept._render_js() + _loader(kept.late), kept._render_css()
        return kept

    def __iter__(self):
        return iter(self._tags)

    def open(self) -> Bundle:
        """A copy to which scripts can be added."""
        copy = Bundle(
            notebook=self.notebook, js_modules=self.js_modules, js_module_exports=self.js_module_exports
        )
        for name in ("js_files", "js_raw", "css_files", "css_raw"):
            setattr(copy, name, list(getattr(self, name)))
        copy.hashes = dict(self.hashes)
        return copy


def _loader(late):
    """The script that fetches the late libraries and lightens views; "" if there are no late libraries."""
    if not late:
        return ""
    addresses = json.dumps(late).replace("<", "\\u003c")
    return f"\n<script>\n{{\nconst late = {addresses}\n{LATE_LIBRARIES}}}\n{LIGHTER_VIEWS}</script>"


def keep_bundle() -> None:
    """Install this; call it before the server is built. Calling it twice has no further effect."""
    panel.io.server.bundle_resources = _bundle_resources


def _bundle_resources(roots, resources, notebook=False, reloading=False, enable_mathjax="auto"):
    if notebook or reloading or not isinstance(resources, Resources) or resources.mode != "server":
        return _BUNDLE(roots, resources, notebook, reloading, enable_mathjax)
    panel.io.resources.RESOURCE_MODE = resources.mode  # As the library does.
    key = _key(resources)
    kept = _kept.get(key)
    if kept is None:
        kept = KeptBundle.of(_BUNDLE(roots, resources, enable_mathjax=False), split=not resources.absolute)
        if len(_kept) < _MOST:
            _kept[key] = kept
    # A site that embeds the app gets everything at once, and a script of the session behind it.
    return kept.open() if resources.absolute else kept


def _key(resources: Any) -> Hashable:
    """Everything on which the bundle depends; an import may bring further models and components."""
    return (
        resources.root_url,
        resources.absolute,
        tuple(resources.components),
        state.rel_path,
        state.base_url,
        len(sys.modules),
        tuple(panel_extension._loaded_extensions),
        tuple(state._extensions or ()),
        tuple(config.css_files),
        tuple(config.raw_css),
        tuple(config.global_css),
        tuple(config.js_files.items()),
        tuple(config.js_modules.items()),
        config.design,
        config.notifications,
        config.global_loading_spinner,
    )
