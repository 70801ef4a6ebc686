"""Sites: noise design for unequal sites, and what each adversary learns about each site."""
