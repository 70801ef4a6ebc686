"""The training once more: its states are kept, and a slider with a *Play* button goes through them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import panel as pn
import param

from dashboard.components.control_panel import ControlPanel
from dashboard.pages.analyse.network.model import Plan, Watched, stops

_LARGE = ":host { zoom: max(1, 0.78 * var(--hall-zoom, 1)) }"  # In a hall as large as the slider of ε.
_PAUSE = 150  # Milliseconds between two steps that a moving slider asks for.


class Replay(param.Parameterized):
    """What was seen of a training of every scheme, and the step that is shown.

    Parameters
    ----------
    chosen : callable
        Called when the user chooses another step.
    """

    step = param.Integer(
        0, bounds=(0, 1), label="Training step", doc="Play the training again, or drag to any of its steps."
    )

    def __init__(self, chosen: Callable[[], None]):
        super().__init__()
        self._chosen, self._follows = chosen, False
        self._seen: dict[str, list[Watched]] = {}
        self._shown: tuple[str, ...] = ()
        self._done = 0
        self.view = ControlPanel(
            [(self, "step")], live=True, pause=_PAUSE, play=True, begins=0.0, sheets=[_LARGE]
        )
        self.param.watch(self._moved, "step")

    def begin(self, plan: Plan, untrained: Watched | None = None) -> None:
        """Forget the training before; its steps are those of `plan`, after the `untrained` state if it is known."""
        self._seen, self._shown, self._done = {}, plan.shown, 0
        self.view.busy = "training …"
        places = stops(plan.steps)
        self.param.step.step = places.step
        # From 0 the slider must reach the last step.
        first = places.start if untrained is None or plan.steps % places.step else 0
        if untrained is not None:
            self._seen = {scheme: [replace(untrained, scheme=scheme)] for scheme in plan.shown}
        self._put(bounds=(first, plan.steps), step=first)

    def add(self, name: str, found: Watched) -> None:
        """Keep a state, which `follow` goes to."""
        self._seen.setdefault(name, []).append(found)

    def follow(self) -> None:
        """Move the slider to the last step that every scheme has done, unless the user has moved it back."""
        done = min((self._seen[s][-1].step.number if s in self._seen else 0 for s in self._shown), default=0)
        if done > self._done:
            follows, self._done = self.step >= self._done, done
            if follows:
                self._put(step=self._last)
        if done >= self.param.step.bounds[1]:
            self.view.busy = ""

    def ended(self) -> None:
        """No further state will come: offer to play those that are there."""
        self.view.busy = "" if self._done else "not trained"

    def at(self) -> dict[str, Watched]:
        """For every scheme the last state up to the step that is shown, or its first."""
        return {
            name: next((one for one in reversed(states) if one.step.number <= self.step), states[0])
            for name, states in self._seen.items()
        }

    @property
    def states(self) -> dict[str, list[Watched]]:
        """What was seen of each scheme that is shown, in order."""
        return {s: self._seen[s] for s in self._shown if s in self._seen}

    @property
    def _last(self):
        return max(self.param.step.bounds[0], self._done)

    def clear(self) -> None:
        """Forget everything."""
        self._seen = {}

    def _put(self, *, step, bounds=None):
        self._follows = True
        try:
            if bounds is not None:
                self.param.step.bounds = bounds
            self.step = step
        finally:
            self._follows = False

    def _moved(self, event):
        if self._follows:
            return
        if self.step > self._last:  # No further than the training.
            self._put(step=self._last)
        with pn.io.hold():  # A playing slider moves together with the picture.
            self._chosen()
            self.view.answer()
