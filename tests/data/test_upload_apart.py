"""Files parsed in a process of their own: the same answers, and an end to what takes too much."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

from data import upload
from data.upload import UploadError, apart
from data.upload.apart import Cancelled, Parser


@pytest.fixture(scope="module")
def parser():
    found = Parser()
    yield found
    found.close()


def pieces(content):
    return [content[:7], content[7:]]


def large(megabytes):
    """A text that takes seconds to read."""
    return [b"some words\n" * 90_000] * megabytes


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"a,b,c,d,e\n1,2.5,x,true,\n3,,y,false,\n5,1,x,true,\n", "a.csv"),
        ("größe;b\n1,5;2\n3;4\n".encode("cp1252"), "a.csv"),
        (b"a\n123456789012345678901234567890\n18446744073709551615\n", "a.csv"),
        ("eins\n\nzwei \U0001d518\n".encode(), "a.txt"),
    ],
)
def test_a_file_is_read_as_it_is_read_here(parser, content, name):
    here, there = upload.read(content, name), parser.read(pieces(content), name).found
    if not isinstance(here, upload.Table):
        assert there == here
        return
    assert (there.name, there.notes, there.numeric) == (here.name, here.notes, here.numeric)
    for column in here.columns:
        np.testing.assert_array_equal(there.frame[column].to_numpy(), here.frame[column].to_numpy())
        assert there.frame[column].dtype == here.frame[column].dtype
    assert there.frame.index.equals(here.frame.index)


def test_one_process_reads_many_files_and_refuses_in_words(parser):
    parser.read(pieces(b"a,b\n1,2\n3,4\n"), "a.csv")
    pid = parser.pid
    for content, name, words in (
        (b"a,b\n1,2\n", "a.csv", "1 row of data"),
        (b"", "b.csv", "'b.csv' is empty"),
    ):
        with pytest.raises(UploadError, match=words):
            parser.read([content], name)
    with pytest.raises(UploadError, match=r"'a.csv'.*0.0 MB.*0 MB"):
        parser.read([b"1,2\n"], "a.csv", limits=upload.Limits(size=3))
    assert parser.pid == pid


def test_a_process_that_ended_while_it_waited_is_started_again(parser):
    parser.read(pieces(b"a,b\n1,2\n3,4\n"), "a.csv")
    os.kill(parser.pid, signal.SIGKILL)
    assert parser.read(pieces(b"a,b\n1,2\n3,4\n"), "a.csv").found.columns == ("a", "b")


@pytest.mark.parametrize(
    ("options", "word"),
    [({"seconds": 0.3}, "0.3"), pytest.param({"memory": 60_000_000}, "memory", marks=pytest.mark.slow)],
    ids=("seconds", "memory"),
)
def test_a_file_that_takes_too_long_or_too_much_is_given_up_and_the_next_one_is_read(options, word):
    parser = Parser(**options)
    try:
        with pytest.raises(UploadError, match=f"^'a.txt' .*{word}"):
            parser.read(large(12), "a.txt", limits=upload.Limits(rows=10**7))
        assert parser.read([b"a\nb\n"], "b.txt").found.texts == ("a", "b")
    finally:
        parser.close()


@pytest.mark.slow
def test_an_honest_table_is_read_within_six_times_its_size():
    # The bound of a server is 1.2 GB for a file of 200 MB: the same ratio at 11 MB.
    rng, rows = np.random.default_rng(0), 1000
    block = pd.DataFrame(rng.normal(50, 12, (rows, 24)).round(2)).add_prefix("mark ")
    block.insert(0, "school", rng.choice(["Alder", "Birch", "Cedar"], rows))
    block["absence"] = [f"{value} %" for value in rng.integers(0, 40, rows)]
    head, _, lines = block.to_csv(index=False).partition("\n")
    content = [f"{head}\n".encode(), *[lines.encode()] * 75]
    size = sum(map(len, content))
    parser = Parser(memory=round(size * apart.MEMORY / upload.Limits().size))
    try:
        found = parser.read(content, "schools.csv")
    finally:
        parser.close()
    assert found.found.frame.shape == (75 * rows, 26) and found.memory < 2 * size
    assert {one.name: one.sites for one in found.found.facts}["school"] == 3


def test_who_leaves_has_the_process_killed(parser):
    parser.read([b"a\nb\n"], "warm.txt")
    process, cancelled, content = parser.pid, threading.Event(), large(60)
    threading.Timer(0.3, cancelled.set).start()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        parser.read(content, "a.txt", limits=upload.Limits(rows=10**8), cancelled=cancelled)
    assert time.monotonic() - begun < 5
    assert parser.pid != process


def test_a_parser_that_is_closed_while_its_process_starts_starts_no_other():
    parser, found = Parser(), []

    def read():
        try:
            parser.read([b"a\nb\n"], "a.txt")
        except Cancelled as error:
            found.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    while parser.pid is None:
        time.sleep(0.001)
    parser.close()
    reader.join(5)
    assert len(found) == 1 and parser.pid is None
    with pytest.raises(Cancelled):
        parser.read([b"a\nb\n"], "a.txt")


def test_a_parser_that_rests_has_ended_its_process_and_reads_on_with_another(parser):
    parser.read([b"a\nb\n"], "a.txt")
    process, content, read = parser.pid, large(12), threading.Event()
    parser.rest()
    assert parser.pid is None
    reader = threading.Thread(
        target=lambda: parser.read(content, "b.txt", limits=upload.Limits(rows=10**8)) and read.set()
    )
    reader.start()
    while parser.pid is None:
        time.sleep(0.001)
    parser.rest()  # Once it has read.
    reader.join(60)
    assert read.is_set() and parser.pid is None != process


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGKILL, "ended"),
        (signal.SIGABRT, "memory"),
    ],
)
def test_a_process_that_dies_is_said_and_memory_is_named_only_if_it_was_the_cause(parser, number, words):
    parser.read([b"a\nb\n"], "warm.txt")
    content = large(60)
    threading.Timer(0.3, os.kill, (parser.pid, number)).start()
    with pytest.raises(UploadError, match=rf"^'a.txt' .*{words}") as raised:
        parser.read(content, "a.txt", limits=upload.Limits(rows=10**8))
    assert ("memory" in str(raised.value)) == (words == "memory")


def test_a_small_file_has_little_time_and_a_large_one_more():
    small = [apart.time_for(size) for size in (0, 1000, 999_999)]
    assert set(small) == {5} and apart.time_for(10**6) > 20 and apart.time_for(2 * 10**8) == 220


def test_without_processes_small_files_are_read_here(monkeypatch):
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    monkeypatch.setattr(apart, "MOST_HERE", 1000)
    parser = Parser()
    parser.warm()
    assert parser.pid is None
    assert parser.read(pieces(b"a,b\n1,2\n3,4\n"), "a.csv").found.columns == ("a", "b")
    with pytest.raises(UploadError, match=r"'a.csv'.* 0 MB.*process"):
        parser.read([b"1,2\n" * 300], "a.csv")
    with pytest.raises(UploadError, match="499 cells"):
        parser.read([b"1,2,3,4\n" * 125], "a.csv", limits=upload.Limits(expanded=3999))
