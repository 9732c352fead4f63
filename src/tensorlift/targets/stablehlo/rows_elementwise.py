"""Operations on corresponding cells: arithmetic, functions of reals, comparisons, selection, conversion."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Indices, Obligations, SymbolicTensor, affine_of, elementwise
from tensorlift.comprehension.terms import Apply, Constant, applies
from tensorlift.ops.dtypes import integer_range, is_float, is_integer
from tensorlift.ops.scalar_ops import REALS
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays import arithmetic, functions, logic
from tensorlift.targets.target import OpRow, Tensor, Text, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.terms import Term
    from tensorlift.targets.mlir_text.rows import ElementType

_UNARY = "$operand : type(result)"
_BINARY = "$lhs, $rhs : type(result)"
_CONVERSION = "$operand : (type(operand)) -> type(result)"
_MATRIX = "tensor<{m}x{n}x{a}>"


def require_same_shape(o: Obligations, first: SymbolicTensor, *others: SymbolicTensor) -> None:
    """Demand equal shapes: nothing is broadcast."""
    for other in others:
        if other.rank != first.rank:
            o.refuse("operands of different ranks")
        for mine, theirs in zip(first.shape, other.shape, strict=True):
            if mine != theirs:
                o.require("operands have equal extents", equal(mine, theirs))


def _pair(meaning: Callable[..., SymbolicTensor], o: Obligations, lhs: Tensor, rhs: Tensor) -> SymbolicTensor:
    require_same_shape(o, lhs, rhs)
    return meaning(o, lhs, rhs)


def _single(meaning: Callable[..., SymbolicTensor], o: Obligations, operand: Tensor) -> SymbolicTensor:
    return meaning(o, operand)


def _divided(o: Obligations, lhs: SymbolicTensor, rhs: SymbolicTensor) -> SymbolicTensor:
    """Divide reals, and integers as in C, which is as in Python where the dividend is a position."""
    if is_float(lhs.dtype):
        return arithmetic.true_divide(arithmetic.FUNCTION, o, lhs, rhs)
    known = _size_quotient(o, lhs, rhs) if not (lhs.rank or rhs.rank) else None
    op = "floordiv" if known is not None or (_is_position(o, lhs) and _is_positive(rhs)) else "tdiv"
    result = arithmetic.integer_division(op, arithmetic.FUNCTION, o, lhs, rhs)
    if known is not None:
        return result.with_cells((), lambda _: terms.index(known, result.dtype))
    return result


def _size_quotient(o: Obligations, dividend: SymbolicTensor, divisor: SymbolicTensor) -> Affine | None:
    """Return the quotient of a size that is a size too; a number must divide what is not negative."""
    numerator, denominator = affine_of(dividend.value()), affine_of(divisor.value())
    if numerator is None or denominator is None:
        return None
    if denominator.is_constant and not (_is_position(o, dividend) and _is_positive(divisor)):
        return None
    return o.known_quotient(numerator, denominator)


def _remainder(o: Obligations, lhs: SymbolicTensor, rhs: SymbolicTensor) -> SymbolicTensor:
    op = "mod" if _is_position(o, lhs) and _is_positive(rhs) else "rem"
    return arithmetic.integer_division(op, arithmetic.FUNCTION, o, lhs, rhs)


def _is_position(o: Obligations, tensor: SymbolicTensor) -> bool:
    """Tell whether every cell is affine in its place and not negative."""
    names = tuple(fresh("p") for _ in tensor.shape)
    value = affine_of(_any_cell(tensor, names))
    return value is not None and (o.context & Domain.box(names, tensor.shape)).implies(at_least(value, 0))


def _is_positive(tensor: SymbolicTensor) -> bool:
    """Tell whether every cell is the same positive number."""
    return _is_positive_number(_any_cell(tensor, tuple(fresh("p") for _ in tensor.shape)))


def _is_positive_number(term: Term) -> bool:
    return isinstance(term, Constant) and term.value > 0


def _any_cell(tensor: SymbolicTensor, names: tuple[str, ...]) -> Term:
    return tensor.at(tuple(map(Affine.var, names)))


def _power(o: Obligations, lhs: SymbolicTensor, rhs: SymbolicTensor) -> SymbolicTensor:
    dtype = o.types.float_type(o, o.types.result_type(o, (lhs, rhs)))
    return elementwise(o, arithmetic.power_cell, (lhs, rhs), dtype)


def _shifted_right(kind: str, o: Obligations, lhs: SymbolicTensor, rhs: SymbolicTensor) -> SymbolicTensor:
    if lhs.dtype[0] != kind:
        o.refuse("an arithmetic shift is of signed, a logical one of unsigned integers")
    return logic.shift("shr", o, lhs, rhs)


def _absolute(o: Obligations, x: SymbolicTensor) -> SymbolicTensor:
    if x.dtype.startswith("u"):
        o.refuse("the absolute value of unsigned integers")
    return logic.absolute(o, x)


DIRECTIONS = {"EQ": "eq", "NE": "ne", "LT": "lt", "LE": "le", "GT": "gt", "GE": "ge"}


def _compare(o: Obligations, lhs: Tensor, rhs: Tensor, *, direction: Text) -> SymbolicTensor:
    if direction not in DIRECTIONS:
        o.refuse(f"there is no comparison {direction}")
    require_same_shape(o, lhs, rhs)
    return logic.comparison(DIRECTIONS[direction], o, lhs, rhs)


def _select(o: Obligations, pred: Tensor, on_true: Tensor, on_false: Tensor) -> SymbolicTensor:
    if pred.dtype != "bool":
        o.refuse("a selection by anything but truth values")
    require_same_shape(o, on_true, on_false, *((pred,) if pred.rank else ()))
    return elementwise(o, _selected, (pred, on_true, on_false), o.types.result_type(o, (on_true, on_false)))


def _selected(condition: Term, chosen: Term, other: Term) -> Term:
    """Return a selection; one by whether a remainder is negative may be what Python divides or leaves."""
    if _is_negative_rest(condition):
        return other
    return _rounded_down(condition, chosen, other) or logic.selected(condition, chosen, other)


def _is_negative_rest(condition: Term) -> bool:
    """Tell whether a condition asks if Python's remainder by a positive number is negative, which it never is."""
    if not applies(condition, "lt"):
        return False
    rest, bound = condition.args
    if not (applies(rest, "mod") and is_integer(rest.dtype)):
        return False
    return _is_positive_number(rest.args[1]) and isinstance(bound, Constant) and bound.value == 0


def _rounded_down(condition: Term, chosen: Term, other: Term) -> Term | None:
    """Return Python's remainder or quotient by ``b``.

    The first is ``r + b if r < 0 else r`` of the remainder ``r`` of C, the second ``q - 1 if r < 0 else q`` of the
    quotient ``q``, which does not overflow as ``(a - mod) / b`` does at the least ``a``; unless ``b`` is seen to be
    positive, the condition is ``r > 0 if b < 0 else r < 0``.
    """
    if not (isinstance(other, Apply) and other.op in ("rem", "tdiv") and is_integer(other.dtype)):
        return None
    dividend, divisor = other.args
    rest = terms.apply("rem", dividend, divisor)
    zero = terms.zero(other.dtype)
    is_off = logic.compared("lt", rest, zero)
    if not _is_positive_number(divisor):
        is_off = logic.selected(logic.compared("lt", divisor, zero), logic.compared("gt", rest, zero), is_off)
    if condition is not is_off:
        return None
    lower = ("add", other, divisor) if other is rest else ("sub", other, terms.constant(1, other.dtype))
    if chosen is not arithmetic.cell(*lower):
        return None
    return terms.apply("mod" if other is rest else "floordiv", dividend, divisor)


def _convert(o: Obligations, operand: Tensor, *, result: ElementType) -> SymbolicTensor:
    """Convert cells; positions and sizes that a narrower type holds stay such."""
    converted = functions.as_type(o, operand, result)
    if not is_integer(result) or not is_integer(operand.dtype):
        return converted
    names = tuple(fresh("p") for _ in operand.shape)
    value, (low, high) = affine_of(_any_cell(operand, names)), integer_range(result)
    inside = o.context & Domain.box(names, operand.shape)
    if value is None or not inside.implies(at_least(value, low), at_least(high, value)):
        return converted

    def cell(indices: Indices) -> Term:
        return terms.index(value.substitute(dict(zip(names, indices, strict=True))), result)

    return SymbolicTensor(operand.shape, result, cell)


def _row(name: str, meaning: Callable[..., Any], kind: str) -> OpRow:
    """Return a row of an operation on one operand."""
    text = f"stablehlo.{name} %a : {_MATRIX}"
    samples = (sample(text, a=f"{kind}[m, n]"), sample(f"stablehlo.{name} %a : tensor<{{a}}>", a=f"{kind}[]"))
    return row(f"stablehlo.{name}", partial(_single, meaning), *samples, form=_UNARY)


def _binary(name: str, meaning: Callable[..., SymbolicTensor], left: str, right: str = "") -> OpRow:
    """Return a row of an operation on two operands of the same type."""
    operands = {"a": f"{left}[m, n]", "b": f"{right or left}[m, n]"}
    text = f"stablehlo.{name} %a, %b : {_MATRIX}"
    return row(f"stablehlo.{name}", partial(_pair, meaning), sample(text, **operands), form=_BINARY)


# Functions of reals, and what rounds them, by their names here.
FUNCTIONS = {
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exponential", "expm1": "exponential_minus_one", "log": "log",
    "log1p": "log_plus_one", "sin": "sine", "cos": "cosine", "tan": "tan", "tanh": "tanh",
}  # fmt: skip
ROUNDINGS = {"floor": "floor", "ceil": "ceil", "rint": "round_nearest_even", "round": "round_nearest_afz"}

ROWS = [
    _binary("add", partial(arithmetic.plain, "add", arithmetic.FUNCTION), "arith"),
    _binary("subtract", partial(arithmetic.plain, "sub", arithmetic.FUNCTION), "arith"),
    _binary("multiply", partial(arithmetic.plain, "mul", arithmetic.FUNCTION), "arith"),
    _binary("divide", _divided, "number", "positive"),
    _binary("remainder", _remainder, "number", "positive"),
    _binary("maximum", partial(arithmetic.plain, "max", arithmetic.FUNCTION), "arith"),
    _binary("minimum", partial(arithmetic.plain, "min", arithmetic.FUNCTION), "arith"),
    _binary("power", _power, "positive_real", "real"),
    _binary("atan2", partial(arithmetic.float_binary, "atan2"), "real"),
    _binary("and", partial(logic.bitwise, "bitand"), "integer"),
    _binary("or", partial(logic.bitwise, "bitor"), "integer"),
    _binary("xor", partial(logic.bitwise, "bitxor"), "integer"),
    _binary("shift_left", partial(logic.shift, "shl"), "i32", "count"),
    _binary("shift_right_arithmetic", partial(_shifted_right, "i"), "i32", "count"),
    _binary("shift_right_logical", partial(_shifted_right, "u"), "u32"),
    _row("negate", arithmetic.negative, "arith"),
    _row("not", logic.invert, "integer"),
    _row("abs", _absolute, "int_or_real"),
    *(_row(name, partial(functions.function_of_reals, op), REALS[op].values) for op, name in FUNCTIONS.items()),
    *(_row(name, partial(functions.rounding, op), "real") for op, name in ROUNDINGS.items()),
    row(
        "stablehlo.compare",
        _compare,
        *(
            f"stablehlo.compare {d}, %a, %b : (tensor<{{m}}x{{n}}x{{a}}>, tensor<{{m}}x{{n}}x{{b}}>)"
            " -> tensor<{m}x{n}xi1>"
            for d in DIRECTIONS
        ),
        form="#direction, $lhs, $rhs : (type(lhs), type(rhs)) -> type(result)",
        a="arith[m, n]",
        b="arith[m, n]",
    ),
    row(
        "stablehlo.select",
        _select,
        "stablehlo.select %c, %a, %b : tensor<{m}x{n}xi1>, tensor<{m}x{n}x{a}>",
        sample("stablehlo.select %c, %a, %b : tensor<i1>, tensor<{m}x{a}>", a="arith[m]", b="arith[m]", c="bool[]"),
        form="$pred, $on_true, $on_false : type(pred), type(result)",
        a="arith[m, n]",
        b="arith[m, n]",
        c="bool[m, n]",
    ),
    row(
        "stablehlo.convert",
        _convert,
        *(
            f"stablehlo.convert %a : (tensor<{{m}}x{{a}}>) -> tensor<{{m}}x{wanted}>"
            for wanted in ("f64", "f32", "f16", "bf16", "i64", "i32", "i16")
        ),
        form=_CONVERSION,
        a="arith[m]",
    ),
]
