"""Messages between parties: their bytes, their letters, and why one is refused."""
