"""A two-layer classifier, trained through a scheme with clipped gradients. [Cape] section 5.1."""

from core.network.training import (
    BUDGETS,
    DIVERGED,
    SEEN,
    Problem,
    Step,
    Training,
    step_privacy,
    steps,
    train,
)

__all__ = [
    "BUDGETS",
    "DIVERGED",
    "SEEN",
    "Problem",
    "Step",
    "Training",
    "step_privacy",
    "steps",
    "train",
]
