"""`python -m dashboard.handout`: the file of `cape-lab handout`."""

from dashboard.state.printed_names import stand_in

stand_in(__name__, "handout")
