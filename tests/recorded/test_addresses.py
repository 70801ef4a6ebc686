"""Old addresses open the page, settings and numbers that were recorded before the pages were built anew.

A sample is replayed, with those numbers that come soon; all of it with `pytest tests/recorded --all-addresses`. Where the
numbers of a record are others by intention, or hang on the last digit of the noise, its "note" says why.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from recorded.opened import opened

from core.schemes import OFFERED

FOUND = json.loads((Path(__file__).parent / "addresses.json").read_text())
RECORDS = FOUND["addresses"]
OFFERED_THEN = FOUND["pages"]["pca"]["schemes"]
EVERY = 20  # One of so many belongs to the sample.
SOON = 0.8  # Seconds, as recorded, that numbers of the sample may take.
CLOSE = 1e-7  # Libraries of other machines round the last digits otherwise.


def expected(record):
    """All settings of a record: those in which it differs from the first address of its page, and the others.

    Where nobody chose schemes, those that are offered by now are there, too.
    """
    found = FOUND["pages"][record["page"]] | record["settings"]
    if "schemes" in found and "schemes=" not in record["address"]:
        found["schemes"] = found["schemes"].replace(OFFERED_THEN, ",".join(OFFERED))
    return found


def named(record):
    """The address of a record; the shape of unequal sites with which Gain opened is named, for it opens with another."""
    giant = expected(record).get("family") == "one giant"
    return f"{record['address']}&family=one+giant" if giant else record["address"]


def same(value, other):
    """Whether two entries of a table agree; what is not a finite number was recorded as None."""
    if isinstance(value, str) or isinstance(other, str):
        return value == other
    if value is None:
        return not math.isfinite(other)
    return other is not None and math.isclose(value, other, rel_tol=CLOSE, abs_tol=1e-12)


def lost(record, rows):
    """The recorded rows that a table does not have."""
    columns = record["columns"]
    table = [[row[name] for name in columns] for row in rows]
    return [row for row in record["rows"] if not any(all(map(same, row, other)) for other in table)]


def pytest_generate_tests(metafunc):
    """The sample, or all of them."""
    if "place" in metafunc.fixturenames:
        step = 1 if metafunc.config.getoption("--all-addresses") else EVERY
        metafunc.parametrize(
            "place", range(0, len(RECORDS), step), ids=lambda place: RECORDS[place]["address"][:60]
        )


def test_an_old_address_opens_what_it_opened(place, pytestconfig):
    record = RECORDS[place]
    soon = pytestconfig.getoption("--all-addresses") or record["seconds"] <= SOON
    numbers = bool(record.get("rows")) and soon
    page, settings, rows = opened(named(record), numbers=numbers, registered=record["registered"])
    assert page == record["page"]
    assert expected(record).items() <= settings.items()  # A page may have further settings by now.
    if numbers:
        assert lost(record, rows) == []


def test_every_page_is_recorded_with_numbers():
    with_numbers = {record["page"] for record in RECORDS if record.get("rows")}
    assert len(RECORDS) >= 200
    assert set(FOUND["pages"]) - with_numbers == {"glossary"}
    assert sum(bool(record.get("rows")) for record in RECORDS) > len(RECORDS) / 2


def test_another_number_or_a_row_less_is_noticed():
    record = next(record for record in RECORDS if record["page"] == "gain" and record.get("rows"))
    rows = [dict(zip(record["columns"], row, strict=True)) for row in record["rows"]]
    assert lost(record, rows) == [] and len(lost(record, rows[1:])) == 1
    last = record["columns"][-1]
    assert len(lost(record, [*rows[1:], rows[0] | {last: rows[0][last] * (1 + 1e-5)}])) == 1
