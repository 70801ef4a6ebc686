"""Network: a classifier trained by several sites, watched step by step, and its accuracy against ε."""
