"""Tables whose cells the user edits while the app updates them; an update does not discard what the user typed."""

from __future__ import annotations

import pandas as pd
import panel as pn


def show(cells: pn.widgets.Tabulator, frame: pd.DataFrame, **more) -> None:
    """Make the browser show `frame`, and send only the cells that differ from what it shows.

    Every update that a browser receives ends the edit that is in progress, and a whole table also discards edits that
    are on their way to the server. So nothing is sent after an edit, which the browser shows itself. If rows and
    columns stay the same, only cells are sent.

    Parameters
    ----------
    cells : Tabulator
    frame : pandas.DataFrame
        With rows numbered from 0.
    **more
        Parameters of `cells` that change together with its rows or columns, for example its height.
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
    """Rows and values of a column's cells that differ, for columns of any types.

    Pandas changes the type of a text column that came from a browser.
    """
    both = enumerate(zip(now.tolist(), wanted.tolist(), strict=True))
    return [(row, new) for row, (old, new) in both if old != new and not (pd.isna(old) and pd.isna(new))]
