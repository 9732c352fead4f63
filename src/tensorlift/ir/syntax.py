"""Upstream's custom syntax of the affine operations, where xDSL reads less than mlir-opt prints.

xDSL 0.74 cannot read ``affine.if``, ``symbol(%n)`` in a subscript or attribute dictionaries on affine accesses, and it
turns every subscript operand into a symbol.  ``upstream_syntax`` gives for such an operation a class that only parses:
what it yields are xDSL's own operations, so nobody else meets the class.  What no operation has for itself, such as
aliases and locations, ``parser`` reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import affine
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    IndexType,
    MemRefType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.utils.hints import isa

from tensorlift.ir.parallel_syntax import (
    parse_affine_parallel,
    parse_cast,
    parse_copy,
    parse_scf_parallel,
    parse_scf_while,
    parse_scope,
    parse_scope_end,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xdsl.parser import Parser, UnresolvedOperand


class Subscripts:
    """Reads ``[%i + symbol(%n) - 1, ...]``: plain operands become dimensions, ``symbol(..)`` ones symbols."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.dims: dict[str, UnresolvedOperand] = {}
        self.symbols: dict[str, UnresolvedOperand] = {}

    def read(self) -> tuple[AffineMapAttr, list[SSAValue]]:
        """Read subscripts in brackets."""
        parser = self.parser
        results = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, self.sum)
        return AffineMapAttr(AffineMap(len(self.dims), len(self.symbols), tuple(results))), self.operands()

    def operands(self) -> list[SSAValue]:
        """Give the values of the dimensions, then those of the symbols."""
        unresolved = [*self.dims.values(), *self.symbols.values()]
        return [self.parser.resolve_operand(operand, IndexType()) for operand in unresolved]

    def sum(self) -> AffineExpr:
        """Read a sum of products."""
        total = self.product()
        while True:
            if self.parser.parse_optional_punctuation("+"):
                total = total + self.product()
            elif self.parser.parse_optional_punctuation("-"):
                total = total - self.product()
            else:
                return total

    def product(self) -> AffineExpr:
        """Read a product; divisions bind as strongly."""
        result = self.primary()
        while True:
            if self.parser.parse_optional_punctuation("*"):
                result = _multiplied(self.parser, result, self.primary())
            elif (word := self.parser.parse_optional_keyword_in(("floordiv", "ceildiv", "mod"))) is None:
                return result
            elif word == "floordiv":
                result = result // self.primary()
            else:
                result = result % self.primary() if word == "mod" else result.ceil_div(self.primary())

    def primary(self) -> AffineExpr:
        """Read a number, a value or a sum in parentheses."""
        parser = self.parser
        if parser.parse_optional_punctuation("-"):
            return -self.primary()
        if parser.parse_optional_punctuation("("):
            inner = self.sum()
            parser.parse_punctuation(")")
            return inner
        if parser.parse_optional_keyword("symbol"):
            with parser.in_parens():
                return AffineExpr.symbol(self.position(self.symbols))
        if (value := parser.parse_optional_integer(allow_boolean=False, allow_negative=False)) is not None:
            return AffineExpr.constant(value)
        return AffineExpr.dimension(self.position(self.dims))

    def position(self, known: dict[str, UnresolvedOperand]) -> int:
        """Give the position of a value among the known ones, to which it is added."""
        operand = self.parser.parse_unresolved_operand("expected an affine expression")
        known.setdefault(f"{operand.operand_name}#{operand.index}", operand)
        return list(known).index(f"{operand.operand_name}#{operand.index}")


def _multiplied(parser: Parser, left: AffineExpr, right: AffineExpr) -> AffineExpr:
    """Multiply; one side is constant or, where xDSL builds no product itself, made of symbols."""
    if any(isinstance(side, AffineConstantExpr) for side in (left, right)):
        return left * right
    if all(any(isinstance(part, AffineDimExpr) for part in side.dfs()) for side in (left, right)):
        parser.raise_error("multiplies two values of which none is a symbol")
    return AffineBinaryOpExpr(AffineBinaryOpKind.Mul, left, right)


def parse_map_application(parser: Parser) -> tuple[list[SSAValue], AffineMapAttr]:
    """Read ``affine_map<..>(%dims)[%symbols]``."""
    position = parser.pos
    affine_map = parser.parse_attribute()
    if not isinstance(affine_map, AffineMapAttr):
        parser.raise_error("expected an affine map", position)
    return _space_operands(parser), affine_map


def _space_operands(parser: Parser) -> list[SSAValue]:
    """Read ``(%dims)[%symbols]``."""

    def operand() -> SSAValue:
        return parser.parse_operand(IndexType())

    dims = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, operand) or []
    return dims + (parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, operand) or [])


def _memref_type(parser: Parser) -> MemRefType[Attribute]:
    parser.parse_punctuation(":")
    position = parser.pos
    found = parser.parse_type()
    if not isa(found, MemRefType):
        parser.raise_error("expected a memref type", position)
    return found


def _parse_load(parser: Parser) -> Operation:
    memref = parser.parse_unresolved_operand()
    affine_map, indices = Subscripts(parser).read()
    attributes = parser.parse_optional_attr_dict()
    memref_type = _memref_type(parser)
    op = affine.LoadOp(parser.resolve_operand(memref, memref_type), indices, affine_map, memref_type.element_type)
    op.attributes |= attributes
    return op


def _parse_store(parser: Parser) -> Operation:
    value = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    memref = parser.parse_unresolved_operand()
    affine_map, indices = Subscripts(parser).read()
    attributes = parser.parse_optional_attr_dict()
    memref_type = _memref_type(parser)
    stored = parser.resolve_operand(value, memref_type.element_type)
    op = affine.StoreOp(stored, parser.resolve_operand(memref, memref_type), indices, affine_map)
    op.attributes |= attributes
    return op


def _parse_apply(parser: Parser) -> Operation:
    return _with_attributes(parser, affine.ApplyOp(*parse_map_application(parser)))


def _parse_min(parser: Parser) -> Operation:
    return _with_attributes(parser, affine.MinOp(*parse_map_application(parser)))


def _with_attributes(parser: Parser, op: Operation) -> Operation:
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def _parse_if(parser: Parser) -> Operation:
    position = parser.pos
    condition = parser.parse_attribute()
    if not isinstance(condition, AffineSetAttr):
        parser.raise_error("expected an affine set", position)
    operands = _space_operands(parser)
    result_types = _arrow_types(parser)
    then_region = _terminated(parser.parse_region())
    else_region = _terminated(parser.parse_region()) if parser.parse_optional_keyword("else") else Region()
    return affine.IfOp.create(
        operands=operands,
        result_types=result_types,
        properties={"condition": condition},
        attributes=parser.parse_optional_attr_dict(),
        regions=[then_region, else_region],
    )


def _arrow_types(parser: Parser) -> list[Attribute]:
    """Read ``-> t`` or ``-> (t, t)`` where it stands."""
    if not parser.parse_optional_punctuation("->"):
        return []
    several = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if several is None else list(several)


def _terminated(region: Region) -> Region:
    """Add the terminator that the custom form leaves out."""
    if not region.blocks:
        region.add_block(Block())
    if not isinstance(region.block.last_op, affine.YieldOp):
        region.block.add_op(affine.YieldOp.get())
    return region


_PARSERS: dict[str, Callable[[Parser], Operation]] = {
    "affine.apply": _parse_apply,
    "affine.if": _parse_if,
    "affine.load": _parse_load,
    "affine.min": _parse_min,
    "affine.parallel": lambda parser: parse_affine_parallel(parser, Subscripts),
    "affine.store": _parse_store,
    "memref.alloca_scope": parse_scope,
    "memref.alloca_scope.return": parse_scope_end,
    "memref.cast": parse_cast,
    "memref.copy": parse_copy,
    "scf.parallel": parse_scf_parallel,
    "scf.while": parse_scf_while,
}


def upstream_syntax(op_type: type[Operation]) -> type[Operation]:
    """Give a class that reads the upstream form of ``op_type``, or ``op_type`` itself where xDSL reads it well."""
    return with_syntax(op_type, _PARSERS)


def with_syntax(op_type: type[Operation], parsers: Mapping[str, Callable[[Parser], Operation]]) -> type[Operation]:
    """Give a class that reads ``op_type`` by one of ``parsers``, or ``op_type`` itself where they have none for it."""
    parse = parsers.get(op_type.name)
    if parse is None:
        return op_type
    members: dict[str, Any] = {
        "parse": classmethod(lambda _cls, parser: parse(parser)),
        "create": classmethod(lambda _cls, **parts: op_type.create(**parts)),
    }
    return type(op_type.__name__, (op_type,), members)
