"""State of a session without widgets: controls, URL, seeds, ledger, background runs, texts."""
