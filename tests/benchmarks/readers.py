"""Who reads which delimited file right: this project's reader, DuckDB, clevercsv, polars, pandas and `csv.Sniffer`.

    python -m tests.benchmarks.readers

Every reader has a process of its own within the memory of the parsing process. Others are asked for texts alone, with
all that they find out by themselves; right are names and cells. Of this project's reader the values must be right, too:
numbers as numbers, codes and words as texts. A reader that is not installed is left out.
"""

from __future__ import annotations

import importlib
import io
import math
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.delimited_files import Case, cases

MEMORY = 1_200_000_000


def ours(content: bytes, path: str) -> tuple[list[str], list[list]]:
    """Names, and values: gaps are None."""
    from data import upload
    from data.columns import notation

    table = upload.read(content, "a.csv")
    numbers = {name: notation.certain_numbers(table.frame[name]) for name in table.columns}
    columns = [
        table.frame[name].tolist() if found is None else found.tolist() for name, found in numbers.items()
    ]
    return list(table.columns), [
        [None if value != value else value for value in row] for row in zip(*columns, strict=True)
    ]


def duckdb(content: bytes, path: str) -> tuple[list[str], list[list]]:
    """Its sniffer, told nothing."""
    import duckdb

    found = duckdb.connect(config={"threads": 1, "memory_limit": "600MB"}).sql(
        f"SELECT * FROM read_csv('{path}', all_varchar = true)"
    )
    return list(found.columns), [list(row) for row in found.fetchall()]


def clevercsv(content: bytes, path: str) -> tuple[list[str], list[list]]:
    """Its dialect and its own test of a heading."""
    import clevercsv

    encoding = clevercsv.encoding.get_encoding(path)
    with Path(path).open(encoding=encoding, newline="") as stream:
        text = stream.read()
    dialect = clevercsv.Sniffer().sniff(text[:20_000])
    rows = list(clevercsv.reader(io.StringIO(text, newline=""), dialect))
    named = clevercsv.Sniffer().has_header(text[:20_000])
    return (rows[0] if named else [""] * len(rows[0])), rows[1:] if named else rows


def polars(content: bytes, path: str) -> tuple[list[str], list[list]]:
    """It looks for no separator."""
    import polars

    frame = polars.read_csv(path, infer_schema=False)
    return frame.columns, [list(row) for row in frame.rows()]


def pandas(content: bytes, path: str) -> tuple[list[str], list[list]]:
    """With sep=None it asks the standard library's sniffer."""
    import pandas

    frame = pandas.read_csv(path, sep=None, engine="python", dtype=str, keep_default_na=False)
    return [str(name) for name in frame.columns], frame.to_numpy().tolist()


def standard(content: bytes, path: str) -> tuple[list[str], list[list]]:
    """`csv.Sniffer`."""
    import csv

    text = content.decode()
    rows = [
        row for row in csv.reader(io.StringIO(text, newline=""), csv.Sniffer().sniff(text[:20_000])) if row
    ]
    named = csv.Sniffer().has_header(text[:20_000])
    return (rows[0] if named else [""] * len(rows[0])), rows[1:] if named else rows


READERS: dict[str, tuple[str, Callable]] = {
    "this project": ("data.upload", ours),
    "DuckDB": ("duckdb", duckdb),
    "clevercsv": ("clevercsv", clevercsv),
    "polars": ("polars", polars),
    "pandas": ("pandas", pandas),
    "csv.Sniffer": ("csv", standard),
}


def is_right(case: Case, found: tuple[list[str], list[list]], values: bool) -> bool:
    """Whether names, where there are any, and all cells are those of a case."""
    names, rows = found
    wanted = case.values if values else case.texts
    if len(rows) != len(wanted) or any(len(row) != len(wanted[0]) for row in rows):
        return False
    if any(
        name and name != given.strip() and case.names.count(name) == 1
        for name, given in zip(case.names, names, strict=True)
    ):
        return False
    same = _value if values else _text
    return all(
        same(a, b) for left, right in zip(rows, wanted, strict=True) for a, b in zip(left, right, strict=True)
    )


def _text(found, wanted):
    return (found or "").strip().replace("\r\n", "\n") == wanted


def _value(found, wanted):
    if isinstance(wanted, float) and isinstance(found, int | float):
        return math.isclose(found, wanted, rel_tol=1e-12)
    return found == wanted


def work(name: str, connection) -> None:
    """Read all files within the memory of the parsing process: right, wrong in silence, or refused."""
    module, read = READERS[name]
    began = time.perf_counter()
    try:
        importlib.import_module(module)
    except ImportError:
        connection.send(None)
        return
    loaded = time.perf_counter() - began
    pages = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (pages + MEMORY, pages + MEMORY))
    results, began = {}, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            path = Path(folder) / "a.csv"
            path.write_bytes(case.content)
            try:
                results[case.name] = (
                    "right"
                    if is_right(case, read(case.content, str(path)), name == "this project")
                    else "WRONG"
                )
            except BaseException as error:  # polars panics with an exception of its own.
                results[case.name] = "-" if not isinstance(error, KeyboardInterrupt) else "stopped"
    seconds = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    connection.send((results, loaded, seconds, memory))


def compare() -> dict[str, dict[str, str]]:
    """What every installed reader makes of every file, printed."""
    found = {}
    for name in READERS:
        mine, other = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(target=work, args=(name, other))
        process.start()
        other.close()
        try:
            found[name] = mine.recv()
        except EOFError:
            print(f"{name} ended within its limits")
        process.join()
    found = {name: one for name, one in found.items() if one is not None}
    results = {name: one[0] for name, one in found.items()}
    print(f"{'':42s}" + "".join(f"{name:>14s}" for name in found))
    for case in cases():
        print(f"{case.name:42s}" + "".join(f"{one.get(case.name, 'ended'):>14s}" for one in results.values()))
    for words in ("right", "WRONG", "-"):
        counts = [sum(result == words for result in one.values()) for one in results.values()]
        print(f"{ {'-': 'refused'}.get(words, words):42s}" + "".join(f"{count:14d}" for count in counts))
    for title, place, form in (
        ("import, s", 1, "14.2f"),
        ("all files, s", 2, "14.2f"),
        ("memory, MB", 3, "14d"),
    ):
        print(f"{title:42s}" + "".join(f"{one[place]:{form}}" for one in found.values()))
    return results


if __name__ == "__main__":
    compare()
