"""The four papers: their figures computed again, what we found in them, two studies of the power method."""
