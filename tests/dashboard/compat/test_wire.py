"""What makes answers light changes nothing of what they say."""

from __future__ import annotations

import asyncio
import gzip
import re
from pathlib import Path

import panel as pn
import pytest
from bokeh.embed.bundle import Script
from bokeh.server.views.multi_root_static_handler import MultiRootStaticHandler
from bokeh.settings import settings
from panel.io.resources import DIST_DIR, Resources, bundle_resources
from tornado.httpclient import AsyncHTTPClient
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port
from tornado.web import Application, RequestHandler, StaticFileHandler

from dashboard.compat.wire import packed_files, resource_bundle

TEXT = "".join(f"const number{i} = {i}\n" for i in range(20_000)).encode()
PAGE = "<p>δ</p>" * 1000


@pytest.fixture
def kept(monkeypatch):
    monkeypatch.setattr(resource_bundle, "_kept", {})
    pn.extension("tabulator")
    return resource_bundle._bundle_resources


def resources(**options):
    return Resources(mode="server", root_url="/", **options)


def addresses(tags):
    return re.findall(r'(?:src|href)="([^"]+)"', tags)


def test_a_bundle_says_the_same_every_time_and_is_computed_once(kept, monkeypatch):
    first = tuple(kept([], resources()))
    calls = []
    monkeypatch.setattr(resource_bundle, "_BUNDLE", lambda *a, **k: calls.append(a))
    assert tuple(kept([], resources())) == first and not calls
    kept_again = resource_bundle.KeptBundle.of(
        bundle_resources([], resources(), enable_mathjax=False), split=True
    )
    assert tuple(kept_again) == first


def test_a_bundle_loses_nothing_but_tables_that_come_later_and_what_no_page_uses(kept):
    whole = bundle_resources([], resources(), enable_mathjax=True)
    found = kept([], resources())
    now, later = addresses("".join(found)), found.late
    everything = [str(url) for url in (*whole.js_files, *whole.css_files)]
    assert {url for url in everything if url not in now} == {
        *later,
        *(u for u in everything if re.search("bokeh-(gl|mathjax)", u)),
    }
    assert [url for url in now if url in everything] == [u for u in addresses("".join(whole)) if u in now]
    names = " ".join(later)
    assert all(name in names for name in ("tabulator.min.js", "luxon"))
    assert not re.search("mathjax|tabulator|luxon|bokeh-gl", " ".join(now))
    assert all(url in "".join(found) for url in later)  # The script that loads them knows their addresses.


def test_another_prefix_another_import_and_another_extension_have_bundles_of_their_own(kept):
    first = tuple(kept([], resources()))
    assert (
        tuple(kept([], Resources(mode="server", root_url="/lab/"))) == first
    )  # Addresses are relative to the page.
    before = resource_bundle._key(resources())
    pn.config.css_files = ["/extra.css"]
    try:
        assert resource_bundle._key(resources()) != before
        assert "/extra.css" in "".join(kept([], resources()))
    finally:
        pn.config.css_files = []


def test_a_site_that_embeds_the_app_gets_everything_and_scripts_of_one_session_stay_there(kept):
    bundle = kept([], resources(absolute=True))
    bundle.add(Script("one session"))
    again = "".join(kept([], resources(absolute=True)))
    assert "one session" in "".join(bundle) and "one session" not in again
    assert "tabulator" in again


class Page(RequestHandler):
    def get(self):
        self.write(PAGE)


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Asks a small server whose files and pages are packed."""
    (tmp_path / "long.js").write_bytes(TEXT)
    (tmp_path / "short.js").write_bytes(b"1")
    (tmp_path / "face-ABCD1234.woff2").write_bytes(bytes(range(256)) * 20)
    monkeypatch.setattr(packed_files, "_packed", {})
    packed_files.pack_files()

    class Handler(MultiRootStaticHandler):
        pass

    async def answer(path, **headers):
        routes = [
            (r"/page", Page),
            (r"/files/(.*)", StaticFileHandler, {"path": str(tmp_path)}),
            (r"/roots/(.*)", Handler, {"root": {"own": tmp_path}}),
        ]
        application = Application(routes, transforms=[packed_files.Packed])
        listener, port = bind_unused_port("127.0.0.1")
        server = HTTPServer(application)
        server.add_socket(listener)
        try:
            client = AsyncHTTPClient(force_instance=True)
            address = f"http://127.0.0.1:{port}{path}"
            return await client.fetch(address, headers=headers, decompress_response=False, raise_error=False)
        finally:
            server.stop()

    return lambda path, **headers: asyncio.run(answer(path, **headers))


GZIP = {"Accept-Encoding": "gzip, br"}


@pytest.mark.parametrize("path", ("/files/long.js", "/roots/own/long.js"))
def test_a_packed_file_is_the_same_file(ask, path):
    plain, packed = ask(path), ask(path, **GZIP)
    assert plain.body == TEXT and "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip" and gzip.decompress(packed.body) == TEXT
    assert len(packed.body) < len(TEXT) / 4 and int(packed.headers["Content-Length"]) == len(packed.body)
    assert packed.headers["Content-Type"] == plain.headers["Content-Type"]
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert plain.headers["Etag"] != packed.headers["Etag"]


def test_a_file_is_packed_once_and_again_when_it_changes(ask, tmp_path, monkeypatch):
    calls, compress = [], gzip.compress
    monkeypatch.setattr(gzip, "compress", lambda *a, **k: calls.append(1) or compress(*a, **k))
    for _ in range(3):
        ask("/files/long.js", **GZIP)
    assert len(calls) == 1
    (tmp_path / "long.js").write_bytes(TEXT[::-1])
    assert gzip.decompress(ask("/files/long.js", **GZIP).body) == TEXT[::-1]


def test_a_browser_that_has_the_file_gets_no_second_copy(ask):
    tag = ask("/files/long.js", **GZIP).headers["Etag"]
    again = ask("/files/long.js", **GZIP, **{"If-None-Match": tag})
    assert again.code == 304 and not again.body


def test_parts_and_small_files_are_left_as_they_are(ask):
    part = ask("/files/long.js", **GZIP, Range="bytes=5-24")
    assert part.code == 206 and part.body == TEXT[5:25] and "Content-Encoding" not in part.headers
    assert ask("/files/short.js", **GZIP).body == b"1"


def test_a_page_is_the_same_page(ask):
    plain, packed = ask("/page"), ask("/page", **GZIP)
    assert plain.body.decode() == PAGE and gzip.decompress(packed.body).decode() == PAGE
    assert packed.headers["Content-Encoding"] == "gzip" and "Accept-Encoding" in packed.headers["Vary"]


@pytest.mark.parametrize(
    ("path", "long"),
    (
        ("/files/long.js", False),
        ("/files/long.js?v=1.2", True),
        ("/files/long.js?a9a9cc4f19fadba2c108149eeaf498f3", True),
        ("/files/face-ABCD1234.woff2", True),
        ("/files/long.js?page=protocol", False),
    ),
)
def test_browsers_keep_what_changes_with_its_address(ask, path, long):
    kept = ask(path).headers.get("Cache-Control", "")
    assert (f"max-age={packed_files.YEAR}" in kept) == long


def test_the_libraries_have_what_the_late_ones_need():
    """`late_libraries.js` leans on names inside of BokehJS and Panel's models."""
    panel = (DIST_DIR / "panel.min.js").read_text(encoding="utf-8")
    assert "panel.models.tabulator" in panel and "lazy_initialize" in panel


def test_the_libraries_have_what_lighter_views_need():
    """`lighter_views.js` leans on names inside of BokehJS and Panel's models."""
    bokeh = Path(bokeh_static("bokeh.min.js")).read_text(encoding="utf-8")
    needed = "_render_items", "_should_rerender_items", "_toggle_inactive", "grid_el", "invalidate_layout"
    assert [name for name in (*needed, "compute_layout", "_layout_computed") if name not in bokeh] == []
    panel = (DIST_DIR / "panel.min.js").read_text(encoding="utf-8")
    assert "panel.models.esm" in panel and "_on_mounted(){" in panel


def bokeh_static(name):
    return Path(settings.bokehjs_path()) / "js" / name


def test_the_libraries_of_every_page_are_packed_before_the_first_visitor(monkeypatch):
    monkeypatch.setattr(packed_files, "_packed", {})
    paths = packed_files.libraries()
    assert {Path(path).name for path in paths} >= {
        "bokeh.min.js",
        "panel.min.js",
        "panel-material-ui.bundle.js",
    }
    packed_files.warm(paths[1:2]).join(30)
    assert [gzip.decompress(found) for found in packed_files._packed.values()] == [
        Path(paths[1]).read_bytes()
    ]
