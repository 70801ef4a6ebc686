"""A visitor of a running server, without a browser: pages over HTTP, messages over a websocket, as they come there."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time

from tornado.httpclient import AsyncHTTPClient, HTTPError, HTTPRequest
from tornado.websocket import websocket_connect

_READY = {"type": "event", "name": "document_ready", "values": {"type": "map"}}


async def fetch(address: str, *, headers: dict | None = None, seconds: float = 60, body: str | None = None):
    """The answer to one request, whatever its status."""
    client = AsyncHTTPClient(force_instance=True, max_clients=200)
    method = "GET" if body is None else "POST"
    request = HTTPRequest(
        address, method=method, headers=headers, body=body, request_timeout=seconds, follow_redirects=False
    )
    try:
        return await client.fetch(request, raise_error=False)
    finally:
        client.close()


def answers(server: str) -> bool:
    """Whether a server answers now."""
    try:
        return asyncio.run(fetch(server + "/liveness", seconds=5)).code == 200
    except (OSError, HTTPError):  # Nothing listens, or what listens is too busy.
        return False


def token_of(page: bytes) -> str:
    """The token that a page or a script carries."""
    return re.search(r'"token":\s*"([^"]+)"', page.decode()).group(1)


def moved(slider: tuple[str, str], value) -> dict:
    """The event by which a browser says that a slider was moved."""
    panel, name = slider
    data = {"type": "map", "entries": [["name", name], ["value", value]]}
    values = {"type": "map", "entries": [["model", {"id": panel}], ["data", data]]}
    message = {"type": "event", "name": "data_event", "values": values}
    return {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": message}


async def sweeping(server: str) -> None:
    """Have a session's sweep run until the server tells of its progress."""
    wire = await Wire(server).open("?page=pca&data=low_rank&repeats=200")
    while "data-press='runs'" not in (await wire._message())[2]:
        pass


class Wire:
    """One session of a server."""

    def __init__(self, server: str):
        self.server, self._count = server, itertools.count(1)
        self.came: list[str] = []  # Texts of all messages but replies, in order.

    async def open(self, query: str = "?page=gain") -> Wire:
        """Load a page, connect, pull the document, and say that it stands."""
        page = await fetch(self.server + "/dashboard" + query)
        assert page.code == 200, page.code
        self.token = token_of(page.body)
        return await self.connect(self.token)

    async def connect(self, token: str) -> Wire:
        """Connect to the session of a token."""
        address = self.server.replace("http:", "ws:") + "/dashboard/ws"
        self.socket = await websocket_connect(
            address, subprotocols=["bokeh", token], max_message_size=1 << 28, connect_timeout=30
        )
        self.socket.protocol.set_nodelay(True)  # As browsers do: a message has three parts.
        kind, _, _ = await self._message()
        assert kind == "ACK"
        self.document = await self.ask("PULL-DOC-REQ", {})
        await self.patch({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": _READY})
        return self

    async def ask(self, kind: str, content) -> dict:
        """Send a message; returns the content of what the server replies to it, with its `kind`."""
        name = await self.send(kind, content)
        while True:
            found, header, text = await self._message()
            if header.get("reqid") == name:
                return {"kind": found, **json.loads(text)}
            self.came.append(text)

    async def send(self, kind: str, content) -> str:
        """Send a message and wait for nothing."""
        name = str(next(self._count))
        text = content if isinstance(content, str) else json.dumps(content)
        for part in (json.dumps({"msgid": name, "msgtype": kind}), "{}", text):
            await self.socket.write_message(part)
        return name

    async def patch(self, *events) -> dict:
        """Send changes as a browser does; returns the reply."""
        return await self.ask("PATCH-DOC", {"events": list(events)})

    async def set(self, model: str, name: str, value) -> dict:
        """Change a property as a browser does; returns the reply."""
        return await self.patch({"kind": "ModelChanged", "model": {"id": model}, "attr": name, "new": value})

    def objects(self) -> list[dict]:
        """All models that the document holds."""
        found, parts = [], [self.document]
        while parts:
            part = parts.pop()
            if isinstance(part, dict) and part.get("type") == "object":
                found.append(part)
            parts += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        return found

    def models(self, kind: str) -> list[dict]:
        """All models of a type."""
        return [found for found in self.objects() if kind == found.get("name", "").split(".")[-1]]

    def slider(self, label: str = "Sites") -> tuple[tuple[str, str], float]:
        """A slider, by the start of its label, as the panel that holds it and its name there; and its value."""
        for found in self.objects():
            data = found.get("attributes", {}).get("data")
            parts = data.get("attributes", {}) if isinstance(data, dict) else {}
            for spec, state in zip(parts.get("spec", ()), parts.get("state", ()), strict=True):
                spec, state = (dict(one["entries"]) for one in (spec, state))
                if state["label"].startswith(label):
                    return (found["id"], spec["name"]), state["value"]
        raise AssertionError(f"no slider {label}")

    async def move(self, slider: tuple[str, str], value) -> dict:
        """Move a slider as a browser does; returns the reply."""
        return await self.patch(moved(slider, value))

    async def answered(self, value: int) -> float:
        """Seconds from a slider's move until the figure gets new numbers."""
        model, begun = self.slider()[0], time.monotonic()
        await self.move(model, value)
        while not any('"attr":"data"' in text or '"attr": "data"' in text for text in self.came):
            _, _, text = await asyncio.wait_for(self._message(), 60)
            self.came.append(text)
        self.came.clear()
        return time.monotonic() - begun

    async def _message(self):
        parts = [await self._part() for _ in range(3)]
        header = json.loads(parts[0])
        for _ in range(2 * header.get("num_buffers", 0)):
            await self._part()
        return header["msgtype"], header, parts[2]

    async def _part(self):
        part = await asyncio.wait_for(self.socket.read_message(), 60)
        if part is None:
            raise ConnectionError("the server closed the connection")
        return part
