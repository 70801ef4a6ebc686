"""What `panel serve dashboard` runs before the server is built, and once more in each process when it starts."""

import sys
from pathlib import Path

# From a plain checkout the packages stand beside this folder and are not installed.
sys.path.append(str(Path(__file__).resolve().parents[1]))

from dashboard.compat.server.bounded_log import bound_log
from dashboard.compat.server.child_processes import listen_to_parent
from dashboard.compat.server.doors import close_doors

close_doors()


def on_server_loaded(server_context):
    """A process of the server stands: its log is bounded, and it ends with the one that started it."""
    bound_log()
    listen_to_parent()
