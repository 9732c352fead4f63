"""Write a whole random Python function, and arguments for it.

A function is called ``f``.  Its first parameters are the extents ``n`` and ``m`` where the body mentions them; the
others are NumPy arrays of floats, NumPy arrays of integers of any width, or lists.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.random_python.idioms import PURE_HELPER, Idioms
from bench.random_python.scope import Array, Scope
from bench.random_python.statements import Statements, indent

HELPER = """\
def helper(p, q):
    for k in range(len(p)):
        p[k] = q[k] - p[k] * 2
    return p[0] + q[0]


"""
_KINDS = ("float64", "float64", "float64", "mixed", "mixed", "float32", "narrow", "list", "list")


@dataclass(frozen=True)
class Program:
    """A function's source text, and its parameters in order; those without a shape are extents."""

    text: str
    parameters: tuple[Array, ...]


def generate(seed: int) -> Program:
    """Write the program of a seed."""
    writer = Idioms(random.Random(seed))
    arrays = _arrays(writer, writer.pick(*_KINDS))
    scope = Scope(arrays)
    lines: list[str] = []
    for _ in range(writer.pick(1, 2, 3, 3, 4, 5)):
        added, scope = writer.statement(scope, writer.pick(1, 2))
        lines += added
    lines += _returns(writer, scope)
    words = set(re.findall(r"\w+", "\n".join(lines)))
    used = tuple(array for array in arrays if array.name in words)
    sizes = tuple(Array(name, "int", ()) for name in ("n", "m") if name in words)
    declared = [*(f"{size.name}: int" for size in sizes), *(f"{a.name}: {a.annotation()}" for a in used)]
    text = "\n".join([f"def f({', '.join(declared)}):", *indent(lines)]) + "\n"
    head = "import math\n\nimport numpy as np\n\n\n"
    head += (HELPER if writer.has_helper else "") + (PURE_HELPER if writer.has_pure_helper else "")
    return Program(head + text, (*sizes, *used))


def _arrays(writer: Statements, kind: str) -> tuple[Array, ...]:
    """Choose the arrays that a function may use."""
    shapes = (("n",), ("n",), ("m",), writer.pick(("n", "m"), ("n", "n")))
    if kind == "mixed":
        whole = writer.pick("int64", "int64", "int32")
        dtypes = ("float64", whole, "float64", writer.pick("float64", whole))
    elif kind == "narrow":
        dtypes = (writer.pick("uint8", "int8", "int16"),) * 3 + ("int32",)
    elif kind == "list":
        dtypes = (writer.pick("float64", "int64"), "float64", "float64", writer.pick("float64", "int64"))
    else:
        dtypes = (kind,) * 4
    made = zip(("x", "y", "z", "A"), dtypes, shapes, strict=True)
    return tuple(Array(name, dtype, shape, is_list=kind == "list") for name, dtype, shape in made)


def _returns(writer: Statements, scope: Scope) -> list[str]:
    """Return a number, an array, several of them, or nothing."""
    numbers = [v.name for v in scope.numbers]
    arrays = [a.name for a in scope.arrays]
    kind = writer.pick("nothing", "number", "array", "both", "condition", "expression")
    if kind == "number" and numbers:
        return [f"return {writer.pick(*numbers)}"]
    if kind == "both" and numbers:
        return [f"return {writer.pick(*arrays)}, {writer.pick(*numbers)}"]
    if kind == "condition":
        return [f"return {writer.condition(scope, 1)}"]
    if kind == "expression":
        return [f"return {writer.exact(scope, 1, whole=False)}"]
    return [f"return {writer.pick(*arrays)}"] if kind == "array" else []


def arguments(program: Program, seed: int, sizes: dict[str, int]) -> list[Any]:
    """Make arguments with the given extents; the same seed gives the same ones."""
    rng = np.random.default_rng(seed)
    return [_argument(parameter, rng, sizes) for parameter in program.parameters]


def _argument(parameter: Array, rng: np.random.Generator, sizes: dict[str, int]) -> Any:
    """Fill an array with small numbers, halves among the floats, or give an extent."""
    if not parameter.shape:
        return sizes[parameter.name]
    shape = tuple(sizes[extent] for extent in parameter.shape)
    low = 0 if parameter.dtype == "uint8" else -6
    found = rng.integers(low, 7, shape) / 2 if parameter.is_float else rng.integers(low, 7, shape)
    array = found.astype(parameter.dtype)
    return array.tolist() if parameter.is_list else array
