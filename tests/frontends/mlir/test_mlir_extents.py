"""A dimension that a memref leaves open is an extent of its own: a program touches what loops reach, and no more."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.lifts import lifted

from tensorlift.ir.function import functions
from tensorlift.ir.interpreter import Interpreter
from tensorlift.ir.text import parse_module
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

_PADDED = """func.func @f(%a: memref<5x7xf32>, %out: memref<9x13xf32>) {
  %z = arith.constant 0.0 : f32
  %whole = memref.alloc() : memref<9x13xf32>
  affine.for %i = 0 to 9 { affine.for %j = 0 to 13 { affine.store %z, %whole[%i, %j] : memref<9x13xf32> } }
  %part = memref.subview %whole[4, 6] [5, 7] [1, 1] : memref<9x13xf32> to memref<5x7xf32, strided<[13, 1], offset: 58>>
  memref.copy %a, %part : memref<5x7xf32> to memref<5x7xf32, strided<[13, 1], offset: 58>>
  memref.copy %whole, %out : memref<9x13xf32> to memref<9x13xf32>
  return
}
"""
_ONE = "memref<?xf64>"
_TWO = "memref<?x?xf64>"
_BEFORE = """  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
"""


def _one(body: str, result: str = "") -> str:
    arrow = " -> f64" if result else ""
    return f"func.func @f(%a: {_ONE}, %b: {_ONE}, %n: index){arrow} {{\n{_BEFORE}{body}\nreturn {result}\n}}\n"


def _two(body: str) -> str:
    return f"func.func @f(%a: {_TWO}, %b: {_TWO}, %n: index, %m: index) {{\n{_BEFORE}{body}\nreturn\n}}\n"


def _loop(body: str, low: str = "0", high: str = "%n", step: str = "") -> str:
    return f"affine.for %i = {low} to {high}{step} {{\n{body}\n}}"


_COPY = f"%v = affine.load %a[%i] : {_ONE}\naffine.store %v, %b[%i] : {_ONE}"
_LESS = "affine_map<()[s0] -> (s0 - 1)>()[%n]"
_SUM = f"""%s = affine.for %i = 0 to %n iter_args(%t = %z) -> f64 {{
  %v = affine.load %a[%i] : {_ONE}
  %u = arith.addf %t, %v : f64
  affine.yield %u : f64
}}"""
VECTORS = {
    "a copy": _one(_loop(_COPY)),
    "a loop of scf": _one(f"scf.for %i = %c0 to %n step %c1 {{\n{_COPY.replace('affine.', 'memref.')}\n}}"),
    "the first cell": _one(f"%v = memref.load %a[%c0] : {_ONE}\nmemref.store %v, %b[%c0] : {_ONE}"),
    "a sum": _one(_SUM, "%s : f64"),
    "a shift": _one(_loop(_COPY.replace("%a[%i]", "%a[%i + 1]"), high=_LESS)),
    "a difference": _one(
        _loop(
            f"%u = affine.load %a[%i - 1] : {_ONE}\n%v = affine.load %a[%i + 1] : {_ONE}\n"
            f"%w = arith.subf %v, %u : f64\naffine.store %w, %b[%i] : {_ONE}",
            low="1",
            high=_LESS,
        )
    ),
    "every other cell": _one(_loop(_COPY, step=" step 2")),
    "a running sum": _one(
        _loop(
            f"%u = affine.load %b[%i - 1] : {_ONE}\n%v = affine.load %a[%i] : {_ONE}\n"
            f"%w = arith.addf %u, %v : f64\naffine.store %w, %b[%i] : {_ONE}",
            low="1",
        )
    ),
    "a reversal": _one(_loop(_COPY.replace("%a[%i]", "%a[-%i + symbol(%n) - 1]"))),
    "two loops": _one(
        _loop(_COPY) + "\n" + _loop(f"affine.store %z, %b[%i] : {_ONE}", high="min affine_map<()[s0] -> (s0, 3)>()[%n]")
    ),
    "a constant bound": _one(_loop(_COPY, high="4")),
}
_EACH = f"%v = affine.load %a[%i, %j] : {_TWO}\naffine.store %v, %b[%i, %j] : {_TWO}"
_NEST = "affine.for %i = 0 to %n {{\naffine.for %j = 0 to {0} {{\n{1}\n}}\n}}"
MATRICES = {
    "a copy": _two(_NEST.format("%m", _EACH)),
    "a transposition": _two(_NEST.format("%m", _EACH.replace("%b[%i, %j]", "%b[%j, %i]"))),
    "a triangle": _two(_NEST.format("affine_map<(d0) -> (d0 + 1)>(%i)", _EACH)),
    "a row": _two(_loop(_EACH.replace("%i, %j", "2, %i"))),
}


def _assert_same(text: str, arrays: list[Any], sizes: tuple[int, ...]) -> None:
    """Compare the program with the module as it is written, run by the interpreter."""
    (function,) = lifted(source_from_text(text, "f.mlir"), LiftOptions()).functions
    assert function.program is not None, function.diagnostics
    namespace: dict[str, Any] = {}
    exec(function.program, namespace)
    given = {"a": arrays[0], "b": arrays[1], "n": sizes[0], "m": sizes[-1]}
    found = namespace["f"](*(given[p.name].copy() if p.name in "ab" else given[p.name] for p in function.parameters))
    written = Interpreter(functions(parse_module(text, "f.mlir"))[-1])
    result = written({p.name: given[p.name] for p in written.view.parameters})
    expected: Any = given["b"] if result.value is None else result.value
    np.testing.assert_array_equal(found, expected)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("case", VECTORS)
def test_arrays_may_be_longer_than_loops_reach(case: str) -> None:
    random = np.random.default_rng(0)
    least = {"the first cell": 1, "a running sum": 1, "a constant bound": 4}.get(case, 0)
    for n, more, others in product((0, 1, 2, 5), (0, 2), (0, 3)):
        shapes = [(max(n, least) + more,), (max(n, least) + others,)]
        _assert_same(VECTORS[case], [random.integers(-9, 9, shape).astype(float) for shape in shapes], (n,))


@pytest.mark.parametrize("case", MATRICES)
def test_matrices_may_be_larger_than_loops_reach(case: str) -> None:
    random = np.random.default_rng(0)
    for n, m, more in product((1, 2, 4), (1, 3), (0, 1)):
        shapes = [(max(n, m, 3) + more, max(n, m)), (max(n, m, 3), max(n, m) + more)]
        _assert_same(MATRICES[case], [random.integers(-9, 9, shape).astype(float) for shape in shapes], (n, m))


@pytest.mark.parametrize(
    ("case", "conditions"),
    [
        ("a copy", ["n >= 0", "n <= a.shape[0]", "n <= b.shape[0]"]),
        ("the first cell", ["a.shape[0] >= 1", "b.shape[0] >= 1"]),
        ("a constant bound", ["a.shape[0] >= 4", "b.shape[0] >= 4"]),
    ],
)
def test_that_an_array_is_long_enough_is_a_precondition(case: str, conditions: list[str]) -> None:
    (function,) = lifted(source_from_text(VECTORS[case], "f.mlir"), LiftOptions()).functions
    assert [p.text for p in function.preconditions if p.kind in {"extent", "shape", "size"}] == conditions
    assert not function.restricted


def test_the_extent_of_another_array_is_taken_for_one_that_loops_over_it_reach() -> None:
    text = (
        VECTORS["a copy"]
        .replace("%n: index", "%m: index")
        .replace(_BEFORE, f"{_BEFORE}%n = memref.dim %a, %c0 : {_ONE}\n")
    )
    (function,) = lift_source(source_from_text(text, "f.mlir"), LiftOptions()).functions
    assert "return a.copy()" in (function.program or "")
    assert [p.text for p in function.preconditions if p.kind == "shape"] == ["b.shape[0] == a.shape[0]"]


def test_who_passes_parts_of_arrays_gets_a_program_for_those() -> None:
    text = VECTORS["a copy"]
    (function,) = lift_source(source_from_text(text, "f.mlir"), LiftOptions(replaces=True)).functions
    assert "return a.copy()" in (function.program or "")
    assert [p.text for p in function.preconditions if p.kind == "shape"] == ["a.shape[0] == n", "b.shape[0] == n"]


def test_a_part_may_begin_some_rows_after_the_first() -> None:
    (record,) = lifted(source_from_text(_PADDED, "f.mlir"), LiftOptions()).functions
    assert "out[4:, 6:] = a" in record.program
