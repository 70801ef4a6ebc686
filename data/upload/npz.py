"""NPZ files: sizes are read from the headers before anything is expanded, and objects are never loaded."""

from __future__ import annotations

import io
import math
import zipfile
import zlib

import numpy as np
import pandas as pd

from data.upload.table import Limits, Table, UploadError, checked, shown

_SPARSE = {"indices", "indptr", "data", "shape", "format"}
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
# What the standard library raises for archives cut off, damaged, encrypted or packed in an unknown way.
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError)


def read(content: bytes, title: str, limits: Limits) -> Table:
    """All arrays of the file side by side: a vector is a column, a matrix as many as it has.

    Raises
    ------
    UploadError
        For damaged or encrypted files, arrays of objects, more bytes declared than allowed, arrays of
        different length or of more than two dimensions.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            _check_sizes(members, title, limits)
            shapes = {member.filename: _header(archive, member, title) for member in members}
            _check_shapes(shapes, title, limits)
            arrays = {member.filename[:-4]: _array(archive, member) for member in members}
    except UploadError:
        raise
    except _BROKEN as error:
        raise UploadError(f"{title} is not a complete NPZ file ({error or type(error).__name__}).") from None
    return checked(_frame(arrays), title, limits)


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
    """Shape of a member, from its header alone."""
    label = shown(member.filename[:-4])
    with archive.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise UploadError(f"array {label} of {title} is of an unusual kind; save plain numbers.")
        shape, _, dtype = _HEADERS[version](stream)
    if dtype.hasobject:
        raise UploadError(
            f"array {label} of {title} holds Python objects, which are never loaded. Save plain numbers."
        )
    if dtype.kind not in "fiubU":
        raise UploadError(f"array {label} of {title} has type {dtype}; real numbers or text are wanted.")
    if len(shape) not in (1, 2):
        raise UploadError(
            f"array {label} of {title} has shape {shape}; one record a row is wanted: (N,) or (N, d)."
        )
    if math.prod(shape) * dtype.itemsize > member.file_size:
        raise UploadError(f"array {label} of {title} declares more numbers than the file holds.")
    return shape


def _check_shapes(shapes, title, limits):
    if len({shape[0] for shape in shapes.values()}) > 1:
        found = ", ".join(f"{shown(name[:-4])} {shape}" for name, shape in list(shapes.items())[:6])
        raise UploadError(f"the arrays of {title} differ in their number of rows: {found}.")
    columns = sum(shape[1] if len(shape) == 2 else 1 for shape in shapes.values())
    if columns > limits.columns:
        raise UploadError(f"{title} has {columns:,} columns; at most {limits.columns:,} are read.")


def _array(archive, member):
    with archive.open(member) as stream:
        array = np.lib.format.read_array(stream, allow_pickle=False)
        stream.read()  # To the end, where the checksum is compared.
    return array


def _frame(arrays):
    parts = []
    for name, array in arrays.items():
        if array.ndim == 1:
            parts.append(pd.DataFrame({name: array}))
        else:
            parts.append(pd.DataFrame(array, columns=[f"{name}[{i}]" for i in range(array.shape[1])]))
    return pd.concat(parts, axis=1)
