"""The aggregator's last step: the released average from the messages that came."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from core.schemes import Repeated
from core.schemes.messages import average, less


@dataclass(frozen=True)
class Averaging:
    """What the average is computed with.

    Attributes
    ----------
    agreed, final : Repeated
        The release of the sites that agreed, and the one of those that sent a message.
    shape : tuple of int
        Of the statistic.
    masks : mapping of a site to the noise in its message that the aggregator takes off again
    draw : callable
        Draws the aggregator's own noise.
    """

    agreed: Repeated
    final: Repeated
    shape: tuple[int, ...]
    masks: Mapping[int, np.ndarray]
    draw: Callable[[float], np.ndarray]

    def of(self, messages: Mapping[int, np.ndarray]) -> tuple[np.ndarray, np.ndarray | None]:
        """The released value, and the messages of shape (S, ...) if the aggregator can read them."""
        parts = self.agreed.parts(self.shape)
        if parts.central_std:
            return self._central(messages), None
        if parts.grid is not None:
            return self._on_grid(messages, parts)
        here, lost = self.final.request.sites, self.final.request.lost
        numbers = here.numbers[~lost].tolist()
        if not parts.senders.all():
            return next(messages[n] for n in numbers if n in messages), None
        sent = [messages[n] for n in numbers]
        weights = self.final.parts(self.shape).shares(lost)[~lost]
        bare = [m - self.masks[n] if n in self.masks else m for n, m in zip(numbers, sent, strict=True)]
        rows = np.full((len(lost), *self.shape), np.nan)
        rows[~lost] = np.stack(sent)
        return average(bare, weights), rows

    def from_sum(self, total: np.ndarray) -> np.ndarray:
        """The released value if only the sum is known: in steps of the grid, or else the average itself."""
        grid, lost = self.agreed.parts(self.shape).grid, self.final.request.lost
        if grid is None:
            return total
        value = total * grid.step
        return value / self.final.request.sites.weights[~lost].sum() if lost.any() else value

    def less(self, messages: Mapping[int, np.ndarray], total: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The released value where a sum of noise comes after the messages, and the messages of shape (S, ...)."""
        here, lost = self.final.request.sites, self.final.request.lost
        numbers, left = here.numbers[~lost].tolist(), here.weights[~lost]
        grid, rows = self.agreed.parts(self.shape).grid, np.full((len(lost), *self.shape), np.nan)
        sent = np.stack([messages[n] for n in numbers])
        if grid is None:
            rows[~lost] = sent
            return less(rows, total, here.weights, ~lost), rows
        rows[~lost] = sent * grid.step / left.reshape(-1, *[1] * len(self.shape))
        value = (sent.sum(axis=0) - total) * grid.step
        return value / left.sum() if lost.any() else value, rows

    def _central(self, records):
        """A curator sees what the sites hold, and adds noise to the average."""
        here, parts = self.final.request.sites, self.final.parts(self.shape)
        held, noise = [records[n] for n in here.numbers.tolist()], self.draw(parts.central_std)
        if parts.grid is None:
            return average(held, here.weights) + noise
        rows = zip(here.numbers, here.weights, held, strict=True)
        return (sum(parts.grid.levels(w * f, int(n)) for n, w, f in rows) + noise) * parts.grid.step

    def _on_grid(self, messages, parts):
        """Whole numbers in steps of the grid, of statistics times the weights that the sites agreed on."""
        here, step, sent = self.agreed.request.sites, parts.grid.step, sorted(messages)
        weights = dict(zip(here.numbers.tolist(), here.weights, strict=True))
        if not parts.senders.all():
            return messages[sent[0]] * step / weights[sent[0]], None
        value = sum(messages[n] for n in sent) * step
        if len(sent) < len(weights):
            value = value / sum(weights[n] for n in sent)
        return value, np.stack([messages[n] * step / weights[n] for n in sent])
