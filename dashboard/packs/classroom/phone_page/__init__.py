"""The page of a phone: its script, its style sheet and its policy."""
