"""Network: a classifier trained by several sites, shown step by step, and its accuracy against ε."""
