"""How the app looks: the style of every scheme, the colours of light and dark, the style sheets."""
