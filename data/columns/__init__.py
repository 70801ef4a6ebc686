"""What the columns of a user's table mean, and what becomes of them in a record within the unit ball.

A `Description` names the columns, their public ranges and categories. `survey` suggests one from a table,
`encode` makes records by it, and `invented` draws records from its ranges alone.
"""

from __future__ import annotations

from data.columns.description import Column, Description
from data.columns.encode import Block, Encoded, encode
from data.columns.invented import invented
from data.columns.meaning import Cells, frame_of
from data.columns.survey import Facts, likely_site, survey

__all__ = [
    "Block",
    "Cells",
    "Column",
    "Description",
    "Encoded",
    "Facts",
    "encode",
    "frame_of",
    "invented",
    "likely_site",
    "survey",
]
