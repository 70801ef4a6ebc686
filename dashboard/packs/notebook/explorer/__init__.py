"""A page of the app in a notebook: `from dashboard import explore`."""
