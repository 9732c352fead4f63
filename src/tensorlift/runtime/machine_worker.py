"""The worker that measures the peaks of the machine."""

from __future__ import annotations

import ctypes
import math
import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.runtime.libraries import Library, load_library

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.runtime.compare import Array

    Facts = dict[str, Any]

_ROWS = 1024
_IN_MEMORY = 3 << 26  # bytes of three arrays that no cache holds
_TRIAD_BYTES = 24  # of one cell
_LEAST_CELLS = 4096
_LEAST_CALLS = 5


def work(facts: Facts, _arrays: dict[str, Array]) -> tuple[Facts, dict[str, Array]]:
    """Measure the triad on ``facts["footprint"]`` bytes; where that is 0, on arrays in memory, and products too.

    Each is called for ``facts["seconds"]``.
    """
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: facts["threads"]])
    library, seconds = load_library(facts["module"], facts["device"]), facts["seconds"]
    cells = max((facts["footprint"] or _IN_MEMORY) // _TRIAD_BYTES, _LEAST_CELLS)
    teams = sorted({1, facts["threads"]})
    reply: Facts = {"triad": max(_triad(facts["library"], library, cells, team, seconds) for team in teams)}
    if not facts["footprint"]:
        reply["gemm"] = {dtype: _product(library, dtype, seconds) for dtype in ("float64", "float32")}
    return reply, {}


def _product(library: Library, dtype: str, seconds: float) -> float:
    """Give the GFLOP/s of a matrix product."""
    a = library.give(np.random.default_rng(0).random((_ROWS, _ROWS)).astype(dtype))
    if str(a.dtype).rpartition(".")[2] != dtype:
        return 0.0  # the library has no such type
    return 2 * _ROWS**3 / _best(lambda: library.wait(a @ a), seconds) / 1e9


def _triad(compiled: str, library: Library, cells: int, threads: int, seconds: float) -> float:
    """Give the GB/s of the triad."""
    a, b, c = (np.full(cells, value) for value in (0.0, 1.0, 2.0))
    if compiled:
        function: Any = ctypes.CDLL(compiled).tl_triad
        places = [ctypes.c_void_p(array.ctypes.data) for array in (a, b, c)]

        def call() -> None:
            function(*places, ctypes.c_long(cells), ctypes.c_double(3.0), threads)

    else:
        first, second = library.give(b), library.give(c)
        add = _fused if library.compiled is None else library.compiled(_fused, ())

        def call() -> None:
            library.wait(add(first, second))

    return _TRIAD_BYTES * cells / _best(call, seconds) / 1e9


def _fused(x: Any, y: Any) -> Any:
    return x + 3.0 * y


def _best(call: Callable[[], Any], seconds: float) -> float:
    """Give the least seconds of several calls."""
    call()
    least, begin, calls = math.inf, time.perf_counter(), 0
    while calls < _LEAST_CALLS or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - start)
        calls += 1
    return least
