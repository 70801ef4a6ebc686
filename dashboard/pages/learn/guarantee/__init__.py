"""Guarantee: δ as the papers state it and as it is, and what each onlooker may learn."""
