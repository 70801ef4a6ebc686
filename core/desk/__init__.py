"""From a plan to a release: each site has a desk, a program of its own that holds records, key, ledger and state.

An engine is a pipe of bytes between desks and the aggregator's centre: two folders (`core.desk.files`), or whatever carries
letters. The protocol is that of `core.parties` in whole numbers, with the entropy of the operating system.
"""

from core.desk.centre import Centre
from core.desk.desk import Desk, Taken
from core.desk.ledger import BeyondCeiling, Ledger

__all__ = ["BeyondCeiling", "Centre", "Desk", "Ledger", "Taken"]
