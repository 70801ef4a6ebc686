"""One round over two folders, of a site and of the aggregator; a command repeats it until all is done."""

from __future__ import annotations

from dataclasses import dataclass

from core.desk.centre import Centre
from core.desk.desk import Desk
from core.desk.files import Folders


@dataclass(frozen=True)
class Round:
    """What happened in one look at the folders.

    Attributes
    ----------
    taken : int
        Letters that were taken.
    refused : tuple of str
        Why others were not.
    """

    taken: int
    refused: tuple[str, ...]


def site_round(desk: Desk, folders: Folders) -> Round:
    """Join every plan that was consented to, and answer what has come."""
    refused = list(desk.damaged())
    for plan in desk.plans():
        try:
            refused += folders.put(desk.begin(plan))
        except ValueError as error:
            refused.append(f"plan {plan.id[:8]}: {error}")
    taken = 0
    for name, data in folders.waiting():
        found = desk.take([data])
        refused += folders.put(found.letters)
        if found.refused:
            folders.early(name)
            refused += found.refused
        else:
            folders.done(name)
            taken += 1
    return Round(taken, tuple(refused))


def centre_round(centre: Centre, folders: Folders) -> Round:
    """Take what sites have sent; the letters to a site are in the folder of its name."""
    taken, refused = 0, list(folders.put())
    for name, data in folders.waiting():
        refused += send(centre, folders, centre.take([data]))
        if centre.refused:
            folders.early(name)
            refused += centre.refused
        else:
            folders.done(name)
            taken += 1
    return Round(taken, tuple(refused))


def send(centre: Centre, folders: Folders, letters) -> tuple[str, ...]:
    """Write letters into the folders of the sites that they are for; returns which places are taken, by what."""
    refused: list[str] = []
    for number, data in letters:
        refused += folders.put([data], folders.outbox / folder_of(centre, number))
    return tuple(refused)


def folder_of(centre: Centre, number: int) -> str:
    """The name of a site's folder: its number, which needs no letter that a drive refuses."""
    return f"site-{number}"
