"""What makes the app's answers light: the bundle of scripts computed once, and packed files."""
