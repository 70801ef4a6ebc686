"""Pages of the group Trust."""
