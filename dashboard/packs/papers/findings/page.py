"""Findings: errors that we found in the papers, each with a demonstration that runs when it is opened."""

from __future__ import annotations

from core.findings import FIRST
from core.sweep.workers import Call
from dashboard.packs.papers.finding_links import LIVE
from dashboard.packs.papers.findings.model import ALL, FindingsModel, FindingsPlan, demonstrate
from dashboard.packs.papers.findings.view import PLACES, view
from dashboard.page.lesson import Preset
from dashboard.sheet.spec import Sheet
from dashboard.sheet.work import Calls
from dashboard.theme.assets import beside


def script(plan: FindingsPlan) -> str:
    """A program that runs the demonstration of the open finding, or lists the findings."""
    if plan.opened is None:
        return f'''"""Findings in the papers, with the code that shows them."""
from core.findings import FINDINGS

listed = {list(plan.listed)!r}
names = ("key", "place", "kind", "title", "says", "true")
columns = {{name: [getattr(FINDINGS[key], name) for key in listed] for name in names}}
'''
    return f'''"""{plan.opened.title}: both numbers, and the same along a setting where there is one."""
import numpy as np

from core.findings import FINDINGS

finding = FINDINGS[{plan.opened.key!r}]
shown = finding.demonstrate(np.random.default_rng({plan.seed}))
print(finding.consequence(shown))
columns = {{name: [value] for name, value in zip(shown.names, (shown.published, shown.correct))}}
if shown.curve is not None:
    columns = {{shown.curve.x_name: shown.curve.x.tolist()}}
    columns |= {{name: np.asarray(y).tolist() for name, y in shown.curve.lines.items()}}
'''


def _press(page, name, number):
    """Open a finding, close it, or visit the page that shows it live."""
    if name == "close":
        page.set({"finding": ""})
    elif number < len(PLACES):
        key = PLACES[number]
        if name == "open":
            page.set({"finding": key})
        elif name == "live" and key in LIVE:
            page.visit(*LIVE[key])


def _calls(plan):
    of = (plan.opened.key, plan.seed) if plan.opened else None
    return [Call(demonstrate, of, key=of)] if of else []


def _preset(name, key):
    return Preset(name, {"finding": key, "paper": ALL, "kind": ALL})


FINDINGS_SHEET = Sheet(
    name="findings",
    model=FindingsModel,
    view=view,
    places={"found": 6, "curve": 6, "rest": 6},
    charts=("curve",),
    shared=("noise_seed",),
    sliders=("paper", "kind"),
    hidden=("finding",),
    presets=(
        _preset("An adversary who sees all messages", "several-messages"),
        _preset("Symmetric noise reveals differences", "asymmetric-moments"),
        _preset("One document changes everything", "whitened-sensitivity"),
    ),
    script=script,
    work=Calls(
        calls=_calls,
        at_once=lambda plan: plan.opened.key in FIRST,  # They take milliseconds.
    ),
    press=_press,
    sheet=beside(__file__, "findings.css"),
)
