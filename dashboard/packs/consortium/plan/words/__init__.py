"""What Plan says of its answers: sentences, rows, tables, and the promise."""
