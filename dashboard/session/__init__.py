"""One browser session: its pages, its settings, and the URL that opens it."""
