"""Who counts as one visitor: an address, or the network of it that one visitor has whole."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

_BITS = 64  # Of an IPv6 address, that name a network: whoever has one address of it has all.


def network_of(address: str) -> str:
    """The network that counts as one: an IPv4 address alone, an IPv6 one with all that begin alike; other text stays."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found), _BITS), strict=False))
