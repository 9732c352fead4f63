"""Expressions as Python text: a rule for each node of a tensor program, and what array libraries spell alike.

A `Library` says by which rules, and by which names.  Operators, subscripts and views stand here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.diagnostics import refuse
from tensorlift.ir.outer import outer_operands
from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Conditional,
    Copy,
    Diagonal,
    Elementwise,
    Expression,
    Gather,
    Literal,
    NewAxis,
    Range,
    Reverse,
    SizeValue,
    Subscript,
    Take,
    Triangle,
    Variable,
)
from tensorlift.ops.dtypes import cell_value, holds, is_float, is_integer, shortest
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.targets.python_text.text import (
    COMPARISONS,
    Precedence,
    Text,
    affine_text,
    binary,
    call,
    converts_itself,
    may_be_python,
    needs_type,
    number_text,
    parameter_in,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.ir.tensor_program import Parameter, Shape, SubscriptItem
    from tensorlift.ops.dtypes import DType

_INFIX = {
    "add": ("+", Precedence.SUM), "sub": ("-", Precedence.SUM), "mul": ("*", Precedence.PRODUCT),
    "div": ("/", Precedence.PRODUCT), "floordiv": ("//", Precedence.PRODUCT), "mod": ("%", Precedence.PRODUCT),
    "bitand": ("&", Precedence.BIT_AND), "bitor": ("|", Precedence.BIT_OR), "bitxor": ("^", Precedence.BIT_XOR),
    "shl": ("<<", Precedence.SHIFT), "shr": (">>", Precedence.SHIFT),
}  # fmt: skip
_LEAST_OF_BYTES = -128
_LOGICAL = {"and": ("&", Precedence.BIT_AND), "or": ("|", Precedence.BIT_OR)}
# Operators that may get a real operand of a narrower type: the library converts it to the other's type, exactly.
_CONVERTING = {"add", "sub", "mul", "div"}

Rule = Callable[["Spelling", Any], Text]


class Products(NamedTuple):
    """How a library spells products beside ``@``: two axes swapped, any permuted, and sums of products."""

    swapped: Callable[[str, Text], Text]
    permuted: Callable[[Text, Sequence[int]], Text]
    full_product: Callable[[Spelling, Expression, Expression], Text]
    tensordot: Callable[[Spelling, Expression, Expression, tuple[list[int], list[int]]], Text]
    einsum: Callable[[Spelling, str, Sequence[Expression], DType], Text]


@dataclass(frozen=True)
class Library:
    """What a library spells in its own way: its ``name``, those of its ``functions`` by scalar operation and of types.

    ``rules`` spell each node, ``function`` a scalar function that is no operator, ``converted`` a number as one of the
    library's.  ``accumulations`` are functions for running folds, ``reductions`` folds that have names of their own.
    Types ``without_powers`` are squared by a product, which takes a fraction of the time there.  With
    ``weak_selections`` one between numbers needs a type, with ``states_types`` what is filled with a number.
    """

    name: str
    title: str
    functions: Mapping[str, str]
    dtypes: Mapping[DType, str]
    rules: Mapping[type[Expression], Rule]
    function: Rule
    converted: Callable[[Spelling, Text, DType], Text]
    products: Products
    accumulations: Mapping[str, str]
    reductions: Mapping[str, str] = field(default_factory=dict)
    without_powers: frozenset[DType] = frozenset()
    table: str = ""
    table_device: Callable[[Spelling], str] | None = None
    weak_selections: bool = False
    states_types: bool = False
    shapes_are_tuples: bool = False
    converts_itself: Callable[[Expression, Expression], bool] = converts_itself


_LONGEST = 200_000  # characters of an expression, which repeats what has no name


@dataclass
class Spelling:
    """Spells the expressions of one program; ``used`` collects the sizes and helpers that the text needs.

    ``firm`` are the scalar parameters that the text has converted to the library's types, ``wanted`` collects further
    ones whose conversion would spare one in an expression, ``numbers`` the variables that may hold Python numbers,
    ``counted`` the sizes that it computes with beside values of the library, where NumPy's integers would not do, and
    ``lowered`` those in differences, where unsigned ones would not do.
    """

    library: Library
    names: dict[str, str]
    firm: Collection[str] = ()
    parameters: Sequence[Parameter] = ()
    used: dict[str, None] = field(default_factory=dict)
    wanted: dict[str, DType] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    lowered: set[str] = field(default_factory=set)
    _memo: dict[Expression, Text] = field(default_factory=dict)

    def __call__(self, node: Expression) -> Text:
        """Return the text of an expression."""
        text = self._memo.get(node)
        if text is None:
            text = self._memo[node] = self.library.rules[type(node)](self, node)
            if len(text.source) > _LONGEST:
                message = f"an expression would have more than {_LONGEST} characters"
                raise refuse("TL305", message, remedy="store intermediate results in arrays")
        return text

    def rename(self, name: str) -> str:
        """Return a name as it is spelled, remembering that it is used."""
        self.used[name] = None
        return self.names.get(name, name)

    def table(self, info: ArrayInfo) -> Text:
        """Spell a table of constants; its cells are what is left of the list when its extents have been told."""
        cells = [self._cell(cell_value(text, info.dtype), info.dtype) for text in info.contents]
        for extent in reversed(info.shape):
            length = extent.constant
            cells = [f"[{', '.join(cells[k : k + length])}]" for k in range(0, len(cells), length)]
        device = self.library.table_device(self) if self.library.table_device is not None else ""
        return call(self.library.table, *cells, dtype=self.dtype(info.dtype), device=device)

    def _cell(self, value: float, dtype: DType) -> str:
        """Spell a cell of a table by as few digits as tell it from its neighbours."""
        if not math.isfinite(value):
            name = "nan" if math.isnan(value) else "inf"
            return f"{'-' * (value < 0)}{self.library.name}.{name}"
        return shortest(value, dtype) if is_float(dtype) else str(value)

    def size(self, value: Affine) -> Text:
        """Spell an affine expression."""
        if value.constant < 0 or any(factor < 0 for _, factor in value.terms):
            self.lowered.update(value.variables)
        return affine_text(value, self.rename)

    def shape(self, shape: Shape) -> str:
        """Spell a shape; one axis needs no tuple."""
        listed = ", ".join(self.size(extent).source for extent in shape)
        if len(shape) != 1:
            return f"({listed})"
        return f"({listed},)" if self.library.shapes_are_tuples else listed

    def dtype(self, dtype: DType) -> str:
        """Spell an element type."""
        name = self.library.dtypes.get(dtype)
        if name is None:
            others = ", ".join(t for t in self.library.dtypes if t != dtype)
            remedy = f"lift to another target, or use one of the types {others}"
            raise refuse("TL307", f"{self.library.title} does not compute in the type {dtype}", remedy=remedy)
        return name

    def converted(self, number: Text, dtype: DType) -> Text:
        """Spell a Python number as one of the library's."""
        return self.library.converted(self, number, dtype)

    def is_python(self, node: Expression) -> bool:
        """Tell whether the text of a scalar may give a Python number."""
        is_named = isinstance(node, Variable) and node.name in self.numbers and node.name not in self.firm
        return is_named or may_be_python(node, self.firm)

    def items(self, items: Sequence[SubscriptItem], shape: Shape) -> str:
        """Spell the subscripts of an array with a shape."""
        texts, axis = [], 0
        for item in items:
            if isinstance(item, NewAxis):
                texts.append("None")
                continue
            texts.append(self._item(item, shape[axis]))
            axis += 1
        while len(texts) > 1 and texts[-1] == ":":
            texts.pop()
        return ", ".join(texts)

    def _item(self, item: SubscriptItem, extent: Affine) -> str:
        if isinstance(item, At):
            return self._end(item.index, extent)
        if isinstance(item, Reverse):
            return "::-1"
        assert isinstance(item, Range)
        start = "" if item.start == ZERO else self._end(item.start, extent)
        rest = extent - item.stop
        # Where the stop is just behind the last element, the axis may end before the next one.
        length = item.stop - 1 - item.start
        ends_on_last = all(c % item.step == 0 for c in (length.constant, *(c for _, c in length.terms)))
        open_end = rest == ZERO or (ends_on_last and rest.is_constant and 0 <= rest.constant < item.step)
        stop = "" if open_end or item.end == extent else self._end(item.end or item.stop, extent)
        if item.is_clamped and stop:
            stop = f"max({stop}, 0)"
        if any(" " in end for end in (start, stop)):  # as the usual formatter spaces what is no plain name or number
            return f"{start} : {stop}".strip() + (f" : {item.step}" if item.step != 1 else "")
        return f"{start}:{stop}" + (f":{item.step}" if item.step != 1 else "")

    def _end(self, value: Affine, extent: Affine) -> str:
        """Spell a position, counted from the end where that is a constant."""
        rest = value - extent
        if rest.is_constant and rest.constant < 0 and not extent.is_constant:
            return str(rest.constant)
        return self.size(value).source

    def operands(self, node: Elementwise) -> list[Text]:
        """Spell operands: no conversion that the library makes by itself, and a type for numbers where it counts."""
        values = node.arguments[1:] if node.op == "select" else node.arguments
        arguments = list(node.arguments)
        texts = [self(a) for a in arguments]
        if any(v.dtype not in {"i64", "f64"} and not isinstance(v, SizeValue | Literal) for v in values):
            self.counted.update(name for v in values if isinstance(v, SizeValue) for name in v.affine.variables)
        if node.op in _CONVERTING and len(arguments) == 2:  # noqa: PLR2004 - binary operators
            for position, argument in enumerate(arguments):
                if self.library.converts_itself(argument, arguments[1 - position]):
                    texts[position] = self(argument.operands[0])
                    break
        is_weak = node.op == "select" and self.library.weak_selections and all(map(self.is_python, values))
        if is_weak or needs_type(node, values, self.firm):
            self.want_typed(values)
            firm = 0 if node.op == "pow" else next((k for k, v in enumerate(values) if not isinstance(v, Literal)), 0)
            position = len(arguments) - len(values) + firm
            dtype = node.dtype if node.dtype != "bool" else values[0].dtype
            texts[position] = self.converted(texts[position], dtype)
        return texts

    def want_typed(self, values: Sequence[Expression]) -> None:
        """Convert a parameter in one of the values to its own type first, if there is one."""
        parameter = parameter_in(values)
        if parameter is not None:
            self.wanted[parameter.name] = parameter.dtype

    def want_narrowed(self, number: Expression, dtype: DType) -> None:
        """Convert a parameter to its own integer type first where another type does not hold its values."""
        parameter = parameter_in((number,))
        if parameter is None or not is_integer(dtype) or not is_integer(parameter.dtype):
            return
        if not holds(dtype, parameter.dtype):
            self.wanted[parameter.name] = parameter.dtype


# -- leaves and views


def _literal(spell: Spelling, node: Literal) -> Text:
    """Spell a number."""
    return number_text(node.value, node.dtype, spell.library.name)


def _size_value(spell: Spelling, node: SizeValue) -> Text:
    """Spell a size as a number."""
    return spell.size(node.affine)


def _variable(spell: Spelling, node: Variable) -> Text:
    """Spell a variable."""
    return Text(spell.rename(node.name))


def subscript(spell: Spelling, node: Subscript) -> Text:
    """Spell slices and single cells."""
    return Text(f"{spell(node.argument).atom}[{spell.items(node.items, node.argument.shape)}]")


def gather(spell: Spelling, node: Gather) -> Text:
    """Spell cells at index arrays."""
    return Text(f"{spell(node.argument).atom}[{', '.join(spell(i).source for i in node.indices)}]")


def take(spell: Spelling, node: Take) -> Text:
    """Spell places along an axis."""
    return Text(f"{spell(node.argument).atom}[{', '.join([*[':'] * node.axis, spell(node.index).source])}]")


def broadcast(spell: Spelling, node: Broadcast) -> Text:
    """Spell a broadcast."""
    return call(f"{spell.library.name}.broadcast_to", spell(node.argument), spell.shape(node.shape))


def _diagonal(spell: Spelling, node: Diagonal) -> Text:
    """Spell a diagonal."""
    return call(f"{spell.library.name}.diagonal", spell(node.argument))


def _triangle(spell: Spelling, node: Triangle) -> Text:
    """Spell a matrix with zeros on one side of a diagonal."""
    function = f"{spell.library.name}.triu" if node.is_upper else f"{spell.library.name}.tril"
    offset = [] if node.offset == ZERO else [spell.size(node.offset).source]
    return call(function, spell(node.argument), *offset)


# -- elementwise


def elementwise(spell: Spelling, node: Elementwise) -> Text:
    """Spell a scalar function of arrays."""
    if node.op in COMPARISONS:
        left, right = (text.within(Precedence.BIT_OR) for text in spell.operands(node))
        return Text(f"{left} {COMPARISONS[node.op]} {right}", Precedence.COMPARISON)
    if node.op in _LOGICAL:
        sign, precedence = _LOGICAL[node.op]
        first, second = (spell(a) for a in node.arguments)
        return binary(first, sign, second, precedence)
    if node.op in ("neg", "bitnot", "not"):
        return _prefix(spell, node)
    if node.op in _INFIX:
        return _infix(spell, node, spell.operands(node))
    return spell.library.function(spell, node)


def _prefix(spell: Spelling, node: Elementwise) -> Text:
    if node.op == "not" and (node.is_weak or spell.is_python(node.arguments[0])):
        operand = spell(node.arguments[0])
        if spell.library.title == "NumPy":
            return Text(f"not {operand.within(Precedence.NOT)}", Precedence.NOT)
        return Text(f"{operand.within(Precedence.UNARY)} ^ True", Precedence.BIT_XOR)  # may be traced
    operand = spell(node.arguments[0]) if node.op == "not" else spell.operands(node)[0]
    return Text(f"{'-' if node.op == 'neg' else '~'}{operand.within(Precedence.UNARY)}", Precedence.UNARY)


def _infix(spell: Spelling, node: Elementwise, arguments: list[Text]) -> Text:
    operator, precedence = _INFIX[node.op]
    left, right = node.arguments
    if node.op == "mul":
        is_power = left is right and not spell.is_python(left)
        if is_power and not (node.dtype in spell.library.without_powers and is_simple(arguments[0])):
            return Text(f"{arguments[0].atom}{'**' if is_simple(arguments[0]) else ' ** '}2", Precedence.POWER)
        if isinstance(left, Elementwise) and left.op == "mul" and left.arguments == (right, right):
            return Text(" * ".join([spell(right).within(Precedence.POWER)] * 3), Precedence.PRODUCT, "*")
        outer = outer_operands(left, right)
        if outer is not None:
            return call(f"{spell.library.name}.outer", spell(outer[0]), spell(outer[1]))
    if node.op == "add" and _begins_below_zero(right) and arguments[1].source.startswith("-"):
        positive = arguments[1]._replace(source=arguments[1].source[1:])
        return binary(arguments[0], "-", positive, precedence)
    return binary(arguments[0], operator, arguments[1], precedence)


def _begins_below_zero(node: Expression) -> bool:
    """Tell whether a node is a number below zero, or times one, and its type has that with the other sign."""
    if isinstance(node, Elementwise) and node.op in ("mul", "div") and is_float(node.dtype):
        return isinstance(node.arguments[0], Literal)
    return isinstance(node, Literal) and isinstance(node.value, Fraction) and node.value > _LEAST_OF_BYTES


def function(spell: Spelling, node: Elementwise) -> Text:
    """Spell a scalar function that is no operator."""
    function = spell.library.functions.get(node.op)
    if function is None:
        raise refuse("TL305", f"{spell.library.title} has no function {node.op}", remedy="lift to c")
    if node.op in ("max", "min") and all(isinstance(a, SizeValue | Literal) for a in node.arguments):
        return call(node.op, *(_integer(spell, a) for a in node.arguments))
    if node.op == "pow" and all(a.shape for a in node.arguments):
        left, right = spell.operands(node)
        sign = "**" if is_simple(left) and is_simple(right) else " ** "
        return Text(f"{left.atom}{sign}{right.within(Precedence.UNARY)}", Precedence.POWER)
    if "." not in function:
        spell.used[function] = None  # a helper
    return call(function, *spell.operands(node))


def _integer(spell: Spelling, node: Expression) -> Text:
    """Spell a size or a whole number: an integer whatever its type, as Python's numbers convert by themselves."""
    return number_text(node.value, "i64", spell.library.name) if isinstance(node, Literal) else spell(node)


def _conditional(spell: Spelling, node: Conditional) -> Text:
    """Spell a choice by sizes, of which Python computes one."""
    condition, chosen, other = (spell(operand).within(Precedence.OR) for operand in node.operands)
    return Text(f"{chosen} if {condition} else {other}", Precedence.CONDITIONAL)


def copy(spell: Spelling, node: Copy) -> Text:
    """Spell an array in memory of its own, or a number of the library's."""
    text = spell(node.argument)
    if spell.is_python(node.argument):
        return spell.converted(text, node.dtype)
    if node.argument.is_weak:
        return text
    if all(extent == 1 for extent in node.shape):
        return call("np.copy", text)  # it may be a number of Python
    return Text(f"{text.atom}.copy()")


def is_simple(text: Text) -> bool:
    """Tell whether a text is a plain name, between which the usual formatter sets no space around ``**``."""
    return text.source.replace(".", "_").isidentifier()


RULES: dict[type[Expression], Rule] = {
    Literal: _literal,
    SizeValue: _size_value,
    Variable: _variable,
    Subscript: subscript,
    Gather: gather,
    Take: take,
    Broadcast: broadcast,
    Diagonal: _diagonal,
    Triangle: _triangle,
    Elementwise: elementwise,
    Conditional: _conditional,
    Copy: copy,
}
