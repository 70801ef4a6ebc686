"""Plan: the least ε, number of sites or of records that is good enough, and what that ε means for one record."""
