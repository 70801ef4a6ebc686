"""All that stands between a browser and the server, in one call."""

from __future__ import annotations

from dashboard.compat.server.allowed_changes import allow_listed_changes
from dashboard.compat.server.callbacks_on_loop import keep_in_loop
from dashboard.compat.server.child_processes import end_with_parent
from dashboard.compat.server.idle_connections import end_idle_connections
from dashboard.compat.server.message_limits import limit_messages
from dashboard.compat.server.password_brake import brake_passwords
from dashboard.compat.server.quiet_errors import answer_errors_in_words
from dashboard.compat.server.routes import lead_to_app
from dashboard.compat.server.security_headers import send_security_headers
from dashboard.compat.server.session_ids import choose_session_ids
from dashboard.compat.server.sure_end import end_surely
from dashboard.compat.server.waiting_room import queue_openings
from dashboard.compat.wire.message_order import keep_order
from dashboard.compat.wire.packed_files import pack_files
from dashboard.compat.wire.prompt_messages import send_at_once
from dashboard.compat.wire.resource_bundle import keep_bundle


def close_doors() -> None:
    """Bound what a browser can ask of the server; call it before the server is built."""
    choose_session_ids()
    limit_messages()
    end_idle_connections()
    allow_listed_changes()
    answer_errors_in_words()
    queue_openings()
    keep_in_loop()
    send_security_headers()
    lead_to_app()
    keep_bundle()
    keep_order()
    send_at_once()
    pack_files()
    brake_passwords()
    end_with_parent()
    end_surely()
