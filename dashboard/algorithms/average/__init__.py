"""The average of numbers in [0, 1] on *Compare*."""
