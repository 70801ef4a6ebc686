"""*Compare*: one page, written once, that shows an algorithm under every scheme; `dashboard.algorithms` says which."""
