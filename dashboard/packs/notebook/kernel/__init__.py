"""What the libraries need to show a page of the app in a notebook."""
