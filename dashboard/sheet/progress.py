"""How far the runs of a page have come, as the server draws it."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from dashboard.state.number_text import count_text


@dataclass(frozen=True)
class Progress:
    """The state of `Runs`, and its numbers."""

    state: str = "idle"
    done: int = 0
    total: int = 0
    message: str = ""
    unit: str = "run"
    units: str = "runs"

    @classmethod
    def of(cls, runs: Any) -> Progress:
        """That of a page's runs."""
        return cls(runs.state, runs.done, runs.total, runs.message, runs.unit, runs.units)


def progress(at: Progress) -> str:
    """How far the runs have come, with a button that stops or continues them."""
    if not at.total:
        return ""
    share = 100 * at.done / at.total
    done = at.state == "finished"
    total = count_text(at.total, at.unit, at.units)
    text = f"{total} done" if done else f"{at.done} of {total}"
    press = {"running": "Stop", "stopped": "Continue", "failed": "Try again"}.get(at.state, "")
    button = f"<button type='button' data-press='runs' data-number='0'>{press}</button>" if press else ""
    message = (
        f"<span class='failed' role='alert'>{html.escape(at.message)}</span>" if at.state == "failed" else ""
    )
    track = f"<span class='meter' aria-hidden='true'><i style='width:{share:.0f}%'></i></span>"
    return (
        f"<div class='runs'><span role='status'>{text}</span>{'' if done else track}{button}{message}</div>"
    )
