"""The interactive app: run it with `python -m dashboard` or `panel serve dashboard`."""
