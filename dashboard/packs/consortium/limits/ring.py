"""The ring of sites: who colludes or is silent."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dashboard.components.live_picture.faces import (
    COLLUDES,
    HONEST,
    ROLES,
    SILENT,
    face,
    next_role,
)
from dashboard.packs.consortium.limits import text
from dashboard.packs.consortium.limits.model import MOST, Plan, Question

_SAYS = {HONEST: "honest", COLLUDES: "colludes with the aggregator", SILENT: "dropped out"}
_WIDTH, _HEIGHT, _RADIUS = 340, 292, 116
_X, _Y = _WIDTH / 2, _HEIGHT / 2
_STEPS = 16  # The play lets so many sites drop out one by one; of more, several at once.
_FACES = 24  # Beyond so many sites a face would be too small.


def roles_of(asked: Question, before: Sequence[str] = ()) -> list[str]:
    """A role for each site: those before if their numbers are still right; else the first collude, the last are silent."""
    counts = asked.sites - asked.colluding - asked.dropouts, asked.colluding, asked.dropouts
    if tuple(map(list(before).count, ROLES)) == counts:
        return list(before)
    return [COLLUDES] * asked.colluding + [HONEST] * counts[0] + [SILENT] * asked.dropouts


def after_press(roles: Sequence[str], site: int) -> list[str]:
    """The roles after a click on a site: honest, colluding, silent, and honest again; two honest ones remain."""
    found = list(roles)
    for _ in ROLES:
        found[site] = next_role(found[site])
        if found.count(HONEST) >= 2 and max(map(found.count, (COLLUDES, SILENT))) <= MOST:
            break
    return found


def after_drop(roles: Sequence[str]) -> list[str]:
    """The roles after the play's next step: the last honest site drops out, of many sites several at once."""
    found = list(roles)
    for _ in range(max(1, len(found) // _STEPS)):
        if _room_to_drop(found):
            found[len(found) - 1 - found[::-1].index(HONEST)] = SILENT
    return found


def all_send(roles: Sequence[str]) -> list[str]:
    """The roles once no site is silent."""
    return [HONEST if role == SILENT else role for role in roles]


def _room_to_drop(roles):
    return roles.count(HONEST) > 2 and roles.count(SILENT) < MOST


def ended(plan: Plan, roles: Sequence[str]) -> bool:
    """Whether the play is over: CAPE is worse than independent noise, or no further site can drop out."""
    return plan.ratios["cape"] > plan.ratios["conventional"] * text.NEAR or not _room_to_drop(roles)


def picture(plan: Plan, roles: Sequence[str], *, playing: bool = False) -> str:
    """HTML of the ring with its button and sliders; `playing`: one more site will drop out in a moment."""
    button = _button(plan, roles, playing)
    press = "or press" if button else "Press"
    return (
        f"<div class='limits'><p class='press{' calls' if set(roles) == {HONEST} else ''}'>{button}"
        f"<span>{press} a site: it colludes; again: it drops out</span></p>"
        f"{_ring(plan.question, roles)}{_slides(plan.question)}</div>"
    )


def _button(plan, roles, playing):
    """The button that lets sites drop out one by one, stops that, or lets them send again."""
    if playing:
        number, words = 0, "■ Stop"
    elif not ended(plan, roles):
        number, words = 1, "▶ Play: sites drop out"
    elif SILENT in roles:
        number, words = 2, "↺ Let all send again"
    else:
        return ""
    return f"<button data-press='play' data-number='{number}'>{words}</button>"


def _ring(asked, roles):
    sites = len(roles)
    places = [_place(s, sites) for s in range(sites)]
    parts = [
        _joint(places[s], places[(s + 1) % sites], roles[s], roles[(s + 1) % sites]) for s in range(sites)
    ]
    parts += [_spoke(*place, role) for place, role in zip(places, roles, strict=True)]
    parts.append(
        f"<g class='desk' transform='translate({_X} {_Y})'><rect class='plate' x='-40' y='-30' width='80' height='58' "
        f"rx='9'/><g transform='translate(0 -8)'>{face(22, smiles=False)}</g><text y='21'>aggregator</text></g>"
    )
    size = min(22.0, 0.4 * 2 * math.pi * _RADIUS / sites)
    for s, (place, role) in enumerate(zip(places, roles, strict=True)):
        # The area shows the records: a site with more of them needs less noise.
        own = size * max(0.45, math.sqrt(float(asked.std.min() / asked.std[s])))
        parts.append(
            _site(s, *place, own, role, near=min(24.0, math.pi * _RADIUS / sites), whole=sites <= _FACES)
        )
    told = f"{sites} sites in a ring, {asked.colluding} of them collude and {asked.dropouts} dropped out"
    return f"<svg class='ring' viewBox='0 0 {_WIDTH} {_HEIGHT}' role='group' aria-label='{told}'>{''.join(parts)}</svg>"


def _place(site, sites):
    turn = 2 * math.pi * site / sites - math.pi / 2
    return _X + _RADIUS * math.cos(turn), _Y + _RADIUS * math.sin(turn)


def _joint(first, second, *roles):
    """The part of the ring between two sites: noise that cancels if both send; thin where a colluder tells it."""
    lost = " lost" if SILENT in roles else " told" if COLLUDES in roles else ""
    return (
        f"<path class='joint{lost}' d='M{first[0]:.1f} {first[1]:.1f}A{_RADIUS} {_RADIUS} 0 0 1 {second[0]:.1f} "
        f"{second[1]:.1f}'/>"
    )


def _spoke(x, y, role):
    """A message on its way to the aggregator; nothing comes from a silent site."""
    ends = f"x1='{x:.1f}' y1='{y:.1f}' x2='{_X}' y2='{_Y}'"
    letter = (
        ""
        if role == SILENT
        else f"<circle class='letter' r='4' style='--x:{x - _X:.1f}px;--y:{y - _Y:.1f}px'/>"
    )
    return f"<g class='spoke {role}'><line {ends}/><g transform='translate({_X} {_Y})'>{letter}</g></g>"


def _site(number, x, y, size, role, *, near, whole):
    # A dark face alone would let the ring show through.
    box = f"x='{-0.9 * size:.1f}' y='{-0.9 * size:.1f}' width='{1.8 * size:.1f}' height='{1.8 * size:.1f}'"
    if whole:
        inside = f"<rect class='under' {box} rx='{0.4 * size:.1f}'/>{face(size, shut=role == SILENT, sly=role == COLLUDES)}"
    else:
        inside = f"<circle class='under' r='{size:.1f}'/><circle class='head' r='{size:.1f}'/>"
    told = f"Site {number + 1}: {_SAYS[role]}"
    inside += f"<circle class='thumb' r='{near:.1f}'/>"
    return (
        f"<g class='site {role}' transform='translate({x:.1f} {y:.1f})' role='button' tabindex='0' aria-label='{told}' "
        f"data-press='site' data-number='{number}'><title>{told}</title>{inside}</g>"
    )


def _slides(asked):
    rows = ""
    for name, words, role, value, other in (
        ("colluders", "Sites that collude", COLLUDES, asked.colluding, asked.dropouts),
        ("silent", "Sites that drop out", SILENT, asked.dropouts, asked.colluding),
    ):
        most = min(MOST, asked.sites - 2 - other)
        rows += (
            f"<label class='slide {role}'><span>{words}: <b>{value}</b></span>"
            f"<input type='range' data-name='{name}' min='0' max='{max(most, value)}' step='1' value='{value}'></label>"
        )
    return f"<div class='slides'>{rows}</div>"
