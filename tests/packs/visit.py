"""A program for `test_packs.py`: opens pages of the app that is first on the path, and prints what it found as JSON.

Its arguments are names of pages; without any it opens all, and goes through the lecture.
"""

import json
import re
import sys
from html import unescape
from urllib.parse import parse_qs

from dashboard import pages
from dashboard.pages.broken import BrokenPage
from dashboard.session.app import App
from dashboard.state import packs
from dashboard.state.background_runs import Runs

LINK = re.compile(r"""href=['"]([^'"]*[?][^'"]*)['"]""")


def linked(markup):
    """The pages to which HTML links within the app."""
    for address in LINK.findall(markup):
        if address.startswith("?"):
            yield from parse_qs(unescape(address[1:])).get("page", ())


def visited(name):
    """What a page shows at once, without what its runs add."""
    app = App({"page": name})
    page, first = app.page, app.first_picture().body
    return {
        "shows": page.name,
        "broken": isinstance(page, BrokenPage),
        "columns": 0 if page.table() is None else len(page.table().columns),
        "links": sorted({*linked(first), *linked(page.state.words)}),
        "buttons": [button.label for button in packs.buttons(name)],
    }


def lecture():
    """The pages of a lecture's slides, from the first to the last, and the links of its menu."""
    app = App({"page": pages.LECTURED[0].name, "lecture": "1"})
    passed, before = [app.page.name], None
    while before != (app.page.name, app.lecture.place):
        before = app.page.name, app.lecture.place
        app.lecture.move(1)
        passed.append(app.page.name)
    app.lecture.start(1)
    app.lecture._list()
    return {"passed": list(dict.fromkeys(passed)), "links": sorted({*linked(app.lecture.slides)})}


Runs.start = lambda self, *args, **kwargs: None  # What is computed in runs takes minutes.
names = sys.argv[1:] or [entry.name for entry in pages.LISTED]
found = {
    "packs": {pack.name: pack.error for pack in packs.found()},
    "listed": {entry.name: entry.tab_of for entry in pages.LISTED},
    "opened": {name: visited(name) for name in names},
    "unknown": App({"page": "no-such-page", "sites": "4"}).page.name,
    "lecture": {} if sys.argv[1:] else lecture(),
}
print(json.dumps(found))
