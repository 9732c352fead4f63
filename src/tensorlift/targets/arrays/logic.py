"""Comparisons, truth values, selection and bits.

Comparisons of affine values become domains, and selections by them become pieces.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import (
    Obligations,
    Strength,
    SymbolicTensor,
    affine_of,
    choose,
    convert,
    domain_of,
    elementwise,
    mask,
    pieces,
)
from tensorlift.comprehension.terms import Apply, Constant, Piecewise, Term
from tensorlift.ops.dtypes import integer_range, is_float, is_integer, width
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import EMPTY, UNIVERSE, Constraint, Domain, at_least, equal, less
from tensorlift.poly.variables import strided
from tensorlift.targets.arrays.promotion import converted, operator_strength
from tensorlift.targets.target import OpRow, Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable

_CONSTRAINTS: dict[str, Callable[[Affine, Affine], Constraint]] = {
    "eq": equal,
    "lt": less,
    "ge": at_least,
    "gt": lambda a, b: less(b, a),
    "le": lambda a, b: at_least(b, a),
}


def compared(op: str, left: Term, right: Term) -> Term:
    """Return a comparison; one of affine values is a domain."""
    a, b = affine_of(left), affine_of(right)
    if a is None or b is None:
        grid = _grid(left, b) if op in ("eq", "ne") else None
        if grid is None:
            return terms.apply(op, left, right)
        return mask(grid if op == "eq" else grid.complement())
    if op == "ne":
        return mask(Domain.of(equal(a, b)).complement())
    return mask(Domain.of(_CONSTRAINTS[op](a, b)))


def _grid(remainder: Term, value: Affine | None) -> Domain | None:
    """Return where ``affine % step == value`` holds, None where the terms are not of this form."""
    if not isinstance(remainder, Apply) or remainder.op != "mod" or value is None or not value.is_constant:
        return None
    number, step = map(affine_of, remainder.args)
    if number is None or step is None or not step.is_constant or not 0 <= value.constant < step.constant:
        return None
    if number.is_constant:
        return UNIVERSE if number.constant % step.constant == value.constant else EMPTY
    name = number.variables[0]
    return strided(name, Affine.var(name) - number + value, step.constant)


def comparison(op: str, o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    """Compare cells."""
    dtype = o.types.result_type(o, (x1, x2))
    if dtype == "f64" and is_integer(x1.dtype) and is_integer(x2.dtype):
        o.refuse("a comparison of signed and unsigned 64-bit integers")
    operands = [converted(o, x1, dtype), converted(o, x2, dtype)]
    return elementwise(o, partial(compared, op), operands, "bool", operator_strength((x1, x2)))


def conjunction(left: Term, right: Term) -> Term:
    """Return whether both truth values hold."""
    a, b = domain_of(left), domain_of(right)
    return terms.apply("and", left, right) if a is None or b is None else mask(a & b)


def disjunction(left: Term, right: Term) -> Term:
    """Return whether one of two truth values holds."""
    a, b = domain_of(left), domain_of(right)
    return terms.apply("or", left, right) if a is None or b is None else mask(a | b)


def negation(term: Term) -> Term:
    """Return whether a truth value does not hold."""
    domain = domain_of(term)
    return terms.apply("not", term) if domain is None else mask(domain.complement())


def difference(left: Term, right: Term) -> Term:
    """Return whether exactly one of two truth values holds."""
    a, b = domain_of(left), domain_of(right)
    return terms.apply("ne", left, right) if a is None or b is None else mask((a - b) | (b - a))


ON_TRUTH_VALUES = {"bitand": conjunction, "bitor": disjunction, "bitxor": difference}


def bitwise(op: str, o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    """Apply an operation on bits, or on truth values."""
    dtype = o.types.result_type(o, (x1, x2))
    if is_float(dtype):
        o.refuse("bits of a float")
    operands = [converted(o, x1, dtype), converted(o, x2, dtype)]
    strength = operator_strength((x1, x2))
    if dtype == "bool":
        return elementwise(o, ON_TRUTH_VALUES[op], operands, dtype, strength)
    return elementwise(o, partial(terms.apply, op), operands, dtype, strength)


def shift(op: str, o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    """Shift integers."""
    dtype = o.types.result_type(o, (x1, x2))
    strength = operator_strength((x1, x2))
    if not is_integer(dtype) or strength is not Strength.STRONG:
        o.refuse("a shift of anything but NumPy integers")
    count = None if x2.rank else affine_of(x2.value())
    if count is not None and count.is_constant:
        o.require("a shift by less than the width", at_least(count, 0), less(count, width(dtype)))
    operands = [converted(o, x1, dtype), converted(o, x2, dtype)]
    return elementwise(o, partial(terms.apply, op), operands, dtype)


def invert(o: Obligations, x: Tensor) -> SymbolicTensor:
    """Return the complement of bits or truth values."""
    if x.dtype == "bool" and x.is_strong:
        return elementwise(o, negation, (x,), "bool")
    if not is_integer(x.dtype) or not x.is_strong:
        o.refuse("the complement of anything but NumPy integers and truth values")
    return elementwise(o, lambda a: terms.apply("bitnot", a), (x,), x.dtype)


def _logical_not(o: Obligations, x: Tensor) -> SymbolicTensor:
    return elementwise(o, lambda a: negation(truth(a)), (x,), "bool")


def _logical(combine: Callable[[Term, Term], Term], o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    return elementwise(o, lambda a, b: combine(truth(a), truth(b)), (x1, x2), "bool")


def truth(term: Term) -> Term:
    """Return whether a value counts as true."""
    if term.dtype == "bool":
        return term
    if isinstance(term, Constant):
        return terms.constant(term.value != 0, "bool")
    return convert(term, "bool")


def where(o: Obligations, condition: Tensor, x: Tensor, y: Tensor) -> SymbolicTensor:
    """Return the cells of one operand where a condition holds, and of the other elsewhere."""
    dtype = o.types.result_type(o, (x, y))
    operands = [
        SymbolicTensor(condition.shape, "bool", lambda indices: truth(condition.at(indices))),
        converted(o, x, dtype),
        converted(o, y, dtype),
    ]
    strength = o.types.strength(o, (x, y), dtype)
    if condition.rank and strength is not Strength.STRONG:
        o.refuse("a selection between numbers is only weakly typed; convert one of them first")
    return elementwise(o, selected, operands, dtype, strength)


def opposite(o: Obligations, x: Tensor) -> SymbolicTensor:
    """Return whether one truth value does not hold, as a truth value of Python."""
    if x.rank or x.dtype != "bool":
        o.refuse("`not` of anything but one truth value")
    return elementwise(o, negation, (x,), "bool", Strength.WEAK)


def conditional(o: Obligations, condition: Tensor, x: Tensor, y: Tensor) -> SymbolicTensor:
    """Return one of two numbers as it is: they must be of one type."""
    if condition.rank or condition.dtype != "bool" or x.rank or y.rank or x.dtype != y.dtype:
        o.refuse("a choice by anything but one truth value, or between anything but numbers of one type")
    strength = x.strength if x.strength is y.strength else Strength.EITHER
    return elementwise(o, selected, (condition, x, y), x.dtype, strength)


def selected(condition: Term, chosen: Term, other: Term) -> Term:
    """Return a selection; a condition that differs between pieces selects piece by piece."""
    if domain_of(condition) is None and isinstance(condition, Piecewise):
        return pieces(*((d, choose(t, chosen, other)) for d, t in condition.pieces))
    return choose(condition, chosen, other)


def absolute(o: Obligations, x: Tensor) -> SymbolicTensor:
    """Return absolute values."""
    if x.strength is Strength.EITHER and is_integer(x.dtype):
        o.refuse("a Python integer does not wrap but a NumPy one does; convert the parameter first")
    if x.dtype == "bool":
        o.refuse("the absolute value of a truth value")
    if x.dtype.startswith("u"):
        return x.with_cells(x.shape, x.at)
    strength = o.types.strength(o, (x,), x.dtype)
    return elementwise(o, lambda a: terms.apply("abs", a), (x,), x.dtype, strength)


def _sign(o: Obligations, x: Tensor) -> SymbolicTensor:
    if x.dtype == "bool" or x.strength is Strength.EITHER:
        o.refuse("the sign of a truth value or of a number that may be a Python one")
    zero, one = terms.zero(x.dtype), terms.one(x.dtype)
    least = terms.constant(-1, x.dtype) if is_float(x.dtype) or integer_range(x.dtype)[0] < 0 else zero

    def sign(a: Term) -> Term:
        below = terms.apply("select", terms.apply("lt", a, zero), least, zero)
        return terms.apply("select", terms.apply("gt", a, zero), one, below)

    return elementwise(o, sign, (x,), x.dtype, o.types.strength(o, (x,), x.dtype))


def _compare_row(op: str, sign: str, function: str) -> list[OpRow]:
    meaning = partial(comparison, op)
    texts = [f"a {sign} b", f"a {sign} 1", f"np.arange(m)[:, None] {sign} np.arange(n) + 1", f"m {sign} n"]
    return [
        row(sign, meaning, *texts, name=f"operator {op}", a="int_or_real[m, n]", b="int_or_real[n]"),
        row(f"np.{function}", meaning, f"np.{function}(a, b)", a="number[m, n]", b="number[n]"),
    ]


def _bit_row(op: str, sign: str, function: str) -> list[OpRow]:
    meaning = partial(bitwise, op)
    texts = [f"a {sign} b", f"(c > 0) {sign} (a[:, 0] > 0)", f"np.tri(m, n, dtype=bool) {sign} (a > 0)"]
    return [
        row(sign, meaning, *texts, least=1, name=f"operator {op}", a="integer[m, n]", b="integer[n]", c="f64[m]"),
        row(f"np.{function}", meaning, f"np.{function}(a, b)", a="integer[m, n]", b="integer[n]"),
    ]


ROWS = [
    *_compare_row("eq", "==", "equal"),
    *_compare_row("ne", "!=", "not_equal"),
    *_compare_row("lt", "<", "less"),
    *_compare_row("le", "<=", "less_equal"),
    *_compare_row("gt", ">", "greater"),
    *_compare_row("ge", ">=", "greater_equal"),
    *_bit_row("bitand", "&", "bitwise_and"),
    *_bit_row("bitor", "|", "bitwise_or"),
    *_bit_row("bitxor", "^", "bitwise_xor"),
    row(
        "<<",
        partial(shift, "shl"),
        "a << 3",
        sample("a << b", a="i32[n]", b="count[n]"),
        name="operator shl",
        a="integer[m, n]",
    ),
    row(
        ">>",
        partial(shift, "shr"),
        "a >> 3",
        sample("a >> b", a="i32[n]", b="count[n]"),
        name="operator shr",
        a="integer[m, n]",
    ),
    row("np.left_shift", partial(shift, "shl"), "np.left_shift(a, 2)", a="integer[n]"),
    row("np.right_shift", partial(shift, "shr"), "np.right_shift(a, 2)", a="integer[n]"),
    row(
        "~x",
        invert,
        "~a",
        sample("~(a > 0)", a="f64[n]"),
        "~np.eye(n, dtype=bool)",
        name="operator invert",
        a="integer[m, n]",
    ),
    row("np.bitwise_not", invert, "np.bitwise_not(a)", a="integer[m, n]"),
    row("np.invert", invert, "np.invert(a)", a="integer[m, n]"),
    row(
        "np.logical_not",
        _logical_not,
        "np.logical_not(a)",
        sample("np.logical_not(a > 0)", a="f64[n]"),
        a="number[m, n]",
    ),
    row("np.logical_and", partial(_logical, conjunction), "np.logical_and(a, b)", a="number[m, n]", b="number[n]"),
    row("np.logical_or", partial(_logical, disjunction), "np.logical_or(a, b)", a="number[m, n]", b="number[n]"),
    row(
        "np.where",
        where,
        "np.where(a > 0, a, b)",
        "np.where(a, 1, b)",
        sample("np.where(a > 0, 1, 2)", a="number[m]"),
        sample("np.where(a > 0, 1.5, b)", a="number[m]", b="number[m]"),
        sample("np.where(np.arange(n) < m, a, 0)", a="number[n]"),
        sample("np.where(np.tri(m, n, dtype=bool), a, a[:1])", 1, a="number[m, n]"),
        a="number[m, n]",
        b="number[n]",
    ),
    row("np.abs", absolute, "np.abs(a)", "np.abs(-2)", a="number[m, n]"),
    row("np.absolute", absolute, "np.absolute(a)", a="number[m, n]"),
    row("np.sign", _sign, "np.sign(a)", a="number[m, n]"),
]
