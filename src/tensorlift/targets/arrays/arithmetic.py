"""Arithmetic operators and their functions: sums, products, quotients, remainders, powers, extremes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import simplified
from tensorlift.comprehension.tensor import (
    Obligations,
    Strength,
    SymbolicTensor,
    affine_of,
    convert,
    elementwise,
    fold_exact,
    size,
)
from tensorlift.comprehension.terms import Apply, Constant, Term
from tensorlift.ops.dtypes import DType, is_float, is_integer
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.promotion import converted
from tensorlift.targets.target import Flag, OpRow, Sample, Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Sequence

Binary = Callable[[Obligations, SymbolicTensor, SymbolicTensor], SymbolicTensor]

_OF_TRUTH_VALUES = {"add": "or", "mul": "and", "max": "or", "min": "and"}
_LARGEST_UNROLLED_POWER = 64
OPERATOR, FUNCTION = True, False  # of Python numbers an operator gives one, a function does not


def cell(op: str, left: Term, right: Term) -> Term:
    """Return a binary operation on two cells of one type, exact where both are indices."""
    folded = fold_exact(op, left, right)
    if folded is not None:
        return folded
    dividend = _truncated(left, right) if op == "floordiv" else None
    if dividend is not None:
        return terms.apply("tdiv", dividend, right)
    return simplified(op, (left, right))


def _truncated(left: Term, right: Term) -> Term | None:
    """Return what is divided as C divides; None where the floor of a quotient is nothing else.

    That is ``a`` in ``(a - rem(a, b)) // b``, an exact quotient, and in ``(a + (a < 0) * (b - 1)) // b`` where b is a
    positive number: no sum of a negative one and of less than b overflows.
    """
    if not (isinstance(left, Apply) and left.op in ("add", "sub") and is_integer(left.dtype)):
        return None
    dividend, other = left.args
    if left.op == "sub":
        is_rest = isinstance(other, Apply) and other.op == "rem" and other.args == (dividend, right)
        return dividend if is_rest else None
    if not (isinstance(right, Constant) and right.value > 0 and right.dtype == dividend.dtype):
        return None
    is_negative = terms.apply("lt", dividend, terms.constant(0, right.dtype))
    shift = cell("sub", right, terms.constant(1, right.dtype))
    return dividend if other is cell("mul", convert(is_negative, right.dtype), shift) else None


def binary(
    o: Obligations, op: str, operands: Sequence[SymbolicTensor], dtype: DType, strength: Strength
) -> SymbolicTensor:
    """Apply a scalar operation to operands converted to one type."""
    typed = [converted(o, operand, dtype) for operand in operands]
    return elementwise(o, partial(cell, op), typed, dtype, strength)


def plain(op: str, operator: Flag, o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    """Apply an operation to operands of their common type."""
    dtype = o.types.result_type(o, (x1, x2), operator=operator)
    strength = o.types.strength(o, (x1, x2), dtype, operator=operator)
    if op == "sub":
        o.types.check_difference(o, (x1, x2))
    if dtype != "bool":
        return binary(o, op, (x1, x2), dtype, strength)
    if op not in _OF_TRUTH_VALUES or strength is not Strength.STRONG:
        o.refuse(f"{op} of truth values")
    return binary(o, _OF_TRUTH_VALUES[op], (x1, x2), dtype, strength)


def true_divide(operator: Flag, o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    """Divide as ``/`` does."""
    common = o.types.result_type(o, (x1, x2), operator=operator)
    dtype = o.types.quotient_type(o, common)
    strength = o.types.strength(o, (x1, x2), dtype, operator=operator)
    if strength is not Strength.STRONG:
        o.nonzero(x2, "a Python number is divided by", x1)  # it raises where a NumPy one would give infinity
    return binary(o, "div", (x1, x2), dtype, strength)


def integer_division(op: str, operator: Flag, o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    """Divide integers and reals to whole quotients, or to what these leave."""
    dtype = o.types.result_type(o, (x1, x2), operator=operator)
    if dtype == "bool":
        o.refuse("division of truth values")
    strength = o.types.strength(o, (x1, x2), dtype, operator=operator)
    if is_integer(dtype) or strength is not Strength.STRONG:
        o.nonzero(x2, "an integer is divided by", x1)
    if strength is Strength.WEAK and is_integer(dtype):
        exact = _size_division(o, op, x1, x2)
        if exact is not None:
            return exact
    return binary(o, op, (x1, x2), dtype, strength)


def _size_division(o: Obligations, op: str, x1: SymbolicTensor, x2: SymbolicTensor) -> SymbolicTensor | None:
    """Quotients and remainders of sizes are sizes."""
    numerator, divisor = affine_of(x1.value()), affine_of(x2.value())
    if numerator is None or divisor is None:
        return None
    if not divisor.is_constant:
        named = o.known_quotient(numerator, divisor)
        return None if named is None or op != "floordiv" else size(named)
    if divisor.constant < 1:
        return None
    quotient = o.quotient(numerator, divisor.constant)
    return size(quotient if op == "floordiv" else numerator - quotient * divisor.constant)


def power(operator: Flag, o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    dtype = o.types.result_type(o, (x1, x2), operator=operator)
    strength = o.types.strength(o, (x1, x2), dtype, operator=operator)
    if dtype == "bool":
        o.refuse("a power of truth values")
    exponent = _constant_exponent(x2)
    if strength is not Strength.STRONG and (exponent is None or is_float(dtype)):
        o.refuse("a power of Python numbers may raise; use np.power")
    if exponent is not None and 0 < exponent <= _LARGEST_UNROLLED_POWER:
        base = converted(o, x1, dtype)
        return elementwise(o, lambda a, _: _repeated(a, exponent), (base, x2), dtype, strength)
    if is_integer(dtype):
        o.refuse("an integer power without a small positive constant exponent")
    if _counts_factors(o, x2):
        return elementwise(o, _product_of_equals, (converted(o, x1, dtype), x2), dtype, strength)
    return binary(o, "pow", (x1, x2), dtype, strength)


def _counts_factors(o: Obligations, exponents: SymbolicTensor) -> bool:
    """Tell whether exponents are integers, affine in the position and never negative; for an array that is demanded."""
    if not is_integer(exponents.dtype):
        return False
    names = [fresh("e") for _ in exponents.shape]
    value = affine_of(exponents.at(tuple(map(Affine.var, names))))
    if value is None:
        return False
    if not exponents.rank:
        return o.holds(at_least(value, 0))
    o.require("an exponent is not negative", at_least(value, 0), over=Domain.box(names, exponents.shape))
    return True


def _product_of_equals(base: Term, exponent: Term) -> Term:
    count = affine_of(exponent)
    assert count is not None
    name = fresh("k")
    return terms.reduce("prod", (name,), Domain.of(at_least(name, 0), less(name, count)), base)


def _constant_exponent(tensor: SymbolicTensor) -> int | None:
    if tensor.rank:
        return None
    value = tensor.value()
    return int(value.value) if isinstance(value, Constant) and value.value.denominator == 1 else None


def power_cell(base: Term, exponent: Term) -> Term:
    """Return a power; a small positive whole exponent counts factors."""
    if not isinstance(exponent, Constant) or exponent.value.denominator != 1:
        return terms.apply("pow", base, exponent)
    count = int(exponent.value)
    return _repeated(base, count) if 0 < count <= _LARGEST_UNROLLED_POWER else terms.apply("pow", base, exponent)


def _repeated(base: Term, exponent: int) -> Term:
    result = base
    for _ in range(exponent - 1):
        result = cell("mul", result, base)
    return result


def negative(o: Obligations, x: Tensor) -> SymbolicTensor:
    if x.dtype == "bool":
        o.refuse("a negated truth value")
    strength = o.types.strength(o, (x,), x.dtype, operator=True)
    return elementwise(o, _negated, (x,), x.dtype, strength)


def _negated(term: Term) -> Term:
    value = affine_of(term) if term.dtype == "i64" else None
    if value is not None:
        return terms.index(value * -1, "i64")
    return terms.constant(-term.value, term.dtype) if isinstance(term, Constant) else terms.apply("neg", term)


def _positive(o: Obligations, x: Tensor) -> SymbolicTensor:
    if x.dtype == "bool":
        o.refuse("a truth value with a sign")
    return x.with_cells(x.shape, x.at) if x.is_strong else x


def float_binary(op: str, o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    dtype = o.types.float_type(o, o.types.result_type(o, (x1, x2)))
    return binary(o, op, (x1, x2), dtype, o.types.strength(o, (x1, x2), dtype))


def _hypot(o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    dtype = o.types.float_type(o, o.types.result_type(o, (x1, x2)))
    operands = [converted(o, x1, dtype), converted(o, x2, dtype)]
    return elementwise(o, _length, operands, dtype, o.types.strength(o, (x1, x2), dtype))


def _length(a: Term, b: Term) -> Term:
    return terms.apply("sqrt", terms.apply("add", terms.apply("mul", a, a), terms.apply("mul", b, b)))


def _clip(o: Obligations, a: Tensor, a_min: Tensor, a_max: Tensor) -> SymbolicTensor:
    if not a.is_strong or any(o.types.result_type(o, (a, bound)) != a.dtype for bound in (a_min, a_max)):
        o.refuse("np.clip of anything but an array, or by a bound of a wider type")
    return plain("min", FUNCTION, o, plain("max", FUNCTION, o, a, a_min), a_max)


_OPERANDS = ("arith[m, n]", "arith[n]")
_DIVISORS = ("number[m, n]", "positive[n]")


def _operator(name: str, sign: str, meaning: Binary, *more: Sample, on: tuple[str, str] = _OPERANDS) -> OpRow:
    texts = (f"a {sign} b", f"a {sign} 3", f"2 {sign} b", f"a {sign} 2.5")
    return row(sign, meaning, *texts, *more, name=f"operator {name}", a=on[0], b=on[1])


def _function(name: str, meaning: Binary, on: tuple[str, str] = _OPERANDS) -> OpRow:
    return row(f"np.{name}", meaning, f"np.{name}(a, b)", f"np.{name}(a, 2)", a=on[0], b=on[1])


ROWS = [
    _operator("add", "+", partial(plain, "add", OPERATOR)),
    _operator("subtract", "-", partial(plain, "sub", OPERATOR)),
    _operator("multiply", "*", partial(plain, "mul", OPERATOR)),
    _operator("divide", "/", partial(true_divide, OPERATOR), on=_DIVISORS),
    _operator(
        "floor divide",
        "//",
        partial(integer_division, "floordiv", OPERATOR),
        sample("(a - np.fmod(a, 3)) // 3", a="i32[m]"),
        sample("(a + (a < 0) * (np.int32(3) - 1)) // np.int32(3)", a="i32[m]"),
        on=_DIVISORS,
    ),
    _operator("remainder", "%", partial(integer_division, "mod", OPERATOR), on=_DIVISORS),
    row(
        "**",
        partial(power, OPERATOR),
        "a ** 2",
        sample("a ** b", a="positive_real[n]", b="real[n]"),
        sample("np.power(a, np.arange(n))", a="real[m, n]"),
        name="operator power",
        a="number[m, n]",
    ),
    row("-x", negative, "-a", sample("-n + a", a="number[n]"), name="operator negative", a="number[m, n]"),
    row("+x", _positive, "+a", name="operator positive", a="number[m, n]"),
    _function("add", partial(plain, "add", FUNCTION)),
    _function("subtract", partial(plain, "sub", FUNCTION)),
    _function("multiply", partial(plain, "mul", FUNCTION)),
    _function("divide", partial(true_divide, FUNCTION), on=_DIVISORS),
    _function("floor_divide", partial(integer_division, "floordiv", FUNCTION), on=_DIVISORS),
    _function("remainder", partial(integer_division, "mod", FUNCTION), on=_DIVISORS),
    _function("fmod", partial(integer_division, "rem", FUNCTION), on=_DIVISORS),
    row(
        "np.power",
        partial(power, FUNCTION),
        "np.power(a, 3)",
        sample("np.power(a, b)", a="positive_real[m, n]", b="real[n]"),
        sample("np.power(a, np.arange(n))", a="real[m, n]"),
        a="number[m, n]",
    ),
    _function("maximum", partial(plain, "max", FUNCTION)),
    _function("minimum", partial(plain, "min", FUNCTION)),
    row("np.clip", _clip, "np.clip(a, 1, 2)", "np.clip(a, b, 2)", "np.clip(a, 3, b)", a="arith[m, n]", b="arith[n]"),
    _function("fmax", partial(plain, "fmax", FUNCTION)),
    _function("fmin", partial(plain, "fmin", FUNCTION)),
    row("np.arctan2", partial(float_binary, "atan2"), "np.arctan2(a, b)", a="real[m, n]", b="real[n]"),
    row("np.copysign", partial(float_binary, "copysign"), "np.copysign(a, b)", a="real[m, n]", b="real[n]"),
    row("np.hypot", _hypot, "np.hypot(a, b)", a="real[m, n]", b="real[n]"),
]

__all__ = ["ROWS", "Affine", "binary", "cell"]
