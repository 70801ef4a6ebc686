"""The app's appearance: the style of every scheme, the colours of the light and dark theme, the style sheets."""
