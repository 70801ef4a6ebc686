"""What small objects leave in memory is overwritten."""

from __future__ import annotations

import ctypes
import sys

import pytest

from core.sweep.workers import freed


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="reads memory of CPython")
def test_what_texts_leave_is_overwritten_beside_texts_that_stay():
    """Every tenth text stays, so that no place of the others is given back, and all of them may be read."""
    texts = [f"a marked text {i:06d}" for i in range(30_000)]
    kept, content = texts[::10], texts[1].encode()[:14]
    places = [id(text) + texts[0].__sizeof__() - len(texts[0]) - 1 for i, text in enumerate(texts) if i % 10]
    texts.clear()

    def readable():
        return sum(ctypes.string_at(place, len(content)) == content for place in places)

    before = readable()
    freed.overwrite()
    assert before > 20_000 and readable() <= 0.01 * len(places)
    assert kept[7] == "a marked text 000070"
