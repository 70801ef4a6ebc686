"""Cookies of the login: no other site has them sent, and from https they return over https alone."""

from __future__ import annotations

import asyncio

import pytest
from conftest import free_port
from tornado.httpserver import HTTPServer
from tornado.web import Application, RequestHandler
from wire import fetch

from dashboard.compat.server.security_headers import send_security_headers


class _Login(RequestHandler):
    def get(self):
        self.set_signed_cookie("user", "ada", httponly=True)
        self.set_cookie("next_url", "/", samesite="Strict")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_cookies_are_for_this_site_and_secure_behind_https(scheme):
    send_security_headers()

    async def main():
        server = HTTPServer(Application([("/", _Login)], cookie_secret="of this test"), xheaders=True)
        server.listen(port := free_port(), "127.0.0.1")
        try:
            return await fetch(f"http://127.0.0.1:{port}/", headers={"X-Scheme": scheme})
        finally:
            server.stop()

    user, after = sorted(asyncio.run(main()).headers.get_list("Set-Cookie"), key=lambda c: "next" in c)
    assert "SameSite=Lax" in user and "HttpOnly" in user and "SameSite=Strict" in after
    assert all(("Secure" in cookie) == (scheme == "https") for cookie in (user, after))
