"""A comparison as a page: result, curve, and noise with privacy are the parts of a sheet."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from dashboard.compare import choices
from dashboard.compare.records import Records
from dashboard.compare.spec import Comparison
from dashboard.compare.sweep import Sweep
from dashboard.compare.view import tabs, view
from dashboard.components.first_line import first_line
from dashboard.sheet.look import DATA, Look
from dashboard.sheet.spec import Sheet
from dashboard.theme.assets import beside

_STAGE, _FIRST = beside(__file__, "stage.css"), beside(__file__, "first.css")
_SHEET = beside(__file__, "rows.css") + beside(__file__, "compare.css") + beside(__file__, "imbalance.css")


def comparison(spec: Comparison) -> Sheet:
    """The page on which an algorithm runs under every scheme."""
    share = (6, 2, 4) if spec.result.wide else (3, 3, 6)
    return Sheet(
        name=spec.name,
        model=spec.model,
        view=partial(view, spec),
        places=dict(zip(("result", "curve", "formulas"), share, strict=True)),
        charts=("curve",),
        shared=spec.shared,
        opens=spec.opens,
        hidden=(*spec.hidden, "adversary"),  # It is chosen in the guarantee's sentence.
        sliders=spec.sliders,
        presets=tuple(_equal(spec, one) for one in spec.presets),
        equation=spec.equation,
        code=spec.code,
        script=lambda plan, own=None: spec.script(plan, own),
        work=Sweep(of=spec),
        absent=lambda plan: _absent(spec, plan),
        most=spec.most,
        press=partial(choices.press, spec),
        above=partial(Records, spec),
        asked=partial(choices.asked, spec),
        play={"over": list(spec.play)},
        reached=spec.reached,
        look=_look(spec),
    )


def _equal(spec, preset):
    """An example whose sites are equal unless it says otherwise."""
    if "imbalance" not in spec.shared:
        return preset
    return replace(preset, values={"imbalance": 1.0} | dict(preset.values))


def _absent(spec, plan):
    unplanned = ["dropouts"] if plan.settings.adversary == "message" else []
    return [*spec.absent(plan), *unplanned]


def _look(spec):
    return Look(
        _STAGE,
        named=True,
        kinds=("wide",) if spec.result.wide else (),
        sheet=_SHEET,
        first=_FIRST,
        heading=lambda page: tabs(choices.algorithms(page), page.name),
        beside="chips",
        line=_line,
        titled=True,
        pairs=("formulas",),
        data=DATA,
    )


def _line(page):
    """The first line with the number of sites that is set."""
    known = page.plan is not None and "sites" not in page.state.absent
    return first_line(page.plan.here.get("sites") if known else None)
