"""Uploads: what is right is read exactly, what is wrong is refused in words, and nothing else is raised."""

import io
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from data import upload
from data.upload import Limits, UploadError
from data.upload.plain import encoding_of

SMALL = Limits(size=10_000, expanded=20_000, rows=20, columns=8, document=50)


def csv(text, name="a.csv", encoding="utf-8", **options):
    return upload.read(text.encode(encoding), name, **options)


def npz(compressed=False, **named):
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, **named)
    return buffer.getvalue()


# Tables that are right


FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64)


@settings(deadline=None, max_examples=30)
@given(
    arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(2, 4)), elements=FINITE),
    st.sampled_from([(",", "."), (";", "."), (";", ","), ("\t", "."), ("\t", ","), ("|", ".")]),
    st.booleans(),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_numbers_survive_every_way_of_writing_them(records, style, named, encoding, newline):
    separator, decimal = style
    frame = pd.DataFrame(records, columns=[f"größe {i}" for i in range(records.shape[1])])
    form = {"sep": separator, "decimal": decimal, "float_format": "%.17e", "lineterminator": newline}
    text = frame.to_csv(header=named, index=False, **form)
    table = csv(text, encoding=encoding)
    np.testing.assert_allclose(table.records(), records, rtol=1e-15)
    numbered = tuple(f"column {i + 1}" for i in range(records.shape[1]))
    assert table.columns == (tuple(frame.columns) if named else numbered)


@pytest.mark.parametrize(
    ("text", "columns", "records"),
    [
        ("1,2\n3,4\n", ("column 1", "column 2"), [[1, 2], [3, 4]]),
        ("x\n1\n2\n", ("x",), [[1], [2]]),
        ("1\n2\n3", ("column 1",), [[1], [2], [3]]),
        ("a b\n1 2\n3 4\n", ("a", "b"), [[1, 2], [3, 4]]),
        ("a;b\n1,5;2\n3;4,25\n", ("a", "b"), [[1.5, 2], [3, 4.25]]),
        ("a,a,\n1,2,3\n4,5,6\n", ("a", "a (2)", "column 3"), [[1, 2, 3], [4, 5, 6]]),
        ('"x, y","z"\n1,2\n3,4\n', ("x, y", "z"), [[1, 2], [3, 4]]),
        ("a,b\n\n1,2\n\n3,4\n\n", ("a", "b"), [[1, 2], [3, 4]]),
        ("ok,b\ntrue,2\nfalse,4\n", ("ok", "b"), [[1, 2], [0, 4]]),
        ("a, b\n 1, -2e3\n+3, .5\n", ("a", "b"), [[1, -2000], [3, 0.5]]),
        ("a\n123456789012345678901234567890.5\n2\n", ("a",), [[123456789012345678901234567890.0], [2]]),
        ('a,b\n"1,5",2\n"1,234",4\n', ("a", "b"), [[1.5, 2], [1.234, 4]]),
        ("a;b\n1,234;2\n3;4\n", ("a", "b"), [[1.234, 2], [3, 4]]),
    ],
)
def test_small_tables(text, columns, records):
    table = csv(text)
    assert table.columns == columns
    np.testing.assert_allclose(table.records(), records)


def test_a_header_of_numbers_can_be_said():
    assert csv("21,22\n1,2\n3,4\n").records().shape == (3, 2)
    table = csv("21,22\n1,2\n3,4\n", header=True)
    assert table.columns == ("21", "22")
    text = "a,b\nc,d\n"
    assert len(csv(text, header=False).frame) == 2


def test_what_was_found_out_is_said():
    notes = csv("größe;b\n1,5;2\n3;4\n", encoding="cp1252").notes
    assert len(notes) == 3 and all(map(str.__contains__, notes, ("UTF-8", "semicolon", "comma")))
    assert "No header" in csv("1,2\n3,4\n").notes[0]
    assert "'a' occurs more" in csv("a,a\n1,2\n3,4\n").notes[0]


def test_text_columns_are_told_from_numbers_and_left_out_by_choice():
    text = "city,age,income\nParis,30,1.5\nRome,40,2.5\n"
    table = csv(text)
    assert table.numeric == ("age", "income")
    assert table.text == ("city",)
    np.testing.assert_array_equal(table.records(["income", "age"]), [[1.5, 30], [2.5, 40]])
    np.testing.assert_array_equal(table.values("age"), [30, 40])


def test_a_column_of_sites_divides_the_records():
    text = "site,x,y\nB,1,10\nA,2,20\nB,3,30\n"
    table = csv(text)
    parts = table.sites("site")
    assert parts.names == ("A", "B")
    np.testing.assert_array_equal(parts[1], [[1, 10], [3, 30]])
    features, target = table.sites("site", target="y")[0]
    np.testing.assert_array_equal(features, [[2]])
    np.testing.assert_array_equal(target, [20])
    numbered = csv("site,x\n7,1\n8,2\n7,3\n").sites("site")
    assert numbered.names == ("7", "8")


def test_a_text_column_becomes_documents():
    texts = ("some words here", "other words")
    content = f"id,text\n1,{texts[0]}\n2,\n3,{texts[1]}\n"
    documents = csv(content).documents("text")
    assert documents.texts == texts
    assert documents.names == ("row 1", "row 3")
    assert documents.dropped == 1


def test_text_is_one_document_a_line():
    content = "erste Zeile\r\n\r\nzweite  \x85 Zeile\rdritte\n".encode()
    documents = upload.read(content, "notes.txt")
    assert documents.texts == ("erste Zeile", "zweite  \x85 Zeile", "dritte")
    assert documents.names == ("line 1", "line 3", "line 4")
    assert documents.dropped == 1


# Tables that are wrong


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n3,x\n", "text where numbers are needed: 'b'. The first is 'x' in row 2, column 'b'"),
        ("a,b\n1,2\n3,\n", "no value in row 2, column 'b'"),
        ("a,b\n1,NA\nnan,4\n", r"no value in row 1, column 'b' \(and 1 more such cells\)"),
        ("a,b\n1,inf\n3,4\n", "an infinite value in row 1, column 'b'"),
        ("a,b\n1,1.0e999\n3,4\n", "an infinite value in row 1, column 'b'"),
        ("a,b\n1,2\n3\n5,6\n", "no value in row 2, column 'b'"),
        ("a,b\n1,2\n3,4\n5,6,7\n", "line 4 has 3 values where 2 were expected"),
        ("a,b\n1,2,3\n4,5,6\n", "3 values in its second line but 2 in its first"),
        ('a,b\n1,"2\n3,4\n', "quotation mark is opened and never closed"),
        ("a,b\n1," + "9" * 400 + "\n3,4\n", "text where numbers are needed: 'b'"),
        ("a,b\n1," + "9" * 401 + "\n3,4\n", "text where numbers are needed: 'b'"),
        ('a,b\n"1,234",2\n3,4\n', "text where numbers are needed: 'a'. The first is '1,234' in row 1"),
        ("a,b\n", "0 rows of data; at least 2"),
        ("a,b\n1,2\n", "1 row of data; at least 2"),
        ("\n\n\n", "no values"),
        ("   ", "no values"),
        (",,\n,,\n,,\n", "no value"),
    ],
)
def test_wrong_tables_are_refused_where_they_are_wrong(text, words):
    with pytest.raises(UploadError, match=words):
        csv(text).records()


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (b"", "a.csv", r"'a.csv' is empty \(0 bytes\)"),
        (b"1,2", "table.xyz", "'table.xyz' is of no kind that can be read. Wanted: .csv"),
        (b"1,2", "table.xlsx", "'table.xlsx' is not a complete workbook"),
        (b"1,2", "table.npy", "'table.npy' is not a complete NPY file"),
        (b"1,2", "table", "of no kind"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a.csv", "looks like a binary file"),
        (b"\xef\xbb\xbf\xff\xfe", "a.csv", "neither UTF-8 nor UTF-8-SIG"),
        (b"caf\x81,b\n1,2\n", "a.csv", "neither UTF-8 nor CP1252 text .byte 4"),
        (b"\n \n", "a.txt", "every line is blank"),
        (b"x\0y", "a.txt", "binary file"),
    ],
)
def test_wrong_files_are_refused(content, name, words):
    with pytest.raises(UploadError, match=words):
        upload.read(content, name)


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (b"1" * 10_001, "a.csv", "0.0 MB; at most"),
        (b"1,2\n" * 21, "a.csv", "more than 20 rows"),
        (b"1,2,3,4,5,6,7,8,9\n" * 3, "a.csv", "9 columns; at most 8"),
        (b"1,2\n" * 43, "a.csv", "43 lines, and so more than 20 rows"),
        (b"word\n" * 21, "a.txt", "21 lines; at most 20"),
        (b"w" * 51, "a.txt", "51 characters in line 1; a document, one a line, has at most 50"),
        (npz(x=np.zeros((2, 9))), "a.npz", "9 columns; at most 8"),
        (npz(x=np.zeros((21, 2))), "a.npz", "more than 20 rows"),
        (npz(True, x=np.zeros((3000, 1))), "a.npz", "would expand"),
        (npz(**{f"x{i}": np.zeros(2) for i in range(9)}), "a.npz", "9 arrays"),
    ],
)
def test_limits_are_arguments(content, name, words):
    with pytest.raises(UploadError, match=words):
        upload.read(content, name, limits=SMALL)


@pytest.mark.parametrize(
    ("content", "name", "limits", "words"),
    [
        (b"a,b\n" + b"1" * 101, "a.csv", Limits(line=100), "101 characters in line 2; a line of a table has"),
        (b"1,2,3\n" * 35, "a.csv", Limits(expanded=800), "35 lines of 3 columns; at most 100 cells"),
        ("é€".encode() * 25 + b"\n", "a.txt", Limits(expanded=100), "more than 0 MB of memory"),
        (
            npz(x=np.zeros((100, 2), dtype=np.int8)),
            "a.npz",
            Limits(expanded=1500),
            "would take 0 MB as a table",
        ),
        (npz(x=np.array(["a", "b"] * 50)), "a.npz", Limits(expanded=1500), "would take 0 MB as a table"),
    ],
)
def test_sizes_are_counted_before_anything_is_made_of_a_file(content, name, limits, words, monkeypatch):
    for where, what in ((pd, "read_csv"), (pd, "DataFrame"), (np.lib.format, "read_array")):
        monkeypatch.setattr(where, what, lambda *a, **k: pytest.fail("a table was begun"))
    with pytest.raises(UploadError, match=words):
        upload.read(content, name, limits=limits)


@pytest.mark.parametrize(
    "arguments", [("a.csv",), (Path("a.csv"),), (Path("a.csv"), "a.csv"), (b"1,2",), (b"1", 3)]
)
def test_what_is_no_file_is_said_by_the_name_of_the_argument(arguments):
    words = (
        r"name must be the name of the file"
        if isinstance(arguments[0], bytes)
        else "content must be the bytes"
    )
    with pytest.raises(TypeError, match=words):
        upload.read(*arguments)


@pytest.mark.parametrize("encoding", ["utf-32", "utf-16", "utf-8-sig"])
def test_wide_encodings_are_told_apart_by_their_marks(encoding):
    table = csv("größe,b\n1,2\n3,4\n", encoding=encoding)
    assert table.columns == ("größe", "b") and table.numeric == table.columns
    assert upload.read("über\nunter\n".encode(encoding), "a.txt").texts == ("über", "unter")


def test_a_column_that_turns_to_text_late_is_text_as_it_is_written():
    rows = 60_000  # More than pandas looks at together.
    lines = ["1.50,1,true"] * rows + ["x,2.5,0"]
    text = "a,b,c\n" + "\n".join(lines)
    frame = csv(text).frame
    assert frame.a.iloc[0] == "1.50" and frame.a.iloc[-1] == "x" and frame.c.iloc[0] == "true"
    assert frame.b.iloc[0] == 1 and frame.b.iloc[-1] == 2.5


def test_many_columns_of_one_name_are_numbered():
    table = csv(",".join(["a", "a (3)", *["a"] * 4998]) + "\n" + ("1," * 4999 + "2\n") * 2)
    assert table.columns[:5] == ("a", "a (3)", "a (2)", "a (4)", "a (5)")
    assert len(set(table.columns)) == 5000


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t: t.records(["age", "hight"]), "no column 'hight'; it has 'site', 'age', 'one'"),
        (lambda t: t.records([]), "choose at least one column"),
        (lambda t: t.sites("one"), "names one site only"),
        (lambda t: t.sites("gap"), "names no site in 1 rows; the first is row 2, column 'gap'"),
        (lambda t: t.values("site"), "'A' in row 1, column 'site'"),
        (lambda t: t.documents("none"), "column 'none' .* is empty"),
    ],
)
def test_wrong_choices_are_refused(call, words):
    text = "site,age,one,gap,none\nA,1,z,p,\nB,2,z,,\n"
    with pytest.raises(UploadError, match=words):
        call(csv(text))


def test_messages_stay_short_and_on_one_line():
    evil = "<img src=x onerror=alert(1)>" * 50
    with pytest.raises(UploadError) as error:
        csv(f'a\n1\n"{evil}\n{evil}"\n', name="../../etc/" + "n" * 500 + ".csv").records()
    assert len(str(error.value)) < 300
    assert "\n" not in str(error.value)
    assert "etc" not in str(error.value)


# Anything at all


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.tsv", "a.txt", "a.npz"]))
def test_any_bytes_are_read_or_refused(content, name):
    try:
        result = upload.read(content, name, limits=SMALL)
        if isinstance(result, upload.Table):
            result.records()
    except UploadError as error:
        assert str(error)


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="1a.,;\t| \"'\n\r-eé<NA", max_size=80), st.sampled_from(["a.csv", "a.tsv"]))
def test_any_text_is_read_or_refused(text, name):
    try:
        records = csv(text, name, limits=SMALL).records()
        assert np.isfinite(records).all()
    except UploadError as error:
        assert str(error)


def test_errors_are_value_errors():
    assert issubclass(UploadError, ValueError)
    assert zlib.error not in UploadError.__mro__
    assert set(upload.KINDS) == {"csv", "tsv", "xlsx", "xlsm", "ods", "npz", "npy", "txt"}


def test_bounds_are_at_hand():
    clipped = upload.clip(csv("a,b\n3,4\n0,1\n").records(), 1.0)
    np.testing.assert_allclose(clipped.records, [[0.6, 0.8], [0, 1]], atol=1e-14)
    assert clipped.clipped == 1


def test_letters_cut_by_the_pieces_a_file_is_looked_through_in_are_whole():
    for start in range(4):
        content = b"a" * (2**20 - start) + "é €,1\n".encode() + "ü,2\n".encode()
        assert encoding_of(content, "'f'") == ("utf-8", "")
        wide = "\ufeff" + "a" * (2**19 - start) + "𝔘,1\nb,2\n"
        assert encoding_of(wide.encode("utf-16-le"), "'f'") == ("utf-16", "Read as UTF-16.")


def test_a_byte_that_fits_nowhere_is_counted_from_the_start_of_the_file():
    content = b"a" * (2**20 + 10) + "é".encode("cp1252") + b"\x81,1\n"
    with pytest.raises(UploadError, match=f"byte {2**20 + 12:,} fits neither"):
        encoding_of(content, "'f'")
    with pytest.raises(UploadError, match="not text"):
        encoding_of(b"a" * (2**20 + 10) + b"\x01", "'f'")


def test_a_line_of_empty_cells_is_no_header():
    assert csv(",\nage,x\n1,2\n3,4\n").columns == ("age", "x")
