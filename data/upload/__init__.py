"""Parsing and checking of a user's file, with plain error messages.

Bytes in, a `Table` or `Documents` out; nothing is written to disk and nothing is ever unpickled. Names of
columns and cells in messages are the user's own text: escape them before showing them as HTML.
"""

from __future__ import annotations

from dataclasses import replace

from data.bounds import by_largest_norm, clip, to_unit_ball, to_unit_box
from data.text import Documents
from data.upload import delimited, npz, plain, workbook
from data.upload.content import true_kind
from data.upload.table import Limits, Table, UploadError, shown

__all__ = [
    "KINDS",
    "Limits",
    "Table",
    "UploadError",
    "by_largest_norm",
    "clip",
    "read",
    "to_unit_ball",
    "to_unit_box",
]

KINDS = {
    "csv": "table of numbers, one record a row",
    "tsv": "the same, separated by tabs",
    "xlsx": "the largest sheet of a workbook that is not hidden",
    "xlsm": "the same; macros are never run",
    "ods": "the same, of LibreOffice",
    "npz": "NumPy arrays with one record a row; never pickled objects",
    "npy": "one such array",
    "txt": "text, one document a line",
}
_PANDAS = "in Python, pandas.{reader}({name!r}).to_csv({csv!r}, index=False)"
# How other files become one of these.
CONVERT = {
    "xls": "open it in a spreadsheet program and save it as .xlsx or .csv",
    "xlsb": "open it in a spreadsheet program and save it as .xlsx or .csv",
    "numbers": "open it in Numbers and export it as .xlsx or .csv",
    "parquet": _PANDAS.replace("{reader}", "read_parquet"),
    "feather": _PANDAS.replace("{reader}", "read_feather"),
    "sas7bdat": _PANDAS.replace("{reader}", "read_sas"),
    "sav": _PANDAS.replace("{reader}", "read_spss"),
    "dta": _PANDAS.replace("{reader}", "read_stata"),
    "json": _PANDAS.replace("{reader}", "read_json"),
    "rds": "in R, write.csv(readRDS({name!r}), {csv!r}, row.names = FALSE)",
    "rdata": "in R, load it and save the table with write.csv",
    "pkl": "pickled files are never read, since they can run code; save the table as .csv",
    "pickle": "pickled files are never read, since they can run code; save the table as .csv",
    "mat": "in Python, numpy.savez({npz!r}, **arrays) of scipy.io.loadmat({name!r})",
    "zip": "unpack it and hand in the table inside",
    "gz": "unpack it and hand in the table inside",
    "pdf": "a PDF holds no table that can be read; ask for the table as .csv",
    "html": "open it in a browser, copy its table into a spreadsheet program and save it as .csv",
    "xml": "open it in a spreadsheet program and save it as .csv",
    "docx": "copy the table into a spreadsheet program and save it as .csv",
    "dat": "if it is a table of separated values, rename it to .csv",
}


def read(
    content: bytes,
    name: str = "",
    *,
    limits: Limits | None = None,
    header: bool | None = None,
    sheet: str | None = None,
) -> Table | Documents:
    """Parse an uploaded file by the ending of its name.

    Parameters
    ----------
    content : bytes
        The whole file.
    name : str
        Its name, such as "table.csv"; only the ending matters, and the last part is used in messages.
    limits : Limits, optional
        Sizes that are refused; the defaults of `Limits` if None.
    header : bool, optional
        CSV, TSV and workbooks: whether the first line names the columns. Default: found out.
    sheet : str, optional
        Workbooks: the name of the sheet. Default: the largest one that is not hidden.

    Returns
    -------
    Table
        For CSV, TSV, workbooks, NPZ and NPY.
    Documents
        For TXT.

    Raises
    ------
    UploadError
        If the file cannot be used; the message says what is wrong, where, and what to do.
    TypeError
        If `content` is not bytes (a path, for instance) or `name` is no text.
    """
    _check_arguments(content, name)
    limits = limits or Limits()
    title = shown_name(name)
    kind = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if kind not in KINDS:
        raise UploadError(f"{title} is of no kind that can be read. {_conversion(name, kind)}")
    if not content:
        raise UploadError(f"{title} is empty (0 bytes).")
    if len(content) > limits.size:
        raise UploadError(too_large(len(content), name, limits))
    if (actual := true_kind(content, kind)) == kind:
        return _parsed(content, kind, title, limits, header, sheet)
    if kind == "txt" and actual in KINDS:
        raise UploadError(f"{title} is a .{actual} file, though its name ends in .txt: rename it.")
    if actual not in KINDS:
        raise UploadError(
            f"{title} is a .{actual} file, though its name ends in .{kind}. {_conversion(name, actual)}"
        )
    found = _parsed(content, actual, title, limits, header, sheet)
    note = f"It was read as a .{actual} file, which it is, though its name ends in .{kind}."
    return replace(found, notes=(note, *found.notes))


def _parsed(content, kind, title, limits, header, sheet):
    if kind in ("npz", "npy"):
        return (npz.read if kind == "npz" else npz.read_one)(content, title, limits)
    if kind in ("xlsx", "xlsm", "ods"):
        return workbook.read(content, title, limits, header, sheet)
    if kind == "txt":
        return plain.read(content, title, limits)
    return delimited.read(content, title, limits, header)


def _conversion(name, kind):
    """How a file of another kind can be handed in, or which kinds can be read."""
    wanted = ", ".join(f".{ending} ({what})" for ending, what in KINDS.items())
    if kind not in CONVERT:
        return f"Wanted: {wanted}."
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    stem = last.rsplit(".", 1)[0][:30]
    how = CONVERT[kind].format(name=f"{stem}.{kind}", csv=f"{stem}.csv", npz=f"{stem}.npz")
    return f"To convert it: {how}. Then hand that in."


def shown_name(name: str) -> str:
    """The last part of a file's name as messages quote it."""
    return shown(name.replace("\\", "/").rsplit("/", 1)[-1])


def too_large(size: int, name: str, limits: Limits) -> str:
    """What is said of a file of too many bytes."""
    return f"{shown_name(name)} has {size / 1e6:,.1f} MB; at most {limits.size / 1e6:,.0f} MB are read."


def _check_arguments(content, name):
    if not isinstance(content, bytes):
        raise TypeError(
            f"content must be the bytes of a file, got {shown(content)} of type {type(content).__name__}; "
            "of a path take read(path.read_bytes(), path.name)"
        )
    if not isinstance(name, str) or not name:
        raise TypeError(f'name must be the name of the file, such as "table.csv", got {name!r}')
