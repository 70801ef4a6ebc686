"""Sessions of a real server's kind, without a socket: what a browser sends takes the way it takes there."""

from __future__ import annotations

import asyncio
import itertools
import json
from types import SimpleNamespace

import panel as pn
from bokeh.application.handlers.document_lifecycle import DocumentLifecycleHandler
from bokeh.application.handlers.function import FunctionHandler
from bokeh.core.serialization import Serializer
from bokeh.io import doc as current
from bokeh.protocol.messages.patch_doc import patch_doc
from bokeh.server.contexts import ApplicationContext
from bokeh.server.protocol_handler import ProtocolHandler
from bokeh.util.token import generate_jwt_token
from panel.io.application import Application
from panel.io.state import set_curdoc
from tornado.ioloop import IOLoop

from dashboard.compat.server.callbacks_on_loop import keep_in_loop

keep_in_loop()


class Session:
    """A session whose document `build` fills."""

    _numbers = itertools.count(1)

    def __init__(self, build, *, visitor="127.0.0.1"):
        self._build, self._visitor = build, visitor

    async def __aenter__(self):
        self._documents = current._PATCHED_CURDOCS
        self._patched = len(self._documents) if isinstance(self._documents, list) else None
        application = Application(FunctionHandler(self._fill))
        application.add(DocumentLifecycleHandler())
        self._context = ApplicationContext(application, io_loop=IOLoop.current(), url="/")
        address = {"protocol": "http", "host": "127.0.0.1", "uri": "/", "path": "/"}
        request = SimpleNamespace(arguments={}, cookies={}, headers={}, remote_ip=self._visitor, **address)
        name = f"session {next(self._numbers)}"
        token = generate_jwt_token(name)
        self.session = await self._context.create_session_if_needed(name, request, token)
        self.document = self.session.document
        return self

    async def __aexit__(self, *exception):
        if not self.session.destroyed:
            self.session.destroy()
        # Bokeh 3.9 leaves its current document as it is where a callback raises; later tests would meet a dead one.
        if self._patched is not None:
            del self._documents[self._patched :]

    async def end(self):
        """End it as the server does when its browser has left for long."""
        self.document = None
        await self._context._discard_session(self.session, lambda session: True)

    def loaded(self):
        """Have it count as open in a browser."""
        pn.state._connected[self.document] = pn.state._loaded[self.document] = True

    async def locked(self, action):
        """Do something as what comes from a browser is done."""

        def act():
            with set_curdoc(self.document):
                action()

        await self.session.with_document_locked(act)

    async def change(self, model, **values):
        """Change properties of a model as a browser does; returns what the server objects to, "" if nothing."""
        model = {"id": model.id}
        return await self._patch(
            [
                {"kind": "ModelChanged", "model": model, "attr": n, "new": _encoded(v)}
                for n, v in values.items()
            ]
        )

    async def tell(self, model, **message):
        """Send a component's own message as its part in a browser does."""
        return await self.event(model, "data_event", data=message)

    async def event(self, model, name, **values):
        """Send an event of a model as a browser does."""
        entries = [["model", {"id": model.id}], *([n, _encoded(v)] for n, v in values.items())]
        data = {"type": "event", "name": name, "values": {"type": "map", "entries": entries}}
        return await self._patch([{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": data}])

    async def settled(self):
        """Wait until all that came was dealt with."""
        await asyncio.sleep(0)
        await until(lambda: not pn.state._change_callbacks.get(self.document))

    async def _patch(self, events):
        objections = []
        connection = SimpleNamespace(
            session=self.session,
            ok=lambda message: None,
            error=lambda message, text: objections.append(text),
        )
        content = json.loads(json.dumps({"events": events}))
        message = patch_doc({"msgid": "1", "msgtype": "PATCH-DOC"}, {}, content)
        await ProtocolHandler().handle(message, connection)
        await self.settled()
        return "".join(objections)

    def _fill(self, document):
        with set_curdoc(document):
            self._build(document)


def _encoded(value):
    return Serializer(deferred=False).encode(value)


async def until(condition, *, seconds=60):
    """Let the event loop run until a condition holds."""
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < end
        await asyncio.sleep(0.005)
