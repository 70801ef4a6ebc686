"""The table that all pages of a session share: the user uploads it once, and it is in memory once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dashboard.own_table.state import OwnData


@dataclass(eq=False)
class SharedTable:
    """The table of a session's user.

    Attributes
    ----------
    table : OwnData
    asker : Page or None
        The page on which the user last asked to use the table: it computes on the table at once, others offer it.
    """

    table: OwnData = field(default_factory=OwnData)
    asker: Any = None
