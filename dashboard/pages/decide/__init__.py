"""Pages of the group Decide."""
