"""Power method under disturbances of four kinds: the largest size of each at which random starts succeed."""
