"""Power method, private: what survives of each component when every step, or the whole tensor, carries noise."""
