"""Time against program length: ``python bench/scaling.py`` prints seconds for growing programs of three shapes.

The shapes are those on which naive lifters explode: a chain of matrix products, a long straight-line body over scalars
that share every subexpression, and many statements over one array.  Near-linear time shows as a constant last column.
"""

from __future__ import annotations

import argparse
import sys
import time

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text


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


SHAPES = {
    "matmul_chain": (matmul_chain, 20, 4),
    "shared_scalars": (shared_scalars, 125, 4),
    "statements": (statements, 125, 4),
}


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Time lifting against program length.")
    parser.add_argument("--shape", choices=SHAPES, action="append", help="only this shape")
    options = parser.parse_args()
    lift_source(source_from_text(matmul_chain(1), "warm.c"), LiftOptions())
    for name, (build, first, doublings) in SHAPES.items():
        if options.shape and name not in options.shape:
            continue
        for exponent in range(doublings):
            length = first << exponent
            start = time.perf_counter()
            record = lift_source(source_from_text(build(length), f"{name}.c"), LiftOptions())
            seconds = time.perf_counter() - start
            verdict = record.functions[0].verdict if record.functions else "refused"
            stages = " ".join(
                f"{k} {v:.2f}" for k, v in (record.functions[0].seconds if record.functions else {}).items()
            )
            print(
                f"{name:16}{length:6}{verdict:>11}{seconds:9.2f} s{seconds / length * 1e3:9.2f} ms each   {stages}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
