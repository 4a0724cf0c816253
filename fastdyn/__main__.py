"""`python -m fastdyn`: the command `fastdyn`."""

import sys

from .cli import main

sys.exit(main())
