"""A two-layer classifier, trained through a scheme with clipped gradients. [Cape] section 5.1."""

from core.network.model import Gradient, Network, gradient, start
from core.network.training import (
    BUDGETS,
    DIVERGED,
    HIDDEN,
    LARGEST,
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
    "HIDDEN",
    "LARGEST",
    "SEEN",
    "Gradient",
    "Network",
    "Problem",
    "Step",
    "Training",
    "gradient",
    "start",
    "step_privacy",
    "steps",
    "train",
]
