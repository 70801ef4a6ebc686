"""JSON that can be read in one way only, and a validating library's errors in the project's words."""

from typing import Annotated, Literal

import pydantic
import pytest

from core import check


@pytest.mark.parametrize("written", ["1", '{"a": [1.5, null, true, "ü"], "b": {"a": -3}}', "[]"])
def test_what_json_says_is_read_from_text_and_from_bytes_with_a_mark(written):
    plain = check.strict_json(written)
    assert plain == check.strict_json(written.encode()) == check.strict_json(written.encode("utf-8-sig"))


@pytest.mark.parametrize(
    "written, cause",
    [
        ('{"a": 1, "a": 1}', "'a'|a twice"),
        ('{"x": [{"deep": {"a": 1, "b": 2, "a": 3}}]}', "a twice"),
        ('{"a": NaN}', "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ('{"a": 1e999}', "1e999"),
        ("9" * 400, "finite"),
        ("9" * 10_000, "finite"),
        ('{"a": 1,}', "line 1, column 9"),
        ("", "line 1, column 1"),
        ("1 2", "line 1, column 3"),
        ('"\\ud800"', "UTF-8"),
        ('{"\\ud800": 1}', "UTF-8"),
        (b'"\xff"', "UTF-8"),
        ("[" * 33 + "]" * 33, "32"),
        ("[" * 100_000 + "]" * 100_000, "32"),
        ('{"a":' * 40 + "1" + "}" * 40, "32"),
    ],
)
def test_what_could_be_read_in_two_ways_or_in_none_is_refused_by_name(written, cause):
    with pytest.raises(ValueError, match=rf"^plan must .*({cause})"):
        check.strict_json(written, "plan")


def test_so_many_objects_within_each_other_are_read():
    assert check.strict_json("[" * 32 + "]" * 32)


class _Part(pydantic.BaseModel, extra="forbid", strict=True):
    size: Annotated[float, pydantic.Field(gt=0, allow_inf_nan=False)]
    kind: Literal["round", "weak"] = "round"

    @pydantic.model_validator(mode="after")
    def _small(self):
        if self.size > 9 and self.kind == "weak":
            raise ValueError(f"size must be at most 9, got {self.size}")
        return self


class _Whole(pydantic.BaseModel, extra="forbid", strict=True):
    parts: Annotated[list[_Part], pydantic.Field(max_length=3)]


def _told(**found):
    with pytest.raises(pydantic.ValidationError) as raised:
        _Whole.model_validate(found)
    return check.worded(raised.value.errors())


@pytest.mark.parametrize(
    "part, words",
    [
        ({"size": "1"}, ["parts.1.size", "number", "got '1'"]),
        ({"size": True}, ["parts.1.size", "number", "got True"]),
        ({"size": -2}, ["parts.1.size", "greater than 0", "got -2"]),
        ({}, ["parts.1.size", "given"]),
        ({"size": 1, "kind": "big"}, ["parts.1.kind", "'round' or 'weak'", "got 'big'"]),
        ({"size": 1, "colour": 3}, ["parts.1.colour", "unknown"]),
        ({"size": 10.5, "kind": "weak"}, ["parts.1: size must be at most 9, got 10.5"]),
        (7, ["parts.1", "got 7"]),
    ],
)
def test_an_error_names_the_path_what_was_expected_and_what_came(part, words):
    (said,) = _told(parts=[{"size": 1.0}, part])
    assert all(word in said for word in words) and said.startswith(words[0])


def test_many_problems_are_counted_and_foreign_names_are_cut():
    said = _told(parts=[], **{f"{n}\n" + "x" * 5000: n for n in range(1000)})
    assert len(said) == 6 and said[-1] == "and 995 more"
    assert all(len(line) < 200 and "\n" not in line for line in said)
