"""A receipt of a release, opened beside what was planned."""
