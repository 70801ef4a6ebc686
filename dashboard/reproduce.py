"""`python -m dashboard.reproduce`: the papers' figures without the app."""

from __future__ import annotations

import importlib
import runpy
import sys

if __name__ == "__main__":
    runpy.run_module("dashboard.packs.papers.reproduce", run_name="__main__")
else:
    sys.modules[__name__] = importlib.import_module("dashboard.packs.papers.reproduce")
