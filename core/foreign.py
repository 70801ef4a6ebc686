"""Foreign text: JSON is read strictly, and what a validating library finds is said in the words of this project."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from core.arguments import shown

_DEEPEST = 32
_MOST = 5  # Problems that are listed; a file can have a million.
_OWN_WORDS = {"missing": "must be given"} | dict.fromkeys(
    ("extra_forbidden", "unexpected_keyword_argument"), "must not be there: it is unknown"
)


def strict_json(content: bytes | str, name: str = "content") -> Any:
    """The value that a JSON text stands for, if it can be read in one way only.

    Parameters
    ----------
    content : bytes or str
        Bytes are UTF-8, with or without a byte-order mark.
    name : str
        What an error calls the text.

    Raises
    ------
    ValueError
        For what is no JSON; a key that an object has twice; NaN, Infinity, and numbers beyond the range of floating
        point; text that is no Unicode; more than 32 objects and lists within each other.
    """
    if not isinstance(content, bytes | str):
        raise ValueError(f"{name} must be bytes or text, got {shown(content)}")
    try:
        text = content if isinstance(content, str) else content.decode()
        found = json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=_once,
            parse_constant=_finite,
            parse_float=_finite,
            parse_int=lambda digits: int(digits) if math.isfinite(float(digits)) else _finite(digits),
        )
        text.encode()
        _refuse_deep(found)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{name} must be JSON, got {error.msg.lower()} at line {error.lineno}, column {error.colno}"
        ) from None
    except UnicodeError:
        raise ValueError(f"{name} must be text in UTF-8") from None
    except RecursionError:
        raise ValueError(f"{name} must have at most {_DEEPEST} objects and lists within each other") from None
    except ValueError as error:
        raise ValueError(f"{name} must {error}") from None
    return found


def worded(errors: Iterable[Mapping[str, Any]], most: int = _MOST, name: str = "it") -> list[str]:
    """What is wrong with an object, a sentence each: the parameter's path, what was expected and what came.

    Parameters
    ----------
    errors : iterable of mappings
        As pydantic's `ValidationError.errors()` lists them; a validator's own ValueError keeps its words.
    most : int
        How many are told; a last line counts the others.
    name : str
        What a sentence about the whole object calls it.
    """
    errors = list(errors)
    more = [f"and {len(errors) - most} more"] if len(errors) > most else []
    return [_sentence(error, name) for error in errors[:most]] + more


def seen(text: str) -> str:
    """A name as people see it: letters composed, other spaces plain, and without what cannot be seen.

    Two names that differ by zero-width letters, soft hyphens or marks of the direction of writing alone look alike.
    """
    letters = (" " if one.isspace() else one for one in text if one.isspace() or one.isprintable())
    return unicodedata.normalize("NFC", "".join(letters)).strip()


def _sentence(error, name):
    path = ".".join(_short(part) for part in error["loc"])
    if error["type"] == "value_error":
        own = str(error["ctx"]["error"])
        return f"{path}: {own}" if path else own
    if own := _OWN_WORDS.get(error["type"]):
        return f"{path} {own}"
    # "Input should be …", "List should have …"; ours name the parameter in their place.
    expected = re.sub(r"^\w+ should ", "must ", error["msg"]).replace("a valid tuple", "a list")
    return f"{path or name} {expected}, got {shown(error['input'])}"


def _short(part):
    text = str(part)
    return text if len(text) <= 60 and text.isprintable() else repr(text[:60])


def _once(pairs):
    found = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"have every entry once, got {_short(key)} twice in one object")
        found[key] = value
    return found


def _finite(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"have finite numbers, got {_short(text)}")
    return number


def _refuse_deep(found):
    """Level by level, since a call for each would itself be too deep; text without UTF-8 is refused, too."""
    level, depth = [found], 0
    while level:
        inner = []
        for value in level:
            if isinstance(value, str):
                value.encode()
            elif isinstance(value, dict | list):
                if depth == _DEEPEST:
                    raise RecursionError
                inner += value
                inner += value.values() if isinstance(value, dict) else ()
        level, depth = inner, depth + 1
