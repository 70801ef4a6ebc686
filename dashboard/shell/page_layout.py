"""The layout around a page's picture: heading, presets, controls, text, guarantee, equation, actions."""

from __future__ import annotations

import html
from functools import partial

import panel as pn
import panel_material_ui as pmui

from dashboard.compat.widgets.light_component import Stack
from dashboard.components import source_code as code
from dashboard.components.buttons import Buttons
from dashboard.components.control_panel import ENDS, ControlPanel
from dashboard.components.fold import Fold
from dashboard.components.formulas import sheltered
from dashboard.components.layout import FULL, PICTURE, Later, LiveText
from dashboard.page import guarantee as guarantees
from dashboard.page import observer
from dashboard.page.base import Page
from dashboard.page.played import Play
from dashboard.shell.actions import action_bar
from dashboard.shell.browser import Browser
from dashboard.shell.pointing import labels_of, pointing
from dashboard.shell.staleness import Staleness
from dashboard.shell.toolbar import FigureToolbar
from dashboard.theme import css

_FOLD = {
    "& .MuiAccordion-root": {"boxShadow": "none", "borderTop": "1px solid var(--mui-palette-divider)"},
    "& .MuiAccordionSummary-root": {"padding": "0", "minHeight": "44px"},
    "& .MuiAccordionDetails-root": {"padding": "0 0 12px"},
    "& .MuiAccordion-root::before": {"display": "none"},
    "&.Mui-expanded": {"margin": "0 !important"},
    "@media print": {"&.MuiAccordion-root:not(.Mui-expanded)": {"display": "none"}},
}

# Presets in a row: on a phone the finger moves it; it fades towards the edge, behind which there is more.
_SCROLLED = """
@media (max-width: 600px) {
  .row { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; margin: 0 -16px; padding: 0 56px 0 16px;
    scroll-padding: 16px 56px 16px 16px; mask-image: linear-gradient(270deg, transparent, #000 56px) }
  button { flex: none }
}
"""
# Presets below the settings: in a column on a wide screen, in rows on a phone, where they follow the sentence.
_LISTED = """
@media (min-width: 900px) {
  .row { flex-direction: column; align-items: stretch }
  button { justify-content: start; text-align: left }
}
"""
_PAUSE = 120  # Milliseconds between two values of a moving slider on a page whose picture takes runs.
_LINE = 100  # Characters of a setting that is printed.
_BESIDE, _AT_MOST = (
    21,
    24,
)  # Characters of a heading with room for a link beside it on a phone; for a smaller link.


def shell(page: Page, browser: Browser) -> pn.viewable.Viewable:
    """The whole page: the controls are left of the picture on a wide screen and below it on a narrow one."""
    side = _side(page)
    presets = _presets(page, _SCROLLED if side is None else _LISTED)
    if side is None:
        parts = [_head(page, presets), _stage(page, browser)]
    else:
        examples = _examples(presets)
        parts = [_head(page), side, *_given(examples), _stage(page, browser)]
    classes = ["shell", *(["bare"] if side is None else [])]
    whole = Stack(*parts, Staleness(page.said), css_classes=classes, stylesheets=[css.SHELL], **FULL)

    def follow(event):
        whole.css_classes = [*classes, *(["lecture"] if event.new else [])]

    page.said.param.watch(follow, "step")
    return whole


def _head(page, presets=None):
    title = page.heading or page.title
    # On a phone the settings are screens below; beside a longer heading the link has no room.
    small = " small" if len(title) > _BESIDE else ""
    down = (
        f"<a class='down{small}' href='#settings'>Settings ↓</a>"
        if page.beside and len(title) <= _AT_MOST
        else ""
    )
    text = f"<h1>{html.escape(title)}</h1><p>{page.lead}</p>{down}"
    parts = [LiveText(css.HEAD, text=text).pane, *_given(_tabs(page))]
    return Stack(*parts, *_given(presets), css_classes=["head"], **FULL)


def _tabs(page):
    """Buttons to the pages in the same row of tabs."""
    names = {kind.title: kind.name for kind in page.tabs}
    if len(names) < 2:
        return None
    tabs = Buttons(gap="0", margin=(12, 0, 0, 0))
    for title, name in names.items():
        here = title == page.title
        tabs.add(title, look="choice", pressed=here, act=partial(page.visit, page.name if here else name))
    return tabs


def _presets(page, sheet):
    if not page.presets:
        return None

    def take(values):
        # Hold the updates, so that the browser gets one message and no intermediate state.
        with pn.io.hold():
            page.set(values)

    buttons = Buttons(gap="8px", margin=(10, 0, 4, 0), sizing_mode="stretch_width", sheets=[sheet])
    for preset in page.presets:
        buttons.add(preset.name, look="outlined", act=partial(take, preset.values))
    return buttons


def _examples(presets):
    """The presets of a page with settings, under a heading of their own."""
    if presets is None:
        return None
    heading = LiveText(css.GROUP, text="Examples", margin=(14, 0, 0, 0))
    return Stack(heading.pane, presets, css_classes=["examples"], **FULL)


def _side(page):
    names = page.beside
    if not names:
        return None
    panel = _controls(page, names, first=page.in_sight(names))
    page.said.param.watch(lambda event: panel.hide(event.new), "absent")
    panel.hide(page.said.absent)
    heading = LiveText(css.GROUP, text="Settings", margin=(6, 0, 4, 0))
    parts = [heading.pane, *_given(page.above_settings()), panel, *_given(page.below_settings())]
    return Stack(*parts, css_classes=["side"], **FULL)


def _stage(page, browser):
    """The picture and its text."""
    parts = [_notice(page), *_aside(page, page.before()), *_given(page.above_slider())]
    tools = FigureToolbar(page)
    words, guarantee, printed, later = _words(page), _guarantee(page), _printed(page), Later()
    played = _played(page)
    more, mathematics = later.place(page.more()), later.place(background(page))
    actions, after = later.place(action_bar(page, browser)), later.place(page.after())
    for part in (page.content(), words):
        part.styles = PICTURE | part.styles
    slider = [] if page.primary is None else [_primary(page)]
    # Tools that float lie over the slider's label, which follows them.
    rows = [*_given(tools.view), *slider] if tools.floats else [*slider, *_given(tools.view)]
    rows.append(tools.told.pane)
    # A row of the progress alone would be a hole above a picture that is no figure.
    first = not (slider or page.first_figure)
    parts += [page.content(), *rows] if first else [*rows, page.content()]
    parts += [
        played,
        *_aside(page, words),
        *_aside(page, more, lambda step: step.more),
        *_aside(page, guarantee, lambda step: step.guarantee),
    ]
    parts += [printed, *_aside(page, mathematics)]
    parts += _aside(page, actions)
    parts += _aside(page, after)
    stage = Stack(*parts, css_classes=["stage"], stylesheets=[css.STAGE], **FULL)
    page.said.param.watch(
        lambda event: setattr(stage, "css_classes", ["stage", *(["hall"] if event.new else [])]), "step"
    )
    return stage


def _primary(page):
    """The control above the picture; another question, or a step of a lecture, may put another one there."""
    panels, place = {}, Stack(css_classes=["primary"], **FULL)

    def show(*events):
        step = page.said.step
        name = (step.control if step else "") or page.primary
        if name not in panels:
            panels[name] = _moved(page) if name == page.primary else _controls(page, [name], ends=ENDS)
        if place.objects != [panels[name]]:
            place.objects = [panels[name]]

    page.said.param.watch(show, ["step", "absent"])
    show()
    return place


def _moved(page):
    """The page's primary slider, which plays where the picture follows it."""
    plays = {"play": True, "begins": page.plays_from, "over": list(page.plays_over)}
    moving = {"live": True, "pause": _PAUSE, **plays} if page.follows else {}
    panel = _controls(page, [page.primary], ends=ENDS, **_meaning(page), **moving)
    page.settings.watch(lambda *events: panel.param.update(_meaning(page)))
    if page.follows:
        _pace(page, panel)
        _remember(page, panel)
    return panel


def _meaning(page):
    """Whether a line says what ε means, and for whose view."""
    against = page.controls.adversary if "adversary" in page.shared else "message"
    return {"means": _keeps(page), "seen": observer.seen(against)}


def _keeps(page):
    """Whether ε is meant for all that is seen: published noise may not keep it."""
    return "calibration" not in page.shared or page.controls.calibration != "published"


def _pace(page, panel):
    """Let a playing slider go on once everything that stands is of the value that it asked for; it begins no earlier."""
    panel.busy = "computing …"

    def answer(*events):
        if page.picture is not None and page.arrived() and not page.said.pale:
            panel.busy = ""
            panel.answer()

    def halt(event):
        if event.new in ("failed", "stopped"):
            panel.halt()
        else:
            answer()

    answer()  # The page may stand already.
    page.said.param.watch(answer, "shown")
    page.said.param.watch(lambda event: setattr(panel, "pale", event.new), "pale")
    page.runs.param.watch(halt, "state")


def _remember(page, panel):
    """Keep what a playing slider shows: marks under it, and a sentence when it is back where it was.

    Both are about the other settings, and stay while only the slider moves.
    """
    play, state = Play(page.reached), {"about": None, "over": False}

    def about():
        return {name: text for name, text in page.settings.texts().items() if name != page.primary}

    def say():
        panel.marks = play.marks()
        page.said.played = play.text() if state["over"] else ""

    def note(event):
        if panel.stop == 0:
            play.begin()
            state["over"] = False
        at = getattr(page.source(page.primary), page.primary)
        if panel.stop >= 0 and page.arrived() and not page.said.pale:
            play.note(at, page.picture)
        state.update(about=about(), over=panel.stop < 0)
        say()

    def forget(*events):
        if state["about"] is not None and about() != state["about"]:
            state["about"] = None
            play.begin()
            say()

    def late(event):
        """Means that the play did not wait for are known when all runs have finished."""
        if event.new == "finished" and state["about"] is not None:
            say()

    panel.param.watch(note, "answered")
    page.said.param.watch(forget, ["shown", "pale"])
    page.runs.param.watch(late, "state")


def _controls(page, names, **options):
    own = {"live": page.live, "protects": page.protects}
    panel = ControlPanel([(page.source(name), name) for name in names], **{**own, **options})
    page.said.param.watch(lambda event: panel.limit(event.new), "most")
    panel.limit(page.said.most)
    return panel


def _aside(page, part, shown=lambda step: False):
    """A part that lecture mode hides, except in the steps that request it; nothing for None."""
    if part is None:
        return []
    page.said.param.watch(
        lambda event: setattr(part, "visible", event.new is None or shown(event.new)), "step"
    )
    return [part]


def _given(part):
    return [] if part is None else [part]


def _notice(page):
    notice = LiveText(css.NOTICE)

    def say(*events):
        problem = page.said.problem
        notice.show(f"<div class='notice error' role='alert'>{html.escape(problem)}</div>" if problem else "")
        notice.pane.visible = bool(problem)

    page.said.param.watch(say, "problem")
    say()
    return notice.pane


def _printed(page):
    """The settings in one line, which only paper shows: there are no controls on it."""
    line = LiveText(css.FINE + css.PAPER)

    def say(*events):
        # A table is no setting that fits a line.
        words = {name: value for name, value in page.settings_words().items() if 0 < len(value) < _LINE}
        settings = "; ".join(f"{name}: {value}" for name, value in words.items())
        line.show(f"<p><b>Settings.</b> {html.escape(settings)}.</p>" if settings else "")

    page.said.param.watch(say, "words")
    if page.said.words:  # The page was told before.
        say()
    return line.pane


def _words(page):
    def whole(text):
        text = text.replace(" %", "\u00a0%")  # No line ends between a number and its sign.
        return observer.linked(pointing(text, labels_of(page.figures())))

    words = LiveText(css.WORDS, margin=(12, 0, 4, 0), text=whole(page.said.words))
    words.pane.object.css_classes = ["words"]
    page.said.param.watch(lambda event: words.show(whole(event.new)), "words")
    return words.pane


def _played(page):
    """What the play of the slider showed, in a sentence."""
    told = LiveText(css.WORDS, margin=(4, 0, 0, 0))
    told.pane.object.css_classes = ["of-play"]
    page.said.param.watch(
        lambda event: told.show(event.new and f"<p class='played' role='status'>{event.new}</p>"), "played"
    )
    return told.pane


def _guarantee(page):
    """The guarantee's sentence; the exact numbers unfold below it."""
    fold = Fold("What exactly is guaranteed", margin=(8, 0, 0, 0))

    def say(*events):
        found = page.said.guarantee
        lead = "" if found is None else f"<p><b>Guarantee.</b> {html.escape(found.sentence)}</p>"
        fold.param.update(lead=lead, text="" if found is None else guarantees.details(found))

    page.said.param.watch(say, "guarantee")
    say()
    return fold


def background(page) -> pn.viewable.Viewable | None:
    """The mathematics, and the source code that computes it, which is loaded when it is opened."""
    parts, source = [], LiveText(code.SHEET)
    if page.equation:
        text = sheltered(page.equation)
        parts.append(("The mathematics", pn.pane.Markdown(text, stylesheets=[css.FINE], **FULL)))
    if page.code:
        parts.append(("In code", source.pane))
    if not parts:
        return None
    box = _fold(*parts)

    def fetch(event):
        if page.code and len(parts) - 1 in event.new and not source.text:
            source.show(code.as_html(page.code))

    box.param.watch(fetch, "active")
    return box


def _fold(*parts):
    """An accordion of parts under their titles."""
    return pmui.Accordion(
        *parts, sx=_FOLD, title_variant="body1", elevation=0, sizing_mode="stretch_width", margin=0
    )
