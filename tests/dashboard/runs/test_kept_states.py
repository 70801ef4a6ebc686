"""What a worker keeps of a training between its jobs."""

from dashboard.runs.kept import MOST, Kept


def test_the_oldest_states_are_dropped_beyond_the_memory_and_beyond_their_number():
    kept = Kept(bytes=100)
    for name, size in (("first", 60), ("second", 30), ("third", 40)):
        kept.put(name, f"{name} state", bytes=size)
    assert [kept.take(name) for name in ("first", "second", "third")] == [None, "second state", "third state"]
    assert kept.take("second") is None  # Who takes a state out has it alone.
    kept.put("whole", "state", bytes=100)
    assert kept.take("whole") == "state"
    for number in range(MOST + 1):
        kept.put(number, number, bytes=0)
    assert kept.take(0) is None and kept.take(MOST) == MOST
