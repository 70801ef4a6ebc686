"""Applies all patches that protect the server from browsers, in one call."""

from __future__ import annotations

from dashboard.compat.allowed_changes import allow_listed_changes
from dashboard.compat.child_processes import end_with_parent
from dashboard.compat.message_limits import limit_messages
from dashboard.compat.password_brake import brake_passwords
from dashboard.compat.quiet_errors import answer_errors_in_words
from dashboard.compat.security_headers import send_security_headers
from dashboard.compat.session_ids import choose_session_ids
from dashboard.compat.waiting_room import queue_openings


def close_doors() -> None:
    """Limit what a browser can request from the server; call it before the server is built."""
    choose_session_ids()
    limit_messages()
    allow_listed_changes()
    answer_errors_in_words()
    queue_openings()
    send_security_headers()
    brake_passwords()
    end_with_parent()
