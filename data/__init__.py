"""Sources of records: synthetic distributions, real data sets, uploads and text, and their division into sites.

This package knows no algorithm and no screen. Every generator takes a `numpy.random.Generator` as `rng=`;
every bound that scales records is a public constant, and what is taken from the data itself says so.
"""
