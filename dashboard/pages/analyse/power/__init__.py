"""Power method, private: the accuracy of each component with noise in every step, or on the whole tensor."""
