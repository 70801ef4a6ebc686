"""What the decorator of public functions makes of their annotations."""

import inspect
from typing import Literal

import numpy as np
import pytest

from core import Privacy, check, pca, release, summaries
from core.parties import Site, Statistic, exchange, plan_of
from core.schemes import error_of_average

Kind = Literal["round", "weak"]


@check.arguments
def drawn(size: int, *, kind: Kind = "round", other: Kind | None = None) -> str:
    """An example."""
    return f"{size} {kind} {other}"


def test_the_values_of_a_literal_pass_and_others_are_refused_by_name():
    assert drawn(3, kind=np.str_("weak"), other="round") == "3 weak round"
    assert drawn(3, kind="weak", other=None) == "3 weak None"
    for bad in ("Round", "", 1, None, ["round"], np.array(["round", "weak"])):
        with pytest.raises(ValueError, match=r"^kind must.*'round'.*'weak'"):
            drawn(3, kind=bad)
    with pytest.raises(ValueError, match=r"^other must.*'round'.*'weak'.*'big'"):
        drawn(3, other="big")


def test_a_decorated_function_shows_its_own_signature():
    assert list(inspect.signature(drawn).parameters) == ["size", "kind", "other"]


@pytest.mark.filterwarnings("error")
def test_a_sensitivity_in_single_precision_gives_the_noise_of_the_same_number():
    single, messages = np.float32(0.1), np.zeros((3, 2))
    one, other = (
        release(messages, change, Privacy(1.0, 1e-5), scheme="cape", rng=np.random.default_rng(0))
        for change in (single, float(single))
    )
    assert one.std == pytest.approx(other.std, rel=1e-12)
    np.testing.assert_allclose(one.value, other.value, rtol=1e-12)
    many = release(
        messages, np.full(3, single), Privacy(1.0, 1e-5), scheme="cape", rng=np.random.default_rng(0)
    )
    np.testing.assert_allclose(many.value, other.value, rtol=1e-12)


RECORDS = np.ma.array([[0.5, 0.25]] * 3, mask=np.eye(3, 2))
OPTIONS = {"scheme": "cape", "rng": np.random.default_rng(0)}
TARGET = Privacy(1.0, 1e-5)
PLAN = plan_of(Statistic("mean", (2,), 0.0, 1.0), [3, 3], TARGET)


@pytest.mark.parametrize(
    "call",
    (
        lambda records: release(records, 1.0, TARGET, **OPTIONS),
        lambda records: release([*records], 1.0, TARGET, **OPTIONS),
        lambda records: summaries.statistic(records, [summaries.Summary("mean")] * 2),
        lambda records: pca.fit([records, records], 1, privacy=TARGET, **OPTIONS),
        lambda records: Site.of(PLAN, 0, records),
        lambda records: Site(PLAN, 0, records[0]),
        lambda records: exchange(PLAN, [records[0], records[1]], rng=None),
    ),
    ids=("release", "rows", "summaries", "pca", "records", "statistic", "exchange"),
)
def test_what_a_mask_hides_is_not_released(call):
    call(RECORDS.data)
    with pytest.raises(ValueError, match=r"^(statistics?|values|sites|records) must"):
        call(RECORDS)


def test_sizes_of_sites_may_be_an_array():
    one, other = (
        error_of_average("cape", sites=3, samples=sizes, privacy=TARGET)
        for sizes in (np.array([200, 100, 50]), [200, 100, 50])
    )
    assert one == other
