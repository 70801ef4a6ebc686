"""Hooks that `panel serve dashboard` runs before it builds the server, and at the start of each process."""

import sys
import traceback
from pathlib import Path

# In a source checkout the packages are beside this folder and may not be installed.
sys.path.append(str(Path(__file__).resolve().parents[1]))

from dashboard.compat.own_packages import require_own_packages
from dashboard.compat.server.bounded_log import bound_log
from dashboard.compat.server.child_processes import listen_to_parent
from dashboard.compat.server.doors import close_doors
from dashboard.compat.server.routes import add_routes
from dashboard.compat.server.sure_end import end_if_abandoned
from dashboard.compat.wire import packed_files
from dashboard.state import background_runs, packs

require_own_packages()
close_doors()
for routes in packs.loaded("routes"):
    try:
        add_routes(routes)
    except Exception:  # Of a pack from outside; the app goes on without them.
        traceback.print_exc()


def on_server_loaded(server_context):
    """Called in every server process at its start.

    Bound its log, end it with its parent, or where it is left alone, compress its files, start its workers, which
    import the pages' code, build one session, so that the first visitor finds everything imported, and compute in idle
    time what pages open with.
    """
    bound_log()
    listen_to_parent()
    end_if_abandoned()
    packed_files.warm(packed_files.libraries())
    background_runs.warm(("dashboard.pages",))
    try:
        from dashboard.session import idle
        from dashboard.session.warm import warm_up

        idle.begin(warm_up())
    except Exception:  # Every session shows the same error in words, see `main.py`.
        traceback.print_exc()
