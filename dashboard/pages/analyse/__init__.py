"""Pages of the group Analyse."""
