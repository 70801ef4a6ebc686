"""The smallest pack: one page, and a link to it on Gain. `pack.toml` is its entry."""
