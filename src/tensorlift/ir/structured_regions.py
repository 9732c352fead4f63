"""``linalg.map`` and ``linalg.reduce``: read as the ``linalg.generic`` that upstream generalises them to.

    linalg.map { arith.addf } ins(%a, %b : type, type) outs(%c : type)
    linalg.reduce ins(%a : type) outs(%b : type) dimensions = [1] (%in: f32, %out: f32) { .. }

A body that is one operation may be named alone: of the elements of a map in their order, of a reduction after what is
reduced so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import AffineMapAttr, MemRefType, TensorType
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, Operation, Region
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation, irdl_op_definition

from tensorlift.ir.operations import operation_class

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import Attribute, SSAValue
    from xdsl.parser import Parser

    ParseOperands = Callable[[Parser, str], Sequence[SSAValue]]


def operations(parse_operands: ParseOperands) -> list[type[Operation]]:
    """Give the classes that read both, by a reader of ``ins(..)`` and ``outs(..)``."""

    def read_map(parser: Parser) -> Operation:
        payload = _payload(parser)
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        rank = _rank(parser, outputs)
        body = _body(parser, payload, inputs, outputs, is_reduction=False)
        return _generic(parser, inputs, outputs, body, rank, ())

    def read_reduce(parser: Parser) -> Operation:
        payload = _payload(parser)
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        parser.parse_keyword("dimensions")
        parser.parse_punctuation("=")
        folded = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        body = _body(parser, payload, inputs, outputs, is_reduction=True)
        return _generic(parser, inputs, outputs, body, _rank(parser, inputs), folded)

    return [_named("linalg.map", read_map), _named("linalg.reduce", read_reduce)]


def generic(
    operands: Sequence[SSAValue], count: int, body: Region, maps: Sequence[AffineMapAttr], **rest: Any
) -> GenericOp:
    """Give the ``linalg.generic`` of a body that reads so many operands and writes the others, folded as maps say.

    ``rest`` is what else an operation is made of: types of results, attributes, a location.
    """
    kept = {one for one in maps[-1].data.results if isinstance(one, AffineDimExpr)}
    dims = map(AffineExpr.dimension, range(maps[-1].data.num_dims))
    kinds = [IteratorType.PARALLEL if axis in kept else IteratorType.REDUCTION for axis in dims]
    iterators = [IteratorTypeAttr(kind) for kind in kinds]
    op = GenericOp(operands[:count], operands[count:], body, maps, iterators, rest.get("result_types", ()))
    op.attributes |= rest.get("attributes", {})
    op.location = rest.get("location") or op.location
    return op


def types_made(outputs: Sequence[SSAValue]) -> list[Attribute]:
    """List the types of the tensors that an operation makes: those of its outputs that are tensors."""
    return [value.type for value in outputs if isinstance(value.type, TensorType)]


def _named(name: str, read: Callable[[Parser], Operation]) -> type[Operation]:
    members = {
        "name": name,
        "parse": classmethod(lambda _, parser: read(parser)),
        "create": classmethod(lambda _, **parts: _written_out(**parts)),
        "__module__": __name__,
    }
    return irdl_op_definition(type(name, (IRDLOperation,), members))


def _written_out(
    operands: Sequence[SSAValue], properties: Mapping[str, Any], regions: Sequence[Region], **rest: Any
) -> Operation:
    """Make what generic syntax says: with ``dimensions``, half of the operands are reduced into the others."""
    listed, (body,) = properties.get("dimensions"), regions
    count = len(operands) - 1 if listed is None else len(operands) // 2
    largest: Any = operands[-1 if listed is None else 0].type
    folded = () if listed is None else listed.get_values()
    for value in operands[len(body.block.args) :]:
        body.block.insert_arg(_element(value), len(body.block.args))
    maps = _maps(len(largest.get_shape()), folded, count, len(operands) - count)
    return generic(operands, count, body, maps, **rest)


def _payload(parser: Parser) -> Callable[[Sequence[SSAValue]], Operation] | None:
    """Read ``{ arith.addf }``, where it stands."""
    if not parser.parse_optional_punctuation("{"):
        return None
    place = parser.pos
    name = parser.parse_identifier()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation("}")
    try:
        kind = operation_class(name)
    except KeyError:
        parser.raise_error(f"the operation {name} is not known", place)
    return lambda values: kind.create(operands=values, result_types=[values[0].type], properties=attributes)


def _element(value: SSAValue) -> Attribute:
    of_type: Any = value.type
    element: Attribute = of_type.element_type if isinstance(of_type, MemRefType | TensorType) else of_type
    return element


def _rank(parser: Parser, values: Sequence[SSAValue]) -> int:
    of_type = values[0].type
    if not isinstance(of_type, MemRefType | TensorType):
        parser.raise_error("expected a memref or a tensor")
    return len(of_type.get_shape())


def _body(
    parser: Parser,
    payload: Callable[[Sequence[SSAValue]], Operation] | None,
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    *,
    is_reduction: bool,
) -> Region:
    """Read the body, which may leave out the outputs of a map, or make it of one operation."""
    types = [_element(value) for value in (*inputs, *outputs)]
    if payload is None:
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        body = parser.parse_region(arguments)
        for of_type in types[len(arguments) :]:
            body.block.insert_arg(of_type, len(body.block.args))
        return body
    block = Block(arg_types=types)
    made = payload(tuple(reversed(block.args)) if is_reduction else block.args[: len(inputs)])
    block.add_ops([made, YieldOp(*made.results)])
    return Region(block)


def _maps(rank: int, folded: Sequence[int], inputs: int, outputs: int) -> list[AffineMapAttr]:
    dims = [AffineExpr.dimension(axis) for axis in range(rank)]
    whole = AffineMapAttr(AffineMap(rank, 0, tuple(dims)))
    kept = AffineMapAttr(AffineMap(rank, 0, tuple(dims[axis] for axis in range(rank) if axis not in folded)))
    return [whole] * inputs + [kept] * outputs


def _generic(  # noqa: PLR0913, PLR0917 - what a generic operation is made of
    parser: Parser,
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    body: Region,
    rank: int,
    folded: Sequence[int],
) -> Operation:
    maps = _maps(rank, folded, len(inputs), len(outputs))
    op = generic([*inputs, *outputs], len(inputs), body, maps, result_types=types_made(outputs))
    op.attributes |= parser.parse_optional_attr_dict()
    return op
