"""Linalg on memrefs and on tensors: its operations as iteration spaces with an access map for each operand.

A named product says in subscripts what its operands are read at, ``i k,k j->i j``; everything else about it follows:
the dimensions in the order of the result's subscripts, then of those that are summed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    MemRefType,
    TensorType,
    i32,
    i64,
)
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    opt_prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from tensorlift.ir.structured_regions import generic, operations, types_made
from tensorlift.ir.subscripts import ELEMENTWISE, INPUTS, PRODUCTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xdsl.ir import Attribute, Operation, Region, SSAValue
    from xdsl.parser import Parser
    from xdsl.printer import Printer


_BROADCAST, _TRANSPOSE = "linalg.broadcast", "linalg.transpose"
_WINDOWS = frozenset({"strides", "dilations"})
_TYPED = frozenset({"fill", "copy", *PRODUCTS, *ELEMENTWISE})  # whose results' types are printed
_LISTS = {_BROADCAST: "dimensions", _TRANSPOSE: "permutation"}  # behind the operands


class NamedStructuredOp(IRDLOperation):
    """An operation that reads ``inputs`` and writes ``outputs``, in upstream's syntax without a region.

    Of outputs that are tensors it gives new ones.
    """

    inputs = var_operand_def()
    outputs = var_operand_def(base(MemRefType) | base(TensorType))
    made = var_result_def(base(TensorType))
    permutation = opt_prop_def(DenseArrayBase)
    dimensions = opt_prop_def(DenseArrayBase)
    strides = opt_prop_def(DenseIntElementsAttr)  # of windows, for each of their dimensions
    dilations = opt_prop_def(DenseIntElementsAttr)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def create(cls, *, regions: Sequence[Region] = (), **parts: Any) -> Any:
        """Make an operation; of one whose region is written out, as in generic syntax, the ``linalg.generic`` it is."""
        if not regions:
            return super().create(**parts)
        operands, (body,) = parts.pop("operands"), regions
        segments = DenseArrayBase.from_list(i32, [len(operands) - 1, 1])  # where it always has so many
        parts["properties"] = {"operandSegmentSizes": segments, **parts["properties"]}
        made = super().create(operands=operands, **parts)
        stated: Any = parts["properties"].get("indexing_maps")
        maps = [*stated.data] if stated is not None else list(map(AffineMapAttr, space_of(made).maps))
        count = len(made.inputs)
        made.drop_all_references()
        return generic(operands, count, body, maps, **parts)

    def verify_(self) -> None:
        """Check the numbers of operands, and that dimensions have one extent."""
        count = INPUTS.get(self.name.removeprefix("linalg."), 1)
        if len(self.inputs) != count or len(self.outputs) != 1:
            raise VerifyException(f"takes {count} inputs and one output")
        if [value.type for value in self.made] != types_made(self.outputs):
            raise VerifyException("the results are not of the types of the outputs")
        windows = PRODUCTS.get(self.name.removeprefix("linalg."), "").count("+")
        for steps in (self.strides, self.dilations):
            if steps is not None and (len(steps.get_values()) != windows or min(steps.get_values()) < 1):
                raise VerifyException("the strides and dilations are none of its windows")
        if self.name == _TRANSPOSE:
            rank = rank_of(self.outputs[0])
            if self.permutation is None or sorted(self.permutation.get_values()) != list(range(rank)):
                raise VerifyException("the permutation is none of the dimensions")
        if self.name == _BROADCAST:
            rank = rank_of(self.outputs[0])
            if self.dimensions is None or not set(self.dimensions.get_values()) <= set(range(rank)):
                raise VerifyException("the dimensions are none of the output")
        _check_ranks(self, space_of(self))

    @classmethod
    def parse(cls, parser: Parser) -> NamedStructuredOp:
        """Read ``{..} ins(%a, %b : type, type) outs(%c : type)`` and what stands after it: dimensions, types."""
        attributes = parser.parse_optional_attr_dict()
        inputs = _parse_operands(parser, "ins")
        outputs = _parse_operands(parser, "outs")
        properties: dict[str, Attribute] = {name: attributes.pop(name) for name in _WINDOWS & attributes.keys()}
        properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(inputs), len(outputs)])
        if (listed := _LISTS.get(cls.name)) is not None:
            parser.parse_keyword(listed)
            parser.parse_punctuation("=")
            values = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            properties[listed] = DenseArrayBase.from_list(i64, values)
        attributes |= parser.parse_optional_attr_dict()
        types = results_of(parser, outputs)
        made: NamedStructuredOp = cls.create(
            operands=[*inputs, *outputs], result_types=types, properties=properties, attributes=attributes
        )
        return made

    def print(self, printer: Printer) -> None:
        """Print as upstream does."""
        windows = {name: steps for name in sorted(_WINDOWS) if (steps := self.properties.get(name)) is not None}
        if windows:
            printer.print_string(" ")
            printer.print_attr_dict(windows)
        _print_operands(printer, " ins(", self.inputs)
        _print_operands(printer, " outs(", self.outputs)
        for name, values in (("permutation", self.permutation), ("dimensions", self.dimensions)):
            if values is not None:
                printer.print_string(f" {name} = [{', '.join(map(str, values.get_values()))}]")
        printer.print_op_attributes(self.attributes)
        if self.made and self.name.removeprefix("linalg.") in _TYPED:
            printer.print_string(" -> ")
            printer.print_list([value.type for value in self.made], printer.print_attribute)


def results_of(parser: Parser, outputs: Sequence[SSAValue]) -> Sequence[Attribute]:
    """Read the types of results, where they stand; those of outputs that are tensors."""
    types = types_made(outputs)
    if parser.parse_optional_punctuation("->"):
        place = parser.pos
        said = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        if said != types:
            parser.raise_error("the types of the results are not those of the outputs", place)
    return types


def _parse_operands(parser: Parser, keyword: str) -> Sequence[SSAValue]:
    parser.parse_keyword(keyword)
    with parser.in_parens():
        place = parser.pos
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return parser.resolve_operands(names, types, place)


def _print_operands(printer: Printer, keyword: str, values: Sequence[SSAValue]) -> None:
    printer.print_string(keyword)
    printer.print_list(values, printer.print_ssa_value)
    printer.print_string(" : ")
    printer.print_list([value.type for value in values], printer.print_attribute)
    printer.print_string(")")


def _named(name: str) -> type[NamedStructuredOp]:
    return irdl_op_definition(type(name, (NamedStructuredOp,), {"name": f"linalg.{name}", "__module__": __name__}))


OPERATIONS: list[type[Operation]] = [
    GenericOp,
    IndexOp,
    YieldOp,
    *operations(_parse_operands),
    *map(_named, ("fill", "copy", "transpose", "broadcast", *PRODUCTS, *ELEMENTWISE)),
]


@dataclass(frozen=True, slots=True)
class Space:
    """An iteration space: a map for each operand, outputs last, and for each dimension whether it is folded over."""

    maps: tuple[AffineMap, ...]
    folded: tuple[bool, ...]


def space_of(op: Operation) -> Space:
    """Give the iteration space of an operation; scalars are read at no subscripts."""
    if isinstance(op, GenericOp):
        folded = tuple(kind.data.value == "reduction" for kind in op.iterator_types)
        return Space(tuple(m.data for m in op.indexing_maps), folded)
    assert isinstance(op, NamedStructuredOp)
    name = op.name.removeprefix("linalg.")
    if name in PRODUCTS:
        return product_space(name, _steps(op.strides), _steps(op.dilations))
    rank = rank_of(op.outputs[0])
    dims = [AffineExpr.dimension(k) for k in range(rank)]
    if name in ELEMENTWISE:
        return Space((AffineMap(rank, 0, tuple(dims)),) * len(op.operands), (False,) * rank)
    added = op.dimensions.get_values() if op.dimensions is not None else ()
    order: Sequence[int] = [k for k in range(rank) if k not in added]
    if op.permutation is not None:
        order = [op.permutation.get_values().index(k) for k in range(rank)]
    given = [] if name == "fill" else [dims[k] for k in order]
    return Space((AffineMap(rank, 0, tuple(given)), AffineMap(rank, 0, tuple(dims))), (False,) * rank)


def _steps(given: DenseIntElementsAttr | None) -> tuple[int, ...]:
    return () if given is None else tuple(given.get_values())


@cache
def product_space(name: str, strides: tuple[int, ...] = (), dilations: tuple[int, ...] = ()) -> Space:
    """Give the iteration space of a named product, whose windows may go by steps and have gaps."""
    left, _, right = PRODUCTS[name].partition("->")
    letters = list(dict.fromkeys(re.findall(r"\w", right + left)))
    sides = [side.split() for side in (*left.split(","), right)]
    windows = [axis for side in sides for axis in side if "+" in axis]
    ones = (1,) * len(windows)
    steps = dict(zip(windows, zip(strides or ones, dilations or ones, strict=True), strict=True))
    maps = [AffineMap(len(letters), 0, tuple(_subscript(axis, letters, steps) for axis in side)) for side in sides]
    return Space(tuple(maps), tuple(letter not in right for letter in letters))


def _subscript(axis: str, letters: Sequence[str], steps: Mapping[str, tuple[int, int]]) -> AffineExpr:
    first, *rest = (AffineExpr.dimension(letters.index(letter)) for letter in axis.split("+"))
    if not rest:
        return first
    (inner,), (stride, dilation) = rest, steps[axis]
    return first * stride + inner * dilation


def rank_of(value: SSAValue) -> int:
    """Return the number of dimensions of a memref or a tensor, zero of a number."""
    return len(value.type.get_shape()) if isinstance(value.type, MemRefType | TensorType) else 0


def _check_ranks(op: Operation, space: Space) -> None:
    for value, subscripts in zip(op.operands, space.maps, strict=True):
        if (rank := rank_of(value)) != len(subscripts.results):
            raise VerifyException(f"an operand has rank {rank}, not {len(subscripts.results)}")
