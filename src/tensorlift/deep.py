"""A deep stack: long programs are deep terms, and walking those takes more frames than Python allows by default.

The garbage collector rests meanwhile: terms, domains and programs hold no cycles, and going over all of them again and
again would take a tenth of the time.
"""

from __future__ import annotations

import gc
import sys
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_FRAMES = 60_000
_STACK = 512 << 20  # bytes of address space; pages that are not touched cost nothing

Result = TypeVar("Result")


def with_deep_stack(work: Callable[[], Result]) -> Result:
    """Run ``work`` in a thread with a large stack and return its result, or raise what it raises."""
    outcome: list[Result] = []
    fault: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            fault.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK)
    collects = gc.isenabled()
    gc.disable()
    sys.setrecursionlimit(max(limit, _FRAMES))
    try:
        thread = threading.Thread(target=run, name="tensorlift", daemon=True)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
        if collects:
            gc.enable()
    if fault:
        raise fault[0]
    return outcome[0]
