"""The report of a plan: two printed pages, the hazards of NIST SP 800-226, and a summary that programs read."""
