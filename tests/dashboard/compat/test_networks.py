"""Who counts as one visitor."""

from __future__ import annotations

import pytest

from dashboard.compat.server.networks import network_of
from dashboard.compat.server.password_brake import ADDRESS, Brake


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("", "", True),
        ("unknown", "other", False),
    ],
)
def test_an_ipv6_network_is_one_visitor_and_an_ipv4_address_is(one, other, same):
    assert (network_of(one) == network_of(other)) == same


def test_wrong_passwords_from_one_network_count_together():
    brake = Brake(lambda: 0.0)
    for i in range(ADDRESS):
        brake.missed(f"name {i}", network_of(f"2001:db8::{i:x}"))
    assert brake.wait("ada", network_of("2001:db8::ffff")) > 0
    assert brake.wait("ada", network_of("2001:db8:0:1::1")) == 0
