"""Power methods for tensors too wide to be formed, streams too long to be kept, and private tensors."""

from core.power.calibration import CALIBRATIONS, NEIGHBOURS, Accounting, accounting, entry_std, sensitivities
from core.power.disturbances import (
    FOUND,
    GROUND_STATE,
    KINDS,
    alignment,
    disturbance,
    layer,
    promised,
    recovered,
)
from core.power.implicit_tensors import ComponentTensor, Sum, incoherence, recovery_epsilon, symmetric_noise
from core.power.private_iterations import PrivatePairs, perturbed, private
from core.power.problem import Problem
from core.power.streaming import OnlinePower, StreamEnded, online
from core.tensors import symmetric

__all__ = [
    "CALIBRATIONS",
    "FOUND",
    "GROUND_STATE",
    "KINDS",
    "NEIGHBOURS",
    "Accounting",
    "ComponentTensor",
    "OnlinePower",
    "PrivatePairs",
    "Problem",
    "StreamEnded",
    "Sum",
    "accounting",
    "alignment",
    "disturbance",
    "entry_std",
    "incoherence",
    "layer",
    "online",
    "perturbed",
    "private",
    "promised",
    "recovered",
    "recovery_epsilon",
    "sensitivities",
    "symmetric",
    "symmetric_noise",
]
