"""Principal components of records at several sites."""
