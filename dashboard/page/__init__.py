"""The base class of pages, and the parts that a page may have: a sweep, an own table, a guarantee."""
