"""Affine expressions keep their value through printing and reading, in maps and in subscripts."""

from __future__ import annotations

import random
from io import StringIO

import pytest
from tests.ir.programs import function
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr, AffineMap

from tensorlift.ir.printer import LoopPrinter
from tensorlift.ir.text import functions, parse_module, print_module

TEXT = """
func.func @f(%n: index, %m: index, %x: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i + %j + symbol(%n) + symbol(%m)] : memref<?xf64>
      %k = affine.apply affine_map<(d0, d1)[s0, s1] -> (d0 + d1 + s0 + s1)>(%i, %j)[%n, %m]
    }
  }
  return
}
"""


def random_expression(rng: random.Random, depth: int) -> AffineExpr:
    if depth == 0 or rng.random() < 0.15:
        leaf = rng.randrange(3)
        if leaf == 0:
            return AffineExpr.constant(rng.randint(-4, 4))
        return AffineExpr.dimension(rng.randrange(2)) if leaf == 1 else AffineExpr.symbol(rng.randrange(2))
    kind = rng.choice(list(AffineBinaryOpKind))
    left = random_expression(rng, depth - 1)
    if kind is AffineBinaryOpKind.Add:
        return AffineBinaryOpExpr(kind, left, random_expression(rng, depth - 1))
    if kind is AffineBinaryOpKind.Mul:
        return AffineBinaryOpExpr(kind, left, AffineExpr.constant(rng.randint(-3, 3)))
    return AffineBinaryOpExpr(kind, left, AffineExpr.constant(rng.randint(1, 4)))


def with_all_operands(expression: AffineExpr) -> AffineExpr:
    """Mention every operand in order, so that reading numbers them the same way."""
    for operand in (AffineExpr.symbol(1), AffineExpr.symbol(0), AffineExpr.dimension(1), AffineExpr.dimension(0)):
        expression = AffineBinaryOpExpr(AffineBinaryOpKind.Add, operand, expression)
    return expression


@pytest.mark.parametrize("seed", range(60))
def test_value_survives(seed: int) -> None:
    rng = random.Random(seed)
    expression = with_all_operands(random_expression(rng, 4))
    module = parse_module(TEXT, "t.mlir")
    for op in module.walk():
        if isinstance(op, affine.LoadOp | affine.ApplyOp):
            op.properties["map"] = AffineMapAttr(AffineMap(2, 2, (expression,)))
    text = print_module(module)
    read = [
        op for op in functions(parse_module(text, "t.mlir"))[0].walk() if op.name in {"affine.load", "affine.apply"}
    ]
    assert len(read) == 2
    for op in read:
        found = op.properties["map"]
        assert isinstance(found, AffineMapAttr)
        for _ in range(20):
            dims, symbols = ([rng.randint(-9, 9) for _ in range(2)] for _ in range(2))
            assert found.data.results[0].eval(dims, symbols) == expression.eval(dims, symbols), text


def test_induction_variables_are_never_symbols() -> None:
    """xDSL's own reader makes every subscript operand a symbol, which upstream refuses for induction variables."""
    op = next(op for op in function(TEXT).walk() if op.name == "affine.load")
    op.properties["map"] = AffineMapAttr(AffineMap(0, 4, (AffineExpr.symbol(0) + AffineExpr.symbol(2),)))
    out = StringIO()
    LoopPrinter(out).print_op(op)
    assert "[%i + symbol(%n)]" in out.getvalue()
