"""Start: the idea of CAPE in one minute, with one interactive figure."""
