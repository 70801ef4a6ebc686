"""The releases of a year against one budget, on the page Plan."""
