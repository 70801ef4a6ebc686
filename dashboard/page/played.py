"""What a played slider showed: at which of its stops each scheme reached what the page asks about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dashboard.state.number_text import number_text


@dataclass(frozen=True)
class Reached:
    """Which schemes reach a mark at the present settings.

    Attributes
    ----------
    what : str
        The mark, in words that "In the play," leads to and a scheme follows, e.g. "all topics were found".
    who : mapping of str to bool
        For each scheme, in words, whether it reaches the mark.
    symbol : str
        Of the slider, e.g. "ε"; "" for a number alone.
    """

    what: str
    who: Mapping[str, bool]
    symbol: str = "ε"


@dataclass
class Play:
    """The stops of a slider that plays."""

    _stops: dict[float, Reached] = field(default_factory=dict)

    def begin(self) -> None:
        """Forget the play before."""
        self._stops.clear()

    def note(self, value: float, found: Reached | None) -> None:
        """Take what was reached at a stop; None where that is not known."""
        if found is not None:
            self._stops[value] = found

    def text(self) -> str:
        """Where each scheme reached the mark, in a sentence; "" of less than two stops."""
        if len(self._stops) < 2:
            return ""
        stops = sorted(self._stops)
        last = self._stops[stops[-1]]
        everyone = [who for who in last.who if all(who in self._stops[at].who for at in stops)]
        told = [
            f"{who} {_where(stops, [self._stops[at].who[who] for at in stops], last.symbol)}"
            for who in everyone
        ]
        return f"In the play, {last.what} {', '.join(told)}." if told else ""


def _where(stops: Sequence[float], reached: Sequence[bool], symbol: str) -> str:
    """At which stops, in words."""

    def named(at):
        return f"{symbol} = {number_text(at)}".replace(" ", "\u00a0") if symbol else number_text(at)

    there = [at for at, yes in zip(stops, reached, strict=True) if yes]
    if len(there) in (0, len(stops)):
        return "always" if there else "never"
    if there == stops[-len(there) :]:
        return f"from {named(there[0])} on" if len(there) > 1 else f"at {named(there[0])} alone"
    if there == stops[: len(there)]:
        return f"up to {named(there[-1])}" if len(there) > 1 else f"at {named(there[0])} alone"
    return f"at {', '.join(map(named, there))}"
