"""Pages and commands that stand beside the base, a folder each."""
