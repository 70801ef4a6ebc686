"""`python -m dashboard.reproduce`: the papers' figures without the app."""

from dashboard.state.printed_names import stand_in

stand_in(__name__, "reproduce")
