"""The order of the loops of products, by upstream's passes as by its rule."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tensorlift.runtime.mlir.program import Module
from tensorlift.runtime.mlir.tools import find_tools, schedule_of

needs_mlir = pytest.mark.skipif(find_tools() is None, reason="needs upstream's mlir-opt")
PRODUCTS = [
    # the operands' indices, the order of loops d0, d1 of the result and the sum over d2
    ("d0, d2", "d2, d1", [0, 2, 1]),
    ("d2, d0", "d2, d1", [0, 2, 1]),
    ("d0, d2", "d1, d2", [0, 1, 2]),
    ("d2, d0", "d1, d2", [0, 2, 1]),
]


def contraction(left: str, right: str) -> str:
    maps = ", ".join(f"affine_map<(d0, d1, d2) -> ({indices})>" for indices in (left, right, "d0, d1"))
    tensors = "tensor<5x5xf64>, tensor<5x5xf64>"
    return f"""func.func @product(%a: tensor<5x5xf64>, %b: tensor<5x5xf64>) -> tensor<5x5xf64> {{
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<5x5xf64>
  %start = linalg.fill ins(%zero : f64) outs(%empty : tensor<5x5xf64>) -> tensor<5x5xf64>
  %c = linalg.contract indexing_maps = [{maps}] ins(%a, %b : {tensors})
    outs(%start : tensor<5x5xf64>) -> tensor<5x5xf64>
  return %c : tensor<5x5xf64>
}}
"""


@pytest.mark.parametrize(("left", "right", "order"), PRODUCTS)
def test_the_innermost_loop_is_one_along_which_memory_lies_side_by_side(
    left: str, right: str, order: list[int]
) -> None:
    steps = re.findall(r'contract"\].*?interchange = (\[.*?\])', schedule_of(contraction(left, right)), re.DOTALL)
    assert steps == [str(order)]


@needs_mlir
@pytest.mark.parametrize(("left", "right", "order"), PRODUCTS)
def test_products_with_their_loops_reordered_have_the_same_value(left: str, right: str, order: list[int]) -> None:
    del order
    rng = np.random.default_rng(3)
    a, b = rng.random((5, 5)), rng.random((5, 5))
    found = Module(contraction(left, right)).function("product")(a, b)
    letters = str.maketrans({"d": "", "0": "i", "1": "j", "2": "k", ",": "", " ": ""})
    expected = np.einsum(f"{left.translate(letters)},{right.translate(letters)}->ij", a, b)
    assert np.allclose(found, expected, rtol=1e-12)
