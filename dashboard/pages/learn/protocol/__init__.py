"""Protocol: one run of the protocol, played, and the averages of many runs under every scheme."""
