"""`python -m dashboard.handout`: the file of `cape-lab handout`."""

from __future__ import annotations

import importlib
import runpy
import sys

if __name__ == "__main__":
    runpy.run_module("dashboard.packs.handout", run_name="__main__")
else:
    sys.modules[__name__] = importlib.import_module("dashboard.packs.handout")
