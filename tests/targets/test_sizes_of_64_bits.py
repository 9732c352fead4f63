"""Sizes and positions beyond 32 bits: what a narrow type cannot hold wraps as in the source, or a condition says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.contract.decide import holds
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.record import FunctionRecord

COUNT = 5
FIRST = (0, 2**31 + 7, 2**31 - 3, -(2**31) - 2, 2**32 - 3, 2**24 + 1, 2**53 + 1)


def wrapped(value: int, bits: int) -> int:
    """Give what C's conversion to a signed type keeps."""
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


# What is stored, its type in C, and its value at first + i.
STORED: list[tuple[str, str, Callable[[int], float]]] = [
    ("(int)i", "int", lambda v: wrapped(v, 32)),
    ("i", "int", lambda v: wrapped(v, 32)),
    ("(double)(int)i", "double", lambda v: wrapped(v, 32)),
    ("(int)i * 0.5", "double", lambda v: wrapped(v, 32) * 0.5),
    ("(signed char)i", "signed char", lambda v: wrapped(v, 8)),
    ("(short)i", "int", lambda v: wrapped(v, 16)),
    ("(int)i / 3", "int", lambda v: wrapped(v, 32) // 3),
    ("(int)i > 0", "int", lambda v: wrapped(v, 32) > 0),
    ("(int)i", "long", lambda v: wrapped(v, 32)),
    ("i % 6", "int", lambda v: v % 6),
    ("(signed char)(i % 100)", "signed char", lambda v: v % 100),
    ("i / 7 % 1000", "short", lambda v: v // 7 % 1000),
    ("(int)i >= i", "int", lambda v: wrapped(v, 32) >= v),
    ("(unsigned)i >> 1", "unsigned", lambda v: v % (1 << 32) >> 1),
    ("(unsigned)i", "double", lambda v: v % (1 << 32)),
    ("i * 0.5f", "float", lambda v: float(np.float32(v)) * 0.5),
    ("i", "float", float),
]


def source_in_c(position: int) -> str:
    what, ctype, _ = STORED[position]
    loop = f"for (long i = first; i < first + n; i++) o[i - first] = {what};"
    return f"void f{position}(long first, long n, {ctype} *o) {{ {loop} }}"


IN_C = "\n".join(map(source_in_c, range(len(STORED))))

IN_PYTHON = {
    """def f0(first: int, n: int):
    o = np.zeros(n, dtype=np.int32)
    for i in range(first, first + n):
        o[i - first] = i
    return o
""": None,  # NumPy refuses integers that the type does not hold
    """def f1(first: int, n: int):
    return np.arange(first, first + n).astype(np.int32)
""": lambda v: wrapped(v, 32),
    """def f2(first: int, n: int):
    return np.arange(first, first + n).astype(np.int32).astype(np.float64)
""": lambda v: wrapped(v, 32),
    """def f3(first: int, n: int):
    o = np.zeros(n, dtype=np.int32)
    o[:] = np.arange(first, first + n)
    return o
""": lambda v: wrapped(v, 32),
    """def f4(first: int, n: int):
    o = np.zeros(n)
    for i in range(n):
        o[i] = (first + i) // 3
    return o
""": lambda v: v // 3,
    """def f5(first: int, n: int):
    o = np.zeros(n, dtype=np.float32)
    for i in range(n):
        o[i] = first + i
    return o
""": float,
}


def mlir_function(position: int, body: str, result: str) -> str:
    return f"""func.func @f{position}(%first: index, %n: index, %o: memref<?x{result}>) {{
  affine.for %i = 0 to %n {{
    %j = arith.addi %i, %first : index
    {body}
    affine.store %x, %o[%i] : memref<?x{result}>
  }}
  return
}}
"""


IN_MLIR: list[tuple[str, str, Callable[[int], float]]] = [
    ("%x = arith.index_cast %j : index to i32", "i32", lambda v: wrapped(v, 32)),
    ("%w = arith.index_cast %j : index to i64\n %x = arith.trunci %w : i64 to i32", "i32", lambda v: wrapped(v, 32)),
    ("%w = arith.index_cast %j : index to i64\n %x = arith.trunci %w : i64 to i8", "i8", lambda v: wrapped(v, 8)),
    ("%w = arith.index_cast %j : index to i32\n %x = arith.sitofp %w : i32 to f64", "f64", lambda v: wrapped(v, 32)),
    (
        """%v = arith.index_cast %j : index to i64
    %w = arith.trunci %v : i64 to i32
    %x = arith.sitofp %w : i32 to f64""",
        "f64",
        lambda v: wrapped(v, 32),
    ),
]


def run_beyond_32_bits(function: FunctionRecord, library: str, value: Callable[[int], float] | None) -> int:
    """Run a program at each first position that its conditions allow; give how many there are."""
    assert function.lifted, function.diagnostics
    names: dict[str, Any] = {}
    exec(function.program, names)
    runs = 0
    for first in FIRST:
        sizes: dict[str, Any] = {"first": first, "n": COUNT}
        sizes |= {o.name: np.zeros(COUNT, o.dtype) for o in function.outputs}
        if not all(holds(p.condition, sizes) for p in function.preconditions if p.condition is not None):
            continue
        runs += 1
        taken = [sizes[p.name] for p in function.parameters]
        if value is None and not -(2**31) <= first < 2**31 - COUNT:
            continue
        result = np.asarray(names[function.name](*taken))
        expected = [value(first + k) if value else first + k for k in range(COUNT)]
        if function.outputs[0].dtype.startswith("float"):
            np.testing.assert_allclose(result, expected, rtol=1e-6)
        else:
            np.testing.assert_array_equal(result, np.array(expected, np.int64), f"first = {first}, {library}")
    return runs


@pytest.mark.in_turns(3)
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("library", ["numpy", "jax", "torch"])
def test_positions_beyond_32_bits_wrap_as_in_c(library: str) -> None:
    if library != "numpy":
        pytest.importorskip(library)
    functions = lift_source(source_from_text(IN_C, "f.c"), LiftOptions(target=library)).functions
    runs = 0
    for function, (*_, value) in zip(functions, STORED, strict=True):
        if not function.lifted and library == "torch":  # it lacks unsigned types
            assert function.diagnostics[-1].code == "TL307"
            continue
        runs += run_beyond_32_bits(function, library, value)
    assert runs > len(FIRST) * len(STORED) // 2


def test_positions_beyond_32_bits_wrap_as_in_python() -> None:
    text = "import numpy as np\n" + "".join(IN_PYTHON)
    functions = lift_source(source_from_text(text, "f.py"), LiftOptions()).functions
    for function, value in zip(functions, IN_PYTHON.values(), strict=True):
        assert run_beyond_32_bits(function, "numpy", value) == len(FIRST)


def test_positions_beyond_32_bits_wrap_as_in_mlir() -> None:
    text = "".join(mlir_function(k, body, result) for k, (body, result, _) in enumerate(IN_MLIR))
    functions = lift_source(source_from_text(text, "f.mlir"), LiftOptions()).functions
    runs = [run_beyond_32_bits(f, "numpy", value) for f, (*_, value) in zip(functions, IN_MLIR, strict=True)]
    assert runs == [len(FIRST)] * len(IN_MLIR)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("library", ["numpy", "jax", "torch"])
def test_a_size_of_32_bits_needs_no_conversion_next_to_integers_of_32_bits(library: str) -> None:
    text = "void f({0} n, int *o, const int *a) {{ for ({0} i = 0; i < n; i++) o[i] = a[i] + (int)n; }}"
    for ctype, converts in (("int", False), ("long", True)):
        source = source_from_text(text.format(ctype), "f.c")
        (function,) = lift_source(source, LiftOptions(target=library)).functions
        assert ("int64" in function.program) == converts
