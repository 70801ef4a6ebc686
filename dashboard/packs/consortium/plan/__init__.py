"""Plan: the least ε, number of sites or of records that meets a target, and the risk for one record."""
