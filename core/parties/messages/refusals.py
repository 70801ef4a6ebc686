"""Why a party refuses a message. A refused message changes nothing: the party goes on as if it had never come."""


class Refused(ValueError):
    """A message that a party does not accept."""


class Malformed(Refused):
    """The bytes are no message, were damaged on the way, or do not contain what the round asks for."""


class OtherVersion(Refused):
    """The message is in another version of the format."""


class ForeignPlan(Refused):
    """The message belongs to another plan."""


class WrongParty(Refused):
    """The message is for somebody else, or from somebody who has no say in this round."""


class Replayed(Refused):
    """The same party sent a message of this round before."""


class OutOfOrder(Refused):
    """The round of the message is over, or has not begun."""


class Forged(Refused):
    """Something in the message that was sealed for this site does not open."""


class TooFewSites(RuntimeError):
    """Too few sites answered to go on; nothing was released, and the party waits in the same round."""
