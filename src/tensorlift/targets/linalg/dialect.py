"""The operations that xDSL does not have, or not in the form in which upstream prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.affine import ApplyOp
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, IntegerAttr, StringAttr, i64
from xdsl.ir import Dialect, Operation, OpTraits
from xdsl.traits import IsTerminator

from tensorlift.ir.dialects import added_operation
from tensorlift.ir.subscripts import PRODUCTS
from tensorlift.ir.syntax import upstream_syntax

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Attribute, SSAValue
    from xdsl.parser import Parser


class StructuredOperation(Operation):
    """An operation on ``inputs`` that writes over ``outs``; ``parts`` are what stands around these, in order."""

    parts: ClassVar[tuple[str, ...]] = ()
    states_result: ClassVar[bool] = True
    traits: ClassVar[OpTraits] = OpTraits(tuple)

    @property
    def inputs(self) -> Sequence[SSAValue]:
        """The operands that are only read."""
        return self.operands[: self._count]

    @property
    def outs(self) -> Sequence[SSAValue]:
        """The operands that the results are written over."""
        return self.operands[self._count :]

    @property
    def _count(self) -> int:
        count = self.properties["inputs"]
        assert isinstance(count, IntegerAttr)
        return count.value.data

    @classmethod
    def parse(cls, parser: Parser) -> StructuredOperation:
        """Read what stands behind the name."""
        properties: dict[str, Attribute] = {}
        for part in cls.parts[: cls.parts.index("ins")]:
            _part(part)(parser, properties)
        inputs, _ = _operands(parser, "ins") if parser.parse_optional_keyword("ins") else ((), ())
        parser.parse_keyword("outs")
        outs, types = _operands(parser, "outs")
        for part in cls.parts[cls.parts.index("ins") + 1 :]:
            _part(part)(parser, properties)
        regions = [parser.parse_region()] if cls is Generic else []
        if cls.states_result:
            parser.parse_punctuation("->")
            types = [parser.parse_type()]
        properties["inputs"] = IntegerAttr(len(inputs), i64)
        return cls.create(operands=[*inputs, *outs], result_types=types, properties=properties, regions=regions)


def _operands(parser: Parser, _: str) -> tuple[Sequence[SSAValue], Sequence[Any]]:
    with parser.in_parens():
        place = parser.pos
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return parser.resolve_operands(names, types, place), types


def _combiner(parser: Parser, properties: dict[str, Attribute]) -> None:
    with parser.in_braces():
        properties["body"] = StringAttr(parser.parse_identifier())


def _dictionary(parser: Parser, properties: dict[str, Attribute]) -> None:
    properties |= parser.parse_optional_attr_dict()


def _maps(parser: Parser, properties: dict[str, Attribute]) -> None:
    parser.parse_keyword("indexing_maps")
    parser.parse_punctuation("=")
    properties["indexing_maps"] = ArrayAttr(
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
    )


def _integers(name: str) -> Callable[[Parser, dict[str, Attribute]], None]:
    def read(parser: Parser, properties: dict[str, Attribute]) -> None:
        parser.parse_keyword(name)
        parser.parse_punctuation("=")
        values = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        properties[name] = DenseArrayBase.from_list(i64, values)

    return read


_PARTS: dict[str, Callable[[Parser, dict[str, Attribute]], None]] = {
    "combiner": _combiner, "dictionary": _dictionary, "maps": _maps,
}  # fmt: skip


def _part(name: str) -> Callable[[Parser, dict[str, Attribute]], None]:
    """Return what reads a part; one of another name is a list of integers."""
    return _PARTS.get(name) or _integers(name)


class Generic(StructuredOperation):
    """Any computation over an iteration space, as a region."""

    name = "linalg.generic"
    parts = ("dictionary", "ins")


def structured(name: str, *parts: str, states_result: bool = True) -> type[StructuredOperation]:
    """Return the class of an operation of a full name whose form has these parts."""
    return type(name, (StructuredOperation,), {"name": name, "parts": parts, "states_result": states_result})


class Yield(Operation):
    """The end of a region, which gives out its operands."""

    name = "linalg.yield"
    traits: ClassVar[OpTraits] = OpTraits(lambda: (IsTerminator(),))

    @classmethod
    def parse(cls, parser: Parser) -> Yield:
        """Read the operands and their types."""
        place = parser.pos
        names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.create(operands=parser.resolve_operands(names, types, place))


class Index(Operation):
    """The position in a dimension of the iteration space around."""

    name = "linalg.index"
    traits: ClassVar[OpTraits] = OpTraits(tuple)

    @classmethod
    def parse(cls, parser: Parser) -> Index:
        """Read the dimension."""
        dim = parser.parse_integer()
        parser.parse_punctuation(":")
        parser.parse_keyword("index")
        return cls.create(result_types=[IndexType()], properties={"dim": IntegerAttr(dim, i64)})


LINALG = Dialect(
    "linalg",
    [
        Generic,
        Index,
        Yield,
        structured("linalg.contract", "maps", "ins"),
        structured("linalg.fill", "ins"),
        structured("linalg.map", "combiner", "ins", states_result=False),
        structured("linalg.reduce", "combiner", "ins", "dimensions", states_result=False),
        structured("linalg.transpose", "ins", "permutation", states_result=False),
        structured("linalg.broadcast", "ins", "dimensions", states_result=False),
        *(structured(f"linalg.{name}", "ins") for name in PRODUCTS),
    ],
)
ARITH = Dialect("arith", [*Arith.operations, added_operation("arith.remf")], [*Arith.attributes])
AFFINE = Dialect("affine", [upstream_syntax(ApplyOp), upstream_syntax(added_operation("affine.max"))])
