"""What a played slider showed: at which of its stops each scheme reached what the page asks about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import LOOKS, subject


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
    sign : str
        Between the symbol and a number.
    quantity : str
        What the numbers are of, before the first of them; "" where the symbol says it.
    short : str
        The mark in a few words, before the names under the slider, e.g. "all found"; "" for none.
    falls : bool
        Whether the mark is the harder to reach the larger the value is: names then stand where it was reached last.
    looks : mapping of str to str
        The scheme, or method, of words of `who` that are neither its label nor its name in a sentence.
    """

    what: str
    who: Mapping[str, bool]
    symbol: str = "ε"
    sign: str = " = "
    quantity: str = ""
    short: str = ""
    falls: bool = False
    looks: Mapping[str, str] = field(default_factory=dict)


class Play:
    """The stops of a slider that plays.

    Parameters
    ----------
    reached : callable
        Maps the picture of a stop to what was reached there; None while that is not known.
    """

    def __init__(self, reached: Callable[[Any], Reached | None]):
        self._reached = reached
        self._pictures: dict[float, Any] = {}
        self._stops: dict[float, Reached] = {}

    def begin(self) -> None:
        """Forget the play before."""
        self._pictures.clear()
        self._stops.clear()

    def note(self, value: float, picture: Any) -> None:
        """Take the picture of a stop."""
        self._pictures[value] = picture
        self._look(value)

    def text(self) -> str:
        """Where each scheme reached the mark, in a sentence; "" of less than two stops, or until that is known of all.

        Means may have become known since a stop was shown.
        """
        for value in self._pictures.keys() - self._stops.keys():
            self._look(value)
        if len(self._stops) < max(2, len(self._pictures)):
            return ""
        return play_text(self._stops)

    def marks(self) -> dict[str, Any]:
        """What stands under the slider: at which stop each scheme reached the mark, so far as the play has come.

        Returns
        -------
        dict
            "what", a few words before the marks, and "at", for each of them "value", "name" and "colour"; empty if
            there is none.
        """
        for value in self._pictures.keys() - self._stops.keys():
            self._look(value)
        return marks({value: self._stops.get(value) for value in self._pictures})

    def _look(self, value):
        found = self._reached(self._pictures[value])
        if found is not None:
            self._stops[value] = found


def play_text(reached: Mapping[float, Reached]) -> str:
    """Where each scheme reached the mark, from what is known of every stop; "" of less than two."""
    stops = sorted(reached)
    if len(stops) < 2:
        return ""
    found = [reached[at].who for at in stops]
    last = reached[stops[-1]]
    everyone = [who for who in last.who if all(who in one for one in found)]
    name = _named(last)
    each = [f"{who} {_where(stops, [one[who] for one in found], name)}" for who in everyone]
    if not each:
        return ""
    quantity = f"{last.quantity} " if last.quantity else ""
    return f"In the play from {quantity}{name(stops[0])} to {name(stops[-1])}, {last.what} {', '.join(each)}."


def marks(reached: Mapping[float, Reached | None]) -> dict[str, Any]:
    """For `ControlPanel.marks`: the stop from which on, or up to which, each scheme reaches the mark without a gap."""
    last = next((one for _, one in sorted(reached.items(), reverse=True) if one is not None), None)
    if last is None:
        return {}
    stops, found = sorted(reached, reverse=not last.falls), []
    for who in last.who:
        place = None
        for at in stops:
            one = reached[at]
            if one is None or not one.who.get(who, False):
                break
            place = at
        look = LOOKS[last.looks[who]] if who in last.looks else _look_of(who)
        if place is not None and look is not None:
            found.append({"value": place, "name": look.label, "colour": look.colour})
    before = f"{last.short} {'up to' if last.falls else 'from'}" if last.short else ""
    return {"what": before, "at": found} if found else {}


def _look_of(words):
    """The style of a scheme of which a sentence speaks with these words; None if there is none."""
    return next((look for name, look in LOOKS.items() if words in (look.label, subject(name))), None)


def _where(stops: Sequence[float], reached: Sequence[bool], named: Callable[[float], str]) -> str:
    """At which stops, in words."""
    there = [at for at, yes in zip(stops, reached, strict=True) if yes]
    if len(there) in (0, len(stops)):
        return "at every stop" if there else "at no stop"
    if there == stops[-len(there) :]:
        return f"from {named(there[0])} on" if len(there) > 1 else f"at {named(there[0])} only"
    if there == stops[: len(there)]:
        return f"up to {named(there[-1])}" if len(there) > 1 else f"at {named(there[0])} only"
    return f"at {', '.join(map(named, there))}"


def _named(reached):
    """How a stop is written, in one piece."""
    before = f"{reached.symbol}{reached.sign}" if reached.symbol else ""
    return lambda at: f"{before}{number_text(at)}".replace(" ", "\u00a0")
