"""Power method under disturbances of four kinds: how much of each a random start survives."""
