"""Time against program length: ``python bench/scaling.py`` prints seconds of the processor for growing programs.

The shapes are those on which naive lifters explode: chains of products and of statements, straight-line code that
shares every subexpression, rows of stores, ladders of conditions, files of many functions.  Both halves of the proof
are part of the time.  Near-linear time shows as a constant last column.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Sequence


def matmul_chain(length: int) -> str:
    """Return a function of ``length`` matrix products, each reading the one before."""
    arrays = ", ".join(f"double A{k}[n][n], double C{k}[n][n]" for k in range(length))
    factors = ["A0", *(f"C{k}" for k in range(length))]
    nests = "".join(
        f"for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ C{k}[i][j] = 0.0;"
        f" for (int k = 0; k < n; k++) C{k}[i][j] += {factors[k]}[i][k] * A{k}[k][j]; }}\n"
        for k in range(length)
    )
    return f"void chain(int n, {arrays}) {{\n{nests}}}\n"


def shared_scalars(length: int) -> str:
    """Return a loop body of ``length`` assignments in which each value is used twice."""
    body = "".join(f"t = t * {1 + k % 3}.5 + x[i] * t;\n" for k in range(length))
    loop = f"for (int i = 0; i < n; i++) {{ double t = x[i];\n{body}y[i] = t; }}"
    return f"void poly(int n, double x[n], double y[n]) {{ {loop} }}\n"


def statements(length: int) -> str:
    """Return ``length`` elementwise loops that update one array in turn."""
    body = "".join(f"for (int i = 0; i < n; i++) y[i] = y[i] + {1 + k}.0 * x[i];\n" for k in range(length))
    return f"void updates(int n, double x[n], double y[n]) {{\n{body}}}\n"


def logistic(length: int) -> str:
    """Return a loop body of ``length`` steps of ``t = r * t * (1 - t)``."""
    body = "t = r * t * (1.0 - t);\n" * length
    loop = f"for (int i = 0; i < n; i++) {{ double t = x[i];\n{body}y[i] = t; }}"
    return f"void logistic(int n, double r, double x[n], double y[n]) {{ {loop} }}\n"


def stores(length: int) -> str:
    """Return ``length`` stores to constant cells."""
    body = "".join(f"a[{k}] = {k}.5;\n" for k in range(length))
    return f"void stores(double a[{length}]) {{\n{body}}}\n"


def choices(length: int) -> str:
    """Return ``length`` conditional updates of one cell in a row."""
    body = "".join(f"if (x[i] > {k}.0) y[i] += {k}.5;\n" for k in range(length))
    return f"void choices(int n, double x[n], double y[n]) {{ for (int i = 0; i < n; i++) {{\n{body}}} }}\n"


def cases(length: int) -> str:
    """Return a ``switch`` of ``length`` cases."""
    body = "".join(f"case {k}: y[i] = x[i] * {k}.5; break;\n" for k in range(length))
    loop = f"for (int i = 0; i < n; i++) switch (k[i]) {{\n{body}default: y[i] = 0.0; }}"
    return f"void cases(int n, int k[n], double x[n], double y[n]) {{ {loop} }}\n"


def bounds(length: int) -> str:
    """Return a ladder of ``length`` comparisons of the index; above a few dozen it is refused."""
    body = " else ".join(f"if (i < {k}) y[i] = {k}.5 * x[i];\n" for k in range(1, length + 1))
    return f"void bounds(int n, double x[n], double y[n]) {{ for (int i = 0; i < n; i++) {{\n{body}}} }}\n"


def functions(length: int) -> str:
    """Return a file of ``length`` functions."""
    loop = "for (int i = 0; i < n; i++) y[i] = 2.5 * x[i];"
    return "".join(f"void f{k}(int n, double x[n], double y[n]) {{ {loop} }}\n" for k in range(length))


# For each shape the least length, and how often it is doubled.
SHAPES = {
    "matmul_chain": (matmul_chain, 20, 4),
    "shared_scalars": (shared_scalars, 125, 4),
    "statements": (statements, 125, 4),
    "logistic": (logistic, 125, 4),
    "stores": (stores, 75, 4),
    "choices": (choices, 25, 4),
    "cases": (cases, 50, 4),
    "bounds": (bounds, 12, 4),
    "functions": (functions, 125, 4),
}
_SMALL, _FEW = 3, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Time lifting against program length.")
    parser.add_argument("--shape", choices=SHAPES, action="append", help="only this shape")
    parser.add_argument("--small", action="store_true", help="two small lengths of each shape")
    options = parser.parse_args(arguments)
    lift_source(source_from_text(matmul_chain(1), "warm.c"), LiftOptions())
    for name, (build, first, doublings) in SHAPES.items():
        if options.shape and name not in options.shape:
            continue
        least, count = (_SMALL, _FEW) if options.small else (first, doublings)
        for exponent in range(count):
            length = least << exponent
            start = time.process_time()
            record = lift_source(source_from_text(build(length), f"{name}.c"), LiftOptions())
            seconds = time.process_time() - start
            function = record.functions[0] if record.functions else None
            verdict = str(function.verdict) if function else "refused"
            stages = " ".join(f"{k} {v:.2f}" for k, v in (function.seconds if function else {}).items())
            each = f"{seconds / length * 1e3:9.2f} ms each"
            print(f"{name:16}{length:6}{verdict:>11}{seconds:9.2f} s{each}   {stages}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
