"""The frame around all pages: colours, header, sidebar and print styles."""

from __future__ import annotations

from pathlib import Path

import panel as pn
import panel_material_ui as pmui

from dashboard.compat.widgets.session_cleanup import unfollow_busy
from dashboard.shell.browser import DARK_COOKIE
from dashboard.shell.first_picture import TEMPLATE
from dashboard.theme import letters
from dashboard.theme.colours import ACCENT, HEADER
from dashboard.theme.scheme_style import paper

TITLE = "CAPE Lab"
# Where thumbs press: they need 44 pixels.
TOUCHED = "@media (max-width: 899px), (pointer: coarse)"
_THUMB = {TOUCHED: {"minHeight": "44px"}}


def theme(primary: str, surface: str) -> dict:
    """Colours and letters of the library's widgets: for controls and links, and for what they lie on."""
    return {
        "palette": {"primary": {"main": primary}, "background": {"default": surface, "paper": surface}},
        "typography": {
            "fontFamily": letters.FAMILY,
            "button": {"textTransform": "none", "letterSpacing": "0.01em"},
        },
        "components": {
            "MuiButton": {"styleOverrides": {"root": _THUMB}},
            "MuiToggleButton": {"styleOverrides": {"root": _THUMB}},
            "MuiOutlinedInput": {"styleOverrides": {"root": _THUMB}},
            "MuiSelect": {
                "styleOverrides": {
                    "select": {
                        TOUCHED: {"minHeight": "44px", "boxSizing": "border-box", "alignContent": "center"}
                    }
                }
            },
            "MuiMenuItem": {"styleOverrides": {"root": _THUMB}},
            "MuiIconButton": {
                "styleOverrides": {"root": {TOUCHED: {"minHeight": "44px", "minWidth": "44px"}}}
            },
        },
    }


THEME = {"light": theme(ACCENT[0], paper(dark=False)), "dark": theme(ACCENT[1], paper(dark=True))}
# The template covers a loading page with a dark overlay; show the page while it loads instead.
_LOADER = "#loader { background: none !important; pointer-events: none }"
_PRINT = {
    "&, & .main-content, & main": {
        "display": "block",
        "height": "auto",
        "overflow": "clip visible",  # Bokeh's hidden parts overflow, and the print would be scaled down for them.
        "width": "auto",
        "margin": "0 !important",
    },
    "& .header, & nav, & .MuiToolbar-root": {"display": "none !important"},
}
_FRAME = {
    "@media print": _PRINT,
    "& .header": {"backgroundColor": f"{HEADER} !important", "backgroundImage": "none", "boxShadow": "none"},
    "& .header button": {"color": "#ffffff"},
    # On the slides of a lecture it is as low as its buttons; `browser.js` says when.
    "@media (min-width: 900px)": {"& .MuiToolbar-root": {"minHeight": "var(--bar, 52px)"}},
    # A slide on a phone needs the height; its own bar leads out.
    "@media (max-width: 899px), (max-height: 500px)": {
        "& .header, & .MuiToolbar-root": {"display": "var(--head, flex)"}
    },
    "& .header .title": {"fontSize": "20px", "fontWeight": 700, "letterSpacing": "-0.01em"},
    TOUCHED: {"& .header a": {"paddingBlock": "12px"}},
}


def frame(*, header: list, sidebar: list, main: list) -> pmui.Page:
    """The browser's view of a session, in the theme of the last visit."""
    page = pmui.Page(
        title=TITLE,
        sidebar=sidebar,
        sidebar_width=216,
        sidebar_resizable=False,
        sidebar_open=not _on_phone(),
        header=header,
        main=main,
        busy_indicator=None,
        theme_config=THEME,
        dark_theme=bool(stored_theme()),
        sx=_FRAME,
        raw_css=[_LOADER],
        favicon=Path(__file__).parents[1] / "static" / "favicon.svg",
        template=TEMPLATE,
    )
    unfollow_busy(page)
    return page


def stored_theme() -> bool | None:
    """Whether the last visit ended in the dark theme; None on a first visit."""
    stored = (pn.state.cookies or {}).get(DARK_COOKIE)
    return None if stored is None else stored == "1"


def _on_phone() -> bool:
    return "Mobi" in (pn.state.headers or {}).get("User-Agent", "")
