"""Expressions in NumPy: one spelling for each node of a tensor program, with explicit types where NumPy's differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from tensorlift.comprehension.affine import ZERO, Affine
from tensorlift.comprehension.dtypes import is_float, is_integer, width
from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Cast,
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
    Transpose,
    Triangle,
    TriangleMask,
    Variable,
    Windows,
)
from tensorlift.targets.numpy.emit_contractions import contraction_text, outer_operands
from tensorlift.targets.numpy.emit_text import (
    DTYPE_NAMES,
    Precedence,
    Text,
    affine_text,
    binary,
    call,
    number_text,
)
from tensorlift.targets.numpy.emit_types import COMPARISONS, converts_itself, may_be_python, needs_type, parameter_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from tensorlift.comprehension.dtypes import DType
    from tensorlift.ir.tensor_program import Shape, SubscriptItem

_INFIX = {
    "add": ("+", Precedence.SUM), "sub": ("-", Precedence.SUM), "mul": ("*", Precedence.PRODUCT),
    "div": ("/", Precedence.PRODUCT), "floordiv": ("//", Precedence.PRODUCT), "mod": ("%", Precedence.PRODUCT),
    "bitand": ("&", Precedence.BIT_AND), "bitor": ("|", Precedence.BIT_OR), "bitxor": ("^", Precedence.BIT_XOR),
    "shl": ("<<", Precedence.SHIFT), "shr": (">>", Precedence.SHIFT),
}  # fmt: skip
_LOGICAL = {"and": ("&", Precedence.BIT_AND), "or": ("|", Precedence.BIT_OR)}
_FUNCTIONS = {
    "max": "np.maximum", "min": "np.minimum", "fmax": "np.fmax", "fmin": "np.fmin", "select": "np.where",
    "abs": "np.abs", "rem": "np.fmod", "tdiv": "tdiv", "pow": "np.power", "atan2": "np.arctan2",
    "copysign": "np.copysign", "asin": "np.arcsin", "acos": "np.arccos", "atan": "np.arctan", "asinh": "np.arcsinh",
    "acosh": "np.arccosh", "atanh": "np.arctanh",
} | {name: f"np.{name}" for name in (
    "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh",
    "tanh", "floor", "ceil", "trunc", "rint",
)}  # fmt: skip
_REDUCTIONS = {"sum": "sum", "prod": "prod", "max": "max", "min": "min", "any": "any", "all": "all"}
_ACCUMULATIONS = {
    "sum": "np.cumsum", "prod": "np.cumprod", "max": "np.maximum.accumulate", "min": "np.minimum.accumulate",
    "fmax": "np.fmax.accumulate", "fmin": "np.fmin.accumulate", "any": "np.logical_or.accumulate",
    "all": "np.logical_and.accumulate",
}  # fmt: skip
# Operators that may get a real operand of a narrower type: NumPy converts it to the other operand's type, exactly.
_CONVERTING = {"add", "sub", "mul", "div"}


class Speller:
    """Spells the expressions of one program; ``used`` collects the sizes and helpers that the text needs.

    ``firm`` are the scalar parameters that the text has converted to NumPy's types, ``wanted`` collects further ones
    whose conversion would spare one in an expression.
    """

    def __init__(self, names: dict[str, str], firm: Collection[str] = ()) -> None:
        self.names = names
        self.firm = firm
        self.used: dict[str, None] = {}
        self.wanted: dict[str, DType] = {}
        self._memo: dict[Expression, Text] = {}

    def __call__(self, node: Expression) -> Text:
        """Return the text of an expression."""
        text = self._memo.get(node)
        if text is None:
            text = self._memo[node] = _SPELLINGS[type(node)](self, node)
        return text

    def rename(self, name: str) -> str:
        """Return a name as it is spelled, remembering that it is used."""
        self.used[name] = None
        return self.names.get(name, name)

    def size(self, value: Affine) -> Text:
        """Spell an affine expression."""
        return affine_text(value, self.rename)

    def shape(self, shape: Shape) -> str:
        """Spell a shape; one axis needs no tuple."""
        if len(shape) == 1:
            return self.size(shape[0]).source
        return f"({', '.join(self.size(extent).source for extent in shape)})"

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
        stop = "" if open_end else self._end(item.stop, extent)
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


# -- leaves


def _literal(_: Speller, node: Literal) -> Text:
    return number_text(node.value, node.dtype)


def _size_value(spell: Speller, node: SizeValue) -> Text:
    return spell.size(node.affine)


def _variable(spell: Speller, node: Variable) -> Text:
    return Text(spell.rename(node.name))


def _iota(spell: Speller, node: Iota) -> Text:
    return _arange(spell, node, "")


def _arange(spell: Speller, node: Iota, dtype: str) -> Text:
    stop = spell.size(node.start + node.shape[0]).source
    ends = [stop] if node.start == ZERO else [spell.size(node.start).source, stop]
    return call("np.arange", *ends, dtype=dtype)


def _mask(spell: Speller, node: TriangleMask | DiagonalMask, dtype: str = "bool") -> Text:
    function = "np.tri" if isinstance(node, TriangleMask) else "np.eye"
    rows, columns = (spell.size(extent).source for extent in node.shape)
    offset = "" if node.offset == ZERO else spell.size(node.offset).source
    extents = [rows] if rows == columns else [rows, columns]
    return call(function, *extents, k=offset, dtype=dtype)


def _full(spell: Speller, node: Full) -> Text:
    value = node.argument
    dtype = DTYPE_NAMES[node.dtype]
    if isinstance(value, Literal) and value.value in (0, 1):
        function = "np.ones" if value.value else "np.zeros"
        return call(function, spell.shape(node.shape), dtype="" if node.dtype == "f64" else dtype)
    plain = isinstance(value, Literal) and node.dtype == "f64"
    return call("np.full", spell.shape(node.shape), spell(value).source, dtype="" if plain else dtype)


def _empty(spell: Speller, node: Empty) -> Text:
    return call("np.empty", spell.shape(node.shape), dtype="" if node.dtype == "f64" else DTYPE_NAMES[node.dtype])


# -- views


def _subscript(spell: Speller, node: Subscript) -> Text:
    return Text(f"{spell(node.argument).atom}[{spell.items(node.items, node.argument.shape)}]")


def _transpose(spell: Speller, node: Transpose) -> Text:
    inner = spell(node.argument).atom
    if node.permutation == tuple(reversed(range(node.rank))):
        return Text(f"{inner}.T")
    return Text(f"{inner}.transpose({', '.join(map(str, node.permutation))})")


def _diagonal(spell: Speller, node: Diagonal) -> Text:
    return call("np.diagonal", spell(node.argument).source)


def _windows(spell: Speller, node: Windows) -> Text:
    spell.used["sliding_window_view"] = None
    extents = spell.shape(node.extents)
    whole = node.axes == tuple(range(node.argument.rank))
    axis = "" if whole else str(node.axes[0] if len(node.axes) == 1 else node.axes)
    return call("sliding_window_view", spell(node.argument).source, extents, axis=axis)


def _gather(spell: Speller, node: Gather) -> Text:
    return Text(f"{spell(node.argument).atom}[{', '.join(spell(i).source for i in node.indices)}]")


def _broadcast(spell: Speller, node: Broadcast) -> Text:
    return call("np.broadcast_to", spell(node.argument).source, spell.shape(node.shape))


def _copy(spell: Speller, node: Copy) -> Text:
    if node.argument.is_weak:
        text = spell(node.argument)
        return call(DTYPE_NAMES[node.dtype], text.source) if may_be_python(node.argument, spell.firm) else text
    return Text(f"{spell(node.argument).atom}.copy()")


def _triangle(spell: Speller, node: Triangle) -> Text:
    function = "np.triu" if node.is_upper else "np.tril"
    offset = [] if node.offset == ZERO else [spell.size(node.offset).source]
    return call(function, spell(node.argument).source, *offset)


# -- elementwise


def _elementwise(spell: Speller, node: Elementwise) -> Text:
    if node.op in COMPARISONS:
        left, right = (text.within(Precedence.BIT_OR) for text in _operands(spell, node))
        return Text(f"{left} {COMPARISONS[node.op]} {right}", Precedence.COMPARISON)
    if node.op in _LOGICAL:
        return _logical(spell, node)
    if node.op in ("neg", "bitnot", "not"):
        return _prefix(spell, node)
    if node.op == "div" and _is_mean(total := node.arguments[0], node.arguments[1]):
        return _reduction(spell, total, "mean")
    if node.op in _INFIX:
        return _infix(spell, node, _operands(spell, node))
    return _function(spell, node)


def _prefix(spell: Speller, node: Elementwise) -> Text:
    if node.op == "not" and node.is_weak:
        return Text(f"not {spell(node.arguments[0]).within(Precedence.NOT)}", Precedence.NOT)
    operand = spell(node.arguments[0]) if node.op == "not" else _operands(spell, node)[0]
    return Text(f"{'-' if node.op == 'neg' else '~'}{operand.within(Precedence.UNARY)}", Precedence.UNARY)


def _function(spell: Speller, node: Elementwise) -> Text:
    function = _FUNCTIONS.get(node.op)
    if function is None:
        raise refuse("TL305", f"NumPy has no function {node.op}", remedy="write it with the functions that NumPy has")
    if node.op in ("max", "min") and all(isinstance(a, SizeValue | Literal) for a in node.arguments):
        return call(node.op, *(_integer(spell, a).source for a in node.arguments))
    if node.op == "pow" and all(a.shape for a in node.arguments):
        left, right = _operands(spell, node)
        sign = "**" if _is_simple(left) and _is_simple(right) else " ** "
        return Text(f"{left.atom}{sign}{right.within(Precedence.UNARY)}", Precedence.POWER)
    if node.op == "tdiv":
        spell.used["tdiv"] = None
    return call(function, *(a.source for a in _operands(spell, node)))


def _integer(spell: Speller, node: Expression) -> Text:
    """Spell a size or a whole number: an integer whatever its type, as Python's numbers convert by themselves."""
    return number_text(node.value, "i64") if isinstance(node, Literal) else spell(node)


def _infix(spell: Speller, node: Elementwise, arguments: list[Text]) -> Text:
    operator, precedence = _INFIX[node.op]
    left, right = node.arguments
    if node.op == "mul":
        if left is right and not may_be_python(left, spell.firm):
            return Text(f"{arguments[0].atom}{'**' if _is_simple(arguments[0]) else ' ** '}2", Precedence.POWER)
        if isinstance(left, Elementwise) and left.op == "mul" and left.arguments == (right, right):
            return Text(" * ".join([spell(right).within(Precedence.POWER)] * 3), Precedence.PRODUCT, "*")
        outer = outer_operands(left, right)
        if outer is not None:
            return call("np.outer", spell(outer[0]).source, spell(outer[1]).source)
    return binary(arguments[0], operator, arguments[1], precedence)


def _is_simple(text: Text) -> bool:
    """Tell whether a text is a plain name, between which the usual formatter sets no space around ``**``."""
    return text.source.replace(".", "_").isidentifier()


def _logical(spell: Speller, node: Elementwise) -> Text:
    sign, precedence = _LOGICAL[node.op]
    left, right = (spell(a) for a in node.arguments)
    return binary(left, sign, right, precedence)


def _operands(spell: Speller, node: Elementwise) -> list[Text]:
    """Spell operands: no conversion that NumPy makes by itself, and a type for Python numbers where it counts."""
    values = node.arguments[1:] if node.op == "select" else node.arguments
    arguments = list(node.arguments)
    texts = [spell(a) for a in arguments]
    if node.op in _CONVERTING and len(arguments) == 2:  # noqa: PLR2004 - binary operators
        for position, argument in enumerate(arguments):
            if converts_itself(argument, arguments[1 - position]):
                texts[position] = spell(argument.operands[0])
                break
    if needs_type(node, values, spell.firm):
        parameter = parameter_in(values)
        if parameter is not None:
            spell.wanted[parameter.name] = parameter.dtype
        position = (
            len(arguments) - len(values) + next((k for k, v in enumerate(values) if not isinstance(v, Literal)), 0)
        )
        texts[position] = call(
            DTYPE_NAMES[node.dtype if node.dtype != "bool" else values[0].dtype], texts[position].source
        )
    return texts


def _cast(spell: Speller, node: Cast) -> Text:
    inner = node.argument
    dtype = DTYPE_NAMES[node.dtype]
    if isinstance(inner, Iota):
        return _arange(spell, inner, dtype)
    if isinstance(inner, TriangleMask | DiagonalMask):
        return _mask(spell, inner, "" if node.dtype == "f64" else dtype)
    if node.dtype == "bool":
        return Text(f"{spell(inner).within(Precedence.BIT_OR)} != 0", Precedence.COMPARISON)
    if may_be_python(inner, spell.firm):
        return call(dtype, spell(inner).source)
    return Text(f"{spell(inner).atom}.astype({dtype})")


# -- folds


def _is_mean(left: Expression, right: Expression) -> TypeGuard[Reduction]:
    """Tell whether a sum of reals is divided by the number of its summands."""
    if not isinstance(left, Reduction) or left.op != "sum" or len(left.axes) != 1 or not isinstance(right, SizeValue):
        return False
    is_plain = not isinstance(left.argument, Cast) and is_float(left.dtype)
    return is_plain and right.affine == left.argument.shape[left.axes[0]]


def _reduction(spell: Speller, node: Reduction, method: str = "") -> Text:
    argument = node.argument
    dtype = ""
    if node.op in ("sum", "prod"):
        if isinstance(argument, Cast):
            argument, dtype = argument.argument, DTYPE_NAMES[node.dtype]
        elif _is_widened(node.dtype):
            dtype = DTYPE_NAMES[node.dtype]
    axis = "" if len(node.axes) == argument.rank else str(node.axes[0] if len(node.axes) == 1 else node.axes)
    initial = spell(node.initial).source if node.initial is not None else ""
    if node.op == "sum" and isinstance(argument, Diagonal) and not method:
        return call("np.trace", spell(argument.argument).source, dtype=dtype)
    inner = spell(argument)
    if node.op not in _REDUCTIONS:
        whole = axis or ("0" if argument.rank == 1 else "None")
        return call(f"np.{node.op}.reduce", inner.source, axis=whole, initial=initial)
    method = method or _REDUCTIONS[node.op]
    if inner.precedence is Precedence.ATOM:
        return call(f"{inner.source}.{method}", axis=axis, dtype=dtype, initial=initial)
    return call(f"np.{method}", inner.source, axis=axis, dtype=dtype, initial=initial)


def _is_widened(dtype: DType) -> bool:
    """Tell whether NumPy would sum in a wider type."""
    return is_integer(dtype) and width(dtype) < 64  # noqa: PLR2004 - the widest type


def _cumulative(spell: Speller, node: Cumulative) -> Text:
    axis = "" if node.argument.rank == 1 else str(node.axis)
    dtype = DTYPE_NAMES[node.dtype] if node.op in ("sum", "prod") and _is_widened(node.dtype) else ""
    return call(_ACCUMULATIONS[node.op], spell(node.argument).source, axis=axis, dtype=dtype)


def _contraction(spell: Speller, node: Contraction) -> Text:
    return contraction_text(node, spell)


_SPELLINGS: dict[type[Expression], Callable[[Speller, Any], Text]] = {
    Literal: _literal, SizeValue: _size_value, Variable: _variable, Iota: _iota, TriangleMask: _mask,
    DiagonalMask: _mask, Full: _full, Empty: _empty, Subscript: _subscript, Transpose: _transpose,
    Diagonal: _diagonal, Windows: _windows, Gather: _gather, Broadcast: _broadcast, Copy: _copy, Triangle: _triangle,
    Elementwise: _elementwise, Cast: _cast, Reduction: _reduction, Cumulative: _cumulative, Contraction: _contraction,
}  # fmt: skip
