"""The user's own table: file, description, columns, state, and the panel that uploads it."""
