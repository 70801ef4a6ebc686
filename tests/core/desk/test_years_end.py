"""At a year's end the ceiling is that of the year in which an entry is booked, whenever its site joined."""

from dataclasses import replace

from desks import Consortium

from core.desk import Desk
from core.privacy import Privacy, gdp_mu


def test_a_packet_of_last_year_has_no_room_in_a_year_that_is_spent(tmp_path):
    """It joined in 2026; 2027 is spent before its packet is asked for, so that its entry would stand in 2027."""
    time = ["2026-12-31T23:50:00Z"]
    consortium = Consortium(tmp_path, sites=3, dropouts=0)
    for s in range(3):
        (consortium.folder(s) / "ledger").unlink()  # It began in the present year.
    consortium.desk = lambda s: Desk(consortium.folder(s), clock=lambda: time[0])
    first, second = consortium.plan, replace(consortium.plan, run="2")
    for s in range(3):
        consortium.desk(s).set_ceiling(1.0, 1e-5, reason="one release")
    centre = consortium.agree(first).centre(first)
    sent = centre.take([data for s in range(3) for data in consortium.desk(s).begin(first)])
    relay = dict(centre.take([d for n, data in sent for d in consortium.desk(n).take([data]).letters]))
    time[0] = "2027-01-02T08:00:00Z"
    consortium.agree(second).plan = second
    assert consortium.run().enough
    found = consortium.desk(0).take([relay[0]])
    ledger = consortium.desk(0).ledger
    assert not found.letters and "BeyondCeiling" in found.refused[0]
    assert [line["kind"] for line in ledger.lines][-2:] == ["spent", "refused"]
    assert ledger.spent(2026) == 0.0 and 0 < ledger.spent(2027) <= gdp_mu(Privacy(1.0, 1e-5)) * (1 + 1e-12)
