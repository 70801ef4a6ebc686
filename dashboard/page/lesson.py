"""Presets, the steps of a lecture, and what a page opens over the whole window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Preset:
    """A named combination of settings.

    Attributes
    ----------
    name : str
        What the preset demonstrates, in a few words; the text of its button.
    values : mapping
        Values of shared controls and of the page's own parameters.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """What a lecture may ask before a slide shows its answer; the settings of the slide fix which choice is right.

    Attributes
    ----------
    text : str
    choices : tuple of str
        In the order in which they stand.
    right : int
        The place of the right one.
    """

    text: str
    choices: tuple[str, ...]
    right: int


@dataclass(frozen=True)
class Step:
    """One step of a lecture: a sentence, the settings that show it, and where to look.

    Attributes
    ----------
    title, look : str
        The statement, and where the picture shows it.
    values : mapping
        Settings that differ from the page's defaults.
    figures : tuple of int
        Indices in `Page.exhibits` of the parts that stay visible.
    control : str, optional
        The control above the picture. Default: the page's primary one.
    short : bool
        Whether the step belongs to the ten-minute lecture.
    question : Question, optional
        Asked first, if the lecture asks.
    """

    title: str
    look: str
    values: Mapping[str, Any] = field(default_factory=dict)
    figures: tuple[int, ...] = (0,)
    control: str = ""
    short: bool = False
    question: Question | None = None


class Overlay(Protocol):
    """What a button among the actions opens over the whole window."""

    layout: Any

    def open(self) -> None:
        """Show it."""
