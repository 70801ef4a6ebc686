"""NPZ files: sizes are read from the headers before anything is expanded, and objects are never loaded."""

from __future__ import annotations

import io
import math
import sys
import zipfile
import zlib

import numpy as np
import pandas as pd

from data.check import grouped
from data.upload.body import names_of
from data.upload.table import TEXT_CELL, Limits, Table, UploadError, checked, native, shown

_SPARSE = {"indices", "indptr", "data", "shape", "format"}
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_ENTRY = b"PK\x01\x02"  # Begins an entry of the table of contents.
_CHANCE = 100  # So often those bytes may stand among the numbers.
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # As NumPy writes; others expand without a bound.
# What the standard library and NumPy raise for archives cut off (EOFError, OSError), damaged (BadZipFile, zlib.error),
# encrypted or of an unknown version (RuntimeError), and for headers that are none (ValueError).
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)


def read(content: bytes, title: str, limits: Limits) -> Table:
    """All arrays of the file side by side: a vector is a column, a matrix as many as it has.

    Raises
    ------
    UploadError
        For damaged or encrypted files, arrays of objects, more rows, columns or bytes declared than allowed,
        arrays of different length or of more than two dimensions.
    """
    _check_entries(content, title, limits)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            _check_sizes(members, title, limits)
            headers = {member.filename: _header(archive, member, title) for member in members}
            _check_shapes({name: shape for name, (shape, _) in headers.items()}, title, limits)
            _check_memory(headers.values(), title, limits)
            arrays = {member.filename[:-4]: _array(archive, member) for member in members}
    except UploadError:
        raise
    except _BROKEN as error:
        raise UploadError(f"{title} is not a complete NPZ file ({error or type(error).__name__}).") from None
    return checked(_frame(arrays, title), title, limits)


def read_one(content: bytes, title: str, limits: Limits) -> Table:
    """One array of an NPY file: a vector is a column, a matrix as many as it has. Errors as for `read`."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise UploadError(f"{title} is of an unusual kind; save plain numbers with numpy.save.")
        shape, _, dtype = _HEADERS[version](stream)
        _check_array("the array", shape, dtype, len(content) - stream.tell(), title)
        _check_shapes({"column.npy": shape}, title, limits)
        _check_memory([(shape, dtype)], title, limits)
        stream.seek(0)
        array = np.lib.format.read_array(stream, allow_pickle=False)
    except UploadError:
        raise
    except _BROKEN as error:
        raise UploadError(f"{title} is not a complete NPY file ({error or type(error).__name__}).") from None
    return checked(_frame({"column": array}, title), title, limits)


def _check_entries(content, title, limits):
    """Refuse a long table of contents, which takes a hundred times its size to open."""
    count = content.count(_ENTRY)
    if count > limits.columns + _CHANCE:
        raise UploadError(
            f"{title} holds {grouped(count)} arrays; at most {grouped(limits.columns)} are read."
        )


def _check_sizes(members, title, limits):
    names = [member.filename for member in members]
    if not names or len(set(names)) != len(names) or not all(name.endswith(".npy") for name in names):
        raise UploadError(
            f"{title} is not an NPZ file: it does not hold arrays alone. Write it with numpy.savez."
        )
    if {name[:-4] for name in names} >= _SPARSE:
        raise UploadError(f"{title} holds a sparse matrix; save it as a dense array with numpy.savez.")
    if len(names) > limits.columns:
        raise UploadError(f"{title} holds {len(names):,} arrays; at most {limits.columns:,} are read.")
    total = sum(member.file_size for member in members)
    if total > limits.expanded:
        raise UploadError(
            f"{title} would expand to {total / 1e6:,.0f} MB; "
            f"at most {limits.expanded / 1e6:,.0f} MB are read."
        )


def _header(archive, member, title):
    """Shape and type of a member, from its header alone."""
    label = shown(member.filename[:-4])
    if member.compress_type not in _PACKED:
        raise UploadError(f"array {label} of {title} is packed in an unusual way. Write it with numpy.savez.")
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise UploadError(f"array {label} of {title} is of an unusual kind; save plain numbers.")
        shape, _, dtype = _HEADERS[version](stream)
    _check_array(f"array {label}", shape, dtype, member.file_size, title)
    return shape, dtype


def _check_array(label, shape, dtype, size, title):
    """Refuse objects, more than two dimensions, and arrays that are larger than what is left of the file."""
    if dtype.hasobject:
        raise UploadError(
            f"{label} of {title} holds Python objects, which are never loaded. Save plain numbers."
        )
    if dtype.kind not in "fiubUSM":
        raise UploadError(
            f"{label} of {title} has type {str(dtype)[:60]}; real numbers, text or dates are wanted."
        )
    if len(shape) not in (1, 2):
        raise UploadError(
            f"{label} of {title} has shape {shape}; one record a row is wanted: (N,) or (N, d)."
        )
    if dtype.itemsize == 0:
        raise UploadError(f"{label} of {title} holds texts without a letter; leave it out.")
    if math.prod(shape) * dtype.itemsize > size:
        raise UploadError(f"{label} of {title} declares more numbers than the file holds.")


def _check_shapes(shapes, title, limits):
    if len({shape[0] for shape in shapes.values()}) > 1:
        found = ", ".join(f"{shown(name[:-4])} {shape}" for name, shape in list(shapes.items())[:6])
        raise UploadError(f"the arrays of {title} differ in their number of rows: {found}.")
    rows = next(iter(shapes.values()))[0]
    if rows > limits.rows:
        raise UploadError(
            f"{title} has more than {grouped(limits.rows)} rows, which is the most that is read."
        )
    columns = sum(shape[1] if len(shape) == 2 else 1 for shape in shapes.values())
    if columns > limits.columns:
        raise UploadError(f"{title} has {columns:,} columns; at most {limits.columns:,} are read.")


def _check_memory(headers, title, limits):
    """Refuse small numbers and short texts that take many times their size in a table."""
    total = sum(
        math.prod(shape) * (dtype.itemsize + TEXT_CELL if dtype.kind in "USM" else max(dtype.itemsize, 8))
        for shape, dtype in headers
    )
    if total > limits.expanded:
        raise UploadError(
            f"{title} would take {total / 1e6:,.0f} MB as a table; "
            f"at most {limits.expanded / 1e6:,.0f} MB are read."
        )


def _array(archive, member):
    with archive.open(member) as stream:
        array = np.lib.format.read_array(stream, allow_pickle=False)
        stream.read()  # To the end, where the checksum is compared.
    return array


def _frame(arrays, title):
    parts, names = [], list[str]()
    for name, array in arrays.items():
        found = _cells(array, f"array {shown(name)} of {title}")
        several = [f"{name}[{i}]" for i in range(found.shape[1])] if found.ndim == 2 else [name]
        parts.append(pd.DataFrame(found))
        names += several
    frame = pd.concat(parts, axis=1)
    frame.columns = pd.Index(names_of(names), dtype=object)
    return frame


def _cells(array, label):
    """Numbers as pandas takes them; dates and bytes as text."""
    if array.dtype.kind in "fiub":
        return native(array)
    if array.dtype.kind == "M":
        days = array.astype("M8[D]")
        texts = np.datetime_as_string(days if (days == array)[~np.isnat(array)].all() else array)
        return np.where(np.isnat(array), np.nan, texts.astype(object))
    try:
        return np.char.decode(array, "utf-8") if array.dtype.kind == "S" else _texts(array)
    except UnicodeDecodeError:
        raise UploadError(f"{label} holds text that is damaged or no UTF-8. Save it anew.") from None


def _texts(array):
    """Texts whose letters are all letters: from others no text of Python can be made."""
    letters = native(array.reshape(-1)).view(np.uint32)
    if letters.size and letters.max() > sys.maxunicode:
        raise UnicodeDecodeError("utf-32", b"", 0, 1, "no letter")
    return array
