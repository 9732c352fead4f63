"""Upstream's parallel loops and whole-array operations: a reducing loop, and custom syntax, which xDSL has not.

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
    IntegerType,
    MemRefType,
    StringAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, region_def, var_operand_def, var_result_def
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Attribute, Operation, SSAValue
    from xdsl.parser import Parser, UnresolvedOperand

    from tensorlift.ir.syntax import Subscripts


@irdl_op_definition
class AffineParallelOp(IRDLOperation):
    """``affine.parallel`` as upstream has it: results need no operands.

    Reductions are names, as in custom syntax, or numbers, as in generic syntax; versions of MLIR number differently.
    """

    name = "affine.parallel"

    map_operands = var_operand_def(IndexType)
    res = var_result_def()
    reductions = prop_def(ArrayAttr[StringAttr | IntegerAttr])
    lowerBoundsMap = prop_def(AffineMapAttr)  # noqa: N815 - upstream's name
    lowerBoundsGroups = prop_def(DenseIntElementsAttr)  # noqa: N815 - upstream's name
    upperBoundsMap = prop_def(AffineMapAttr)  # noqa: N815 - upstream's name
    upperBoundsGroups = prop_def(DenseIntElementsAttr)  # noqa: N815 - upstream's name
    steps = prop_def(ArrayAttr[IntegerAttr[IntegerType]])
    body = region_def("single_block")

    def verify_(self) -> None:
        """Check that operands, groups and reductions are as many as they must be."""
        maps = (self.lowerBoundsMap.data, self.upperBoundsMap.data)
        if len(self.operands) != sum(bounds.num_dims + bounds.num_symbols for bounds in maps):
            raise VerifyException("expected as many operands as the maps of the bounds take")
        for bounds, groups in zip(maps, (self.lowerBoundsGroups, self.upperBoundsGroups), strict=True):
            if sum(groups.get_values()) != len(bounds.results):
                raise VerifyException("expected the groups to hold each bound")
        if len(self.reductions) != len(self.results):
            raise VerifyException("expected a reduction for each result")
        last = self.body.block.last_op
        if last is None or [value.type for value in last.operands] != [result.type for result in self.results]:
            raise VerifyException("expected the body to yield a value for each result")


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
    return AffineParallelOp.create(
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


def parse_scf_while(parser: Parser) -> Operation:
    """Read ``scf.while (%s = %x) : (f64) -> f64 { .. } do { .. }``, whose list is left out where nothing is carried."""

    def assigned() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        return argument, parser.parse_unresolved_operand()

    pairs = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, assigned) or []
    parser.parse_punctuation(":")
    place, types = parser.pos, parser.parse_function_type()
    operands = parser.resolve_operands([operand for _, operand in pairs], types.inputs.data, place)
    arguments = [argument.resolve(t) for (argument, _), t in zip(pairs, types.inputs.data, strict=True)]
    before = parser.parse_region(arguments)
    parser.parse_keyword("do")
    op = scf.WhileOp(operands, types.outputs.data, before, parser.parse_region())
    attributes = parser.parse_optional_attr_dict_with_keyword()
    op.attributes |= {} if attributes is None else attributes.data
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
