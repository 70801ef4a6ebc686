"""A warm server: what browsers that are open already must know is known before the first of them comes."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
from bokeh.model import Model
from dashboard.session.warm import warm_up
warm_up()
known = set(Model.model_class_reverse_map)
from dashboard.pages import PAGES
from dashboard.state.controls import Controls
for kind in PAGES:
    page = kind(Controls())
    page.content().get_root()
    for name in ("before", "above_settings", "below_settings", "more", "after"):
        part = getattr(page, name, lambda: None)()
        if part is not None:
            part.get_root()
print(sorted(set(Model.model_class_reverse_map) - known))
"""


@pytest.mark.slow
def test_no_page_brings_a_model_that_browsers_do_not_know():
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[-1] == "[]"
