"""`python -m dashboard.reproduce`: the papers' figures, run again."""

import sys

from dashboard.reproduce.cli import main

if __name__ == "__main__":
    sys.exit(main())
