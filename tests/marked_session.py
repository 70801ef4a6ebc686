"""A program: one session computes on a table of marked rows and ends; then what is left in memory can be read.

It prints a line of JSON, {"pids": [...]} of its workers and its parser, once before and once after the end, and waits
for a line after each.
"""

from __future__ import annotations

import asyncio
import json
import sys

from sessions import Session, until

from core.sweep import workers
from dashboard.own_table.file import PARSER
from dashboard.session.app import App
from data.columns import Column, Description

ROWS, WORD = 20_000, "marked-{:05d}-{:05d}"


def content(rows: int) -> bytes:
    """A table; the cell of a row's mark is no other's."""
    lines = [f"{WORD.format(i, i * 7919 % 100_003)},{'abc'[i % 3]},{i % 97},{i % 89}" for i in range(rows)]
    return "\n".join(["mark,home,age,weight", *lines, ""]).encode()


def described() -> Description:
    """Its columns, with public bounds."""
    numbers = (Column(name, lower=0.0, upper=100.0) for name in ("age", "weight"))
    return Description(
        (Column("mark", "category", used=False), Column("home", "category", used=False), *numbers), "home"
    )


async def session(rows: int) -> None:
    """One session from its beginning to its end."""
    made = []

    def build(document):
        made.append(App({"page": "pca"}))
        made[0].page.set({"k": 1, "repeats": 2})
        made[0].frame.server_doc(document)

    async with Session(build) as one:
        one.loaded()
        await used(one, made.pop(), rows)
        say()
        await one.end()


async def used(one, app, rows):
    page, own = app.page, app.page.own_table.data
    page.own_table.ask()
    pieces, size = content(rows), 1 << 20
    await one.locked(lambda: own.take(described()))
    await one.locked(
        lambda: own.receive("marked.csv", [pieces[i : i + size] for i in range(0, len(pieces), size)])
    )
    await until(lambda: own.sheet is not None or own.problem)
    assert not own.problem, own.problem
    await one.locked(own.use)
    await until(lambda: own.used is not None or own.objection)
    assert not own.objection, own.objection
    await until(lambda: page.runs.state == "finished", seconds=120)


def say() -> None:
    """Print whose memory to read, and wait."""
    pids = [*workers.default().pids, *([PARSER.pid] if PARSER.pid else [])]
    print(json.dumps({"pids": pids}), flush=True)
    sys.stdin.readline()


async def main(rows: int) -> None:
    """A session, then time for what follows an end."""
    workers.default(modules=("dashboard.pages",)).warm()
    await session(rows)
    await asyncio.sleep(5)
    say()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS))
