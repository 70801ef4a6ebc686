"""The controls of a page as one component: a control with its value, its help and its range adds text, and no model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import param
from bokeh.model import Model

from core.check import LARGEST_SEED
from dashboard.compat.widgets.light_component import LightComponent
from dashboard.components.help import SHEET as HELP
from dashboard.components.help import explained
from dashboard.components.inputs import STEADY, buttons_fit, distinct_options, nice_numbers, set_by_user
from dashboard.state.controls import LogInteger, LogNumber, Menu, NamedPlace
from dashboard.state.number_text import chosen_text
from dashboard.state.seeds import Seed
from dashboard.theme.assets import beside
from data.upload.table import shown

_MODULE = beside(__file__, "control_panel.js") + beside(__file__, "slider_marks.js") + STEADY
PANEL = HELP + beside(__file__, "control_panel.css")
_MOST_LETTERS = 100  # Of words that are typed.
# What the ends of a slider above the picture stand for. Elsewhere ε need not change the noise.
ENDS = {
    "epsilon": ("more private", "more accurate"),
    "risk": ("more private", "more accurate"),
    "share": ("conventional", "CAPE"),
    "noise": ("less noise, easy to tell", "more noise, safer"),
}


@dataclass(frozen=True)
class Instead:
    """What stands in the place of a control that is left out: why, and a button that brings it back."""

    words: str
    button: str
    act: Callable[[], object]


class Control:
    """One control of a panel, bound in both directions to a parameter.

    Parameters
    ----------
    source : Parameterized
    name : str
        The parameter.

    Attributes
    ----------
    visible : bool
    instead : Instead or None
        What stands in its place while it is not visible.
    most : int or None
        The largest value that the page's records allow: a slider ends there and says so. A larger value of the
        parameter counts as this one.
    heard : int
        Number of the last choice that the browser sent: it shows no value that was set before it was heard.
    """

    def __init__(self, source: param.Parameterized, name: str):
        self.source, self.name, self.visible = source, name, True
        self.instead: Instead | None = None
        self.most: int | None = None
        self._kind = next(kind for types, kind in _KINDS if isinstance(self.parameter, types))
        self._stops: list = []
        self._told: list = []  # The stops that the browser knows.
        self._options: dict = {}
        self._list()
        # Changes with every value that the browser must show, although its user chose another.
        self._stamp = 0
        self.heard = 0
        self._shown = self._for_browser()

    def _list(self):
        """The options; those of a named place change with the table that has the names."""
        if isinstance(self.parameter, param.Selector):
            self._options = self.parameter.get_range()
        elif self._kind == "place":
            self._options = distinct_options(self.parameter.names or ("1",), range(1, 10**6))

    def rename(self) -> None:
        """Take the present names of a place, or of several."""
        self._list()
        self.show_again()  # The browser makes the control anew, and may fill it with what it showed before.

    @property
    def parameter(self) -> param.Parameter:
        """The parameter that it sets."""
        return self.source.param[self.name]

    @property
    def label(self) -> str:
        """Its label."""
        return self.parameter.label

    @property
    def value(self) -> Any:
        """The parameter's value, as far as the records allow it."""
        value = getattr(self.source, self.name)
        return value if self.most is None else min(value, self.most)

    @property
    def kind(self) -> str:
        """How it looks: "slider", "switch", "choice", "choices", "menu" or "text"."""
        if self._kind == "selector":
            few = buttons_fit(self._options) and not isinstance(self.parameter, Menu)
            return "choice" if few else "menu"
        if self._kind in ("place", "seed", "words"):
            return "menu" if self._kind == "place" else "text"
        return "slider" if self._kind in ("stops", "whole") else self._kind

    @property
    def spec(self) -> dict[str, Any]:
        """What seldom changes: kind, help, options."""
        parts: dict[str, Any] = {"name": self.name, "kind": self.kind, "help": explained(self.parameter)}
        if self._kind == "stops":
            parts |= {"texts": self._texts(), "step": 1}
            self._told = self._stops
        elif self._kind == "whole":
            parts["step"] = 1
        elif self._kind == "seed":
            parts |= {"most": len(str(LARGEST_SEED)), "live": False}
        elif self._kind == "words":
            parts |= {"most": _MOST_LETTERS, "live": True}
        else:
            parts["options"] = [str(option) for option in self._options]
        return parts

    @property
    def stale(self) -> bool:
        """Whether its stops are no longer those of `spec`: a place among them would be that of another value."""
        return self._kind == "stops" and self._all_stops() is not self._told

    def _texts(self):
        """The stops in words."""
        return [chosen_text(self.parameter, stop, self.most) for stop in self._all_stops()]

    @property
    def state(self) -> dict[str, Any]:
        """What it shows."""
        parts = {"name": self.name, "label": self.label, "visible": self.visible}
        parts |= {"value": self._shown, "stamp": self._stamp, "heard": self.heard}
        if self.instead is not None and not self.visible:
            parts["instead"] = [self.instead.words, self.instead.button]
        if self.kind == "slider":
            low, high = (0, len(self._all_stops()) - 1) if self._kind == "stops" else self.parameter.bounds
            high = high if self.most is None else min(high, self.most)
            parts |= {"start": low, "end": max(low, high)}
            if self._kind == "whole":
                # A value between the steps (from a link) is no multiple of them: a browser would round it.
                step = self.parameter.step or 1
                parts["step"] = 1 if (self._shown - low) % step else step
        return parts

    def limit(self, most: int | None) -> None:
        """Let the slider end at the largest value that the records allow; None: at the parameter's own bound."""
        self.most, self._stops = most, []
        self.show_again()

    def follow(self) -> bool:
        """Take the parameter's value; returns whether the browser shows another one."""
        if self._for_browser() == self._shown and not self.stale:
            return False
        self.show_again()
        return True

    def show_again(self) -> None:
        """Make the browser show the parameter's value, whatever it shows."""
        self._shown, self._stamp = self._for_browser(), self._stamp + 1

    def take(self, raw: Any, read: Any = None) -> None:
        """Set the parameter to a value from a browser, of which its user `read` a slider's stop.

        Raises
        ------
        ValueError
            In words, if it is not a value of this control.
        """
        if self._kind == "stops" and isinstance(read, str):
            # The stops may have changed on the way: what counts is the number that was read.
            texts = self._texts()
            raw = texts.index(read) if read in texts else -1
        value = self._from_browser(raw)
        self._shown = raw
        if value != self.value:
            set_by_user(self.source, self.name, value)

    def _all_stops(self):
        """The stops of a slider that does not step by whole numbers; a value between them (from a link) is one more."""
        if self.value not in self._stops:
            low, high = self.parameter.bounds
            high = high if self.most is None else max(low, min(high, self.most))
            self._stops = sorted({*_stops(self.parameter, low, high), self.value})
        return self._stops

    def _for_browser(self):
        value, values = self.value, list(self._options.values())
        if self._kind == "stops":
            return self._all_stops().index(value)
        if self._kind == "choices":
            return [text for text, one in self._texts_of_options().items() if one in value]
        if self._kind == "place":
            return min(max(value, 1), len(values)) - 1
        if self._kind == "seed":
            return str(value)
        return values.index(value) if self._kind == "selector" else value

    def _texts_of_options(self):
        """Options by what the browser shows: boxes are sent as what their user read, also from a list that has changed."""
        return {str(option): value for option, value in self._options.items()}

    def _from_browser(self, raw):
        options = dict.fromkeys(("selector", "place"), lambda: list(self._options.values()))
        numbers = {"stops": self._all_stops, **options}
        try:
            if self._kind in numbers:
                return numbers[self._kind]()[_place(raw)]
            if self._kind == "whole" and isinstance(raw, bool):  # To Python, True is a number.
                raise TypeError("not a number")
            if self._kind == "choices":
                known = self._texts_of_options()
                if isinstance(raw, list) and set(raw) <= set(known):
                    return [value for text, value in known.items() if text in raw]
            if self._kind == "switch" and isinstance(raw, bool):
                return raw
            if self._kind == "words" and isinstance(raw, str) and len(raw) <= _MOST_LETTERS:
                return raw
            if self._kind == "whole" and isinstance(raw, int | float) and raw == int(raw):
                return int(raw)
            if (
                self._kind == "seed"
                and isinstance(raw, str)
                and len(raw) < 100
                and raw.isascii()
                and raw.isdecimal()
            ):
                return int(raw)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            pass
        raise ValueError(f"{self.label} cannot be {shown(raw)}. Nothing was changed.")


_KINDS: tuple[tuple[Any, str], ...] = (
    (NamedPlace, "place"),
    (Seed, "seed"),
    (LogInteger, "stops"),
    (param.Integer, "whole"),
    (param.Boolean, "switch"),
    (param.Number, "stops"),
    (param.ListSelector, "choices"),
    (param.Selector, "selector"),
    (param.String, "words"),
)


def _stops(parameter, low, high):
    """Round numbers on a logarithmic scale, or equal steps."""
    if isinstance(parameter, LogNumber | LogInteger):
        return nice_numbers(low, high, whole=isinstance(parameter, LogInteger))
    step = parameter.step or (high - low) / 100
    return [round(low + i * step, 12) for i in range(round((high - low) / step) + 1)]


def _place(raw):
    """An index from a browser: Python would count negative ones from the end."""
    if isinstance(raw, bool) or not isinstance(raw, int) or raw < 0:
        raise TypeError("not an index")
    return raw


_PROTECTED = "one record"


def _specs(controls, protects):
    """Specs of controls whose help says what the page protects."""
    return [one.spec | {"help": one.spec["help"].replace(_PROTECTED, protects)} for one in controls]


def _counted(raw):
    """A number of a message from a browser; 0 for none or a bad one."""
    return raw if isinstance(raw, int) and not isinstance(raw, bool) and 0 < raw < 2**31 else 0


class ControlPanel(LightComponent):
    """Controls one below the other.

    Parameters
    ----------
    controls : iterable of (Parameterized, str)
        Parameters in order.
    first : int, optional
        So many are shown at once; the others unfold below "More settings". Default, −1: all.
    live : bool
        Update while a slider moves, or only when it is released.
    pause : int
        Milliseconds between two values of a moving slider.
    ends : dict of str to (str, str)
        Words under the left and the right end of the sliders of these controls.
    play : bool
        Give sliders a button that moves them to their end, stop by stop, beginning at the share `begins` of their length.
    over : tuple of float
        Values that the button stops at; default: all.
    stays : bool
        Whether a played slider stays at its end; else it returns to where it was.

    Attributes
    ----------
    controls : dict of str to Control
    turn : int
        Number of the value that a playing slider asked for last; 0 once its user chose a value.
    stop : int
        Which stop of its play that value is, from 0 on; −1: where the slider was before, at the end of a play.
    """

    spec = param.List([], doc="What the controls are.")
    state = param.List([], doc="What they show.")
    live = param.Boolean(True)
    pause = param.Integer(40, doc="Milliseconds between two values that a moving slider sends.")
    play = param.Boolean(False, doc="Whether sliders have a button that moves them to their end.")
    begins = param.Number(0.3, doc="Share of its length at which a slider begins to play.")
    over = param.List([], doc="Values at which a playing slider stops; none: all from `begins` on.")
    stays = param.Boolean(False, doc="Whether a played slider stays at its end.")
    answered = param.Integer(
        0, doc="Number of the latest value of a playing slider whose picture is shown; it waits for that."
    )
    busy = param.String("", doc="What the button says instead of *Play* as long as there is nothing to play.")
    pale = param.Boolean(False, doc="Whether the picture belongs to other values than those that are set.")
    means = param.Boolean(True, doc="Whether a line says what the value of ε means for what is seen.")
    protects = param.String(_PROTECTED, doc="What is changed in that line, and in the help of ε and δ.")
    seen = param.String("what is seen", doc="What becomes likelier in that line.")
    marks = param.Dict(
        {},
        doc='Under a slider that plays: "what", words before the marks, and "at", each with value, name and colour.',
    )
    ends = param.Dict({}, doc="Words at both ends of sliders, by the name of the control.")
    first = param.Integer(-1, doc="Number of controls that are shown at once; −1: all.")

    _esm = _MODULE

    def __init__(
        self, controls: Iterable[tuple[param.Parameterized, str]], *, sheets: Sequence[str] = (), **params
    ):
        self.controls = {name: Control(source, name) for source, name in controls}
        self._handed_out: dict[str, Any] = {}  # What the controls showed in the last whole model.
        self.turn, self.stop = 0, -1
        everyone = list(self.controls.values())
        super().__init__(
            stylesheets=[PANEL, *sheets],
            sizing_mode="stretch_width",
            spec=_specs(everyone, params.get("protects", _PROTECTED)),
            state=[control.state for control in everyone],
            **params,
        )
        for control in everyone:
            watch = control.source.param.watch
            watch(partial(self._follow, control), control.name)
            watch(self._take_label, control.name, what="label")
            if isinstance(control.parameter, NamedPlace):
                watch(partial(self._take_names, control), control.name, what="names")
            if isinstance(control.parameter, param.Selector):
                watch(partial(self._take_names, control), control.name, what="objects")
            if isinstance(control.parameter, param.Number) and not isinstance(
                control.parameter, param.Boolean
            ):
                watch(self._show, control.name, what="bounds")

    def hide(self, names: Iterable[str], *, instead: Mapping[str, Instead] | None = None) -> None:
        """Hide these controls and show all others; `instead`: what stands in the place of some."""
        hidden = set(names)
        for name, control in self.controls.items():
            control.visible, control.instead = name not in hidden, (instead or {}).get(name)
        self._show()

    def limit(self, most: Mapping[str, int]) -> None:
        """End the sliders of these controls at the largest value that the records allow."""
        changed = [one for name, one in self.controls.items() if one.most != most.get(name)]
        for control in changed:
            control.limit(most.get(control.name))
        if changed:
            self._show()

    def show_again(self) -> None:
        """Bring a browser up to date that has just built the panel as it was once handed out.

        A control that still has its value of then is left alone: its user may have moved it in the meantime.
        """
        for name, control in self.controls.items():
            if control.state["value"] != self._handed_out.get(name):
                control.show_again()
        self._show()

    def received(self, message) -> None:
        """The user's choice of a value."""
        name = message.get("name") if isinstance(message, dict) else None
        control = self.controls.get(name) if isinstance(name, str) else None
        if control is None:
            return
        control.heard = max(control.heard, _counted(message.get("number")))
        if message.get("instead") and not control.visible and control.instead is not None:
            control.instead.act()
        if message.get("instead") or not control.visible:
            return
        before, self.turn = control.value, _counted(message.get("turn"))
        self.stop = _counted(message.get("stop")) if message.get("stop") != -1 else -1
        try:
            control.take(message.get("value"), message.get("text"))
        except ValueError:
            control.show_again()
            self._show()
            raise
        if control.kind == "choices":  # Its list may have been made anew in the meantime, without this tick.
            control.show_again()
            self._show()
        if control.value == before:
            self.answer()

    def answer(self) -> None:
        """Tell a playing slider that the picture of the value that it asked for is shown."""
        self.answered = max(self.answered, self.turn)

    def halt(self) -> None:
        """End the play of a slider at the value that the server has: no picture of it will come."""
        if self.turn:
            self.turn = 0
            for control in self.controls.values():
                control.show_again()
            self._show()

    def _follow(self, control, *events):
        if control.follow():  # Otherwise the browser shows the value already: its user chose it.
            self._show()

    def _take_names(self, control, *events):
        control.rename()
        self.spec = _specs(self.controls.values(), self.protects)
        self._show()

    def _take_label(self, *events):
        # What the number is may have changed too, and with it how it is written.
        spec = _specs(self.controls.values(), self.protects)
        if spec != self.spec:
            self.spec = spec
        self._show()

    def _show(self, *events):
        shown = {}
        if any(control.stale for control in self.controls.values()):
            shown["spec"] = _specs(self.controls.values(), self.protects)
        self.param.update(state=[control.state for control in self.controls.values()], **shown)

    def _get_model(self, doc, root=None, parent=None, comm=None) -> Model:
        # What users chose since the last change that the server sent is new to a browser that gets the whole model.
        with param.parameterized.discard_events(self):
            self._show()
        self._handed_out = {name: control.state["value"] for name, control in self.controls.items()}
        return super()._get_model(doc, root, parent, comm)
