"""The settings of one page: the shared controls that apply to it, and the page's own parameters."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

import param

from dashboard.state import seeds, url
from dashboard.state.controls import Controls
from dashboard.state.number_text import allowed_text, setting_text


class PageSettings:
    """Reads and writes the settings of a page as texts.

    Parameters
    ----------
    controls, model : Parameterized
        Hold the shared settings and the page's own; `type(model)(Controls())` makes new ones.
    shared, own : iterable of str
        Their names.
    """

    def __init__(
        self, controls: Controls, shared: Iterable[str], model: param.Parameterized, own: Iterable[str]
    ):
        self._controls, self._model = controls, model
        self.shared, self.own = tuple(shared), tuple(own)

    def watch(self, changed) -> None:
        """Call `changed` with the events of every setting that changes."""
        for source, names in self._sources():
            if names:
                source.param.watch(changed, list(names))

    def put(self, values: Mapping[str, Any]) -> None:
        """Set shared and own settings by name."""
        shared = {name: value for name, value in values.items() if name in self._controls.param}
        self._controls.take(shared)
        self._model.param.update(**{name: value for name, value in values.items() if name not in shared})

    def texts(self) -> dict[str, str]:
        """The settings that differ from their defaults, in the text form of a link."""
        return url.encode(self._controls, self.shared) | url.encode(self._model, self.own)

    def decode(self, query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
        """Return a value of every setting, and a sentence (foreign text) for each ignored value of a link."""
        shared, problems = url.decode(Controls, self.shared, query)
        make: Any = type(self._model)
        own, more = url.decode(lambda: make(Controls()), self.own, query)
        unknown = [name for name in query if name not in {*self.shared, *self.own}]
        said = [f"{name[:40]} is not a setting of this page" for name in unknown]
        return shared | own, problems + more + said

    def pairs(self, most: Mapping[str, int]) -> list[tuple[str, str]]:
        """Every setting with its value, for the header of a file; `most` holds what the records allow."""
        return [
            (name, self._public(name, _used(getattr(source, name), most.get(name))))
            for source, names in self._sources()
            for name in names
        ]

    def words(self, *, without: Container[str] = (), most: Mapping[str, int] | None = None) -> dict[str, str]:
        """Every setting with its value as the controls show them, except those named in `without`.

        `most` holds the largest values that the records allow.
        """
        return {
            source.param[name].label: self._public(name, shown_text(source, name, most or {}))
            for source, names in self._sources()
            for name in names
            if name not in without
        }

    def _public(self, name, value):
        """A setting's value as a file may state it: a secret seed is left out."""
        return seeds.NOT_KEPT if name == "noise_seed" and self._model.hides_seed else value

    def _sources(self):
        return (self._controls, self.shared), (self._model, self.own)


def _used(value, most):
    """A value as a text; where the records allow less, that is what was used."""
    if most is None or value <= most:
        return str(value)
    return f"{most} ({'all there are' if isinstance(most, int) else 'the most here'}; chosen: {value})"


def shown_text(source: param.Parameterized, name: str, most: Mapping[str, int]) -> str:
    """The value of a setting as its control shows it: no more than the records allow."""
    value = getattr(source, name)
    if name in most and value >= most[name]:
        return allowed_text(most[name], most[name])
    return setting_text(source.param[name], value)
