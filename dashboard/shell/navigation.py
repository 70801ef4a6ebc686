"""The list of pages in the sidebar: links by group, one of them marked."""

from __future__ import annotations

import html
from collections.abc import Sequence

from dashboard.components.layout import LiveText
from dashboard.theme.assets import beside

_SHEET = beside(__file__, "navigation.css")


class Navigation:
    """Links to pages; the session's browser component opens them within the session.

    Parameters
    ----------
    kinds : sequence of Listed
        All pages in their order; pages that are a tab of another page are left out.

    Attributes
    ----------
    groups : dict of str to list of Listed
        The listed pages.
    pane : viewable
        The list, for the sidebar.
    """

    def __init__(self, kinds: Sequence):
        listed = [kind for kind in kinds if not kind.tab_of]
        groups = dict.fromkeys(kind.group for kind in listed)
        self.groups = {group: [kind for kind in listed if kind.group == group] for group in groups}
        self._text = LiveText(_SHEET)
        self.pane = self._text.pane
        self.mark("")

    @property
    def text(self) -> str:
        """The list as HTML."""
        return self._text.text

    def mark(self, name: str) -> None:
        """Mark the page in front."""
        self.marked = name
        parts = []
        for group, kinds in self.groups.items():
            links = "".join(f"<li>{_link(kind, kind.name == name)}</li>" for kind in kinds)
            # A group of one page is that page.
            heading = f"<h2>{html.escape(group)}</h2>" if len(kinds) > 1 else ""
            parts.append(f"{heading}<ul aria-label='{html.escape(group)}'>{links}</ul>")
        self._text.show("".join(parts))


def _link(kind, marked):
    name = html.escape(kind.name, quote=True)
    current = " aria-current='page'" if marked else ""
    icon = f"<span class='material-icons' aria-hidden='true'>{html.escape(kind.icon)}</span>"
    return f"<a href='?page={name}' data-page='{name}'{current}>{icon}{html.escape(_title(kind))}</a>"


def _title(kind):
    """*Compare* is listed once, by its name; its pages are called by their algorithms."""
    return kind.group if kind.group == "Compare" else kind.title
