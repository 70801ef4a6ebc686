"""The list of pages in the sidebar: links by group, one of them marked."""

from __future__ import annotations

import html
from collections.abc import Sequence

from dashboard.components.layout import LiveText
from dashboard.page.base import GROUPS, Page

_SHEET = """
:host { font-family: var(--bokeh-base-font); color: var(--mui-palette-text-primary) }
h2 { font-size: 12px; font-weight: 600; line-height: 1.4; letter-spacing: 0.08em; text-transform: uppercase;
     margin: 16px 20px 2px; color: var(--mui-palette-text-secondary) }
ul { list-style: none; margin: 0 8px; padding: 4px 0 }
a { display: flex; align-items: center; gap: 16px; padding: 6px 16px; border-radius: 4px; font-size: 16px;
    line-height: 24px; color: inherit; text-decoration: none }
a:hover { background: color-mix(in srgb, currentColor 6%, transparent) }
a:focus-visible { outline: 2px solid var(--mui-palette-primary-main); outline-offset: -2px }
a[aria-current] { color: var(--mui-palette-primary-main); font-weight: 600;
                  background: color-mix(in srgb, var(--mui-palette-primary-main) 10%, transparent) }
.material-icons { font: 24px/1 "Material Icons"; font-feature-settings: "liga"; flex: none; width: 24px; overflow: hidden;
                  white-space: nowrap; color: var(--mui-palette-text-secondary) }
a[aria-current] .material-icons { color: inherit }
"""


class Navigation:
    """Links to pages; the session's browser component opens them within the session.

    Parameters
    ----------
    kinds : sequence of type of Page
        All pages in their order; pages that are a tab of another page are left out.

    Attributes
    ----------
    groups : dict of str to list of type of Page
        The listed pages.
    pane : viewable
        The list, for the sidebar.
    """

    def __init__(self, kinds: Sequence[type[Page]]):
        listed = [kind for kind in kinds if not kind.tab_of]
        found = {group: [kind for kind in listed if kind.group == group] for group in GROUPS}
        self.groups = {group: kinds for group, kinds in found.items() if kinds}
        self._text = LiveText(_SHEET)
        self.pane = self._text.pane
        self.mark("")

    def mark(self, name: str) -> None:
        """Mark the page in front."""
        self.marked = name
        parts = []
        for group, kinds in self.groups.items():
            links = "".join(f"<li>{_link(kind, kind.name == name)}</li>" for kind in kinds)
            parts.append(f"<h2>{html.escape(group)}</h2><ul aria-label='{html.escape(group)}'>{links}</ul>")
        self._text.show("".join(parts))


def _link(kind, marked):
    name = html.escape(kind.name, quote=True)
    current = " aria-current='page'" if marked else ""
    icon = f"<span class='material-icons' aria-hidden='true'>{html.escape(kind.icon)}</span>"
    return f"<a href='?page={name}' data-page='{name}'{current}>{icon}{html.escape(kind.title)}</a>"
