"""NPZ files: arrays side by side, and what is damaged or hostile is refused before anything is expanded."""

import io
import pickle
import struct
import zipfile

import numpy as np
import pytest

from data import upload
from data.columns import survey
from data.upload import Limits, UploadError


def npz(compressed=False, **named):
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, **named)
    return buffer.getvalue()


@pytest.mark.parametrize("compressed", [False, True])
def test_arrays_of_an_npz_stand_side_by_side(compressed):
    x, y = np.arange(6.0).reshape(3, 2), np.array([1, 0, 1], dtype=np.int8)
    table = upload.read(npz(compressed, X=x, y=y, site=np.array(["a", "b", "a"])), "a.NPZ")
    assert table.columns == ("X[0]", "X[1]", "y", "site")
    np.testing.assert_array_equal(table.records(["X[0]", "X[1]", "y"]), np.column_stack([x, y]))
    assert table.sites("site", ["y"]).names == ("a", "b")


def test_npz_in_column_order_and_odd_types():
    x = np.asfortranarray(np.arange(6, dtype=">f4").reshape(2, 3))
    np.testing.assert_array_equal(upload.read(npz(X=x), "x.npz").records(), x)


@pytest.mark.parametrize("kind", [">f8", ">f4", ">i2", ">u4", "<f2", ">f2", "g", "u8", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_of_any_size_and_order_of_bytes_are_read_and_described(kind, order):
    x = np.arange(12).reshape(4, 3).astype(kind).copy(order)
    table = upload.read(npz(x=x), "x.npz")
    np.testing.assert_array_equal(table.records(), x.astype(float))
    assert [fact.gaps for fact in survey(table.frame)] == [0, 0, 0]


def test_whole_numbers_of_64_bits_name_sites_apart():
    codes = np.array([2**63 + 1, 2**63 + 2] * 2, dtype=np.uint64)
    assert upload.read(npz(site=codes, y=np.arange(4.0)), "x.npz").sites("site").names == (
        str(2**63 + 1),
        str(2**63 + 2),
    )


@pytest.mark.parametrize(
    "cells, texts",
    [
        (np.array([b"Z\xc3\xbcrich", b"Bern"]), ["Zürich", "Bern"]),
        (np.array(["Oslo", "Bern"], dtype=">U4"), ["Oslo", "Bern"]),
        (np.array(["2024-02-29", "1999-12-31"], dtype="M8[D]"), ["2024-02-29", "1999-12-31"]),
        (np.array(["2024-02-29T00:00", "1999-12-31T00:00"], dtype="M8[ns]"), ["2024-02-29", "1999-12-31"]),
        (np.array(["2024-02-29", "NaT"], dtype=">M8[s]"), ["2024-02-29", None]),
        (np.array(["2024-02-29T07:30", "NaT"], dtype="M8[m]"), ["2024-02-29T07:30", None]),
    ],
)
def test_bytes_and_dates_are_read_as_text(cells, texts):
    frame = upload.read(npz(cells=cells), "x.npz").frame
    assert [None if cell != cell else cell for cell in frame["cells"]] == texts


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((5, 0)),
        np.zeros((0, 2)),
        np.zeros(5, dtype="m8[s]"),
        np.zeros(5, dtype=complex),
        np.zeros(5, dtype=[("a", "f8")] * 1),
        np.array([b"\xff\xfe", b"ab"]),
        np.array([0x110000, 65], dtype=np.uint32).view("U1"),
        np.array([0xFFFFFFFF, 65], dtype=np.uint32).view("U1"),
    ],
    ids=lambda array: f"{array.dtype.str}{array.shape}",
)
def test_what_cannot_be_read_is_named(array):
    with pytest.raises(UploadError, match=r"row|column|array 'x'"):
        upload.read(npz(x=array), "a.npz")


class Exploit:
    def __reduce__(self):
        return (pytest.fail, ("an upload was unpickled",))


def header(kind, shape):
    return f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}"


def member(header, body=b"", name="x.npy", version=b"\x01\x00", packed=zipfile.ZIP_DEFLATED):
    """An NPZ with one array whose header is written by hand."""
    line = header.encode() + b"\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packed) as archive:
        archive.writestr(name, b"\x93NUMPY" + version + struct.pack("<H", len(line)) + line + body)
    return buffer.getvalue()


def test_objects_are_never_unpickled():
    objects = np.array([Exploit(), 1], dtype=object)
    with pytest.raises(UploadError, match="Python objects"):
        upload.read(npz(x=objects), "a.npz")
    # An object array behind a header written by hand, and a bare pickle, do not get there either.
    with pytest.raises(UploadError):
        upload.read(member(header("|O", "(2,)"), pickle.dumps(objects)), "a.npz")
    with pytest.raises(UploadError):
        upload.read(pickle.dumps(Exploit()), "a.npz")


def test_a_zip_bomb_is_refused_before_it_is_opened(monkeypatch):
    content = npz(True, x=np.zeros(2_000_000))
    assert len(content) < 20_000
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *a, **k: pytest.fail("a member was opened"))
    with pytest.raises(UploadError, match=r"16 MB.*1 MB"):
        upload.read(content, "a.npz", limits=Limits(expanded=1_000_000))


def test_a_bomb_that_lies_about_its_size_is_refused():
    content = bytearray(npz(True, x=np.zeros(2_000_000)))
    true = struct.pack("<L", 2_000_000 * 8 + 128)
    assert content.count(true) >= 1
    lied = bytes(content).replace(true, struct.pack("<L", 800))
    with pytest.raises(UploadError):
        upload.read(lied, "a.npz", limits=Limits(expanded=1_000_000))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04nonsense", "not a complete NPZ file"),
        (npz(), "does not hold arrays alone"),
        (member(header("<f8", "(9, 9)"), bytes(16)), "declares more numbers"),
        (member(header("<f8", "(-1, 2)")), "NPZ"),
        (member("{'descr': '<f8', 'shape': (2,)}", bytes(16)), "not a complete NPZ"),
        (member("__import__('os').abort()", bytes(16)), "not a complete NPZ"),
        (member(header("<c16", "(2,)"), bytes(32)), "type complex128"),
        (member(header("<f8", "(2,)"), bytes(16), version=b"\x03\x00"), "unusual"),
        (member("x", name="x.py"), "does not hold arrays alone"),
        (npz(x=np.zeros((2, 2, 2))), r"shape \(2, 2, 2\)"),
        (npz(x=np.zeros(())), r"shape \(\)"),
        (npz(x=np.zeros(3), y=np.zeros(4)), r"differ in their number of rows: 'x' \(3,\), 'y' \(4,\)"),
        (npz(x=np.zeros((3, 0))), "column"),
        (member(header("<U0", "(1000000000,)")), "holds texts without a letter"),
        (member(header("<f8", "(2,)"), bytes(16), packed=zipfile.ZIP_BZIP2), "packed in an unusual way"),
        (b"PK\x01\x02" * 20_000, "20.000 arrays; at most"),
        (npz(**{k: np.zeros(2) for k in ("indices", "indptr", "data", "shape", "format")}), "sparse matrix"),
    ],
)
def test_wrong_npz_files_are_refused(content, words):
    with pytest.raises(UploadError, match=words):
        upload.read(content, "a.npz")


def test_non_finite_entries_of_an_npz_are_found():
    x = np.zeros((4, 3))
    x[2, 1] = np.nan
    with pytest.raises(UploadError, match=r"3, column 'X\[1\]'"):
        upload.read(npz(X=x), "a.npz").records()


def test_every_truncation_and_flipped_byte_is_refused_or_read_right():
    x = np.arange(12.0).reshape(4, 3)
    for compressed in (False, True):
        content = npz(compressed, X=x)
        for cut in range(0, len(content), 7):
            with pytest.raises(UploadError):
                upload.read(content[:cut], "a.npz")
        for place in range(0, len(content), 3):
            broken = bytearray(content)
            broken[place] ^= 0x10
            try:
                table = upload.read(bytes(broken), "a.npz")
            except UploadError:
                continue
            # What the checksum does not cover (dates, names) may differ; the numbers may not.
            np.testing.assert_array_equal(table.frame.to_numpy(), x)


@pytest.mark.parametrize(
    ("arrays", "names"),
    [
        ({"x": np.ones((3, 2)), "x[0]": np.zeros(3)}, ["x[0] (2)", "x[1]", "x[0]"]),
        ({"Zu\u0308": np.ones(3), "Zü": np.zeros(3)}, ["Zü", "Zü (2)"]),
    ],
)
def test_arrays_of_one_name_become_columns_of_two(arrays, names):
    frame = upload.read(npz(**arrays), "a.npz").frame
    assert sorted(frame) == sorted(names)
    assert len(survey(frame)) == len(names)
