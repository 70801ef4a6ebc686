"""Power method, streaming: components estimated from records that are read once and not stored."""
