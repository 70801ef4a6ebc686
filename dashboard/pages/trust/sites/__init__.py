"""Sites: what each of several unequal sites adds, risks and gives away."""
