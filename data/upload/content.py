"""What a file is by its first bytes, whatever its name says."""

from __future__ import annotations

import re

_TEXTS, _BOOKS = ("csv", "tsv", "txt"), ("xlsx", "xlsm", "ods")
_BEGIN = {
    b"\x1f\x8b": "gz",
    b"%PDF-": "pdf",
    b"PAR1": "parquet",
    b"ARROW1": "feather",
    b"\xd0\xcf\x11\xe0": "xls",
    b"$FL2": "sav",
    b"\x93NUMPY": "npy",
}
_IN_BOOKS = (b"xl/workbook", b"opendocument.spreadsheet")  # Names of parts are never packed.
_HTML = re.compile(rb"<(?:!doctype html|html|table|head|body)\b", re.IGNORECASE)
_BINARY = re.compile(rb"[\0-\x08\x0e-\x1f]")
_JSON = re.compile(rb'\{\s*"[^"]*"\s*:|\[\s*\{')


def true_kind(content: bytes, kind: str) -> str:
    """The ending that a file should have; `kind`, that of its name, where nothing else is certain."""
    if kind not in _TEXTS + _BOOKS:
        return kind
    if content.startswith(b"PK\x03\x04"):
        if kind in _BOOKS:
            return kind
        return "xlsx" if any(part in content for part in _IN_BOOKS) else "zip"
    found = next((one for begin, one in _BEGIN.items() if content.startswith(begin)), "")
    if found:
        return kind if found == "xls" and kind in _BOOKS else found  # It may be encrypted.
    head = content[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if kind != "txt" and _HTML.match(head):
        return "html"
    if kind != "txt" and head.startswith(b"<?xml"):
        return "xml"
    if kind != "txt" and _JSON.match(head):
        return "json"
    return "csv" if kind in _BOOKS and b"\n" in head and not _BINARY.search(head) else kind
