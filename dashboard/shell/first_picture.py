"""The first picture: what the answer to a request shows before any script runs, and without scripts at all.

It has the page's frame, title, settings, main figure, text and guarantee, in the state of the link and from the
same numbers as the live page, which replaces it at the same place.
"""

from __future__ import annotations

import html
import logging
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dashboard.components import first_line
from dashboard.components.control_panel import PANEL, Control
from dashboard.components.still_controls import still
from dashboard.page.base import SessionPage
from dashboard.shell.browser import DARK_COOKIE
from dashboard.theme import colours, letters
from dashboard.theme.assets import beside

_LOG = logging.getLogger("cape-lab")
_SCRIPT = beside(__file__, "first_picture.js").replace("@cookie@", DARK_COOKIE)
TEMPLATE = beside(__file__, "first_picture.html").replace("@script@", _SCRIPT)
_THEME = f".first {{ --header: {colours.HEADER}; }}"
# The controls look as those of the live page, which take their sheet into a root of their own.
_PANEL = f".first .controls {{ {PANEL.replace(':host', '&')} }}"
_LINE = f".first .first-line {{ {first_line.SHEET.replace(':host', '&')} }}"
_SHEET = re.sub(r"\s+", " ", _THEME + beside(__file__, "first_picture.css") + _PANEL + _LINE)
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
            f'<meta name="description" content="{described}">{letters.LINKS}<script>{first_line.SCRIPT}</script>'
            f"<style>{letters.SHEET}{first_line.SHOWN}{_SHEET}</style>"
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


def panel(page: Any, names: Sequence[str], *, plays: bool = False, folded: bool = False) -> str:
    """Some settings as the live page draws them; see `still`."""
    controls = []
    for name in names:
        control = Control(page.source(name), name)
        control.limit(page.state.most.get(name))
        controls.append(control)
    return still(controls, plays=plays, folded=folded)


def _plain(text):
    """HTML as text in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
