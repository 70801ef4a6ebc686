"""Bytes of messages and of kept states: a header in JSON, arrays in binary, and a checksum.

====================  =========================================================================
bytes                 content
====================  =========================================================================
4                     ``CAPE``
4                     version of the format, a little-endian whole number
4                     length h of the header
h                     JSON in UTF-8: ``{"content": ..., "arrays": [[type, shape], ...], ...}``
8 for each number     the arrays one after another, little-endian
4                     CRC-32 of everything before
====================  =========================================================================

In the content, ``{"array": i}`` stands for the i-th array, ``{"bytes": "..."}`` for bytes in base64, and
``{"map": [[key, value], ...]}`` for a mapping whose keys are numbers. The checksum detects accidents. It does not
authenticate: that is the task of the connection (TLS).
"""

from __future__ import annotations

import base64
import json
import math
import struct
import zlib
from typing import Any

import numpy as np

from core.parties.messages.refusals import Malformed, OtherVersion

MARK, VERSION = b"CAPE", 1
TYPES = {"<f8": np.dtype("<f8"), "<i8": np.dtype("<i8"), "<u8": np.dtype("<u8")}
_START, _END = struct.Struct("<4sII"), struct.Struct("<I")
_DEEPEST = 40


def encode(header: dict[str, Any], content: Any) -> bytes:
    """Header, content and the arrays in it as bytes."""
    arrays: list[np.ndarray] = []
    packed = _packed(content, arrays)
    kinds = [[a.dtype.str, list(a.shape)] for a in arrays]
    text = json.dumps(header | {"content": packed, "arrays": kinds}, separators=(",", ":")).encode()
    whole = b"".join([_START.pack(MARK, VERSION, len(text)), text, *(a.tobytes() for a in arrays)])
    return whole + _END.pack(zlib.crc32(whole))


def decode(data: bytes, name: str = "data") -> tuple[dict[str, Any], Any]:
    """Header and content of such bytes, which an error calls `name`.

    Raises
    ------
    Malformed, OtherVersion
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise Malformed(f"{name} must be bytes, got {type(data).__name__}")
    data = bytes(data)
    if len(data) < _START.size + _END.size or data[:4] != MARK:
        raise Malformed(f"{name} must begin with {MARK!r}, got {data[:4]!r}")
    _, version, length = _START.unpack_from(data)
    if version != VERSION:
        raise OtherVersion(f"{name} must be of version {VERSION}, got version {version}")
    if _END.unpack_from(data, len(data) - _END.size)[0] != zlib.crc32(data[: -_END.size]):
        raise Malformed(f"{name} must be undamaged: the checksum is another")
    body = data[_START.size : -_END.size]
    try:
        header = json.loads(body[:length].decode())
        arrays = _arrays(header.pop("arrays"), body[length:])
        return header, _unpacked(header.pop("content"), arrays)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        raise Malformed(f"{name} must be a header and arrays: {error}") from None


def _packed(value: Any, arrays: list[np.ndarray]) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        kind = np.asarray(value).dtype.kind
        arrays.append(np.asarray(value).astype({"f": "<f8", "u": "<u8"}.get(kind, "<i8"), copy=False))
        return {"array": len(arrays) - 1}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: _packed(one, arrays) for key, one in value.items()}
        return {"map": [[key, _packed(one, arrays)] for key, one in value.items()]}
    if isinstance(value, list | tuple):
        return [_packed(one, arrays) for one in value]
    return value


def _unpacked(value: Any, arrays: list[np.ndarray], depth: int = 0) -> Any:
    if depth > _DEEPEST:
        raise ValueError("the content is too deep")
    if isinstance(value, list):
        return [_unpacked(one, arrays, depth + 1) for one in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"array"}:
        if not isinstance(value["array"], int) or value["array"] < 0:
            raise ValueError("an array is named by its place")
        return arrays[value["array"]]
    if set(value) == {"bytes"}:
        return base64.b64decode(value["bytes"], validate=True)
    if set(value) == {"map"}:
        return {key: _unpacked(one, arrays, depth + 1) for key, one in value["map"]}
    return {key: _unpacked(one, arrays, depth + 1) for key, one in value.items()}


def _arrays(kinds: list, rest: bytes) -> list[np.ndarray]:
    found, start = [], 0
    for name, shape in kinds:
        if name not in TYPES or not all(type(n) is int and 0 <= n < 2**40 for n in shape):
            raise ValueError(f"an array of type {name!r} and shape {shape!r}")
        count = math.prod(shape)
        if count * 8 > len(rest) - start:
            raise ValueError(f"arrays of more than the {len(rest)} bytes that came")
        found.append(np.frombuffer(rest, TYPES[name], count, start).reshape(shape).copy())
        start += count * 8
    if start != len(rest):
        raise ValueError(f"{len(rest) - start} bytes more than its arrays have")
    return found
