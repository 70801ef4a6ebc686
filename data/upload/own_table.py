"""A user's own table as records at sites: choice of columns, assignment to sites, scaling to public bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from data import bounds, check
from data.catalogue.tables import OwnTable
from data.upload import Table, UploadError
from data.upload.table import shown


@check.arguments(bound=check.optional(check.real))
def own_table(
    table: Table,
    columns: Sequence[str],
    *,
    site_column: str | None = None,
    bound: float | None = None,
    lower=None,
    upper=None,
    public_bounds: bool = True,
    complete_rows: bool = False,
) -> OwnTable:
    """Choose from a table that was read, and bring its records within bounds.

    Parameters
    ----------
    columns : sequence of str
        The d columns of a record.
    site_column : str, optional
        The column that names every record's site. Default: records are dealt when sites are asked for.
    bound : float
        The largest norm of a record that is allowed for: `data.bounds.to_unit_ball`. Or instead
    lower, upper : array (d,)
        a range for each column, mapped to [−1, 1]/√d: `data.bounds.to_unit_box`.
    public_bounds : bool
        Whether the bounds are constants chosen without looking at the records, see `data_bound`.
    complete_rows : bool
        Leave out rows with a missing value; otherwise the first one is an error.

    Raises
    ------
    UploadError
        For what `Table.records` and `Table.sites` refuse, and if the bounds are so wide that nothing is left
        of the records; the message quotes foreign text.
    ValueError
        For bounds that are missing, both kinds at once, not finite, or empty.
    """
    if (bound is None) == (lower is None or upper is None):
        raise ValueError("bound must be given, or lower and upper, and not both")
    columns = tuple(columns)
    rows = len(table.frame)
    if site_column in columns:
        raise UploadError(f"column {shown(site_column)} names the sites: it cannot be part of a record too.")
    if complete_rows:
        table = table.complete([*columns, *([site_column] if site_column else [])])
    if site_column is None:
        records, sizes = table.records(columns), None
        names: tuple[str, ...] = ()
    else:
        grouped = table.sites(site_column, columns)
        records, names = np.concatenate(grouped), grouped.names
        sizes = tuple(int(n) for n in grouped.sizes)
    if bound is not None:
        scaled = bounds.to_unit_ball(records, bound=bound)
    else:
        scaled = bounds.to_unit_box(records, lower=lower, upper=upper)
    if not np.isfinite(scaled.divisor).all() or not np.einsum("ij,ij->", scaled.records, scaled.records) > 0:
        raise UploadError(f"within these bounds every record of {table.name} is zero; choose closer ones.")
    return OwnTable(
        table.name,
        scaled.records,
        columns,
        sizes,
        names,
        scaled.clipped,
        rows - len(table.frame),
        public_bounds,
    )


@check.arguments
def data_bound(table: Table, columns: Sequence[str], *, complete_rows: bool = False) -> float:
    """The largest norm of a record in the table. **Not private**: it is computed from the records."""
    table = table.complete(columns) if complete_rows else table
    return float(bounds.row_norms(table.records(columns)).max())


@check.arguments
def data_ranges(table: Table, columns: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest value of every column. **Not private**: computed from the records.

    A column that never changes gets a small range about its value, since a range must not be empty.
    """
    if missing := [c for c in columns if c not in table.columns]:
        raise UploadError(f"{table.name} has no column {shown(missing[0])}.")
    records = table.frame[list(columns)]
    lower, upper = records.min().to_numpy(float), records.max().to_numpy(float)
    room = np.where(lower == upper, np.maximum(0.5, 1e-6 * np.abs(upper)), 0.0)
    return lower - room, upper + room
