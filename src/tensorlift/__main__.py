"""``python -m tensorlift`` is the command line."""

from __future__ import annotations

import sys

from tensorlift.cli import main

sys.exit(main())
