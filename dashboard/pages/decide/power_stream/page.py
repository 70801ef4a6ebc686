"""Power method, streaming: components estimated from records that are read once and not stored."""

from __future__ import annotations

from functools import partial
from typing import ClassVar
from uuid import uuid4

import pandas as pd
from bokeh.models import ColumnDataSource

from core.sweep.workers import Call
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL, bokeh_pane
from dashboard.components.tiles import Tiles
from dashboard.page import openings
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.pages.decide.power_stream import pictures
from dashboard.pages.decide.power_stream.model import (
    AGAIN,
    DRAWN,
    LOST,
    MOST,
    Plan,
    Point,
    StreamModel,
    finds_all,
    step,
    whole,
)
from dashboard.plotting.figure import folding_legend, house_figure, in_lines, rule, subtitle
from dashboard.problems.patterns import RULE
from dashboard.state.controls import Controls
from dashboard.state.html_text import paragraph, rest
from dashboard.theme.scheme_style import QUIET, ink
from data.check import grouped

_LEFT = {"too much": ", so that their negative is left", "too little": ", so that a part of them is left"}
_LOOKS = {"corrected": ("circle", "solid"), "published": ("diamond", "dashed")}


class StreamPage(Page):
    """Error against records seen, live, of Algorithm 2 with its deflation corrected and as printed."""

    name = "power_stream"
    model_type = StreamModel
    live = False
    shared, primary, follows = ("data_seed", "noise_seed"), "read", True
    plays_from, plays_to_end = 0.0, True  # Its end answers which search finds all.
    # All batches are counted, not those up to the slider.
    run_settings: ClassVar = {"unit": "step", "units": "steps"}
    first, first_figure = ("per_step", "components", "spread"), False
    presets = (
        Preset(
            "As printed, two are lost",
            {
                "per_step": 500,
                "d": 64,
                "components": 3,
                "scale": 10.0,
                "spread": 0.7,
                "restarts": 2,
                "read": MOST,
            },
        ),
        Preset(
            "At weight 1 both work",
            {
                "per_step": 1000,
                "d": 64,
                "components": 3,
                "scale": 1.0,
                "spread": 0.05,
                "restarts": 10,
                "read": MOST,
            },
        ),
        Preset(
            "Too large for a stored tensor",
            {"per_step": 1500, "d": 3000, "components": 2, "scale": 10.0, "spread": 0.02, "restarts": 10}
            | {"read": MOST},
        ),
    )
    code = ("core.power.online",)
    equation = (
        r"""
Each step reads n new records and averages, for L vectors at once,
$$\tilde u_{t+1}=\frac1n\sum_{\ell=1}^{n}(x_\ell^{\top}u_t)^2\,x_\ell\;-\;\sum_{j<i}\hat\lambda_j\,\xi_j^2\,\hat v_j,
\qquad \xi_j=\hat v_j^{\top}u_t,$$
which is an unbiased T(I,u,u) of the deflated moment T = E[x⊗x⊗x]. The paper prints instead
$$\xi_j=\hat v_j^{\top}\tilde u_{t+1},$$
the image before normalisation. It is too small or too large, depending on the scale of T, so that deflation does not
remove the components found; and it reports λ̂ of the vector before the last. Corrected, one more step of n records
measures λ̂ at v̂ itself.

Memory is O(d(k + L)), independent of the length of the stream; time is O(n k d L R).
In code: `core.power.online`; source: [Power] Algorithm 2.
"""
        + RULE
    )

    def __init__(self, controls):
        super().__init__(controls)
        self._points: list[Point] = []
        self._stream: Plan | None = None

    @classmethod
    def warm(cls) -> None:
        stream = cls(Controls(**cls.opens)).compute().stream
        openings.keep(stream, partial(whole, stream))
        openings.keep(("often", stream), partial(finds_all, stream))

    def body(self):
        self.tiles = Tiles()
        self._build_errors()
        self._build_memory()
        return self.tiles

    def more(self):
        self.content()
        return Stack(bokeh_pane(self._errors), bokeh_pane(self._memory), **FULL)

    def still(self) -> str:
        return self.tiles.still()

    def exhibits(self) -> tuple:
        return self.content(), *self.figures()

    def begin(self, plan: Plan) -> list[Call] | None:
        if (
            self.plan is not None
            and self._stream == plan.stream
            and self.runs.state in ("running", "finished")
        ):
            self.show(plan)
            return None  # The runs are of the whole stream.
        known = openings.kept(plan.stream)
        self._points, self._stream = list(known or ()), plan.stream
        self.said.most = {"read": plan.whole}
        self.show(plan)
        if known:
            return None if self.runs.state == "idle" else []  # Those of another stream end.
        name = uuid4().hex
        return [Call(step, (plan.stream, name, i), key="stream") for i in range(plan.whole)]

    def _read(self, picture, deflation=None):
        """The points of the batches read so far."""
        most = picture.batches * picture.per_step
        return [p for p in self._points if p.seen <= most and deflation in (None, p.deflation)]

    def draw(self, picture: Plan) -> None:
        spec = pictures.tiles(self._read(picture), picture)
        if spec:
            self.tiles.show(**spec)
        else:
            self.tiles.spec = {}
        self._label.text = in_lines(picture.label)
        for deflation, source in self._sources.items():
            source.data = _columns(self._read(picture, deflation))
        corrected = self._read(picture, "corrected")
        self._bytes.data = {
            "seen": [p.seen for p in corrected],
            "held": [p.held / 1e6 for p in corrected],
            "read": [p.read / 1e6 for p in corrected],
        }

    def words(self, picture: Plan) -> str:
        points = {d: self._read(picture, d) for d in _LOOKS}
        if not all(pictures.read_all(points[d], picture, d) for d in _LOOKS):
            return paragraph("Reading the records …")
        found = {d: f"<b>{pictures.found(points[d])}\u00a0of\u00a0{picture.components}</b>" for d in _LOOKS}
        amount = pictures.amount(picture.truth.values)
        taken = (
            "Before it looks for the next pattern, a search takes away those that it has found. The formula as printed "
            f"takes away {amount}{_LEFT.get(amount, '')}."
        )
        read = f"{picture.batches} of" if picture.batches < picture.whole else "all"
        after = f"In this run, after {read} {picture.whole} batches"
        compared = _compared(found, points["published"], picture)
        # Until the pictures answer it.
        alike = found["corrected"] == found["published"] and "again" not in compared
        still = picture.batches < picture.whole and pictures.found(points["corrected"]) < picture.components
        ask = (
            " Play reads more batches: which search finds all?"
            if alike and still and picture.components > 1
            else ""
        )
        # What the formula takes away answers the question.
        return paragraph(f"{after}, {compared}.{ask}") + (rest(taken) if not ask else "")

    def reached(self, picture: Plan) -> Reached | None:
        points = {d: self._read(picture, d) for d in _LOOKS}
        if not all(pictures.read_all(points[d], picture, d) for d in _LOOKS):
            return None
        closing = _closing(points, picture, openings.kept(("often", picture.stream)))
        return Reached("all were found by", {}, closing=closing)

    def guarantee(self, picture: Plan) -> Guarantee:
        return Guarantee(
            sentence="Nothing here is private: reading a record once does not protect it. The private form of this "
            "method is on the page Tensors.",
            unit="none",
            not_private=("everything on this page",),
        )

    def table(self) -> pd.DataFrame:
        names = ("deflation", "component", "seen", "error")
        rows = sorted(self._points, key=lambda p: (p.deflation, p.seen))
        return pd.DataFrame({n: [getattr(p, n) for p in rows] for n in names})

    def script(self) -> str:
        return _script(self.plan or self.compute())

    def figures(self) -> tuple:
        self.content()
        return self._errors, self._memory

    def paint(self, results: list[Point | None]) -> None:
        self._points += [point for points in results for point in points]
        self.show(self.plan)

    def _build_errors(self):
        plot = self._errors = house_figure(
            "records seen",
            "distance to the nearest component not found yet",
            y_log=True,
            height=400,
            title="Above the dotted line: lost",
            hover=[("component", "@component"), ("records", "@records"), ("distance", "@error{0.0000}")],
        )
        plot.xaxis.formatter.use_scientific = False
        self._label = subtitle(plot)
        rule(plot, "width", location=LOST)
        self._sources, items = {}, []
        for deflation, (marker, dash) in _LOOKS.items():
            text, colour = pictures.LABELS[deflation], pictures.COLOURS[deflation]
            source = ColumnDataSource({"seen": [], "records": [], "error": [], "component": []})
            line = plot.line("seen", "error", source=source, color=colour, line_width=2.5, line_dash=dash)
            marks = plot.scatter("seen", "error", source=source, color=colour, marker=marker, size=7)
            plot.hover.renderers = [*(plot.hover.renderers if items else []), marks]
            self._sources[deflation] = source
            items.append((text, [line, marks]))
        folding_legend(plot, items)

    def _build_memory(self):
        plot = self._memory = house_figure(
            "records seen", "megabytes", y_log=True, height=240, title="Data in memory, and data read"
        )
        plot.xaxis.formatter.use_scientific = False
        self._bytes = ColumnDataSource({"seen": [], "held": [], "read": []})
        held = plot.line(
            "seen", "held", source=self._bytes, color=pictures.COLOURS["corrected"], line_width=3
        )
        grey = ink(dark=False, quiet=True)
        read = plot.line("seen", "read", source=self._bytes, color=grey, line_width=2, line_dash="dotted")
        read.glyph.tags = [QUIET]
        folding_legend(plot, [("held", [held]), ("read so far", [read])])


def _compared(found, printed, picture):
    """What both searches have found."""
    again = pictures.again(printed, picture.truth.vectors) if picture.d <= DRAWN else ""
    same = f": it finds the same one{again}" if again else ""
    what = "pattern" if picture.components == 1 else "patterns"
    if found["corrected"] != found["published"]:
        return (
            f"the corrected search has found {found['corrected']} {what}, the search as the paper prints it "
            f"{found['published']}{same}"
        )
    both = f"both searches have found {found['corrected']} {what}"
    return f"{both}, and the one that the paper prints goes wrong{same}" if again else both


def _closing(points, picture, often):
    """What both searches have found, once the play has ended."""
    k = picture.components
    corrected, printed = (pictures.found(points[d]) for d in ("corrected", "published"))
    again = pictures.again(points["published"], picture.truth.vectors) if picture.d <= DRAWN else ""
    same = f", and the same one{again}" if again else ""
    all_of_them = f"all {k} patterns" if k > 1 else "the pattern"
    first = all_of_them if corrected == k else f"{corrected} of {k}"
    other = all_of_them if printed == k else f"{printed} of {k}"
    said = f"The <b>corrected</b> search found {first}, the one <b>as printed</b> {other}{same}."
    if not often:
        return said
    counts = f"the corrected search found all {k} in {often['corrected']}, the printed one in {often['published'] or 'none'}"
    return f"{said} Of {AGAIN} such runs, {counts}."


def _columns(points):
    """Points as columns, with a gap where the search for the next component begins."""
    rows = []
    for before, p in zip([None, *points], points, strict=False):
        if before is not None and before.component != p.component:
            rows.append((before.seen, float("nan"), before.component + 1))
        rows.append((p.seen, p.error, p.component + 1))
    seen, error, component = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    return {"seen": seen, "error": error, "component": component, "records": [grouped(n) for n in seen]}


def _script(plan: Plan) -> str:
    s = plan.settings
    return f'''"""Distance to the nearest component not found yet, along a stream of records."""
import numpy as np

from core import power
from data.synthetic.tensors import skewed_stream, tensor_components

truth = tensor_components(
    {plan.components}, dimension={plan.d}, strength={plan.scale!r}, rng=np.random.default_rng({s.data_seed})
)
columns = {{"deflation": [], "component": [], "seen": [], "error": []}}
for deflation in ("corrected", "published"):
    stream = skewed_stream(
        truth, batch={plan.batch}, spread={plan.spread!r}, rng=np.random.default_rng([{s.data_seed}, {s.noise_seed}])
    )
    rest = list(range({plan.components}))

    def note(state):
        finished = state.step == 0
        vector = state.pairs.vectors[-1] if finished else state.leader
        gaps = [min(np.linalg.norm(truth.vectors[i] - sign * vector) for sign in (1, -1)) for i in rest]
        row = (deflation, state.found - finished, state.seen, min(gaps))
        for column, value in zip(columns.values(), row):
            column.append(value)
        if finished:
            rest.pop(int(np.argmin(gaps)))

    found = power.online(
        stream, {plan.components}, samples={plan.per_step}, restarts={plan.restarts}, iterations={plan.iterations},
        deflation=deflation, rng=np.random.default_rng([{s.noise_seed}, 1]), progress=note,
    )
    print(deflation, "eigenvalues", found.values, "of", truth.values)
for row in zip(*columns.values()):
    print("%-10s component %d after %9d records: %.4f" % row)
'''
