"""Measure the kernels of bench/gpu.c on a GPU, beside gcc -O3 -march=native on one core: ``python bench/gpu.py``.

All are lifted to PyTorch, which runs operation by operation, and to JAX, compiled by ``jax.jit``, in double and in
single precision.  A time is the median of seven calls, until the results are there; arguments lie on the device.
``--device cpu --scale 0.1`` tries the script without a GPU.  It prints a table.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.report.output import seconds_text
from tensorlift.report.program import entry_name
from tensorlift.runtime.program import load_program
from tensorlift.source import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Sizes, and the parameters as in the source; the last one is the result that is compared.
KERNELS = {
    "gemm": ("m=800 n=800 k=800", "m n k alpha beta A[m,k] B[k,n] C[m,n]"),
    "covariance": ("n=500 m=500", "n m data[n,m] mean[m] cov[m,m]"),
    "stencil": ("steps=20 m=2000 n=2000", "steps m n u[m,n] next[m,n]"),
    "convolution": ("m=1500 n=1500", "m n image[m+6,n+6] weight[7,7] out[m,n]"),
    "attention": ("n=1000 d=64", "n d Q[n,d] K[n,d] V[n,d] S[n,n] out[n,d]"),
    "prefix_sum": ("n=20000000", "n x[n] total[n]"),
    "gather": ("n=20000000 m=20000000", "n m x[m] index[n] y[n]"),
    "shortest_paths": ("n=600", "n path[n,n]"),
    "seidel": ("steps=2 m=66 n=66", "steps m n u[m,n]"),
    "prices": ("n=4000000", "n x[n] spread[n] price[n]"),
}
SOURCE = Path(__file__).parent / "gpu.c"
CALLS = 7


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes")
    options = parser.parse_args()
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # both libraries share the device
    import torch  # noqa: PLC0415 - after the environment is set

    if options.device == "gpu" and not torch.cuda.is_available():
        sys.exit("there is no GPU here that PyTorch can use")
    card = torch.cuda.get_device_name() if options.device == "gpu" else "cpu"
    print(
        f"| {card} | sizes | verdict | C | PyTorch | times as fast | JAX | times as fast |\n|{'---|' * 8}", flush=True
    )
    for dtype, defines in (("float64", ()), ("float32", ("SINGLE",))):
        original = compiled(defines)
        libraries = {"torch": on_torch(options.device), "jax": on_jax(options.device)}
        lifted = {
            target: lift_source(read_source(str(SOURCE)), LiftOptions(target=target, defines=defines)).functions
            for target in libraries
        }
        for k, (name, (sizes, signature)) in enumerate(KERNELS.items()):
            given = arguments(sizes, signature, dtype, options.scale)
            plain, expected = timed_original(getattr(original, name), given)
            cells = [
                f"{text_of(plain, *measured(lifted[target][k], given, expected, libraries[target]))}"
                for target in libraries
            ]
            shown = ", ".join(f"{n} = {v}" for n, v in given.items() if isinstance(v, int))
            verdict = lifted["torch"][k].verdict
            print(
                f"| {name}, {dtype} | {shown} | {verdict} | {seconds_text(plain)} | {' | '.join(cells)} |", flush=True
            )
    return 0


def compiled(defines: tuple[str, ...]) -> ctypes.CDLL:
    """Compile the originals."""
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/original.so"
        flags = ["-O3", "-march=native", "-shared", "-fPIC", *(f"-D{name}" for name in defines)]
        subprocess.run(["gcc", *flags, str(SOURCE), "-o", library, "-lm"], check=True)
        return ctypes.CDLL(library)


def arguments(sizes: str, signature: str, dtype: str, scale: float) -> dict[str, Any]:
    """Draw arguments: reals within one of zero, lengths of paths from zero on, positions at random."""
    rng = np.random.default_rng(0)
    known = {name: max(2, round(int(v) * scale)) for name, v in (pair.split("=") for pair in sizes.split())}
    given: dict[str, Any] = {}
    for name, extents in re.findall(r"(\w+)(?:\[([^]]*)\])?", signature):
        shape = [
            sum(known.get(term) or int(term) for term in extent.split("+")) for extent in extents.split(",") if extent
        ]
        drawn = (
            rng.integers(known["m"], size=shape, dtype=np.int32)
            if name == "index"
            else rng.uniform(0 if name == "path" else -1, 1, shape)
        )
        real = np.dtype(dtype).type
        given[name] = known[name] if name in known else drawn if name == "index" else np.asarray(drawn, real)
    return given


def timed_original(function: Any, given: Mapping[str, Any]) -> tuple[float, Any]:
    """Return the median of calls on copies of the arguments, and the result."""
    kinds = {"float64": ctypes.c_double, "float32": ctypes.c_float}
    times = []
    for _ in range(CALLS):
        copies = [v if isinstance(v, int) else v.copy() for v in given.values()]
        passed = [
            ctypes.c_int(v) if isinstance(v, int)
            else ctypes.c_void_p(v.ctypes.data) if v.ndim
            else kinds[v.dtype.name](v)
            for v in copies
        ]  # fmt: skip
        start = time.perf_counter()
        function(*passed)
        times.append(time.perf_counter() - start)
    return median(times), copies[-1]


def on_torch(device: str) -> tuple[Callable[..., Any], ...]:
    """Say how PyTorch takes an array, how it runs a program, and how it gives a result when it is there."""
    import torch  # noqa: PLC0415 - as above

    place = "cuda" if device == "gpu" else "cpu"

    def done(result: Any) -> Any:
        if device == "gpu":
            torch.cuda.synchronize()
        return result

    return (lambda v: torch.from_numpy(v).to(place)), (lambda function, _: function), done, lambda v: v.cpu().numpy()


def on_jax(device: str) -> tuple[Callable[..., Any], ...]:
    """Say the same of JAX, which compiles a program for the sizes."""
    import jax  # noqa: PLC0415 - as above

    jax.config.update("jax_enable_x64", True)  # noqa: FBT003 - as JAX has it
    place = jax.devices(device)[0]
    compiled_by_jit = lambda function, sizes: jax.jit(function, static_argnames=sizes)  # noqa: E731 - as those beside it
    return (lambda v: jax.device_put(v, place)), compiled_by_jit, jax.block_until_ready, np.asarray


def measured(record: Any, given: Mapping[str, Any], expected: Any, library: tuple[Callable[..., Any], ...]) -> Any:
    """Return the median of calls, and whether the result is that of the original but for rounding."""
    give, ready, done, take = library
    function = load_program(record.program, entry_name(record.name, record.program))
    names = [p.name for p in record.parameters]
    passed = {n: v if isinstance(v := given[n], int) else give(v) if v.ndim else v[()] for n in names}
    run = ready(function, [n for n in names if isinstance(given[n], int)])
    done(run(**passed))  # compiled, and what is loaded at the first call
    times = []
    for _ in range(CALLS):
        start = time.perf_counter()
        result = done(run(**passed))
        times.append(time.perf_counter() - start)
    found = take(result[-1] if isinstance(result, tuple) else result)
    error = np.abs(found - expected).max() / np.abs(expected).max()
    return median(times), bool(error < (1e-9 if expected.dtype == np.float64 else 1e-3))


def text_of(plain: float, seconds: float, agrees: bool) -> str:  # noqa: FBT001 - as it was measured
    """Spell a time, how many times as fast as C that is, and a remark where the result is another."""
    return f"{seconds_text(seconds)} | {plain / seconds:.3g}{'' if agrees else ', differs'}"


if __name__ == "__main__":
    sys.exit(main())
