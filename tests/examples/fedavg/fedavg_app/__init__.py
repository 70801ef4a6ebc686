"""One round of Flower's FedAvg over arrays of a size: it protects nothing; a release is measured beside it."""
