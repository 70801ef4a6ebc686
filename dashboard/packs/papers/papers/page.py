"""Papers: every figure of the four papers, as published and corrected, beside the printed points."""

from __future__ import annotations

from dashboard.packs.papers.papers.model import PapersModel, Plan, keep, live
from dashboard.packs.papers.papers.view import NAMES, view
from dashboard.packs.papers.reproduce.script import program
from dashboard.page.lesson import Preset
from dashboard.sheet.spec import Sheet
from dashboard.sheet.work import Calls
from dashboard.theme.assets import beside


def _press(page, name, number):
    """Choose a figure, or open it on the page that computes it live."""
    if name == "live" and page.plan is not None:
        page.visit(*live(page.plan.experiment, page.plan.convention))
    elif name == "figure" and number < len(NAMES):
        page.set({"figure": NAMES[number]})


def _script(plan: Plan) -> str:
    return program(plan.runs)


PAPERS = Sheet(
    name="papers",
    model=PapersModel,
    view=view,
    places={"figure": 4, "about": 2, "others": 6, "details": 6},
    charts=("figure",),
    shared=(),
    sliders=("convention",),
    hidden=("figure",),
    presets=(
        Preset("A figure of 2018, computed again", {"figure": "Fact-Fig2a", "convention": "published"}),
        Preset("What errors and better methods change", {"figure": "Fact-Fig4c", "convention": "corrected"}),
        Preset("Collusion that seemed to protect", {"figure": "Cape-Fig6b", "convention": "published"}),
    ),
    script=_script,
    work=Calls(calls=lambda plan: plan.calls, finished=keep),
    press=_press,
    sheet=beside(__file__, "papers.css"),
)
