"""How the parts of a page are laid out: in rows of six columns, or in a grid of their own."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dashboard.theme.assets import beside

DATA = ":host { --menu: 100% } :host > .scroll-button { display: none }"


def heading(page: Any) -> str:
    """What the page is: its title, a sentence, and the tabs among which it stands."""
    tabs = "".join(
        f"<button type='button' class='chip' aria-pressed='{str(tab.name == page.name).lower()}' data-press='tab' "
        f"data-number='{number}'>{html.escape(tab.title)}</button>"
        for number, tab in enumerate(page.tabs if len(page.tabs) > 1 else ())
    )
    row = f"<nav class='chips' aria-label='{html.escape(page.group)}'>{tabs}</nav>" if tabs else ""
    title = html.escape(page.heading or page.title)
    return f"<div class='heading'><h1>{title}</h1><p>{page.lead}</p>{row}</div>"


@dataclass(frozen=True)
class Look:
    """A layout.

    Attributes
    ----------
    stage : str
        Style sheet of the stage, which has the sentence and the parts.
    named : bool
        Whether a part has its place's name as its class, for a grid of the stage; else its number and its share. The
        view then writes its sentence as a paragraph, and what stands below the parts.
    kinds : tuple of str
        Further classes of the stage.
    sheet, first : str
        Style sheets of all that the server draws, and of the first answer alone.
    heading : callable
        Maps the page to what stands at its top, as HTML.
    beside : str
        The section that stands among the controls, above those that are folded; "" for none.
    line : callable, optional
        Maps the page to the line below its heading for those who see it for the first time, as HTML.
    titled : bool
        Whether a chart has a section as its title: the one named after its place, with "_title". It names its axes, and
        the curves have their names at their ends.
    search : bool
        Whether a phone shows the first control above the parts, where they are searched by it.
    pairs : tuple of str
        Places of which the first answer draws two cards side by side.
    data : str
        Style sheet of what chooses the records.
    """

    stage: str
    named: bool = False
    kinds: tuple[str, ...] = ()
    sheet: str = ""
    first: str = ""
    heading: Callable[[Any], str] = heading
    beside: str = ""
    line: Callable[[Any], str] | None = None
    titled: bool = False
    search: bool = False
    pairs: tuple[str, ...] = ()
    data: str = f"{DATA} @media (max-width: 899px) {{ :host {{ display: contents }} }}"


ROWS = Look(beside(__file__, "stage.css"))
