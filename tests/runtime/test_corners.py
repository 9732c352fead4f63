"""The numbers of the last case come from the source: what it compares with, extremes, what no narrow type holds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.ir.programs import function

from tensorlift.ir.function import FunctionView
from tensorlift.poly.domain import UNIVERSE
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.data import Corners, seeded
from tensorlift.runtime.sizes import choose_sizes, stretched

MAPPED = """
func.func @f(%n: index {{tl.name = "n"}},
    %a: memref<?x{source}> {{tl.name = "a", tl.c_type = "{c_source}", tl.shape = affine_map<()[n] -> (n)>}},
    %y: memref<?x{target}> {{tl.name = "y", tl.c_type = "{c_target}", tl.shape = affine_map<()[n] -> (n)>}}) {{
  affine.for %i = 0 to %n {{
    %v = affine.load %a[%i] : memref<?x{source}>
    {body}
    affine.store %r, %y[%i] : memref<?x{target}>
  }}
  return
}}
"""
THRESHOLD = """%t = arith.constant 1000.0 : f64
    %c = arith.cmpf ogt, %v, %t : f64
    %r = arith.select %c, %t, %v : f64"""
TO_INT = """%w = arith.fptosi %v : f64 to i64
    %r = arith.trunci %w : i64 to i32"""
ROUNDED = """%w = arith.sitofp %v : i32 to f32
    %r = arith.fptosi %w : f32 to i32"""
TO_BYTE = "%r = arith.fptosi %v : f64 to i8"
MISSING = """%z = arith.constant 0.0 : f64
    %c = arith.cmpf uno, %v, %v : f64
    %r = arith.select %c, %z, %v : f64"""
INDEX = """%w = arith.index_cast %i : index to i32
    %r = arith.trunci %w : i32 to i8"""


def mapped(body: str, source: str = "f64", target: str = "f64") -> FunctionView:
    c_types = {"f64": "double *", "i32": "int *", "i8": "signed char *"}
    types = {"c_source": c_types[source], "c_target": c_types[target]}
    return FunctionView(function(MAPPED.format(body=body, source=source, target=target, **types)))


def sizes_of(view: FunctionView) -> tuple[dict[str, int], ...]:
    return stretched(view, UNIVERSE, choose_sizes(view.parameters, UNIVERSE, seeded(0), 3))


@pytest.mark.parametrize(
    ("view", "wrong"),
    [
        (mapped(THRESHOLD), "np.where(a == 999.0, 0.0, np.minimum(a, 1000.0))"),
        (mapped(TO_INT, "f64", "i32"), "a.astype(np.int32)"),
        (mapped(ROUNDED, "i32", "i32"), "a.copy()"),
        (mapped(TO_BYTE, "f64", "i8"), "np.where(a > 2.0, 0.0, a).astype(np.int8)"),
        (mapped(INDEX, "f64", "i8"), "np.minimum(np.arange(len(a)), 127).astype(np.int8)"),
        (mapped(MISSING), "a.copy()"),
    ],
    ids=[
        "a constant of a comparison",
        "too large for an int",
        "beyond 24 bits",
        "small numbers",
        "beyond 8 bits",
        "no number",
    ],
)
def test_programs_that_are_wrong_on_corners_alone_are_found(view: FunctionView, wrong: str) -> None:
    program = f"import numpy as np\n\ndef f(a):\n    with np.errstate(all='ignore'):\n        return {wrong}\n"
    report = compare_with_interpreter(view, program, "f", ["y"], sizes_of(view))
    assert [failure.sizes for failure in report.failures] == [sizes_of(view)[-1]]


def test_constants_of_comparisons_come_with_their_neighbours() -> None:
    near = Corners.levels(mapped(THRESHOLD))[0][1]
    assert {999, 1000, 1001} <= set(near.of("i32").tolist())
    assert {np.nextafter(1000.0, 0.0), 1000.0, np.nextafter(1000.0, np.inf)} <= set(near.of("f64").tolist())
    assert near.of("u8").max() == 255


@pytest.mark.parametrize("dtype", ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"])
def test_corners_are_finite_numbers_of_their_type(dtype: str) -> None:
    for _, corners in Corners.levels(mapped(THRESHOLD)):
        assert np.isfinite(corners.of(dtype)).all()
        assert len(corners.of(dtype)) == len(np.unique(corners.of(dtype)))


def test_sizes_are_stretched_beyond_narrow_types_or_by_a_factor() -> None:
    assert sizes_of(mapped(INDEX, "f64", "i8"))[-1] == {"n": 300}
    plain = choose_sizes(mapped(TO_INT, "f64", "i32").parameters, UNIVERSE, seeded(0), 3)
    assert sizes_of(mapped(TO_INT, "f64", "i32"))[-1]["n"] > plain[-1]["n"]
