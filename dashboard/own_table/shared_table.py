"""What one session's user brought: its pages share it, so that a table is handed in once and stands in memory once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dashboard.own_table.state import OwnData


@dataclass(eq=False)
class SharedTable:
    """What a session's user brought.

    Attributes
    ----------
    table : OwnData
    asker : Page or None
        Where the user asked last for the table to be used: that page computes with it at once, others offer it.
    """

    table: OwnData = field(default_factory=OwnData)
    asker: Any = None
