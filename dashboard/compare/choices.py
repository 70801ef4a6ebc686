"""What the user of a comparison chooses in the parts that the server draws: schemes, axis, measure, algorithm, observer."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from core.schemes import OFFERED, PLAIN, SCHEMES
from dashboard.compare.spec import Comparison
from dashboard.compare.view import Asked
from dashboard.guarantee import observer
from dashboard.theme.scheme_style import LOOKS


def asked(spec: Comparison, page: Any) -> Asked:
    """What the view depends on besides plan and results."""
    own = () if page.own_table is None else tuple(page.own_table.unprotected())
    return Asked(
        offered=offered(spec, page),
        axes=page.model.axes,
        measures=measures(spec, page),
        table=page.model.table,
        unprotected=own,
        secret=page.model.hides_seed,
        printed=getattr(page.model, "printed", ""),
        observers=observers(page),
    )


def press(spec: Comparison, page: Any, name: str, number: int) -> None:
    """A choice in a part of the page that the server draws."""
    acts = {
        "method": lambda: _turn(spec, page, *offered(spec, page)[number]),
        "measure": lambda: page.set({spec.curve.judged: measures(spec, page)[number][0]}),
        "algorithm": lambda: page.visit(algorithms(page)[number][0]),
        "against": lambda: page.set({"adversary": observers(page)[number][1]}),
        "pin": page.pin,
    }
    if "axis" in page.own:
        acts["axis"] = lambda: page.set({"axis": list(page.model.axes)[number]})
    if name in acts:
        try:
            acts[name]()
        except IndexError:
            return  # A browser may send any number.


def algorithms(page: Any) -> list[tuple[str, str]]:
    """Name and title of every tab; a page without an app has its own alone."""
    return [(kind.name, kind.title) for kind in page.tabs or (page,)]


def measures(spec: Comparison, page: Any) -> tuple[tuple[str, str], ...]:
    """Value and label of every measure that the menu offers."""
    if spec.curve.judged not in page.own or spec.curve.judged in page.state.absent:
        return ()
    known = page.plan and page.plan.measurable
    return tuple([(n, one.label) for n, one in spec.curve.measures.items() if not known or n in known])


def observers(page: Any) -> tuple[tuple[str, str], ...]:
    """Words and value of everyone against whom the target may hold."""
    known = "adversary" in page.shared and "adversary" not in page.state.absent
    return tuple([(text, name) for name, text in observer.SEES.items()]) if known else ()


def offered(spec: Comparison, page: Any) -> tuple[tuple[str, bool], ...]:
    """Schemes and methods with chips, and whether each is chosen."""
    chosen = {*page.controls.schemes, *(m for m, of in spec.methods.items() if _has(page.model, of, m))}
    left = [m for m, name in spec.methods.items() if name in page.state.absent]
    return tuple([(name, name in chosen) for name in methods_offered(spec) if name not in left])


def methods_offered(spec: Comparison) -> tuple[str, ...]:
    """Every scheme and method with a chip, in the order of legends; the non-private answer first."""
    return _ordered(frozenset({*SCHEMES, *spec.methods}), tuple(LOOKS), frozenset(OFFERED))


@lru_cache(maxsize=64)
def _ordered(possible, legends, compared):
    """Those that pages compare first, then those to add."""
    ordered = [name for name in legends if name in possible]
    return tuple(sorted(ordered, key=lambda name: (name != PLAIN, name not in compared)))


def _has(model, parameter, method):
    chosen = getattr(model, parameter)
    return method in chosen if isinstance(chosen, list) else chosen


def _turn(spec, page, name, on):
    """Show a scheme or method, or leave it out."""
    if name not in spec.methods:
        chosen = {*page.controls.schemes} ^ {name}
        page.set({"schemes": [scheme for scheme in SCHEMES if scheme in chosen]})
        return
    parameter = spec.methods[name]
    chosen = getattr(page.model, parameter)
    if isinstance(chosen, list):
        known = [m for m, of in spec.methods.items() if of == parameter]
        page.set({parameter: [m for m in known if (m in chosen) != (m == name)]})
    else:
        page.set({parameter: not on})
