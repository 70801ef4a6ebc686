"""Limits the size of a browser's message: compressed, in several frames, and decompressed.

Bokeh limits a single frame of a websocket but neither a message of many frames nor its decompressed size: a gzip
stream of 4 MB can hold 4 GB, and a second stream may follow the first. Here one limit applies to the whole message.
"""

from __future__ import annotations

import base64
import binascii
import time
import zlib

from bokeh.core.serialization import Deserializer
from bokeh.protocol.exceptions import ValidationError
from bokeh.protocol.receiver import Receiver
from panel.io.server import WSHandler

MOST_BYTES = (
    4 << 20
)  # Bytes of one message, and separately of its decompressed content. A piece of a file is 1 MiB.
_FRAME = 200  # Bytes that are counted for an empty frame, for the objects that hold it.
_GZIP = 31

_RECEIVE, _FRAME_LIMIT = Receiver.consume, WSHandler.max_message_size
_heard = -1e9


def limit_messages() -> None:
    """Limit every message. Calling this twice has no further effect."""
    Receiver.consume = _consume
    Deserializer._decode_bytes = _decode_bytes
    WSHandler.max_message_size = property(lambda self: min(_FRAME_LIMIT.fget(self), MOST_BYTES))


def last_heard() -> float:
    """The time of the last message from any browser to this process: seconds of the monotonic clock."""
    return _heard


async def _consume(self, fragment):
    global _heard
    _heard = time.monotonic()
    self._so_far = getattr(self, "_so_far", 0) + len(fragment) + _FRAME
    if self._so_far > MOST_BYTES:
        raise ValidationError(f"a message may have at most {MOST_BYTES} bytes")
    message = await _RECEIVE(self, fragment)
    if message is not None:
        self._so_far = 0
    return message


def _decode_bytes(self, obj):
    """Decode bytes of a message; packed bytes must be one gzip stream, and one limit applies to all together."""
    data = obj["data"]
    if not isinstance(data, str):
        return self._buffers[data["id"]].data if isinstance(data, dict) else data.data
    left = MOST_BYTES - getattr(self, "_unpacked", 0)
    unpacker = zlib.decompressobj(_GZIP)
    try:
        found = unpacker.decompress(base64.b64decode(data), left + 1)
    except (zlib.error, binascii.Error) as problem:
        raise ValueError("packed bytes of a message could not be unpacked") from problem
    if len(found) > left:
        self.error(f"a message may unpack to at most {MOST_BYTES} bytes")
    if unpacker.unused_data or not unpacker.eof:
        self.error("packed bytes of a message must be one whole gzip stream")
    self._unpacked = MOST_BYTES - left + len(found)
    return found
