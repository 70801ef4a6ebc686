"""One site drops out after the noise was agreed: the average of the others in both orders of message and sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.cape import NoiseDesign
from core.schemes import most_dropouts
from core.schemes.after_design import design
from core.schemes.terms import Terms
from dashboard.compare.panels import card
from dashboard.state.number_text import short_text

SCHEME = "cape-after"
PLANNED = {"dropouts": 1}  # The order after is planned for it; the published one is as it is.


@dataclass(frozen=True)
class Dropout:
    """Noise of the average of all but the last site: its error in the played run, and its standard deviation.

    Attributes
    ----------
    all_send, before, after : tuple of float
        Of the published order if nobody drops out, and if the last site does; and where the sum comes after the
        messages, with the same draws of local noise. `after` is None for so few honest sites that two sums could be opened.
    masked, late : ndarray of shape (S,), or None
        Where the sum comes after: the noise that each site masks, and the local noise; None where `after` is.
    """

    all_send: tuple[float, float]
    before: tuple[float, float]
    after: tuple[float, float] | None
    masked: np.ndarray | None = None
    late: np.ndarray | None = None


def dropped(run: Any, plan: NoiseDesign, std: float, against: dict[str, Any], normal: np.ndarray) -> Dropout:
    """What the last site leaves in the played run.

    Parameters
    ----------
    run : ProtocolRun
    plan : NoiseDesign
        Of the run.
    std : float
        What the target requires of a message seen alone.
    against : dict
        Whom the target holds against.
    normal : ndarray of shape (S,)
        Independent standard normal numbers, of which the zero-sum noise of the run is the deviation from their mean.
    """
    sites, noise = len(run.values), run.zero_sum + run.local
    after = masked = local = None
    if most_dropouts(SCHEME, sites, colluding=against.get("colluding", 0)) >= 1:
        late = design(np.full(sites, std), terms=Terms(**against | PLANNED))
        masked, local = late.seed_std * normal, run.local / plan.local_std * late.local_std
        after = float(local[:-1].mean()), late.average_std([sites - 1])
    return Dropout(
        all_send=(float(noise.mean()), plan.average_std()),
        before=(float(noise[:-1].mean()), plan.average_std([sites - 1])),
        after=after,
        masked=masked,
        late=local,
    )


def dropout(found: Dropout, sites: int) -> str:
    """A card: rows of both orders, with the error of this run and the standard deviation."""
    rows = {
        "all send": found.all_send,
        "sum, then messages: as published": found.before,
        "messages, then sum": found.after,
    }
    told = "".join(f"<tr><th scope='row'>{name}</th>{_cells(row)}</tr>" for name, row in rows.items())
    table = (
        "<table><thead><tr><th></th><th scope='col'>error in this run</th><th scope='col'>standard deviation</th></tr>"
        f"</thead><tbody>{told}</tbody></table>"
    )
    about = f"site {sites} sends nothing once the blue noise is agreed; noise of the average of the other {sites - 1}"
    return card("One site drops out", about, f"<div class='twice'>{table}<p>{_why(found)}</p></div>")


def _cells(row):
    if row is None:
        return "<td>—</td><td>—</td>"
    error, std = row
    return f"<td>{'−' if error < 0 else '+'}{short_text(abs(error))}</td><td>{short_text(std)}</td>"


def _why(found):
    stays = "As published, the blue noise of the others no longer sums to zero: what was to cancel the lost site's stays."
    if found.after is None:
        return (
            f"{stays} With the sum after the messages so few sites cannot lose one: two sums could be opened."
        )
    return (
        f"{stays} With the other order each site sends its message and, masked, the blue noise in it. The sum of those that "
        "sent is then taken off: no blue noise stays. One run can be near "
        "the truth by chance; the standard deviation is that of many."
    )
