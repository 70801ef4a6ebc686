"""Marks the data of a component with its root, and looks no further.

Panel searches everything inside a component for data to mark, also the parts that are components themselves and were
marked when they were built. The frame contains the whole page.
"""

from __future__ import annotations

from panel.reactive import Reactive


def mark_own_data() -> None:
    """Have Panel mark the data of one component at a time. Calling it twice has no further effect."""
    Reactive._patch_datamodel_ref = classmethod(_mark)


def _mark(cls, data, ref):
    mark = f"__ref:{ref}"
    if mark not in data.tags:
        data.tags.append(mark)
