"""The algorithms that *Compare* shows, a folder each: a frozen record, and what it draws and says of its results."""
