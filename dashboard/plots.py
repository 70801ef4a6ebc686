"""`from dashboard import plots`: pictures for notebooks and programs."""

from dashboard.state.printed_names import stand_in

stand_in(__name__, "plots")
