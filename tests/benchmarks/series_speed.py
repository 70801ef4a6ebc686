"""How long the search for a strategy takes: python -m tests.benchmarks.series_speed

Running totals and months together, the best of five; processor seconds, and the certified gap of the squared error.
"""

from __future__ import annotations

import time

from core.series import Participation, queries, strategy
from core.series.strategies import _searched

SETTINGS = ((12, 1, 1), (12, 2, 6), (12, 12, 1), (24, 2, 12), (36, 1, 1), (60, 1, 1))


def main():
    """Print a line a setting."""
    for months, most, apart in SETTINGS:
        asked, person, taken = queries("months and totals", months), Participation(months, most, apart), []
        for _ in range(5):
            _searched.cache_clear()
            start = time.process_time()
            found = strategy(asked, person)
            taken.append(time.process_time() - start)
        print(f"K = {months}, b = {most}, apart {apart}: {min(taken):.3f} s, gap {found.gap:.1e}")


if __name__ == "__main__":
    main()
