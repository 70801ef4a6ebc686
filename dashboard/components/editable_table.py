"""Tables whose cells a user edits while the app follows: what was typed is not taken back."""

from __future__ import annotations

import pandas as pd
import panel as pn


def show(cells: pn.widgets.Tabulator, frame: pd.DataFrame, **more) -> None:
    """Have the browser show `frame`, and send it only what it does not show already.

    Whatever a browser is sent ends the edit that its user is in the middle of, and a whole table also undoes edits
    that are on their way here. So after an edit, which the browser shows by itself, nothing is sent; and where rows
    and columns stay the same, cells are.

    Parameters
    ----------
    cells : Tabulator
    frame : pandas.DataFrame
        With rows numbered from 0.
    **more
        Parameters of `cells` that change together with its rows or columns, as its height.
    """
    now = cells.value
    if now is None or len(now) != len(frame) or list(now.columns) != list(frame.columns):
        cells.param.update(value=frame, **more)
        return
    patch = {name: _different(now[name], frame[name]) for name in frame.columns}
    patch = {name: found for name, found in patch.items() if found}
    if patch:
        cells.patch(patch, as_index=False)


def _different(now, wanted):
    """Rows and values of a column's cells that differ, whatever type the two columns have.

    Pandas gives a column of text another type once a browser has sent it.
    """
    both = enumerate(zip(now.tolist(), wanted.tolist(), strict=True))
    return [(row, new) for row, (old, new) in both if old != new and not (pd.isna(old) and pd.isna(new))]
