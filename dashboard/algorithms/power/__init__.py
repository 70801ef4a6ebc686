"""Components of the sites' tensors: noise on every count, once, and a curator with noise in every step."""
