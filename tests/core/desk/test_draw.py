"""The sampler that plans name is frozen: the same entropy gives the same noise, under NumPy 2.0.2 as under 2.4.6."""

import hashlib

import numpy as np
import pytest

from core.desk.drawn import Drawn
from core.discrete import gaussian, sampler
from core.parties.second_version import DRAWS

KNOWN = {
    1: ([0, -1, 2, -1, -1, 0], 288),
    3: ([1, 7, -5, 2, -2, -3], 408),
    1000: ([-761, 1240, -1619, -780, -1052, -873], 774),
    2**20: ([-389881, 1991322, -1645620, -913109, 466197, 1787950], 613),
}


class Tape:
    """Bytes that anybody can compute: SHA-256 of a counter."""

    def __init__(self):
        self.blocks = self.read = 0

    def bytes(self, count):
        found = b""
        while len(found) < count:
            found += hashlib.sha256(b"cape-lab draw" + self.blocks.to_bytes(8, "big")).digest()
            self.blocks += 1
        self.read += count
        return found[:count]


def drawn(std, size):
    tape = Tape()
    return gaussian.trusted((size,), std, rng=tape), tape.read


@pytest.mark.parametrize("std", KNOWN)
def test_known_answers(std):
    values, read = drawn(std, 6)
    assert (values.tolist(), read) == KNOWN[std]


def test_the_known_answer_of_a_long_draw():
    """If it fails, the sampler is another one: it gets a new name in `DRAWS`, and old plans keep the old one."""
    values, read = drawn(2058, 4096)
    found = hashlib.sha256(values.astype("<i8").tobytes()).hexdigest()
    assert (found, read) == ("5e07137c649e97803454993a019ead3b5166fcac341a9f16574bbcd94ca548ba", 155250)
    assert DRAWS == ("cape-lab discrete gaussian 1",)


def test_a_sampler_that_reads_its_bits_in_another_order_is_found(monkeypatch):
    """The planted fault: signs are drawn the other way round; the law is the same, the known answer is not."""
    half = sampler._half
    monkeypatch.setattr(sampler, "_half", lambda count, rng: half(count, rng)[::-1])
    assert any(drawn(std, 6)[0].tolist() != values for std, (values, _) in KNOWN.items())
    assert np.isfinite(drawn(3, 6)[0]).all()


def test_bits_of_a_run_are_frozen():
    """A folder that a later version goes on from draws the same: HKDF-SHA256 and ChaCha20, for each purpose its own."""
    secret = bytes(range(32))
    assert Drawn(secret, {"noise": [0, 1, 2]}).bytes(16).hex() == "e4d3726a4306a42b730b8a08af32f819"
    assert Drawn(secret, {"keys": "ab"}).bytes(16).hex() == "4508f8646168e498dcbd6160a89abaad"
    stream = Drawn(secret, {"noise": [0, 1, 2]})
    assert stream.bytes(5) + stream.bytes(11) == Drawn(secret, {"noise": [0, 1, 2]}).bytes(16)
