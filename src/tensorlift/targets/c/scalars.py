"""Scalars in C: element types, numbers and the scalar functions of terms, each with its precedence."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.terms import Constant
from tensorlift.diagnostics import refuse
from tensorlift.ops.dtypes import NARROW, DType, integer_range, is_float, is_integer, width
from tensorlift.ops.scalar_ops import REALS, ROUNDINGS
from tensorlift.targets.emitted import as_float

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tensorlift.comprehension.terms import Apply


class _Types(dict[DType, str]):
    def __missing__(self, dtype: DType) -> str:
        raise refuse("TL307", f"C does not compute in the type {dtype}", remedy="lift to another target")


C_TYPES = _Types({
    "bool": "_Bool", "i8": "signed char", "i16": "short", "i32": "int", "i64": "long", "u8": "unsigned char",
    "u16": "unsigned short", "u32": "unsigned int", "u64": "unsigned long", "f32": "float", "f64": "double",
    "f16": "_Float16",
})  # fmt: skip
SUFFIXES: dict[DType, str] = {"i64": "L", "u32": "U", "u64": "UL", "f32": "f"}
_PROMOTED = 32  # narrower integers are computed as int

ATOM, UNARY, PRODUCT, SUM, SHIFT, ORDER, EQUALITY = 16, 14, 12, 11, 10, 9, 8
BIT_AND, BIT_XOR, BIT_OR, AND, OR, CHOICE = 7, 6, 5, 4, 3, 2

_INFIX = {
    "add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "div": ("/", PRODUCT), "tdiv": ("/", PRODUCT),
    "rem": ("%", PRODUCT), "eq": ("==", EQUALITY), "ne": ("!=", EQUALITY), "lt": ("<", ORDER), "le": ("<=", ORDER),
    "gt": (">", ORDER), "ge": (">=", ORDER), "and": ("&&", AND), "or": ("||", OR), "bitand": ("&", BIT_AND),
    "bitor": ("|", BIT_OR), "bitxor": ("^", BIT_XOR), "shl": ("<<", SHIFT), "shr": (">>", SHIFT),
}  # fmt: skip
_KEEPS_DIGITS = {"add", "sub", "mul", "div"}  # of half precision C may keep more digits until a conversion
_WRAPPING = {"add", "sub", "mul", "neg", "shl", "abs", "sum", "prod"}
_PREFIX = {"neg": "-", "not": "!", "bitnot": "~"}
_FUNCTIONS = {
    **{name: name for name in ("fmax", "fmin", "pow", "atan2", "copysign", *REALS, *ROUNDINGS)},
    "abs": "fabs",
    "rem": "fmod",
}

C_FUNCTIONS = frozenset(f"{name}{suffix}" for name in _FUNCTIONS.values() for suffix in ("", "f"))


class Text(NamedTuple):
    """An expression in C and how tightly its outermost operation binds."""

    source: str
    precedence: int = ATOM
    unsigned: Text | None = None  # the same bits without a sign, where arithmetic that may wrap makes them so

    def within(self, precedence: int) -> str:
        """Spell it as an operand of an operation, in parentheses where it binds less tightly."""
        return self.source if self.precedence >= precedence else f"({self.source})"


def number(value: Fraction, dtype: DType) -> Text:
    """Spell a number: a float by its shortest digits, a ratio that no float holds as a quotient."""
    if dtype == "bool" or is_integer(dtype):
        return _integer(int(value), dtype)
    if dtype == "f16":
        return cast(number(value, "f32"), dtype)  # of which the suffix is not in all compilers
    suffix = SUFFIXES.get(dtype, "")
    if Fraction(as_float(value)) == value:
        return Text(f"{as_float(value)!r}{suffix}", ATOM if value >= 0 else UNARY)
    top, bottom = float(value.numerator), float(value.denominator)
    if int(top) != value.numerator or int(bottom) != value.denominator:
        raise refuse("TL305", f"C has no constant {value}", remedy="use a shorter constant")
    return Text(f"{top!r}{suffix} / {bottom!r}{suffix}", PRODUCT)


def _integer(value: int, dtype: DType) -> Text:
    if dtype == "bool":
        return Text(str(value))
    suffix = SUFFIXES.get(dtype, "")
    low, _ = integer_range(dtype)
    if value == low and value < 0 and width(dtype) >= _PROMOTED:
        return Text(f"{value + 1}{suffix} - 1", SUM)
    return Text(f"{value}{suffix}", ATOM if value >= 0 else UNARY)


def cast(text: Text, dtype: DType) -> Text:
    """Convert a value; a truth value is whether it is not zero."""
    return Text(f"({C_TYPES[dtype]}){text.within(UNARY)}", UNARY)


def applied(node: Apply, operands: Sequence[Text], wrapping: Collection[int]) -> Text:
    """Spell a scalar function of operands; integers of the widths in ``wrapping`` may wrap.

    Raises:
        LiftError: TL305, where C has no such function.

    """
    types = [a.dtype for a in node.args]
    if node.op == "cast":
        if node.dtype in ("u32", "u64") and width(node.dtype) == width(types[0]) and operands[0].unsigned is not None:
            return operands[0].unsigned
        return cast(operands[0], node.dtype) if node.dtype != types[0] else operands[0]
    if node.op == "select":
        condition, chosen, other = operands
        return Text(f"{condition.within(OR)} ? {chosen.within(CHOICE)} : {other.within(CHOICE)}", CHOICE)
    if node.op in ("max", "min"):
        return _extreme(node.op, *operands)
    if node.op in ("infinity", "nan"):
        return Text("INFINITY" if node.op == "infinity" else "NAN")
    if may_overflow(node.op, node.dtype, wrapping):
        return _wrapped(node, operands)
    result = _operation(node, operands, types)
    if result is None:
        what = "test whether data name a cell" if node.op == "hits" else f"function {node.op} of {', '.join(types)}"
        raise refuse("TL305", f"C has no {what}", remedy="lift to numpy")
    narrow = is_integer(node.dtype) and width(node.dtype) < _PROMOTED
    return cast(result, node.dtype) if narrow or (node.dtype == "f16" and node.op in _KEEPS_DIGITS) else result


def may_overflow(op: str, dtype: DType, wrapping: Collection[int]) -> bool:
    """Tell whether C leaves undefined what arithmetic gives that may wrap: it computes what is narrow as ``int``."""
    if not is_integer(dtype) or width(dtype) not in wrapping:
        return False
    return (op in _WRAPPING and dtype in ("i32", "i64")) or (op in ("mul", "prod") and dtype == "u16")


def without_sign(text: Text, dtype: DType) -> Text:
    """Spell the bits of an integer as those of one without a sign, and at least as wide as ``int``."""
    return text.unsigned or cast(text, "u64" if width(dtype) > _PROMOTED else "u32")


def _wrapped(node: Apply, operands: Sequence[Text]) -> Text:
    """Spell arithmetic that may wrap: without a sign, where C says what it gives."""
    first, *others = operands
    constant = node.args[0]
    if isinstance(constant, Constant) and constant.value >= 0:
        first = _integer(int(constant.value), "u64" if node.dtype == "i64" else "u32")
    else:
        first = without_sign(first, node.dtype)
    if node.op == "abs":
        test, negated = f"{operands[0].within(ORDER + 1)} < 0", f"({C_TYPES[node.dtype]})-{first.within(UNARY)}"
        return Text(f"{test} ? {negated} : {operands[0].within(CHOICE + 1)}", CHOICE)
    computed = _operation(node, [first, *(o.unsigned or o for o in others)], [node.dtype])
    assert computed is not None
    return cast(computed, node.dtype)._replace(unsigned=computed)


def _operation(node: Apply, operands: Sequence[Text], types: Sequence[DType]) -> Text | None:
    floats = any(map(is_float, types))
    if node.op in _PREFIX:
        return Text(_PREFIX[node.op] + _after_sign(operands[0]), UNARY)
    if node.op in _INFIX and not (floats and node.op == "rem"):
        sign, precedence = _INFIX[node.op]
        left, right = operands
        inner = precedence if node.op not in ("bitand", "bitor", "bitxor", "shl", "shr", "or") else UNARY
        return Text(f"{left.within(inner)} {sign} {right.within(inner + 1)}", precedence)
    if node.op == "abs" and not floats:
        (operand,) = operands
        return Text(
            f"{operand.within(ORDER + 1)} < 0 ? -{operand.within(UNARY)} : {operand.within(CHOICE + 1)}", CHOICE
        )
    if node.op in _FUNCTIONS and floats:
        suffix = "f" if node.dtype in NARROW else ""
        return Text(f"{_FUNCTIONS[node.op]}{suffix}({', '.join(o.source for o in operands)})")
    return None


def _after_sign(operand: Text) -> str:
    text = operand.within(UNARY)
    return f"({text})" if text[0] in "-~" else text


def _extreme(op: str, left: Text, right: Text) -> Text:
    sign = ">" if op == "max" else "<"
    tests = left.within(ORDER + 1), right.within(ORDER + 1)
    return Text(f"{tests[0]} {sign} {tests[1]} ? {left.within(CHOICE + 1)} : {right.within(CHOICE + 1)}", CHOICE)
