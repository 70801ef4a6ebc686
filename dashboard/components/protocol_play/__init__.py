"""The play of the protocol: one component, whose half in the browser animates the numbers of a real run."""

from dashboard.components.protocol_play.component import STEPS, ProtocolPlay
from dashboard.components.protocol_play.still import still

__all__ = ["STEPS", "ProtocolPlay", "still"]
