"""Models of files by pydantic, whose errors speak as ours do."""

from __future__ import annotations

import functools
from dataclasses import fields
from typing import TypeVar

import pydantic

from core.check import worded

Model = TypeVar("Model", bound=type)


def in_our_words(kind: Model) -> Model:
    """A dataclass of pydantic whose errors name the parameter, what was expected and what came."""
    make = kind.__init__  # type: ignore[misc]
    places = [one.name for one in fields(kind)]

    @functools.wraps(make)
    def made(self, *given, **options):
        try:
            make(self, *given, **options)
        except pydantic.ValidationError as error:
            found = error.errors()
            for one in found:  # Arguments by place come with its number.
                first, *rest = one["loc"] or ("",)
                one["loc"] = (places[first], *rest) if isinstance(first, int) else one["loc"]
            raise ValueError("; ".join(worded(found))) from None

    kind.__init__ = made  # type: ignore[misc]
    return kind
