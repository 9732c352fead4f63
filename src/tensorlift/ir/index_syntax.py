"""Upstream's dialect ``index``, which xDSL lacks: each operation is one of ``arith`` on numbers of type ``index``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, StringAttr, i1
from xdsl.irdl import IRDLOperation, base, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

if TYPE_CHECKING:
    from xdsl.ir import Operation
    from xdsl.parser import Parser

ARITHMETIC = {
    "add": "addi", "sub": "subi", "mul": "muli", "divs": "divsi", "divu": "divui", "rems": "remsi", "remu": "remui",
    "ceildivs": "ceildivsi", "ceildivu": "ceildivui", "floordivs": "floordivsi", "maxs": "maxsi", "maxu": "maxui",
    "mins": "minsi", "minu": "minui", "and": "andi", "or": "ori", "xor": "xori", "shl": "shli", "shrs": "shrsi",
    "shru": "shrui",
}  # fmt: skip
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")  # as ``arith.cmpi`` numbers them
_WHOLE = base(IntegerType) | base(IndexType)


def _defined(name: str, **members: object) -> type[Operation]:
    whole = {"name": f"index.{name}", "traits": traits_def(Pure()), "__module__": __name__, **members}
    return irdl_op_definition(type(name, (IRDLOperation,), whole))


def _binary(name: str) -> type[Operation]:
    lhs, rhs, result = operand_def(IndexType()), operand_def(IndexType()), result_def(IndexType())
    return _defined(name, lhs=lhs, rhs=rhs, result=result, assembly_format="$lhs `,` $rhs attr-dict")


def _cast(name: str) -> type[Operation]:
    form = "$input attr-dict `:` type($input) `to` type($output)"
    return _defined(name, input=operand_def(_WHOLE), output=result_def(_WHOLE), assembly_format=form)


@irdl_op_definition
class IndexCmpOp(IRDLOperation):
    """Compares two numbers: ``index.cmp slt(%a, %b)``."""

    name = "index.cmp"

    pred = prop_def(StringAttr)
    lhs = operand_def(IndexType())
    rhs = operand_def(IndexType())
    result = result_def(i1)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> IndexCmpOp:
        """Read upstream's form."""
        word = parser.parse_identifier()
        if word not in PREDICATES:
            parser.raise_error(f"no predicate of index.cmp: {word}")
        sides = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        operands = parser.resolve_operands(sides, [IndexType(), IndexType()], parser.pos)
        return cls.create(operands=operands, result_types=[i1], properties={"pred": StringAttr(word)})


@irdl_op_definition
class IndexConstantOp(IRDLOperation):
    """A number: ``index.constant 4``."""

    name = "index.constant"

    value = prop_def(IntegerAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> IndexConstantOp:
        """Read upstream's form."""
        number = IntegerAttr(parser.parse_integer(allow_boolean=False), IndexType())
        return cls.create(result_types=[IndexType()], properties={"value": number})


OPERATIONS = [*map(_binary, ARITHMETIC), *map(_cast, ("casts", "castu")), IndexCmpOp, IndexConstantOp]
