"""Findings about the amplitude of zero-sum noise: published CAPE is one point of a family, and rarely the best one."""

from __future__ import annotations

import numpy as np

from core import cape
from core.findings.finding import Curve, Shown, finding

_SITES = 10
_UNIT = "variance of the average over the pooled one"


@finding(
    key="quiet-amplitude",
    papers=("Fact", "Cape"),
    place="[Cape] Algorithm 1; [Fact] Algorithm 1: the variances of ê_s and g_s",
    kind="valid",
    plain="Held against the aggregator, larger noise that cancels gives a better average",
    title="The published amplitude of zero-sum noise wastes almost half of the gain when nobody drops out",
    says="The contributions to the zero-sum noise have the variance τ² of a message, and local noise τ²/S.",
    true="Zero-sum noise cancels in the average, so its variance is a free parameter. At one true guarantee "
    "against the aggregator, larger zero-sum noise lets local noise be smaller: the variance of the average falls "
    "from 2S/(S+1) times the pooled one to the pooled one, as under secure aggregation. It costs messages of a "
    "larger range, and an average that a site ruins by dropping out. Against a single message alone it gains nothing.",
    changes="At S = 10, held against the aggregator, the variance of the average is {published} times the pooled one at the "
    "published amplitude, and {correct} times with contributions of 102 times the variance that one message alone needs.",
    ours=("core.schemes.amplitude.best_amplitude", "core.schemes.amplitude.design"),
)
def quiet_amplitude(rng):
    best = cape.design(np.ones(_SITES), amplitude="best", against="aggregator")
    published = cape.design(np.ones(_SITES), against="aggregator")
    amplitudes = np.geomspace(0.05, 100, 60)
    lines = {
        "published": np.full(60, _ratio(published)),
        "by amplitude": cape.variance_ratio(amplitudes, _SITES),
    }
    curve = Curve("amplitude a", _UNIT, amplitudes, lines, (True, True))
    return Shown(_ratio(published), _ratio(best), _UNIT, ("published", "best amplitude"), curve)


@finding(
    key="loud-amplitude",
    papers=("Cape",),
    place="[Cape] section 3.3 and Algorithm 1",
    kind="valid",
    plain="If sites may drop out, smaller noise that cancels gives a better average",
    title="When sites may drop out, the published amplitude is too large",
    says="The scheme tolerates dropouts, with the same variances of ê_s and g_s.",
    true="What a lost site does not cancel grows with the amplitude. For r planned dropouts and h honest sites the best "
    "amplitude is (√((h − 1)(S − r)/r) − 1)/S: less than the published one from the first dropout on.",
    changes="With 4 of 10 sites lost the variance of the average is {published} times the pooled one at the published "
    "amplitude, and {correct} times at the best one, 0.27. With one site lost the difference is only 1 %.",
    ours=("core.schemes.amplitude.best_amplitude", "core.schemes.amplitude.variance_ratio"),
)
def loud_amplitude(rng):
    lost = np.arange(1, _SITES)
    held = {"against": "aggregator"}
    published = cape.design(np.ones(_SITES), **held)
    best = cape.design(np.ones(_SITES), amplitude="best", dropouts=4, **held)
    lines = {
        "published": cape.variance_ratio(1.0, _SITES, dropouts=lost),
        "best": cape.variance_ratio(cape.best_amplitude(_SITES, 0, lost), _SITES, dropouts=lost),
    }
    curve = Curve("sites that drop out, of 10", _UNIT, lost, lines, (False, True))
    names = ("published", "best amplitude")
    return Shown(*(_ratio(plan, 4) for plan in (published, best)), _UNIT, names, curve)


@finding(
    key="worse-than-independent",
    papers=("Cape",),
    place="[Cape] section 3.3, the remark on dropouts",
    kind="accuracy",
    plain="If too many sites drop out, CAPE as published is worse than independent noise",
    title="Above a number of dropouts CAPE as published is worse than independent noise",
    says="The gain over the conventional scheme stays the same irrespective of the number of dropouts.",
    true="At one true guarantee, against the aggregator and c colluders, published CAPE has the larger variance if more "
    "than S (h − 1)/(S + h) sites drop out after the agreement, with h = S − c: about half of them without "
    "colluders. With the best amplitude it never has.",
    changes="With 3 colluders and 4 of 10 sites lost, the variance of the average is {correct} times the pooled one under "
    "CAPE as published, and {published} times under the conventional scheme.",
    ours=("core.schemes.amplitude.dropouts_that_favour_independent_noise", "core.schemes.noise_factor"),
)
def worse_than_independent(rng):
    lost = np.arange(_SITES - 3)
    plan = cape.design(np.ones(_SITES), against="colluders", colluding=3)
    seen = {"colluding": 3, "dropouts": lost}
    lines = {
        "conventional": cape.variance_ratio(0.0, _SITES, **seen),
        "published": cape.variance_ratio(1.0, _SITES, **seen),
        "best": cape.variance_ratio(cape.best_amplitude(_SITES, 3, lost), _SITES, **seen),
    }
    curve = Curve("sites that drop out, of 10", _UNIT, lost, lines, (False, True))
    conventional = float(cape.variance_ratio(0.0, _SITES, dropouts=4))
    return Shown(conventional, _ratio(plan, 4), _UNIT, ("conventional", "published CAPE"), curve)


def _ratio(plan, lost=0):
    """Variance of the average without some sites, over the pooled one, for sensitivities and μ of 1."""
    return float((_SITES * plan.average_std(range(lost))) ** 2)
