"""Random affine C programs for fuzzing the whole pipeline: ``python bench/generate.py SEED`` prints one.

A program is one C99 function over nested loops.  It is well defined for all sizes ``n >= 3`` and ``m >= 3``, distinct
arrays and small inputs (integers within +-9, reals within +-4) *by construction*, not by rejection:

- every loop variable carries the slack that it keeps to both ends of its extent, and only the subscripts that this
  slack allows are offered; a guard such as ``i > 0`` widens the slack inside it, and beyond ``i == 0 ||``;
- divisors are constants or ``1 + x * x``;
- integer expressions are bounded (see ``random_programs/expressions.py``), so that sums grow only with the trip count;
- local scalars and arrays are written whole before they are read.

The same seed gives the same text.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.random_programs.scope import REAL, WHOLE, Array, Scalar, Scope, indent
from bench.random_programs.statements import LETTERS, Statements

KINDS = {(REAL,): 3, (WHOLE,): 2, (REAL, WHOLE): 1}
NAMES = {REAL: ("a", "A", "x", "C", "y", "w", "z"), WHOLE: ("p", "P", "u", "U", "v", "q", "r")}
SCALARS = {REAL: "alpha", WHOLE: "shift"}
CALLS = {name + suffix for name in ("fmax", "fmin", "fabs", "sqrt", "exp") for suffix in ("", "f")}


def generate(seed: int) -> str:
    """Write the program of a seed: one C function named ``f``, with the header that it needs."""
    rng = random.Random(seed)
    writer = Statements(rng)
    writer.real = writer.weighed({"double": 6, "float": 1})
    writer.inline_declarations = writer.chance(0.7)
    kinds = writer.weighed(KINDS)
    writer.arrays = _arrays(writer, kinds)
    scope = Scope(scalars=tuple(Scalar(SCALARS[kind], kind) for kind in kinds))
    lines: list[str] = []
    for _ in range(writer.weighed({1: 2, 2: 2, 3: 1})):
        write = rng.choice([writer.nest] * 5 + [writer.reduction, writer.local_array])
        lines += write(scope, writer.weighed({1: 2, 2: 4, 3: 3}))
    result = "void"
    if writer.chance(0.2):
        kind = rng.choice(kinds)
        result = writer.c_type(kind)
        lines.append(f"return {writer.reference(writer.pick(kind, scope, written=True), Scope())};")
    words = set(re.findall(r"\w+", "\n".join(lines)))
    if not writer.inline_declarations:
        lines.insert(0, f"int {', '.join(v for v in LETTERS if v in words)};")
    header = "#include <math.h>\n\n" if words & CALLS else ""
    return header + "\n".join([*_signature(writer, result, words), *indent(lines), "}"]) + "\n"


def _arrays(writer: Statements, kinds: tuple[str, ...]) -> list[Array]:
    """Choose the arrays that the program may use: for each kind three inputs and four that it may write."""
    flat = writer.chance(0.2)
    arrays: list[Array] = []
    for kind in kinds:
        matrix = writer.weighed({("n", "n"): 2, ("n", "m"): 1})
        shapes = (("n",), matrix, ("n",), ("n", "n"), ("n",), ("m",), ("2 * n",))
        for name, shape in zip(NAMES[kind], shapes, strict=True):
            written = name not in {*NAMES[kind][:2], NAMES[kind][-1]}
            arrays.append(Array(name, kind, shape, written, flat=flat and len(shape) > 1))
    if writer.chance(0.15):
        arrays.append(Array("T", kinds[0], ("n", "m", "n"), written=writer.chance(0.5)))
    if writer.chance(0.15):
        arrays.append(Array("taps", kinds[0], ("3",), written=False))
    return arrays


def _signature(writer: Statements, result: str, words: set[str]) -> list[str]:
    """Declare the parameters among the words of the body, sizes first, in lines of at most 120 columns."""
    scalars = [f"{writer.c_type(kind)} {name}" for kind, name in SCALARS.items() if name in words]
    arrays = [_declaration(writer, array) for array in writer.arrays if array.name in words]
    extents = set(re.findall(r"\w+", " ".join(part.partition("[")[2] for part in arrays)))
    parts = [*(f"int {size}" for size in ("n", "m") if size in words | extents), *scalars, *arrays]
    lines = [f"{result} f({parts[0]}"]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) > 115:  # noqa: PLR2004 - the width of a line, less its punctuation
            lines[-1] += ","
            lines.append(" " * len(f"{result} f(") + part)
        else:
            lines[-1] += f", {part}"
    lines[-1] += ") {"
    return lines


def _declaration(writer: Statements, array: Array) -> str:
    const = "const " if not array.written and writer.chance(0.3) else ""
    pointer = array.flat or (array.shape == ("n",) and writer.chance(0.3))
    place = f"*{array.name}" if pointer else array.name + "".join(f"[{extent}]" for extent in array.shape)
    return f"{const}{writer.c_type(array.kind)} {place}"


def main() -> None:
    """Print the program of the seed on the command line."""
    parser = argparse.ArgumentParser(description="Print a random affine C program.")
    parser.add_argument("seed", type=int, help="the same seed gives the same program")
    print(generate(parser.parse_args().seed), end="")


if __name__ == "__main__":
    main()
