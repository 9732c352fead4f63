"""Expressions as Python text: what array libraries spell alike; each library's speller says the rest.

A speller has one method for each node of a tensor program.  Operators, subscripts and views stand here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tensorlift.comprehension.affine import ZERO, Affine
from tensorlift.diagnostics import refuse
from tensorlift.ir.outer import outer_operands
from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Cast,
    Conditional,
    Contraction,
    Copy,
    Cumulative,
    Diagonal,
    DiagonalMask,
    Elementwise,
    Empty,
    Expression,
    Full,
    Gather,
    Iota,
    Literal,
    NewAxis,
    Range,
    Reduction,
    Reverse,
    SizeValue,
    Subscript,
    Take,
    Transpose,
    Triangle,
    TriangleMask,
    Variable,
    Windows,
)
from tensorlift.ops.dtypes import holds, is_integer
from tensorlift.targets.python_text.numbers import (
    COMPARISONS,
    converts_itself,
    may_be_python,
    needs_type,
    parameter_in,
)
from tensorlift.targets.python_text.text import Precedence, Text, affine_text, binary, call, number_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tensorlift.ir.tensor_program import Parameter, Shape, SubscriptItem
    from tensorlift.ops.dtypes import DType

_INFIX = {
    "add": ("+", Precedence.SUM), "sub": ("-", Precedence.SUM), "mul": ("*", Precedence.PRODUCT),
    "div": ("/", Precedence.PRODUCT), "floordiv": ("//", Precedence.PRODUCT), "mod": ("%", Precedence.PRODUCT),
    "bitand": ("&", Precedence.BIT_AND), "bitor": ("|", Precedence.BIT_OR), "bitxor": ("^", Precedence.BIT_XOR),
    "shl": ("<<", Precedence.SHIFT), "shr": (">>", Precedence.SHIFT),
}  # fmt: skip
_LOGICAL = {"and": ("&", Precedence.BIT_AND), "or": ("|", Precedence.BIT_OR)}
# Operators that may get a real operand of a narrower type: the library converts it to the other's type, exactly.
_CONVERTING = {"add", "sub", "mul", "div"}


class Speller:
    """Spells the expressions of one program; ``used`` collects the sizes and helpers that the text needs.

    ``firm`` are the scalar parameters that the text has converted to the library's types, ``wanted`` collects further
    ones whose conversion would spare one in an expression, ``numbers`` the variables that may hold Python numbers,
    ``counted`` the sizes that it computes with beside values of the library, where NumPy's integers would not do, and
    ``lowered`` those in differences, where unsigned ones would not do.  A library gives its ``name``, the names of its
    ``functions`` by scalar operation and of its ``dtypes``; those ``without_powers`` are squared by a product, which
    takes a fraction of the time there.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    functions: ClassVar[Mapping[str, str]]
    dtypes: ClassVar[Mapping[DType, str]]
    without_powers: ClassVar[frozenset[DType]] = frozenset()

    def __init__(self, names: dict[str, str], firm: Collection[str] = (), parameters: Sequence[Parameter] = ()) -> None:
        self.names = names
        self.parameters = parameters
        self.firm = firm
        self.used: dict[str, None] = {}
        self.wanted: dict[str, DType] = {}
        self.numbers: set[str] = set()
        self.counted: set[str] = set()
        self.lowered: set[str] = set()
        self._memo: dict[Expression, Text] = {}

    def __call__(self, node: Expression) -> Text:
        """Return the text of an expression."""
        text = self._memo.get(node)
        if text is None:
            text = self._memo[node] = getattr(self, _METHODS[type(node)])(node)
        return text

    def rename(self, name: str) -> str:
        """Return a name as it is spelled, remembering that it is used."""
        self.used[name] = None
        return self.names.get(name, name)

    def size(self, value: Affine) -> Text:
        """Spell an affine expression."""
        if value.constant < 0 or any(factor < 0 for _, factor in value.terms):
            self.lowered.update(value.variables)
        return affine_text(value, self.rename)

    def shape(self, shape: Shape) -> str:
        """Spell a shape; one axis needs no tuple."""
        if len(shape) == 1:
            return self.size(shape[0]).source
        return f"({', '.join(self.size(extent).source for extent in shape)})"

    def dtype(self, dtype: DType) -> str:
        """Spell an element type."""
        name = self.dtypes.get(dtype)
        if name is None:
            raise refuse("TL307", f"{self.title} does not compute in the type {dtype}", remedy=self._other_types(dtype))
        return name

    def _other_types(self, dtype: DType) -> str:
        return f"lift to another target, or use one of the types {', '.join(t for t in self.dtypes if t != dtype)}"

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

    # -- leaves and views

    def literal(self, node: Literal) -> Text:
        """Spell a number."""
        return number_text(node.value, node.dtype, self.name)

    def size_value(self, node: SizeValue) -> Text:
        """Spell a size as a number."""
        return self.size(node.affine)

    def variable(self, node: Variable) -> Text:
        """Spell a variable."""
        return Text(self.rename(node.name))

    def subscript(self, node: Subscript) -> Text:
        """Spell slices and single cells."""
        return Text(f"{self(node.argument).atom}[{self.items(node.items, node.argument.shape)}]")

    def gather(self, node: Gather) -> Text:
        """Spell cells at index arrays."""
        return Text(f"{self(node.argument).atom}[{', '.join(self(i).source for i in node.indices)}]")

    def take(self, node: Take) -> Text:
        """Spell places along an axis."""
        return Text(f"{self(node.argument).atom}[{', '.join([*[':'] * node.axis, self(node.index).source])}]")

    def broadcast(self, node: Broadcast) -> Text:
        """Spell a broadcast."""
        return call(f"{self.name}.broadcast_to", self(node.argument).source, self.shape(node.shape))

    def diagonal(self, node: Diagonal) -> Text:
        """Spell a diagonal."""
        return call(f"{self.name}.diagonal", self(node.argument).source)

    def triangle(self, node: Triangle) -> Text:
        """Spell a matrix with zeros on one side of a diagonal."""
        function = f"{self.name}.triu" if node.is_upper else f"{self.name}.tril"
        offset = [] if node.offset == ZERO else [self.size(node.offset).source]
        return call(function, self(node.argument).source, *offset)

    # -- elementwise

    def elementwise(self, node: Elementwise) -> Text:
        """Spell a scalar function of arrays."""
        if node.op in COMPARISONS:
            left, right = (text.within(Precedence.BIT_OR) for text in self.operands(node))
            return Text(f"{left} {COMPARISONS[node.op]} {right}", Precedence.COMPARISON)
        if node.op in _LOGICAL:
            sign, precedence = _LOGICAL[node.op]
            first, second = (self(a) for a in node.arguments)
            return binary(first, sign, second, precedence)
        if node.op in ("neg", "bitnot", "not"):
            return self._prefix(node)
        if node.op in _INFIX:
            return self._infix(node, self.operands(node))
        return self.function(node)

    def _prefix(self, node: Elementwise) -> Text:
        if node.op == "not" and node.is_weak:
            return Text(f"not {self(node.arguments[0]).within(Precedence.NOT)}", Precedence.NOT)
        operand = self(node.arguments[0]) if node.op == "not" else self.operands(node)[0]
        return Text(f"{'-' if node.op == 'neg' else '~'}{operand.within(Precedence.UNARY)}", Precedence.UNARY)

    def _infix(self, node: Elementwise, arguments: list[Text]) -> Text:
        operator, precedence = _INFIX[node.op]
        left, right = node.arguments
        if node.op == "mul":
            is_number = isinstance(left, Variable) and left.name in self.numbers
            is_power = left is right and not is_number and not may_be_python(left, self.firm)
            if is_power and not (node.dtype in self.without_powers and is_simple(arguments[0])):
                return Text(f"{arguments[0].atom}{'**' if is_simple(arguments[0]) else ' ** '}2", Precedence.POWER)
            if isinstance(left, Elementwise) and left.op == "mul" and left.arguments == (right, right):
                return Text(" * ".join([self(right).within(Precedence.POWER)] * 3), Precedence.PRODUCT, "*")
            outer = outer_operands(left, right)
            if outer is not None:
                return call(f"{self.name}.outer", self(outer[0]).source, self(outer[1]).source)
        return binary(arguments[0], operator, arguments[1], precedence)

    def function(self, node: Elementwise) -> Text:
        """Spell a scalar function that is no operator."""
        function = self.functions.get(node.op)
        if function is None:
            remedy = f"write it with the functions that {self.title} has"
            raise refuse("TL305", f"{self.title} has no function {node.op}", remedy=remedy)
        if node.op in ("max", "min") and all(isinstance(a, SizeValue | Literal) for a in node.arguments):
            return call(node.op, *(self._integer(a).source for a in node.arguments))
        if node.op == "pow" and all(a.shape for a in node.arguments):
            left, right = self.operands(node)
            sign = "**" if is_simple(left) and is_simple(right) else " ** "
            return Text(f"{left.atom}{sign}{right.within(Precedence.UNARY)}", Precedence.POWER)
        if "." not in function:
            self.used[function] = None  # a helper
        return call(function, *(a.source for a in self.operands(node)))

    def _integer(self, node: Expression) -> Text:
        """Spell a size or a whole number: an integer whatever its type, as Python's numbers convert by themselves."""
        return number_text(node.value, "i64", self.name) if isinstance(node, Literal) else self(node)

    def operands(self, node: Elementwise) -> list[Text]:
        """Spell operands: no conversion that the library makes by itself, and a type for numbers where it counts."""
        values = node.arguments[1:] if node.op == "select" else node.arguments
        arguments = list(node.arguments)
        texts = [self(a) for a in arguments]
        if any(v.dtype not in {"i64", "f64"} and not isinstance(v, SizeValue | Literal) for v in values):
            self.counted.update(name for v in values if isinstance(v, SizeValue) for name in v.affine.variables)
        if node.op in _CONVERTING and len(arguments) == 2:  # noqa: PLR2004 - binary operators
            for position, argument in enumerate(arguments):
                if self.converts_itself(argument, arguments[1 - position]):
                    texts[position] = self(argument.operands[0])
                    break
        if self.needs_type(node, values):
            parameter = parameter_in(values)
            if parameter is not None:
                self.wanted[parameter.name] = parameter.dtype
            firm = 0 if node.op == "pow" else next((k for k, v in enumerate(values) if not isinstance(v, Literal)), 0)
            position = len(arguments) - len(values) + firm
            dtype = node.dtype if node.dtype != "bool" else values[0].dtype
            texts[position] = self.converted(texts[position], dtype)
        return texts

    def needs_type(self, node: Elementwise, values: Sequence[Expression]) -> bool:
        """Tell whether Python numbers need a type of the library."""
        return needs_type(node, values, self.firm)

    def want_narrowed(self, number: Expression, dtype: DType) -> None:
        """Convert a parameter to its own integer type first where another type does not hold its values."""
        parameter = parameter_in((number,))
        if parameter is None or not is_integer(dtype) or not is_integer(parameter.dtype):
            return
        if not holds(dtype, parameter.dtype):
            self.wanted[parameter.name] = parameter.dtype

    def converts_itself(self, argument: Expression, other: Expression) -> bool:
        """Tell whether the library converts one operand to the other's type."""
        return converts_itself(argument, other)

    def converted(self, number: Text, dtype: DType) -> Text:
        """Spell a Python number as one of the library's."""
        return call(self.dtype(dtype), number.source)

    def conditional(self, node: Conditional) -> Text:
        """Spell a choice by sizes, of which Python computes one."""
        condition, chosen, other = (self(operand).within(Precedence.OR) for operand in node.operands)
        return Text(f"{chosen} if {condition} else {other}", Precedence.CONDITIONAL)

    def copy(self, node: Copy) -> Text:
        """Spell an array in memory of its own, or a number of the library's."""
        text = self(node.argument)
        if node.argument.is_weak:
            return self.converted(text, node.dtype) if may_be_python(node.argument, self.firm) else text
        return Text(f"{text.atom}.copy()")


def is_simple(text: Text) -> bool:
    """Tell whether a text is a plain name, between which the usual formatter sets no space around ``**``."""
    return text.source.replace(".", "_").isidentifier()


_METHODS: dict[type[Expression], str] = {
    Literal: "literal", SizeValue: "size_value", Variable: "variable", Iota: "iota", TriangleMask: "mask",
    DiagonalMask: "mask", Full: "full", Empty: "empty", Subscript: "subscript", Transpose: "transpose",
    Diagonal: "diagonal", Windows: "windows", Gather: "gather", Take: "take",
    Broadcast: "broadcast", Copy: "copy", Conditional: "conditional",
    Triangle: "triangle", Elementwise: "elementwise", Cast: "cast", Reduction: "reduction", Cumulative: "cumulative",
    Contraction: "contraction",
}  # fmt: skip
