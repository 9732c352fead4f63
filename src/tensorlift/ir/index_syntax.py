"""Upstream's dialect ``index``, which xDSL lacks: each operation is one of ``arith`` on numbers of type ``index``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, UnregisteredAttr, i1
from xdsl.irdl import IRDLOperation, base, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from xdsl.ir import Operation
    from xdsl.parser import Parser
    from xdsl.printer import Printer

ARITHMETIC = {
    "add": "addi", "sub": "subi", "mul": "muli", "divs": "divsi", "divu": "divui", "rems": "remsi", "remu": "remui",
    "ceildivs": "ceildivsi", "ceildivu": "ceildivui", "floordivs": "floordivsi", "maxs": "maxsi", "maxu": "maxui",
    "mins": "minsi", "minu": "minui", "and": "andi", "or": "ori", "xor": "xori", "shl": "shli", "shrs": "shrsi",
    "shru": "shrui",
}  # fmt: skip
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")  # as ``arith.cmpi`` numbers them
_PREDICATE = "index.cmp_predicate"
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
    """Compares two numbers: ``index.cmp slt(%a, %b)``, where ``pred`` is ``#index<cmp_predicate slt>``."""

    name = "index.cmp"

    pred = prop_def(UnregisteredAttr)
    lhs = operand_def(IndexType())
    rhs = operand_def(IndexType())
    result = result_def(i1)

    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> IndexCmpOp:
        """Read upstream's form."""
        word = parser.parse_identifier()
        if word not in _PREDICATES:
            parser.raise_error(f"no predicate of index.cmp: {word}")
        sides = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        operands = parser.resolve_operands(sides, [IndexType(), IndexType()], parser.pos)
        made = UnregisteredAttr.with_name_and_type(_PREDICATE, is_type=False)
        pred = made(_PREDICATE, is_type=False, is_opaque=True, value=f" {word}")
        return cls.create(operands=operands, result_types=[i1], properties={"pred": pred})

    @property
    def number(self) -> int:
        """The number of the predicate, which is that of ``arith.cmpi``."""
        return _PREDICATES.index(self.pred.value.data.strip())

    def verify_(self) -> None:
        """Check the predicate."""
        if self.pred.attr_name.data != _PREDICATE or self.pred.value.data.strip() not in _PREDICATES:
            raise VerifyException(f"no predicate of index.cmp: {self.pred}")

    def print(self, printer: Printer) -> None:
        """Print upstream's form."""
        printer.print_string(f" {_PREDICATES[self.number]}(")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(")")


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

    def print(self, printer: Printer) -> None:
        """Print upstream's form."""
        printer.print_string(f" {self.value.value.data}")


OPERATIONS = [*map(_binary, ARITHMETIC), *map(_cast, ("casts", "castu")), IndexCmpOp, IndexConstantOp]
