"""A two-layer classifier, trained through a scheme with clipped gradients. [Cape] section 5.1."""

from core.network.model import Gradient, Network, gradient, start
from core.network.training import (
    BUDGETS,
    DIVERGED,
<<<<<<< HEAD
    HIDDEN,
=======
    LARGEST,
>>>>>>> 606d70b31428d3cc19c5c2cb53830d45b5440a4c
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
<<<<<<< HEAD
    "HIDDEN",
=======
    "LARGEST",
>>>>>>> 606d70b31428d3cc19c5c2cb53830d45b5440a4c
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
