"""Operations of ``arith`` on tensors that xDSL has for numbers alone: conversions, comparisons and choices.

They are read as operations of the same name, which take any types; ``OF_NUMBERS`` is the class of the same operation on
numbers.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, TensorType, VectorType, i1, i64
from xdsl.irdl import AnyAttr, IRDLOperation, irdl_op_definition, opt_prop_def, result_def, var_operand_def

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Attribute, Operation, SSAValue
    from xdsl.parser import Parser

_ON_TENSORS = re.compile(r"[^:{\n]*(?:\{[^}\n]*\}\s*)?:\s*(?:tensor|vector)<")  # vectors are refused later


class OnTensors(IRDLOperation):
    """What all of these are."""

    OF_NUMBERS: ClassVar[type[Operation]]


@cache
def _on_tensors(op_type: type[Operation]) -> type[OnTensors]:
    """Make the class of an operation on tensors."""

    class Elementwise(OnTensors):
        name = op_type.name
        inputs = var_operand_def(AnyAttr())
        result = result_def(AnyAttr())
        predicate = opt_prop_def()
        fastmath = opt_prop_def()
        overflowFlags = opt_prop_def()  # noqa: N815 - MLIR's name

    made = irdl_op_definition(Elementwise)
    made.OF_NUMBERS = op_type
    return made


def with_tensors(op_type: type[Operation]) -> type[Operation]:
    """Give a class that reads an operation on tensors too, or ``op_type`` itself where xDSL does."""
    form = _FORMS.get(op_type.name)
    if form is None:
        return op_type
    of_tensors = _on_tensors(op_type)

    def parse(_cls: type[Operation], parser: Parser) -> Operation:
        if _ON_TENSORS.match(parser.lexer.input.content, parser.pos):
            return form(parser, of_tensors)
        return op_type.parse(parser)

    def create(_cls: type[Operation], /, **parts: Any) -> Operation:
        types: Sequence[Attribute] = parts.get("result_types", ())
        return (of_tensors if any(isinstance(one, TensorType | VectorType) for one in types) else op_type).create(
            **parts
        )

    members: dict[str, Any] = {"parse": classmethod(parse), "create": classmethod(create)}
    return type(op_type.__name__, (op_type,), members)


def _operands(parser: Parser) -> list[Any]:
    return parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)


def _made(
    op_type: type[Operation],
    operands: Sequence[SSAValue],
    result: Attribute,
    attributes: dict[str, Attribute],
    **properties: Attribute,
) -> Operation:
    return op_type.create(operands=operands, result_types=[result], attributes=attributes, properties=properties)


def _conversion(parser: Parser, op_type: type[Operation]) -> Operation:
    """Read ``%x : tensor<..> to tensor<..>``."""
    operand = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    given = parser.parse_type()
    parser.parse_keyword("to")
    return _made(op_type, [parser.resolve_operand(operand, given)], parser.parse_type(), attributes)


def _comparison(parser: Parser, op_type: type[Operation]) -> Operation:
    """Read ``olt, %x, %y : tensor<..>``."""
    words = arith.CMPF_COMPARISON_OPERATIONS if op_type.name == "arith.cmpf" else arith.CMPI_COMPARISON_OPERATIONS
    word = parser.parse_identifier()
    if word not in words:
        parser.raise_error(f"no comparison is called '{word}'")
    parser.parse_punctuation(",")
    operands = _operands(parser)
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    of_type: Any = parser.parse_type()
    values = [parser.resolve_operand(operand, of_type) for operand in operands]
    predicate = IntegerAttr(words.index(word), i64)
    return _made(op_type, values, type(of_type)(i1, of_type.get_shape()), attributes, predicate=predicate)


def _choice(parser: Parser, op_type: type[Operation]) -> Operation:
    """Read ``%c, %x, %y : tensor<..>``, with the type of a condition that is a tensor before it."""
    condition, *arms = _operands(parser)
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    values = [parser.resolve_operand(condition, types[0] if len(types) > 1 else i1)]
    values += [parser.resolve_operand(arm, types[-1]) for arm in arms]
    return _made(op_type, values, types[-1], attributes)


_FORMS: dict[str, Callable[[Parser, type[Operation]], Operation]] = {
    **dict.fromkeys(
        (
            f"arith.{name}"
            for name in (
                *("sitofp", "uitofp", "fptosi", "fptoui", "extsi", "extui", "trunci", "index_cast", "index_castui"),
            )
        ),
        _conversion,
    ),
    "arith.cmpf": _comparison,
    "arith.cmpi": _comparison,
    "arith.select": _choice,
}
