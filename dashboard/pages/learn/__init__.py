"""Pages of the group Learn."""
