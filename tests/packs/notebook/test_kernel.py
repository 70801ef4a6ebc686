"""`explore` in a notebook's kernel without a browser: every page shows itself, and memory stays flat."""

import os
import re
from pathlib import Path

import pytest

from dashboard.pages import LISTED

client = pytest.importorskip("jupyter_client.manager", reason="the extra 'test' is not installed")
ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.slow  # `tests/browser` has a page in a notebook.
LIMIT = 300  # Seconds that a busy machine may take for a cell.
BEGIN = """
import asyncio
import warnings
import holoviews as hv
hv.extension("bokeh", inline=True, logo=False)
from dashboard import explore
from dashboard.packs.notebook.explorer import explorer
explorer.FIRST = 0.2  # Seconds that a cell waits for its first picture.
"""
# What is alive in the kernel: documents, pages, models, views, ways to a browser.
ALIVE = """
import gc, panel as pn
from bokeh.document import Document
from bokeh.model import Model
from pyviz_comms import JupyterCommManager
from dashboard.page.base import SessionPage
gc.collect()
kinds = [type(one) for one in gc.get_objects()]
count = [sum(issubclass(kind, wanted) for kind in kinds) for wanted in (Document, SessionPage, Model)]
texts = sum(len(str(output.bundle)) for kept in get_ipython().history_manager.outputs.values() for output in kept)
print(*count, len(pn.state._views), len(JupyterCommManager._comms), texts // 1_000_000)
"""


class Kernel:
    """A kernel whose cells are run as a notebook runs them."""

    def __init__(self):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "CAPE_LAB_WORKERS": "threads"}
        self._manager, self._client = client.start_new_kernel(kernel_name="python3", env=environment)

    def run(self, code, cell):
        """Run a cell; returns its results by type, and what it printed, warnings and errors included."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "stop_on_error": True,
        }
        message = self._client.session.msg("execute_request", content, metadata={"cellId": cell})
        self._client.shell_channel.send(message)
        shown, printed = {}, ""
        while True:
            answer = self._client.get_iopub_msg(timeout=LIMIT)
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            content = answer["content"]
            if content.get("execution_state") == "idle":
                return shown, printed
            shown |= content.get("data", {})
            printed += content.get("text", "") + "\n".join(content.get("traceback", ()))

    def tell(self, kind, **content):
        """Send a message as a browser does; returns the messages to browsers until the kernel is done with it."""
        message = self._client.session.msg(kind, content)
        self._client.shell_channel.send(message)
        answers = []
        while True:
            answer = self._client.get_iopub_msg(timeout=LIMIT)
            if answer["msg_type"].startswith("comm"):
                answers.append(answer)
            mine = answer["parent_header"].get("msg_id") == message["header"]["msg_id"]
            if mine and answer["content"].get("execution_state") == "idle":
                return answers

    def close(self):
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel():
    found = Kernel()
    yield found
    found.close()


def test_without_the_extension_one_sentence_says_what_to_run(kernel):
    shown, printed = kernel.run('import dashboard\ndashboard.explore("gain")', "first")
    assert printed == ""
    assert "run hv.extension('bokeh', inline=True)" in shown["text/plain"]


def test_every_page_shows_itself_without_an_error_or_a_warning(kernel):
    assert kernel.run(BEGIN, "begin")[1] == ""
    for entry in LISTED:
        shown, printed = kernel.run(f"page = explore({entry.name!r})\npage", "page")
        assert printed == "", entry.name
        assert shown["text/plain"].startswith(f"explore({entry.name!r}")
        assert "docs_json" in shown["text/html"]
        assert len(shown["text/html"]) < 3_500_000  # Once the library of the widgets, or of tables, too.


def test_memory_stays_flat_when_a_cell_is_run_again(kernel):
    kernel.run(BEGIN, "begin")
    cell = 'page = explore("gain", sites=5)\npage'
    alive = []
    for _ in range(2):
        for _ in range(10):  # More than the outputs that stay live where no cell is named.
            assert kernel.run(cell, "again")[1] == ""
        alive.append(list(map(int, kernel.run(ALIVE, "alive")[1].split())))
    documents, pages, models, *rest = zip(*alive, strict=True)
    assert documents[0] == documents[1] and pages[0] == pages[1] <= 3
    assert abs(models[1] - models[0]) < 100  # One page has 240.
    assert all(before == after for before, after in rest)


def test_a_browser_gets_what_changed_once_it_has_drawn_the_page_and_not_before(kernel):
    """Before that it would drop some parts of a message, and understand none that follow."""
    kernel.run(BEGIN, "begin")
    html = kernel.run('page = explore("gain", sites=5)\npage', "page")[0]["text/html"]
    kernel.run("page.controls.sites = 8", "next")
    way, back = (re.search(rf'"{name}":"(\w+)"', html)[1] for name in ("comm_id", "client_comm_id"))
    assert kernel.tell("comm_open", comm_id="browser", target_name=back, data={}) == []
    model = kernel.run("print(next(iter(page._browser._models.values()))[0].id)", "model")[1].strip()
    data = {"type": "map", "entries": [["drawn", "first"]]}
    values = {"type": "map", "entries": [["model", {"id": model}], ["data", data]]}
    message = {"type": "event", "name": "data_event", "values": values}
    event = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": message}
    header = {"msgid": "1", "msgtype": "PATCH-DOC"}
    patch = {"header": header, "metadata": {}, "content": {"events": [event]}}
    sent = kernel.tell("comm_msg", comm_id="browser", data=patch)
    assert [one["content"]["target_name"] for one in sent if one["msg_type"] == "comm_open"] == [way]
    assert any("2.83 times less" in str(one["content"].get("data")) for one in sent)  # √8, of eight sites.


def test_a_setting_of_the_next_cell_is_computed_although_a_run_was_under_way(kernel):
    kernel.run(BEGIN, "begin")
    kernel.run('pca = explore("pca", epsilon=1.0, sites=10)\npca', "page")
    assert kernel.run("pca.controls.epsilon = 2", "next")[1] == ""
    look = "await asyncio.sleep(1)\nprint(pca.page.runs.state, pca.page.shown.headline)"
    for _ in range(LIMIT):
        if (printed := kernel.run(look, "look")[1]).startswith("finished"):
            break
    assert "at ε = 2" in printed.replace("\xa0", " ")
