"""`python -m dashboard.reproduce`: reproduce the papers' figures."""

import sys

from dashboard.compat.own_packages import require_own_packages

if __name__ == "__main__":
    require_own_packages()
    from dashboard.packs.papers.reproduce.cli import main  # Imports `core` and `data`.

    sys.exit(main())
