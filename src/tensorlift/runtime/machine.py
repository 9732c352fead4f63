"""The peaks of the machine, measured: a matrix product and a stream triad, in limited subprocesses."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.runtime.compilers import COMPILERS, openmp
from tensorlift.runtime.workers import Limits, WorkerError, run_limited, run_worker

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.runtime.measure import Conditions

_TRIAD = """
void tl_triad(double *restrict a, const double *restrict b, const double *restrict c, long n, double s, int t) {
#pragma omp parallel for simd schedule(static) num_threads(t) if(t > 1)
  for (long i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}
"""
_SECONDS = 0.6  # for each peak
_FLAGS = ("-shared", "-fPIC", "-w")


class Peaks(NamedTuple):
    """GFLOP/s of a product by element type, GB/s of the triad in memory and at the size that was asked for."""

    gemm: Mapping[str, float]
    triad: float
    triad_here: float


def measured_peaks(conditions: Conditions, footprint: int, module: str = "numpy") -> Peaks:
    """Measure the peaks under the conditions; on a GPU with the library ``module``.

    Each is the best of several calls.  The product is the library's, on matrices of 1024 rows.  The triad
    ``a = b + s * c`` runs in C, on one thread and with OpenMP on all, of which the better counts, or in the library
    where there is no compiler; it moves 24 bytes for each cell, as STREAM counts.  ``footprint`` is the size of all
    three arrays together, in bytes; the next power of two is taken.
    """
    whole = _measured(conditions, module, 0)
    here = _measured(conditions, module, 1 << max(footprint - 1, 1).bit_length())
    return Peaks(whole["gemm"], whole["triad"], here["triad"])


def processor_name() -> str:
    """Name the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown processor"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "unknown processor")


@cache
def _measured(conditions: Conditions, module: str, footprint: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as name:
        library = _compiled(Path(name)) if conditions.device == "cpu" else ""
        facts = {
            "library": library,
            "module": module,
            "device": conditions.device,
            "threads": conditions.threads,
            "footprint": footprint,
            "seconds": _SECONDS,
        }
        try:
            reply, _ = run_worker("machine_worker", facts, {}, conditions.limits())
        except WorkerError:
            return {"gemm": {}, "triad": 0.0}
    return reply


def _compiled(folder: Path) -> str:
    """Compile the triad; give the empty text where that does not work."""
    (folder / "triad.c").write_text(_TRIAD, encoding="utf-8")
    for compiler in COMPILERS:
        path = compiler.build.compiler("C")
        command = [str(path), *compiler.build.flags, *_FLAGS, *openmp(path), "triad.c", "-o", "triad.so"]
        if path is not None and run_limited(command, folder, Limits()).failure is None:
            return str(folder / "triad.so")
    return ""
