"""Stand-in for the pack `handout`, so that `python -m dashboard.handout` goes on."""

from dashboard.state.printed_names import stand_in

stand_in(__name__, "handout")
