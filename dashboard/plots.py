"""`from dashboard import plots`: pictures for notebooks and programs."""

from __future__ import annotations

import importlib
import sys

sys.modules[__name__] = importlib.import_module("dashboard.packs.notebook.plots")
