"""`python -m core.desk`: the commands of a desk."""

import sys

from core.desk.commands import main

sys.exit(main())
