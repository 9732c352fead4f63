"""The process of the command line, ``tensorlift`` and ``python -m tensorlift``: short-lived, so set up to start fast.

What is imported stays until the end: the garbage collector looks at it rarely, and the process ends without taking it
apart.  The small runs of a lift need no threads of BLAS, whose start costs as much as a tenth of a lift.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn

_COLLECT_EVERY = 200_000  # objects; Python's 700 lets the collector run 400 times during the imports


def run() -> NoReturn:
    """Run the command line on the arguments of the process, and end the process with its exit status."""
    gc.set_threshold(_COLLECT_EVERY)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tensorlift.cli import main

    status = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
