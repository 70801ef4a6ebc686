"""The parts that stand between a browser and the server, one by one."""

from __future__ import annotations

import asyncio
import logging
import runpy
import sys
from urllib.parse import urljoin

import pytest
from bokeh.application import Application
from bokeh.server.tornado import BokehTornado
from tornado.httpclient import AsyncHTTPClient
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop
from tornado.testing import bind_unused_port

from dashboard.__main__ import allow_frames, arguments, main
from dashboard.compat.server.bounded_log import AT_ONCE, LONGEST, Bounded
from dashboard.compat.server.password_brake import ADDRESS, MOST, PAIR, Brake
from dashboard.compat.server.password_brake import LONGEST as LONGEST_WAIT
from dashboard.compat.server.routes import lead_to_app
from dashboard.compat.server.security_headers import FRAME_ANCESTORS, frame_ancestors, headers
from dashboard.compat.server.waiting_room import Full, Queue


@pytest.fixture
def clock():
    now = [1000.0]
    return now


def test_a_brake_lets_five_slips_pass_and_doubles_the_wait(clock):
    brake = Brake(lambda: clock[0])
    waits = []
    for _ in range(PAIR + 6):
        waits.append(brake.wait("ada", "a"))
        clock[0] += waits[-1]
        brake.missed("ada", "a")
    assert waits[:PAIR] == [0] * PAIR
    assert waits[PAIR : PAIR + 4] == [60, 120, 240, 480] and max(waits) <= LONGEST_WAIT
    assert brake.wait("eve", "a") == 0 and brake.wait("ada", "b") == 0
    clock[0] += LONGEST_WAIT
    assert brake.wait("ada", "a") == 0


def test_a_right_password_forgets_the_slips(clock):
    brake = Brake(lambda: clock[0])
    for _ in range(PAIR - 1):
        brake.missed("ada", "a")
    brake.passed("ada", "a")
    brake.missed("ada", "a")
    assert brake.wait("ada", "a") == 0


def test_an_address_that_tries_many_names_waits_and_memory_is_bounded(clock):
    brake = Brake(lambda: clock[0])
    for i in range(ADDRESS):
        assert brake.wait(f"name {i}", "a") == 0
        brake.missed(f"name {i}", "a")
    assert brake.wait("one more", "a") > 0 and brake.wait("one more", "b") == 0
    for i in range(MOST):
        brake.missed(f"{i}" * 1000, f"{i}")
    assert len(brake._wrong) == MOST


def record(text, *arguments):
    return logging.LogRecord("a", logging.WARNING, __file__, 1, text, arguments, None)


def test_log_entries_are_cut_and_do_not_come_too_fast(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("dashboard.compat.server.bounded_log.time.monotonic", lambda: now[0])
    bounded, long = Bounded(), record("got %s", "x" * 10**6)
    assert bounded.filter(long) and len(long.getMessage()) < LONGEST + 50
    assert sum(bounded.filter(record("again")) for _ in range(1000)) == AT_ONCE - 1
    now[0] += 1.0
    entry = record("later")
    assert bounded.filter(entry) and "801 entries were" in entry.getMessage()


def test_openings_take_turns_and_no_more_wait_than_may():
    async def main():
        line, order, free = Queue(3), [], asyncio.Event()

        async def build(i):
            order.append(f"begins {i}")
            await free.wait()
            order.append(f"ends {i}")

        tasks = [
            asyncio.create_task(line.turn(lambda i=i: build(i), gone=lambda i=i: i == 1)) for i in range(4)
        ]
        await asyncio.sleep(0.05)
        with pytest.raises(Full):
            await line.turn(lambda: build(4), gone=lambda: False)
        free.set()
        await asyncio.gather(*tasks)
        await line.turn(lambda: build(5), gone=lambda: False)
        return order

    order = asyncio.run(main())
    assert order == [
        f"{what} {i}" for i in (0, 2, 3, 5) for what in ("begins", "ends")
    ]  # 1 had gone, and took no place.


@pytest.mark.parametrize("host", ("lab.example.org; script-src *", "a\nb", "", "a b"))
def test_a_host_that_is_no_host_does_not_come_back(host):
    assert "connect-src 'self' blob:;" in headers(host)["Content-Security-Policy"]


def test_who_may_show_the_app_in_a_frame_is_an_option(monkeypatch):
    monkeypatch.delenv(FRAME_ANCESTORS, raising=False)
    assert headers("a")["X-Frame-Options"] == "SAMEORIGIN"
    given = ["--frame-ancestors", "https://moodle.example.org 'self'", "--port", "1"]
    monkeypatch.setenv(FRAME_ANCESTORS, "")
    allow_frames(given)
    found = headers("lab.example.org")
    assert found["Content-Security-Policy"].endswith("frame-ancestors https://moodle.example.org 'self'")
    assert "X-Frame-Options" not in found
    assert arguments(given)[2:4] == ["--port", "1"]
    for wrong in ("x; script-src *", "https://a.example/path", "javascript:alert(1)"):
        with pytest.raises(ValueError, match="frame ancestors"):
            frame_ancestors(wrong)


@pytest.mark.parametrize("query", ("", "?page=pca&epsilon=2"))
@pytest.mark.parametrize(
    ("prefix", "address"), [(None, ""), (None, "/"), ("/lab", "/lab"), ("/lab", "/lab/"), ("/a/b", "/a/b")]
)
def test_the_bare_address_leads_to_the_app_with_its_query(prefix, address, query):
    lead_to_app()

    async def located():
        socket, port = bind_unused_port()
        app = BokehTornado({"/dashboard": Application()}, prefix=prefix)
        app.initialize(io_loop=IOLoop.current())
        server = HTTPServer(app)
        server.add_socket(socket)
        asked = f"http://127.0.0.1:{port}{address}{query}"
        found = await AsyncHTTPClient().fetch(asked, follow_redirects=False, raise_error=False)
        server.stop()
        return urljoin(asked, found.headers["Location"]).removeprefix(f"http://127.0.0.1:{port}")

    assert asyncio.run(located()) == f"{prefix or ''}/dashboard{query}"


WRONG = [
    ("--workers", "abc"),
    ("--workers", ""),
    ("--workers=",),
    ("--workers",),
    ("--workers", "--no-show"),
    ("--frame-ancestors", "javascript:alert(1)"),
    ("--frame-ancestors",),
    *(("--port", text) for text in ("abc", "99999999", "-1", "5e3", "٣")),
    ("--num-procs", "many"),
    ("--num-procs", "-2"),
    ("--unused-session-lifetime", "-1"),
    ("--check-unused-sessions", "0"),
    ("--keep-alive=soon",),
    ("--address", "300.300.1.1"),
    ("--address", "a" * 300),
    ("--basic-auth", "no-such-file.json"),
    ("--basic-auth", "list.json"),
    ("--basic-auth", "numbers.json"),
]


@pytest.mark.parametrize("given", WRONG, ids=lambda given: " ".join(given)[:40])
def test_a_wrong_option_is_refused_in_one_line_before_anything_starts(given, monkeypatch, tmp_path, capsys):
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "numbers.json").write_text('{"ada": 1}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["cape-lab", *given])
    monkeypatch.setattr(runpy, "run_module", lambda *a, **k: pytest.fail("the server was started"))
    assert main() == 2
    told = capsys.readouterr().err.strip()
    assert told.count("\n") == 0 and 20 < len(told) < 200
    assert given[0].partition("=")[0].removeprefix("--").replace("-", " ") in told.replace("-", " ")


def test_good_options_and_the_variable_of_workers_are_looked_at_too(monkeypatch, tmp_path, capsys):
    accounts = tmp_path / "accounts.json"
    accounts.write_text('{"ada": "secret"}')
    started = []
    monkeypatch.setattr(runpy, "run_module", lambda *a, **k: started.append(sys.argv[1:]))
    given = ["--no-show", "--port", "0", "--basic-auth", str(accounts), "--address", "0.0.0.0"]
    monkeypatch.setattr(sys, "argv", ["cape-lab", *given])
    monkeypatch.setenv("CAPE_LAB_WORKERS", "2")
    assert main() == 0 and started[0][2:] == given[1:]
    monkeypatch.setattr(sys, "argv", ["cape-lab", *given])
    monkeypatch.setenv("CAPE_LAB_WORKERS", "abc")
    assert main() == 2 and "workers" in capsys.readouterr().err and len(started) == 1
