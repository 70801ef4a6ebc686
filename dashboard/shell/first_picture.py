"""The first picture: what the answer to a request shows before any script runs, and without scripts at all.

It has the page's frame, title, settings, main figure, text and guarantee, in the state of the link and from the
same numbers as the live page, which replaces it at the same place.
"""

from __future__ import annotations

import html
import logging
import re
from functools import cached_property
from typing import Any

from dashboard.components.control_panel import ENDS
from dashboard.components.inputs import nice_numbers
from dashboard.page.base import SessionPage
from dashboard.shell.browser import DARK_COOKIE
from dashboard.state.controls import LogInteger, LogNumber
from dashboard.state.page_settings import shown_text
from dashboard.theme import colours, letters
from dashboard.theme.assets import beside

_LOG = logging.getLogger("cape-lab")
_SCRIPT = beside(__file__, "first_picture.js").replace("@cookie@", DARK_COOKIE)
TEMPLATE = beside(__file__, "first_picture.html").replace("@script@", _SCRIPT)
_THEME = f".first {{ --header: {colours.HEADER}; }}"
_SHEET = re.sub(r"\s+", " ", _THEME + beside(__file__, "first_picture.css"))
_LONGEST = 300  # Characters of a description that previews of links show.


class FirstPicture:
    """The static parts of a page; the template asks for each once.

    Parameters
    ----------
    page : SessionPage
        The page in front, opened in the state of the link.
    navigation, notice, step : str
        HTML: the list of pages, a notice above the page, and the step of a lecture; "" for none.
    name : str
        The app's name.
    covered : bool
        Whether a question covers the page: it then stands alone.
    dark : bool or None
        The theme; None if the browser chooses.
    """

    def __init__(
        self,
        page: SessionPage,
        *,
        navigation: str,
        notice: str,
        step: str,
        name: str,
        dark: bool | None,
        covered: bool = False,
    ):
        self._page: Any = page
        self._navigation, self._notice, self._step = navigation, notice, step
        self._covered = covered
        self._name, self._dark = name, dark

    @property
    def title(self) -> str:
        """The title of the window, as HTML."""
        return self._parts[0]

    @property
    def head(self) -> str:
        """Style sheet, and what previews of a link show."""
        return self._parts[1]

    @property
    def body(self) -> str:
        """The picture, to stand first in the document's body; "" if it could not be drawn."""
        return self._parts[2]

    @cached_property
    def _parts(self) -> tuple[str, str, str]:
        try:
            title = html.escape(f"{self._page.title} · {self._name}")
            return title, self._head_markup(), self._body_markup()
        except Exception:
            # The live page needs none of it.
            _LOG.exception("the first picture could not be drawn")
            return html.escape(self._name), "", ""
        finally:
            self._page = None  # The document holds this object for as long as it lives.

    def _head_markup(self):
        page = self._page
        told = " ".join(
            filter(
                None, (_plain(page.lead), "" if self._hidden or self._covered else _plain(page.state.words))
            )
        )
        described = html.escape(told[:_LONGEST], quote=True)
        heading = html.escape(page.heading or page.title, quote=True)
        return (
            f'<meta property="og:title" content="{heading} · {html.escape(self._name)}">'
            f'<meta property="og:type" content="website"><meta property="og:description" content="{described}">'
            f'<meta name="description" content="{described}">{letters.LINKS}<style>{letters.SHEET}{_SHEET}</style>'
        )

    def _body_markup(self):
        looks = "either" if self._dark is None else "dark" if self._dark else "light"
        looks += " slide" if self._step else ""
        step = f'<div class="head step">{self._step}</div>' if self._step else ""
        drawn = "" if self._covered else self._page.first_html(slide=bool(self._step))
        return (
            f'<div id="first-picture" class="first {looks}"><header>{html.escape(self._name)}</header>'
            f"<nav>{self._navigation}</nav><main>{self._notice}{step}{drawn}</main></div>"
        )

    @cached_property
    def _hidden(self) -> bool:
        """Whether the answer belongs to records that are not the program's own."""
        page = self._page
        return page.own_table is not None and page.own_table.chosen is not None


def _setting(page, name):
    source = page.source(name)
    text = shown_text(source, name, page.state.most)
    return f"{html.escape(source.param[name].label or name)}: <b>{html.escape(text)}</b>"


def slider(page: Any, name: str) -> str:
    """A setting with its value and a track that does not move yet."""
    share = _share(page.source(name), name, page.state.most)
    track = f'<div class="track"><i style="width:{100 * share:.1f}%"></i></div>'
    words = "".join(f"<span>{word}</span>" for word in ENDS.get(name, ()))
    ends = f'<p class="ends">{words}</p>' if words else ""
    kind = "slider means" if name == "epsilon" else "slider"
    kind += " plays" if page.follows and name == page.primary else ""
    return f'<div class="{kind}">{_setting(page, name)}{track if share >= 0 else ""}{ends}</div>'


def _share(source, name, most):
    """The slider's position between 0 and 1, up to the most that the page allows; negative for no slider."""
    parameter, value = source.param[name], getattr(source, name)
    bounds = getattr(parameter, "bounds", None)
    if not isinstance(value, int | float) or isinstance(value, bool) or not bounds or None in bounds:
        return -1.0
    if isinstance(parameter, LogNumber | LogInteger):
        stops = sorted({*nice_numbers(*bounds, whole=isinstance(parameter, LogInteger)), value})
        return stops.index(value) / max(len(stops) - 1, 1)
    low, high = bounds[0], min(bounds[1], most.get(name, bounds[1]))
    return (min(value, high) - low) / max(high - low, 1e-12)


def _plain(text):
    """HTML as text in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
