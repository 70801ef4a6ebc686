"""Records that remember their hash, and the one memory of what a release tells."""

import pickle

import numpy as np
import pytest

from core import Privacy, release
from core.schemes import SCHEMES, named, repeated
from core.sweep import Job


def test_a_hash_is_computed_once_and_does_not_travel():
    class Counted:
        asked = 0

        def __hash__(self):
            Counted.asked += 1
            return 7

        def __eq__(self, other):
            return isinstance(other, Counted)

    settings = (("sites", Counted()),)
    job = Job("problem", settings, "cape", 0, 1)
    assert hash(job) == hash(job) == hash(Job("problem", settings, "cape", 0, 1))
    assert Counted.asked == 2
    target = Privacy(1.0, 1e-5)
    hash(target)
    assert pickle.dumps(target) == pickle.dumps(Privacy(1.0, 1e-5))
    assert pickle.loads(pickle.dumps(target)) == target


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if named(name).private])
@pytest.mark.parametrize("colluding", [0, 2])
def test_a_promise_of_prepared_releases_is_what_a_release_states(scheme, colluding):
    rest = {"scheme": scheme, "weights": np.array([0.1, 0.2, 0.3, 0.4])}
    sensitivity, target = np.array([4.0, 3.0, 2.0, 1.0]), Privacy(0.5, 1e-4)
    learnt = repeated(sensitivity, target, sites=4, **rest).promise(colluding)
    drawn = release(np.zeros(4), sensitivity, target, rng=np.random.default_rng(0), **rest)
    assert (learnt.message, learnt.public, learnt.aggregator) == (
        drawn.mu_message,
        drawn.mu_public,
        drawn.mu_aggregator,
    )
    with_others = drawn.mu(min(colluding, len(drawn.sites) - 1))
    assert learnt.colluders == with_others
    assert learnt.std == drawn.std
