"""`python -m rsens`: the command line."""

import sys

from rsens.cli import main

sys.exit(main())
