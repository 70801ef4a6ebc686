"""`python -m dashboard.reproduce`: reproduce the papers' figures."""

import sys

from dashboard.reproduce.cli import main

if __name__ == "__main__":
    sys.exit(main())
