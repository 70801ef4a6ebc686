"""Power method, streaming: components found from records that are read once and never kept."""
