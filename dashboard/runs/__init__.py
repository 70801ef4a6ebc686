"""What runs compute: the points of a curve, fits beside it, and results that are kept for the next visitor or job."""
