"""The question with which a page opens before it shows its answer: one press guesses it, any setting answers it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from dashboard.state.page_settings import PageSettings
from dashboard.theme.assets import beside

HIDDEN = {"conventional": "all noise stays", "local": "one site alone"}
"""The schemes of an analysis whose results wait for a guess, and what they are; that of CAPE shows what is sought."""
SHEET = beside(__file__, "asked.css")


@dataclass(frozen=True)
class Asked:
    """A question, and what may be guessed.

    Attributes
    ----------
    text : str
        HTML; nothing in it depends on the answer.
    choices : tuple of str
        Plain text, in the order in which they stand.
    right : int or None
        The place of the choice that is right; None while that is not known.
    waits : str
        What is said of a guess until then.
    then : str
        HTML after the verdict.
    """

    text: str
    choices: tuple[str, ...]
    right: int | None = None
    waits: str = "Computing the answer …"
    then: str = "Now <b>Play</b>."


def closest(values: Sequence[float], found: float | None) -> int | None:
    """The place of the value that is nearest to what was found; None while nothing is known."""
    if found is None:
        return None
    return min(range(len(values)), key=lambda place: abs(values[place] - found))


def how_many(found: float | None, of: int) -> tuple[tuple[str, ...], int | None]:
    """Choices of an average number found, from none up to all, and the place of the right one."""
    numbers = range(of + 1)
    names = ("none", *(f"about {n}" for n in numbers[1:-1]), f"all {of}")
    return names, closest(numbers, found)


def markup(asked: Asked, chosen: int | None = None, *, past: bool = False) -> str:
    """The question with its choices to press, or, once one was `chosen`, with the verdict; as HTML.

    A `chosen` of −1: nobody guessed, and the answer is told. It is paler while the picture below is of another value of
    the slider, `past` it.
    """
    choices = "".join(_choice(asked, place, chosen) for place in range(len(asked.choices)))
    said = "" if chosen is None else f"<span role='status'>{_verdict(asked, chosen)}</span>"
    kind = "asked past" if past else "asked"
    return f"<div class='{kind}'><p>{asked.text}</p><p class='choices' data-key='{chosen}'>{choices}{said}</p></div>"


def _choice(asked, place, chosen):
    name = asked.choices[place]
    if chosen is None:
        return f"<button type='button' data-press='choice' data-number='{place}'>{name}</button>"
    # Nothing is marked before the answer is known.
    looks = ["right"] if place == asked.right else []
    looks += ["chosen"] if place == chosen else []
    sign = "✓ " if looks[:1] == ["right"] else "✗ " if looks and asked.right is not None else ""
    return f"<b class='{' '.join(looks)}'>{sign}{name}</b>"


def _verdict(asked, chosen):
    if chosen < 0:
        return ""
    if asked.right is None:
        return asked.waits
    verdict = "Right." if chosen == asked.right else f"No: {asked.choices[asked.right]}."
    return f"<strong>{verdict}</strong> {asked.then}"


class Opening:
    """The settings that a page opened with, those of a bare link, and its question about them.

    Parameters
    ----------
    settings : PageSettings
        Of the page.
    shared : mapping of str to str
        The texts of the shared settings with which the page opens.
    played : collection of str
        Settings that the page's play changes: they answer nothing.
    moved : callable
        Returns the name of the slider above the picture, or None.
    when : callable
        Returns what stands before the question, since it stays when that slider moves, e.g. "At ε = 2: ".

    Attributes
    ----------
    guess : int or None
        The choice that was guessed.
    """

    def __init__(
        self,
        settings: PageSettings,
        shared: Mapping[str, str],
        played: Collection[str],
        *,
        moved: Callable[[], str | None],
        when: Callable[[], str],
    ):
        self._settings, self._shared, self._played = settings, _unseeded(shared), played
        self._moved, self._when = moved, when
        self._first: dict[str, str] | None = None
        self._asked: Asked | None = None
        self.guess: int | None = None

    def stands(self) -> bool:
        """Whether no setting was chosen: of a link neither, besides seeds; after the first call, seeds neither."""
        now = self._chosen()
        if self._first is None:
            self._first = now if _unseeded(now) == self._shared else {"": ""}
        return now == self._first

    def take(self, asked: Asked | None) -> None:
        """Keep the question as the results of these settings put it; an answer that was told stays."""
        known = self._asked is not None and self._asked.right is not None
        if known and (asked is None or asked.right is None):
            return
        before = "" if self._moved() in self._played else self._when()
        self._asked = asked and replace(asked, text=before + asked.text)

    def card(self, *, asking: bool) -> str:
        """The question, or its answer; "" where it is not known, and when a setting besides the slider was chosen."""
        if self._asked is None:
            return ""
        if asking:
            return markup(self._asked)
        if not self._near() or (self._asked.right is None and not (self.guess is not None and self.stands())):
            return ""
        return markup(self._asked, -1 if self.guess is None else self.guess, past=not self.stands())

    def _near(self):
        if self._first is None:
            return False
        now, moved = self._chosen(), self._moved()
        return all(now.get(name) == self._first.get(name) for name in {*now, *self._first} - {moved})

    def _chosen(self):
        """The texts of the settings that the question is about."""
        return {name: text for name, text in self._settings.texts().items() if name not in self._played}


def _unseeded(texts):
    return {name: text for name, text in texts.items() if not name.endswith("_seed")}
