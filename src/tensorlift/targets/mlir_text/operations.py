"""Operations of a dialect made from its rows: classes for xDSL that read and print the form of a row.

A form spells what stands behind the name of the operation, as dialects do in their definitions: ``$x`` is an operand,
``$*xs`` all operands of a list, ``#d`` an attribute, ``type(x)`` or ``types(xs)`` the type of an operand,
``type(result)`` that of the result.  Anything else is itself; what stands between ``[?`` and ``?]`` starts with a word
or a sign, and is left out where its attributes are empty.  An operand whose type is not spelled has that of the result.
Operands and attributes are the parameters of the meaning; a row without a form is read in MLIR's generic form.

Types of tensors in MLIR: element types and shapes, and what a type in a text says of them.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    Builtin,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.func import Func
from xdsl.ir import Data, Dialect, Operation, OpTraits
from xdsl.irdl import irdl_attr_definition
from xdsl.traits import IsTerminator

from tensorlift.ir.c_types import FLOAT_NAMES, FLOATS
from tensorlift.ops.dtypes import SIGNED, UNSIGNED, float_of_bits, round_float, width
from tensorlift.targets.mlir_text.rows import attributes_of, given_to, operands_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from xdsl.ir import Attribute, Region, SSAValue
    from xdsl.parser import AttrParser, Parser, UnresolvedOperand
    from xdsl.printer import Printer

    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import OpRow


ELEMENT_TYPES: dict[DType, Attribute] = {
    "bool": IntegerType(1),
    **{dtype: IntegerType(width(dtype)) for dtype in SIGNED},
    **{dtype: IntegerType(width(dtype), Signedness.UNSIGNED) for dtype in UNSIGNED},
    **FLOATS,
}
_DTYPES = {element: dtype for dtype, element in ELEMENT_TYPES.items()}


def tensor_type(shape: Sequence[int], dtype: DType) -> TensorType[Attribute]:
    """Return the type of tensors of a shape; ``DYNAMIC_INDEX`` of xDSL is an open extent."""
    return TensorType(ELEMENT_TYPES[dtype], list(shape))


def dtype_of(element: Attribute) -> DType | None:
    """Return the element type that a type in a text is, None where it is none of ours."""
    return _DTYPES.get(element)


class Splat(NamedTuple):
    """A tensor that holds one number everywhere, whose cells are not listed, as they may be many; or all of them."""

    type: TensorType[Any]
    value: float | tuple[float, ...]


class ReadData(Data[Any]):
    """Data that is read from a text; in messages it is printed as Python has it."""

    def print_parameter(self, printer: Printer) -> None:
        """Print the data."""
        printer.print_string(str(self.data))


@irdl_attr_definition
class SplatAttr(ReadData):
    """A splat as MLIR spells it: ``dense<number> : type``, or all cells: ``dense<[number, number]> : type``."""

    name = "tensorlift.splat"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Splat:
        """Read a splat; for floats, a hexadecimal number gives the bits."""
        parser.parse_keyword("dense")
        with parser.in_angle_brackets():
            start = parser.pos
            extents, numbers = _read_numbers(parser)
            text = parser.lexer.input.slice(start, parser.pos) or ""
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        if not isinstance(kind, TensorType):
            parser.raise_error("a number is everywhere in a tensor")
        is_bits = "0x" in text.lower()
        if extents and (is_bits or kind.get_shape() != extents):
            parser.raise_error("lists that are not of the extents of the tensor, or of bits")
        cells = tuple(_cell(parser, kind.element_type, number, is_bits=is_bits) for number in numbers)
        return Splat(kind, cells if extents else cells[0])


def _cell(parser: AttrParser, element: Attribute, number: float, *, is_bits: bool) -> float:
    """Return a cell of a type that a number spells, or its bits."""
    if element not in FLOAT_NAMES:
        if is_bits or not isinstance(number, int):
            parser.raise_error("no decimal integer where one stands")
        return number
    if isinstance(number, int) and not is_bits:
        parser.raise_error("an integer where a float stands")
    dtype = FLOAT_NAMES[element]
    return float_of_bits(int(number), dtype) if is_bits else round_float(number, dtype)


def _read_numbers(parser: AttrParser) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Read a number, or lists of lists of them: their extents, and the numbers row by row."""
    listed = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, lambda: _read_numbers(parser))
    if listed is None:
        return (), (_read_number(parser),)
    inner = {extents for extents, _ in listed}
    if len(inner) > 1:
        parser.raise_error("lists of several lengths")
    return (len(listed), *(extent for one in inner for extent in one)), tuple(n for _, part in listed for n in part)


def _read_number(parser: AttrParser) -> float:
    if parser.parse_optional_keyword("true") is not None:
        return 1
    return 0 if parser.parse_optional_keyword("false") is not None else parser.parse_number()


class Piece(NamedTuple):
    """A piece of a form: an operand, several, an attribute, a type, several, a word, a space, or an optional group."""

    kind: str
    text: str
    inside: tuple[Piece, ...] = ()


_PIECE = re.compile(r"\$\*(?P<operands>\w+)|\$(?P<operand>\w+)|#(?P<attribute>\w+)|types\((?P<types>\w+)\)"
                    r"|type\((?P<type>\w+)\)|(?P<space>\s+)|(?P<word>[\w.]+|->|\S)")  # fmt: skip


@cache
def _pieces(form: str) -> list[Piece]:
    before, found, rest = form.partition("[?")
    pieces = [Piece(match.lastgroup or "", match[match.lastgroup or 0]) for match in _PIECE.finditer(before)]
    if not found:
        return pieces
    group, _, after = rest.partition("?]")
    return [*pieces, Piece("group", "", tuple(_pieces(group))), *_pieces(after)]


class RowOperation(Operation):
    """An operation of a row; its properties hold the attributes.  It is read and printed in MLIR's generic form."""

    row: ClassVar[OpRow]
    kinds: ClassVar[Mapping[str, str]]  # of its attributes
    traits: ClassVar[OpTraits] = OpTraits(tuple)

    def verify_(self) -> None:
        """Demand what the dialect does of such an operation."""
        if self.row.verify is not None:
            self.row.verify(self)


def _parsed(form: str, operands: Sequence[str], kinds: Mapping[str, str]) -> Any:
    def parse(cls: type[Operation], parser: Parser) -> Operation:
        reading = _Reading(parser, operands, kinds)
        reading.pieces(_pieces(form))
        values = reading.operands()
        if "outs" in operands:  # how many are written over says how many are read
            reading.attributes["inputs"] = IntegerAttr(len(reading.found.get("inputs", ())), i64)
        types = [reading.types["result"]] if "result" in reading.types else reading.types["outs"]
        return cls.create(operands=values, result_types=types, properties=reading.attributes, regions=reading.regions)

    return classmethod(parse)


def _printed(form: str, operands: Sequence[str], kinds: Mapping[str, str]) -> Callable[[Operation, Printer], None]:
    def write(op: Operation, printer: Printer) -> None:
        printer.print_string(" ")
        _Writing(op, printer, operands, kinds).pieces(_pieces(form))

    return write


class TerminatorOperation(Operation):
    """The end of a region, which gives out its operands."""

    traits: ClassVar[OpTraits] = OpTraits(lambda: (IsTerminator(),))

    @classmethod
    def parse(cls, parser: Parser) -> TerminatorOperation:
        """Read the operands and their types."""
        operands = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.create(operands=parser.resolve_operands(operands, types, parser.pos))


@cache
def operation_class(row: OpRow) -> type[RowOperation]:
    """Return the class of the operations of a row."""
    names, kinds = operands_of(row), attributes_of(row)
    own = {"name": row.spelling, "row": row, "__doc__": row.name}
    own["kinds"] = kinds | dict.fromkeys(filter(None, [given_to(row, "Region")]), "Region")
    if row.form:
        own |= {"parse": _parsed(row.form, names, kinds), "print": _printed(row.form, names, kinds)}
    return type(row.name, (RowOperation,), own)


class StructuredOperation(Operation):
    """An operation on ``inputs`` that writes over ``outs``."""

    kinds: ClassVar[Mapping[str, str]]  # of its attributes
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


_INS = "[?ins($*inputs : types(inputs))?] outs($*outs : types(outs))"
_OTHERS = {"body": "Text", "indexing_maps": "Maps", "stated": "Dictionary", "region": "Region"}


def structured(name: str, before: str = "", behind: str = " -> type(result)") -> type[StructuredOperation]:
    """Return the class of an operation of a full name, by what stands before and behind its operands."""
    form = f"{before}{_INS}{behind}"
    kinds = {piece.text: _OTHERS.get(piece.text, "Ints") for piece in _pieces(form) if piece.kind == "attribute"}
    names = ("inputs", "outs")
    own = {"name": name, "kinds": kinds, "parse": _parsed(form, names, kinds), "print": _printed(form, names, kinds)}
    return type(name, (StructuredOperation,), own)


def context_of(rows: Iterable[OpRow], dialects: Sequence[Dialect] = ()) -> Context:
    """Return what a reader knows: modules, functions, the operations of the rows, and other dialects."""
    context = Context()
    for dialect in (Builtin, Func, *dialects):
        context.load_dialect(dialect)
    listed = list(rows)
    for row in listed:
        context.load_op(row.read_as or operation_class(row))
    for kind in dict.fromkeys(kind for row in listed for kind in row.types):
        context.load_attr_or_type(kind)
    return context


class _Reading:
    """Reads one operation by the pieces of its form."""

    def __init__(self, parser: Parser, names: Sequence[str], kinds: Mapping[str, str]) -> None:
        self.parser = parser
        self.names = names
        self.kinds = kinds
        self.found: dict[str, list[UnresolvedOperand]] = {}
        self.attributes: dict[str, Attribute] = {}
        self.types: dict[str, Any] = {}
        self.regions: list[Region] = []
        self.read_ahead = ""

    def pieces(self, pieces: Sequence[Piece]) -> None:
        """Read pieces one after the other."""
        for piece in pieces:
            getattr(self, f"_{piece.kind}")(piece)

    def operands(self) -> list[Any]:
        """Return the operands, whose types are known at the end."""
        values: list[Any] = []
        for name in self.names:
            operands = self.found.get(name, [])
            types = self.types[name if name in self.types else "result"] if operands else []
            listed = types if isinstance(types, list) else [types] * len(operands)
            values += self.parser.resolve_operands(operands, listed, self.parser.pos)
        return values

    def _space(self, piece: Piece) -> None:
        """Nothing: blanks do not count."""

    def _word(self, piece: Piece) -> None:
        if piece.text == self.read_ahead:
            self.read_ahead = ""
        elif piece.text[0].isalpha():
            self.parser.parse_keyword(piece.text)
        else:
            self.parser.parse_characters(piece.text)

    def _operand(self, piece: Piece) -> None:
        self.found[piece.text] = [self.parser.parse_unresolved_operand()]

    def _operands(self, piece: Piece) -> None:
        """Read operands up to one that is missing: the comma before it is the next piece."""
        found = self.found[piece.text] = [self.parser.parse_unresolved_operand()]
        while self.parser.parse_optional_punctuation(",") is not None:
            operand = self.parser.parse_optional_unresolved_operand()
            if operand is None:
                self.read_ahead = ","
                return
            found.append(operand)

    def _attribute(self, piece: Piece) -> None:
        kind = self.kinds[piece.text]
        if kind == "Region":
            self.operands()  # what stands inside of it is not seen by them
            self.regions.append(self.parser.parse_region())
        elif kind == "Dictionary":
            self.attributes |= self.parser.parse_optional_attr_dict()
            if "body" in self.attributes:
                self.parser.raise_error("a body that is no region")
        else:
            attribute = self.attributes[piece.text] = _READERS[kind](self.parser)
            if isinstance(attribute, SplatAttr):
                self.types["result"] = attribute.data.type  # a number is spelled with its type

    def _type(self, piece: Piece) -> None:
        self.types[piece.text] = self.parser.parse_type()

    def _types(self, piece: Piece) -> None:
        self.types[piece.text] = self.parser.parse_comma_separated_list(
            self.parser.Delimiter.NONE, self.parser.parse_type
        )

    def _group(self, piece: Piece) -> None:
        """Read an optional part, which its first word or sign starts."""
        if self.parser.parse_optional_characters(piece.inside[0].text) is not None:
            self.pieces(piece.inside[1:])


class _Writing:
    """Prints one operation by the pieces of its form; raises ValueError where it does not fit."""

    def __init__(self, op: Operation, printer: Printer, names: Sequence[str], kinds: Mapping[str, str]) -> None:
        self.op = op
        self.printer = printer
        self.kinds = kinds
        values = list(op.operands)
        if "outs" in names:  # as many are written over as there are results
            count = max(len(values) - len(op.results), 0)
            self.operands = {"inputs": values[:count], "outs": values[count:]}
        else:
            self.operands = {name: [value] for name, value in zip(names[:-1], values, strict=False)}
            self.operands |= {name: values[len(names) - 1 :] for name in names[-1:]}

    def pieces(self, pieces: Sequence[Piece]) -> None:
        """Print pieces one after the other."""
        for piece in pieces:
            getattr(self, f"_{piece.kind}")(piece)

    def _space(self, piece: Piece) -> None:
        self.printer.print_string(piece.text)

    def _word(self, piece: Piece) -> None:
        self.printer.print_string(piece.text)

    def _operand(self, piece: Piece) -> None:
        if len(self.operands.get(piece.text, ())) != 1:
            raise ValueError(f"'{self.op.name}' does not take {len(self.op.operands)} operands")
        self._operands(piece)

    def _operands(self, piece: Piece) -> None:
        self.printer.print_list(self.operands[piece.text], self.printer.print_operand)

    def _attribute(self, piece: Piece) -> None:
        attribute, write = self.op.get_attr_or_prop(piece.text), _WRITERS.get(self.kinds[piece.text])
        if attribute is None or write is None:
            raise ValueError(f"'{self.op.name}' is made without its '{piece.text}'")
        write(self.printer, attribute)

    def _type(self, piece: Piece) -> None:
        values = self.op.results if piece.text == "result" else self.operands[piece.text]
        if len(values) != 1:
            raise ValueError(f"'{self.op.name}' does not give {len(values)} results")
        self.printer.print_attribute(values[0].type)

    def _types(self, piece: Piece) -> None:
        self.printer.print_list(self.operands[piece.text], lambda value: self.printer.print_attribute(value.type))

    def _group(self, piece: Piece) -> None:
        """Print an optional part where there is something in it."""
        found: list[Any] = [self.operands[p.text] for p in piece.inside if p.kind == "operands"]
        found += [self.op.get_attr_or_prop(p.text) for p in piece.inside if p.kind == "attribute"]
        if any(found):  # lists of attributes that are empty count as such
            self.pieces(piece.inside)


# -- attributes: how each kind is read, and printed


def _listed(parser: Parser, read: Callable[[], Any]) -> list[Any]:
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, read)


def _ints(values: Iterable[int]) -> DenseArrayBase[Any]:
    return DenseArrayBase.from_list(i64, list(values))


def _read_label(parser: Parser) -> StringAttr:
    """Read a name or a number."""
    return StringAttr(parser.parse_optional_identifier() or str(parser.parse_integer()))


def _read_precision(parser: Parser) -> StringAttr:
    parser.parse_characters("#stablehlo")
    with parser.in_angle_brackets():
        parser.parse_keyword("precision")
        return StringAttr(parser.parse_identifier())


def _read_range(parser: Parser) -> tuple[int, int, int]:
    start = parser.parse_integer()
    parser.parse_punctuation(":")
    limit = parser.parse_integer()
    return start, limit, parser.parse_integer() if parser.parse_optional_punctuation(":") else 1


_READERS: dict[str, Callable[[Parser], Attribute]] = {
    "Ints": lambda parser: _ints(_listed(parser, parser.parse_integer)),
    "Labels": lambda parser: ArrayAttr(_listed(parser, lambda: _read_label(parser))),
    "Precisions": lambda parser: ArrayAttr(_listed(parser, lambda: _read_precision(parser))),
    "Maps": lambda parser: ArrayAttr(_listed(parser, parser.parse_attribute)),
    "Ranges": lambda parser: _ints(n for entry in _listed(parser, lambda: _read_range(parser)) for n in entry),
    "int": lambda parser: IntegerAttr(parser.parse_integer(), i64),
    "Text": lambda parser: StringAttr(parser.parse_identifier()),
    "Number": lambda parser: SplatAttr(SplatAttr.parse_parameter(parser)),
}


def _print_ranges(printer: Printer, numbers: Any) -> None:
    values = numbers.get_values()
    ranges = (values[k : k + 3] for k in range(0, len(values), 3))
    printer.print_string(f"[{', '.join(':'.join(map(str, one)) for one in ranges)}]")


def _print_names(printer: Printer, names: Any, spelled: str = "{}") -> None:
    printer.print_string(f"[{', '.join(spelled.format(name.data) for name in names)}]")


def _print_splat(printer: Printer, splat: Any) -> None:
    kind, value = splat.data
    printer.print_attribute(DenseIntOrFPElementsAttr.from_list(kind, value if isinstance(value, tuple) else [value]))


_WRITERS: dict[str, Callable[[Printer, Any], None]] = {
    "Ints": lambda printer, numbers: printer.print_string(str(list(numbers.get_values()))),
    "Labels": _print_names,
    "Precisions": partial(_print_names, spelled="#stablehlo<precision {}>"),
    "Maps": lambda printer, maps: printer.print_attribute(maps),
    "Ranges": _print_ranges,
    "int": lambda printer, number: printer.print_string(str(number.value.data)),
    "Text": lambda printer, text: printer.print_string(text.data),
    "Number": _print_splat,
}
