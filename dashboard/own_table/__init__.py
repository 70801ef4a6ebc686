"""A table that the user brings: file, description, columns, and the panel for it."""
