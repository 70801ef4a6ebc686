"""`python -m dashboard.handout`: write the handout."""

import sys

from dashboard.packs.handout.cli import main

if __name__ == "__main__":
    sys.exit(main())
