"""`python -m rsens`: the command line."""

import sys

from rsens._app.cli import main

sys.exit(main())
