"""What upstream's verifiers refuse and xDSL's do not is refused too, not read as something else."""

from __future__ import annotations

import pytest

from tensorlift.diagnostics import LiftError
from tensorlift.ir.text import parse_module

_WRONG = {
    "affine.store %z, %A[%i] : memref<8x8xf64>": "affine.store is not valid: it has 1 subscripts for 2 dimensions",
    "%x = affine.load %A[%i, %i, %i] : memref<8x8xf64>": "it has 3 subscripts for 2 dimensions",
    "%x = affine.min affine_map<(d0) -> ()>(%i)": "its map has no value",
    "affine.for %j = 0 to min affine_map<() -> ()>() {\n }": "a bound has no value",
    "%r = affine.for %j = 0 to 8 iter_args(%s = %z) -> f64 {\n affine.yield\n }": "ends with 0 values, not 1",
    "affine.if affine_set<(d0, d1) : (d0 >= 0)>(%i) {\n }": "its condition takes 2 operands, not 1",
    "affine.parallel (%j, %k) = (0) to (8, 8) {\n }": "it has 1 bounds or steps for 2 variables",
    "affine.parallel (%j, %k) = (0, 0) to (8, 8) step (1) {\n }": "it has 1 bounds or steps for 2 variables",
    "%s = memref.subview %A[0] [4] [1] : memref<8x8xf64> to memref<4xf64>": "it has 1 offsets for 2 dimensions",
    "%s = memref.collapse_shape %A [[0], [1], [2]] : memref<8x8xf64> into memref<8x8xf64>": "its groups are not",
    "%s = memref.cast %A : memref<8x8xf64> to memref<8x9xf64>": "an extent is another one before",
    'linalg.generic {indexing_maps = [affine_map<(d, e) -> (d, e)>], iterator_types = ["parallel", "parallel"]}'
    " outs(%A : memref<8x8xf64>) {\n ^bb0(%o: f64):\n linalg.yield\n }": "its region ends with 0 values, not 1",
}


@pytest.mark.parametrize("text", _WRONG)
def test_numbers_that_do_not_agree_are_refused(text: str) -> None:
    with pytest.raises(LiftError) as refusal:
        parse_module(f"func.func @f(%A: memref<8x8xf64>, %z: f64, %i: index) {{\n{text}\nreturn\n}}", "in.mlir")
    (diagnostic,) = refusal.value.diagnostics
    assert diagnostic.code == "TL192"
    assert _WRONG[text] in diagnostic.message
