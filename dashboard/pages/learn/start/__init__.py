"""Start: what this is, in a minute, with one small live picture."""
