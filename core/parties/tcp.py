"""Parties over TCP: each runs in a process of its own, on one machine or inside a protected network.

Sites connect to the aggregator, and to the trusted party if the plan needs one; the trusted party connects to the
aggregator. A frame is its length (4 bytes, little-endian) and a message; the first frame of a connection is the name
of the party that opened it. Nothing here encrypts or authenticates: outside one machine, put TLS around it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np

from core import check
from core.parties.aggregator import Aggregator
from core.parties.messages.letter import AGGREGATOR, TRUSTED, receiver
from core.parties.messages.refusals import Refused, TooFewSites
from core.parties.site import Site
from core.parties.trusted import TrustedParty
from core.schemes import Release

_LENGTH = struct.Struct("<I")
_GOODBYE = 5.0  # Seconds that others have to read what was sent last.
_GREETING = 10.0  # Seconds that who connects has to say its name, at most.
_LOG = logging.getLogger(__name__)
Endpoint = tuple[str, int]


@check.arguments
def run_aggregator(aggregator: Aggregator, endpoint: tuple, *, patience: float = 30.0) -> Release:
    """Listen until the average is released.

    Parameters
    ----------
    aggregator : Aggregator
    endpoint : (host, port)
    patience : float
        Seconds after which a round ends without the sites that have not answered. Who connects has as long, and at most
        ten, to say its name.

    Raises
    ------
    TooFewSites
        If too few sites answer in time.
    """
    return asyncio.run(_aggregate(_Desk(aggregator, patience), _endpoint("endpoint", endpoint), patience))


@check.arguments
def run_trusted(party: TrustedParty, endpoint: tuple, aggregator: tuple, *, patience: float = 30.0) -> None:
    """Listen for sites until the aggregator, which is at the endpoint `aggregator`, closes the connection."""
    ends = _endpoint("endpoint", endpoint), _endpoint("aggregator", aggregator)
    asyncio.run(_trust(_Desk(party, patience), *ends, patience))


@check.arguments
def run_site(
    site: Site, aggregator: tuple, trusted: tuple | None = None, *, keep: Path | None = None
) -> np.ndarray:
    """Take part until the average has come, and return it.

    Parameters
    ----------
    site : Site
        New, or restored from a state that was kept.
    aggregator, trusted : (host, port)
        The trusted party's only if the plan needs one.
    keep : Path, optional
        Where the state is written, for the owner alone, before anything that depends on it is sent. `Site.restore`
        reads it. Without it a program that is started again within one release draws other noise: its statistic is
        then seen twice, and the stated μ does not hold.

    Raises
    ------
    ValueError
        If a state is kept there and the site is new: what the earlier one sent may be on its way, and is charged.
    ConnectionError
        If the connection ends before the average has come.
    """
    ends = {AGGREGATOR: _endpoint("aggregator", aggregator)}
    if site.plan.needs_trusted:
        if trusted is None:
            raise ValueError("trusted must be given because the plan needs a trusted party, got None")
        ends[TRUSTED] = _endpoint("trusted", trusted)
    if keep is not None and site.phase == "new" and keep.exists():
        raise ValueError(
            f"keep must have no state yet for a new site {site.number}, got a file: Site.restore goes on from it"
        )
    return asyncio.run(_take_part(site, ends, keep))


class _Desk:
    """A party that listens: its connections, and what it sent to each last."""

    def __init__(self, party: Aggregator | TrustedParty, patience: float):
        self.party, self.greeting = party, min(patience, _GREETING)
        self.lines: dict[str, asyncio.StreamWriter] = {}
        self.last: dict[str, bytes] = {}
        self.moved = asyncio.Event()
        self.served: set[asyncio.Task] = set()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        task = asyncio.current_task()
        assert task is not None
        self.served.add(task)
        try:
            name = (await asyncio.wait_for(_frame(reader, 64), self.greeting)).decode("ascii", "replace")
            if name not in self._names():
                return
            self.lines[name] = writer
            if name in self.last:  # It came back: what it was sent last may have been lost.
                _put(writer, self.last[name])
            await self.listen(reader, name)
        # Cancelled: the program ends while somebody is still connected.
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.served.discard(task)
            writer.close()

    async def part(self) -> None:
        """Say that nothing more comes, and wait until the others have read everything and closed their ends."""
        for line in self.lines.values():
            if not line.is_closing():
                line.write_eof()
        if self.served:
            await asyncio.wait(self.served, timeout=_GOODBYE)
        for line in self.lines.values():
            line.close()

    async def listen(self, reader: asyncio.StreamReader, name: str) -> None:
        """Take every message that comes."""
        while True:
            data = await _frame(reader, _most(self.party))
            try:
                self.send(self.party.receive(data))
            except (Refused, ValueError) as error:
                _LOG.warning("%s refused a message from %s: %s", self.party.kind, name, error)
            except TooFewSites:
                pass  # The round goes on until its time has passed.

    def send(self, messages) -> None:
        """Send messages to whom they are for, or keep them until that party connects."""
        for data in messages:
            name = str(receiver(data))
            self.last[name] = data
            if name in self.lines and not self.lines[name].is_closing():
                _put(self.lines[name], data)
        self.moved.set()

    async def wait(self, patience: float) -> None:
        """Wait for a message, and end the round if none came in time."""
        self.moved.clear()
        try:
            await asyncio.wait_for(self.moved.wait(), patience)
        except TimeoutError:
            self.send(self.party.close())

    def _names(self):
        return {*map(str, self.party.plan.numbers), TRUSTED}


async def _aggregate(desk: _Desk, endpoint: Endpoint, patience: float) -> Release:
    server = await asyncio.start_server(desk.answer, *endpoint)
    try:
        while desk.party.result is None:  # type: ignore[union-attr]
            before = desk.party.phase, desk.party.attempt
            try:
                await desk.wait(patience)
            except TooFewSites:
                if (desk.party.phase, desk.party.attempt) == before:
                    raise
        return desk.party.result  # type: ignore[union-attr]
    finally:
        server.close()
        await desk.part()


async def _trust(desk: _Desk, endpoint: Endpoint, aggregator: Endpoint, patience: float) -> None:
    reader, writer = await _connected(aggregator, TRUSTED)
    desk.lines[AGGREGATOR] = writer  # Before a site is heard: what it sends has an answer for the aggregator.
    server = await asyncio.start_server(desk.answer, *endpoint)
    ended = asyncio.ensure_future(reader.read())
    try:
        while not ended.done():
            waiting = asyncio.ensure_future(desk.wait(patience))
            await asyncio.wait({ended, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                if (error := waiting.exception()) and not isinstance(error, TooFewSites):
                    raise error
            else:
                waiting.cancel()
    finally:
        server.close()
        await desk.part()


async def _take_part(site: Site, ends: dict[str, Endpoint], keep: Path | None) -> np.ndarray:
    incoming: asyncio.Queue[bytes | None] = asyncio.Queue()
    lines, tasks = {}, []
    for name, end in ends.items():
        reader, lines[name] = await _connected(end, str(site.number))
        tasks.append(asyncio.ensure_future(_listen(reader, incoming, _most(site), name == AGGREGATOR)))
    out = site.join() if site.phase == "new" else site.outbox
    try:
        while True:
            _kept(site, keep)
            for data in out:
                _put(lines[str(receiver(data))], data)
            if site.result is not None:
                return site.result
            if (came := await incoming.get()) is None:
                raise ConnectionError("the connection ended before the average came")
            try:
                out = site.receive(came)
            except Refused as error:
                _LOG.warning("site %s refused a message: %s", site.number, error)
                out = ()
    finally:
        for task in tasks:
            task.cancel()
        for line in lines.values():
            line.close()


async def _listen(reader, incoming, most, leads):
    try:
        while True:
            await incoming.put(await _frame(reader, most))
    except (ConnectionError, asyncio.IncompleteReadError):
        if leads:  # Without the trusted party the aggregator's deadline ends it.
            await incoming.put(None)


async def _connected(end: Endpoint, name: str):
    """A connection to a party that may not listen yet; the name of this one is sent first."""
    for attempt in range(100):
        try:
            reader, writer = await asyncio.open_connection(*end)
            _put(writer, name.encode())
            return reader, writer
        except ConnectionRefusedError:
            if attempt == 99:
                raise
            await asyncio.sleep(0.1)
    raise AssertionError


async def _frame(reader: asyncio.StreamReader, most: int) -> bytes:
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    if length > most:
        raise ConnectionError(f"a frame of {length} bytes, more than {most}")
    return await reader.readexactly(length)


def _put(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(_LENGTH.pack(len(data)) + data)


def _most(party: Any) -> int:
    """Bytes of the longest message of a plan: sealed numbers for every other site, in base64."""
    numbers = int(np.prod(party.plan.statistic.shape))
    return (
        10_000
        + len(party.plan.sites) * (1000 + (11 * numbers if party.plan.form == "edges" else 0))
        + 8 * numbers
    )


def _kept(site: Site, path: Path | None) -> None:
    if path is not None:
        beside = path.with_name(path.name + ".new")
        beside.unlink(missing_ok=True)
        with open(
            os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
        ) as file:  # It holds secrets.
            file.write(site.state())
        os.replace(beside, path)


def _endpoint(name, value) -> Endpoint:
    if len(value) != 2 or not isinstance(value[0], str):
        raise ValueError(f"{name} must be a host and a port, got {check.shown(value)}")
    return value[0], check.integer(f"port of {name}", value[1], low=1, high=65535)
