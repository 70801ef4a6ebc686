"""Texts on principal components: the table, and the program behind the curve."""

from __future__ import annotations

from collections.abc import Sequence

from core import pca
from dashboard.algorithms.pca.model import Plan, Spot
from dashboard.own_table.description import Choice
from dashboard.runs.sweep_plan import noise_options
from dashboard.state.number_text import number_text, percent_text
from dashboard.theme.scheme_style import label
from data.sites import held

ENOUGH = 90.0  # Per cent of the non-private measure for which the page states the needed ε.


def table(spots: Sequence[Spot], plan: Plan) -> str:
    """Mean energy of every method, and the error of its drawn release: the quantities of [Fact] section IV."""
    sent = {
        m: pca.communication(
            m,
            sites=plan.here["sites"],
            width=plan.source.width,
            rank=2 * plan.here["k"],
            samples=held(plan.here),
            mean=plan.problem.centre == "mean",
        )
        for m in plan.methods
    }
    rows = "".join(
        f"<tr><th scope='row'>{label(s.method)}</th><td>{percent_text(s.energy)}</td>"
        f"<td>{s.rank_error:.3f}</td><td>{number_text(sent[s.method])}</td></tr>"
        for s in spots
    )
    return (
        f"<div class='scroll'><table><thead><tr><th></th><th scope='col'>{plan.problem.measure}</th>"
        "<th scope='col'>‖A − Âₖ‖₂ / λ₁<br>(drawn release)</th>"
        f"<th scope='col'>numbers<br>sent</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def script(plan: Plan, own: Choice | None) -> str:
    """A program that leaves the numbers of the curve in `columns`."""
    s = plan.settings
    flags = pca.PUBLISHED if s.calibration == "published" else {}
    measure = plan.problem.measure
    if measure == "variance":
        flags = {"measure": measure, "centre": plan.problem.centre, "share": plan.problem.share}
    conventions = "".join(f", {name}={value!r}" for name, value in flags.items())
    if own is None:
        title, paths, load = f": {plan.source.title}", "", "from data.catalogue.tables import load"
    else:
        title, paths = " of your own table", own.standard
        load = f"{own.imports}\n\n{own.code()}"
    return f'''"""Captured {measure} of private PCA along {plan.axis}{title}."""
{paths}from core import pca, sweep
{load}

problem = pca.Problem(load, data_settings={plan.problem.data_settings!r}{conventions})
cells = {list(plan.cells)!r}
rows = sweep.run(problem, cells, schemes={plan.methods!r}, repeats={s.repeats}, {noise_options(plan)})

best = rows[rows.scheme == "nonprivate"].set_index("{plan.axis}").{measure}
rows["share"] = rows.{measure} / rows["{plan.axis}"].map(best)
mean = 100 * rows.groupby(["scheme", "{plan.axis}"]).share.mean()
columns = mean.rename("mean").reset_index().to_dict("list")
print(mean.unstack(0).to_string(float_format="%.2f"))
'''
