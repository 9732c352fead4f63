"""Upstream's custom syntax of parallel loops and of whole-array operations, which xDSL reads in generic form only.

``affine.parallel (%i, %j) = (0, max(%a, 3)) to (symbol(%n), 8) step (1, 2)``, ``scf.parallel``, ``memref.copy`` and
``memref.cast``.  As in ``syntax``, what is read are xDSL's own operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir.affine import AffineMap

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Attribute, Operation, SSAValue
    from xdsl.ir.affine import AffineExpr
    from xdsl.parser import Parser

    from tensorlift.ir.syntax import Subscripts


def parse_affine_parallel(parser: Parser, subscripts: Callable[[Parser], Subscripts]) -> Operation:
    """Read ``affine.parallel``; ``subscripts`` makes a reader of affine expressions over values."""
    arguments = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    parser.parse_punctuation("=")
    lower_map, lower_groups, lower = _bounds(parser, subscripts(parser), "max")
    parser.parse_keyword("to")
    upper_map, upper_groups, upper = _bounds(parser, subscripts(parser), "min")
    steps = [1] * len(arguments)
    if parser.parse_optional_keyword("step"):
        steps = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_integer)
    reductions: list[str] = []
    types: list[Attribute] = []
    if parser.parse_optional_keyword("reduce"):
        reductions = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_str_literal)
        parser.parse_punctuation("->")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    body = parser.parse_region([argument.resolve(IndexType()) for argument in arguments])
    if not isinstance(body.block.last_op, affine.YieldOp):
        body.block.add_op(affine.YieldOp.get())
    return affine.ParallelOp.create(
        operands=[*lower, *upper],
        result_types=types,
        properties={
            "reductions": ArrayAttr([StringAttr(name) for name in reductions]),
            "lowerBoundsMap": lower_map,
            "lowerBoundsGroups": lower_groups,
            "upperBoundsMap": upper_map,
            "upperBoundsGroups": upper_groups,
            "steps": ArrayAttr([IntegerAttr(step, i64) for step in steps]),
        },
        attributes=parser.parse_optional_attr_dict(),
        regions=[body],
    )


def _bounds(
    parser: Parser, reader: Subscripts, extremum: str
) -> tuple[AffineMapAttr, DenseIntElementsAttr, list[SSAValue]]:
    """Read the bounds on one side, each an expression or ``max(..)`` or ``min(..)`` of some."""

    def group() -> list[AffineExpr]:
        if parser.parse_optional_keyword(extremum):
            return parser.parse_comma_separated_list(parser.Delimiter.PAREN, reader.sum)
        return [reader.sum()]

    groups = parser.parse_comma_separated_list(parser.Delimiter.PAREN, group)
    results = tuple(result for found in groups for result in found)
    bound_map = AffineMap(len(reader.dims), len(reader.symbols), results)
    counts = DenseIntElementsAttr.from_list(TensorType(i32, [len(groups)]), [len(found) for found in groups])
    return AffineMapAttr(bound_map), counts, reader.operands()


def parse_scf_parallel(parser: Parser) -> Operation:
    """Read ``scf.parallel (%i) = (%lo) to (%hi) step (%s) [init (%x) -> f64] { .. }``."""

    def operands() -> list[SSAValue]:
        return parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType()))

    arguments = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    parser.parse_punctuation("=")
    lower = operands()
    parser.parse_keyword("to")
    upper = operands()
    parser.parse_keyword("step")
    steps = operands()
    initial: list[SSAValue] = []
    if parser.parse_optional_keyword("init"):
        names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        parser.parse_punctuation("->")
        several = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        types = [parser.parse_type()] if several is None else several
        initial = list(parser.resolve_operands(names, types, parser.pos))
    body = parser.parse_region([argument.resolve(IndexType()) for argument in arguments])
    if not isinstance(body.block.last_op, scf.ReduceOp):
        body.block.add_op(scf.ReduceOp())
    op = scf.ParallelOp(lower, upper, steps, body, initial)
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def parse_copy(parser: Parser) -> Operation:
    """Read ``memref.copy %a, %b : memref<..> to memref<..>``."""
    source = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    target = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    source_type = parser.parse_type()
    parser.parse_keyword("to")
    operands = [parser.resolve_operand(source, source_type), parser.resolve_operand(target, parser.parse_type())]
    return memref.CopyOp.create(operands=operands, attributes=attributes)


def parse_cast(parser: Parser) -> Operation:
    """Read ``memref.cast %a : memref<..> to memref<..>``."""
    source = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    operand = parser.resolve_operand(source, parser.parse_type())
    parser.parse_keyword("to")
    position = parser.pos
    target = parser.parse_type()
    if not isinstance(target, MemRefType):
        parser.raise_error("expected a ranked memref type", position)
    return memref.CastOp.create(operands=[operand], result_types=[target], attributes=attributes)
