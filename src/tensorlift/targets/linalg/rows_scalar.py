"""Operations on numbers, of the dialects arith and math: applied cell by cell inside of the bodies of Linalg.

Numbers have one type each, and nothing is converted by itself.  Integers are signed two's complement, and wrap; values
of type ``index`` are exact.
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
    convert,
    elementwise,
    size,
)
from tensorlift.comprehension.terms import Apply, Constant
from tensorlift.ops.dtypes import SIGNED, DType, integer_range, is_float, is_integer, signed, unsigned, width
from tensorlift.ops.scalar_ops import REALS, ROUNDINGS
from tensorlift.poly.domain import at_least, less
from tensorlift.targets.arrays.arithmetic import cell, power_cell
from tensorlift.targets.arrays.logic import ON_TRUTH_VALUES, compared, selected
from tensorlift.targets.mlir_text.rows import Number, Predicate, Result, Scalar, is_index
from tensorlift.targets.target import OpRow, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.comprehension.terms import Term
    from tensorlift.targets.target import Meaning

PREDICATES = {
    "eq": "eq", "ne": "ne", "slt": "lt", "sle": "le", "sgt": "gt", "sge": "ge",
    "ult": "lt", "ule": "le", "ugt": "gt", "uge": "ge",
    "oeq": "eq", "une": "ne", "olt": "lt", "ole": "le", "ogt": "gt", "oge": "ge",
}  # fmt: skip

_OF_REALS = ("oeq", "une", "olt", "ole", "ogt", "oge")


def one_type(o: Obligations, operands: Sequence[SymbolicTensor]) -> DType:
    """Return the type of operands, which must be the same."""
    first, *rest = operands
    if any(other.dtype != first.dtype or is_index(other) != is_index(first) for other in rest):
        o.refuse("operands of different types")
    return first.dtype


def _numbers(o: Obligations, *operands: SymbolicTensor) -> None:
    if any(is_index(operand) for operand in operands):
        o.refuse("arithmetic on an index; apply an affine map")


def applied(o: Obligations, function: Callable[..., Term], operands: Sequence[SymbolicTensor]) -> SymbolicTensor:
    """Apply a function of cells of one type that gives that type."""
    _numbers(o, *operands)
    return elementwise(o, function, operands, one_type(o, operands))


def _require_kind(o: Obligations, operand: SymbolicTensor, kind: str) -> None:
    dtype = operand.dtype
    fits = {"float": is_float(dtype), "integer": dtype in SIGNED, "bits": dtype in SIGNED or dtype == "bool"}[kind]
    if not fits:
        o.refuse(f"an operand of type {dtype}")


def _pair(
    function: Callable[[Term, Term], Term], kind: str, o: Obligations, lhs: Scalar, rhs: Scalar
) -> SymbolicTensor:
    _require_kind(o, lhs, kind)
    return applied(o, function, (lhs, rhs))


def _division(op: str, o: Obligations, lhs: Scalar, rhs: Scalar) -> SymbolicTensor:
    _require_kind(o, lhs, "integer")
    o.nonzero(rhs, "an integer is divided by", lhs)
    above, below = (affine_of(side.value()) if is_index(side) and not side.rank else None for side in (lhs, rhs))
    if above is not None and below is not None and below.variables and op != "rem":
        quotient = o.known_quotient(above, below)
        return size(quotient) if quotient is not None else o.refuse("a quotient of sizes that the source has not")
    return applied(o, partial(cell, op), (lhs, rhs))


def _bitwise(op: str, o: Obligations, lhs: Scalar, rhs: Scalar) -> SymbolicTensor:
    _require_kind(o, lhs, "bits")
    return applied(o, ON_TRUTH_VALUES[op] if lhs.dtype == "bool" else partial(_on_bits, op), (lhs, rhs))


def _on_bits(op: str, left: Term, right: Term) -> Term:
    """Apply an operation that is the same for both signs, without a sign where an operand is a value without one."""
    dtype = unsigned(left.dtype)
    if not any(isinstance(one, Apply) and one.op == "cast" and one.args[0].dtype == dtype for one in (left, right)):
        return terms.apply(op, left, right)
    return terms.cast(terms.apply(op, terms.cast(left, dtype), terms.cast(right, dtype)), left.dtype)


def _shift(op: str, o: Obligations, lhs: Scalar, rhs: Scalar) -> SymbolicTensor:
    _require_kind(o, lhs, "integer")
    count = None if rhs.rank else affine_of(rhs.value())
    if count is not None and count.is_constant:
        o.require("a shift by less than the width", at_least(count, 0), less(count, width(rhs.dtype)))
    return applied(o, partial(_on_bits if op == "shl" else terms.apply, op), (lhs, rhs))


def _compare(o: Obligations, predicate: Predicate, lhs: Scalar, rhs: Scalar) -> SymbolicTensor:
    op = PREDICATES.get(predicate)
    if op is None or is_float(one_type(o, (lhs, rhs))) != (predicate in _OF_REALS):
        o.refuse(f"a comparison {predicate} of {lhs.dtype}")
    if predicate[0] == "u" and predicate not in _OF_REALS:
        _require_kind(o, lhs, "integer")
        _numbers(o, lhs, rhs)
        lhs, rhs = (without_sign(operand) for operand in (lhs, rhs))
    if lhs.dtype == "bool" and op not in ("eq", "ne"):
        o.refuse(f"a comparison {predicate} of truth values")
    return elementwise(o, partial(compared, op), (lhs, rhs), "bool")


def _select(o: Obligations, cond: Scalar, lhs: Scalar, rhs: Scalar) -> SymbolicTensor:
    if cond.dtype != "bool":
        o.refuse("a selection by no truth value")
    _numbers(o, lhs, rhs)
    return elementwise(o, selected, (cond, lhs, rhs), one_type(o, (lhs, rhs)))


def _unary(op: str, kind: str, o: Obligations, operand: Scalar) -> SymbolicTensor:
    _require_kind(o, operand, kind)
    return applied(o, partial(_function, op), (operand,))


def _function(op: str, operand: Term) -> Term:
    if op == "neg" and isinstance(operand, Constant):
        return terms.constant(-operand.value, operand.dtype)
    return terms.apply(op, operand)


def without_sign(value: SymbolicTensor) -> SymbolicTensor:
    """Return integers as the unsigned ones of the same bits."""
    dtype = unsigned(value.dtype)
    return SymbolicTensor(value.shape, dtype, lambda at: terms.cast(value.at(at), dtype))


def with_sign(value: SymbolicTensor) -> SymbolicTensor:
    """Return integers as the signed ones of the same bits, which is what values are here."""
    dtype = signed(value.dtype)
    return SymbolicTensor(value.shape, dtype, lambda at: terms.cast(value.at(at), dtype))


def _unsigned(op: str, o: Obligations, lhs: Scalar, rhs: Scalar) -> SymbolicTensor:
    """Apply an operation on integers without a sign."""
    _require_kind(o, lhs, "integer")
    if op in ("tdiv", "rem"):
        o.nonzero(rhs, "an integer is divided by", lhs)
    one_type(o, (lhs, rhs))
    return with_sign(applied(o, partial(cell, op), (without_sign(lhs), without_sign(rhs))))


def _unsigned_shift(o: Obligations, lhs: Scalar, rhs: Scalar) -> SymbolicTensor:
    _require_kind(o, lhs, "integer")
    count = None if rhs.rank else affine_of(rhs.value())
    if count is not None and count.is_constant:
        o.require("a shift by less than the width", at_least(count, 0), less(count, width(rhs.dtype)))
    one_type(o, (lhs, rhs))
    return with_sign(applied(o, partial(terms.apply, "shr"), (without_sign(lhs), without_sign(rhs))))


# -- conversions


def _require_conversion(allowed: Callable[[DType, DType], bool], o: Obligations, value: Scalar, result: Result) -> None:
    if is_index(value) or result.is_index or not allowed(value.dtype, result.dtype):
        o.refuse(f"a conversion from {value.dtype} to {result.dtype}")


def _conversion(
    allowed: Callable[[DType, DType], bool],
    o: Obligations,
    input: Scalar,  # noqa: A002 - MLIR's name
    result: Result,
) -> SymbolicTensor:
    _require_conversion(allowed, o, input, result)
    return elementwise(o, lambda a: _converted(o, a, result.dtype), (input,), result.dtype)


def _converted(o: Obligations, value: Term, dtype: DType) -> Term:
    """Convert a cell; a constant must be in the range of an integer type, outside of which no conversion is defined."""
    if isinstance(value, Constant) and is_float(value.dtype) and is_integer(dtype):
        low, high = integer_range(dtype)
        if not low <= int(value.value) <= high:
            o.refuse(f"a conversion to {dtype} of a number that is none")
    return convert(value, dtype)


def _without_sign_conversion(
    allowed: Callable[[DType, DType], bool],
    o: Obligations,
    input: Scalar,  # noqa: A002 - MLIR's name
    result: Result,
) -> SymbolicTensor:
    """Convert integers that are read, or given, without a sign."""
    _require_conversion(allowed, o, input, result)
    value, dtype = without_sign(input), result.dtype
    if is_float(input.dtype):
        dtype = unsigned(dtype)
    return with_sign(elementwise(o, lambda a: _converted(o, a, dtype), (value,), dtype))


def _index_cast_without_sign(o: Obligations, input: Scalar, result: Result) -> SymbolicTensor:  # noqa: A002 - MLIR's name
    """Convert an integer without a sign to an index."""
    if is_index(input) or not result.is_index or input.dtype not in SIGNED:
        o.refuse("a conversion that is not from an integer to an index")
    value = without_sign(input)
    return SymbolicTensor(input.shape, "i64", lambda at: convert(value.at(at), "i64"), Strength.WEAK)


def _index_cast(o: Obligations, input: Scalar, result: Result) -> SymbolicTensor:  # noqa: A002 - MLIR's name
    """Convert an index to an integer, which wraps, or an integer to an index."""
    if is_index(input) is result.is_index or (input.dtype if result.is_index else result.dtype) not in SIGNED:
        o.refuse("a conversion that is not between an index and an integer")
    if result.is_index:
        return SymbolicTensor(input.shape, "i64", lambda at: convert(input.at(at), "i64"), Strength.WEAK)
    return elementwise(o, lambda a: convert(a, result.dtype), (input,), result.dtype)


def _widens(source: DType, dtype: DType) -> bool:
    return source in SIGNED and dtype in SIGNED and width(source) < width(dtype)


# Which conversions each operation does, and types to try it with.
_CONVERSIONS: list[tuple[str, Callable[[DType, DType], bool], str, str]] = [
    ("extsi", _widens, "i16", "i32"),
    ("trunci", lambda s, d: _widens(d, s), "i64", "i16"),
    ("extf", lambda s, d: is_float(s) and is_float(d) and width(s) < width(d), "f32", "f64"),
    ("truncf", lambda s, d: is_float(s) and is_float(d) and width(s) > width(d), "f64", "f32"),
    ("sitofp", lambda s, d: s in SIGNED and is_float(d), "i32", "f64"),
    ("fptosi", lambda s, d: is_float(s) and d in SIGNED, "f64", "i32"),
]
_WITHOUT_SIGN: list[tuple[str, Callable[[DType, DType], bool], tuple[str, ...], str]] = [
    ("extui", lambda s, d: (s == "bool" and d in SIGNED) or _widens(s, d), ("bool", "i16"), "i32"),
    ("uitofp", lambda s, d: (s == "bool" or s in SIGNED) and is_float(d), ("bool", "i32"), "f64"),
    ("fptoui", lambda s, d: is_float(s) and d in SIGNED, ("positive_real",), "i32"),
]


def _constant(o: Obligations, value: Number) -> SymbolicTensor:  # noqa: ARG001 - nothing is demanded
    return value


# -- rows


def _row(name: str, meaning: Meaning, *operands: str, prefix: str = "arith", stated: str = "") -> OpRow:
    names = "abc"[: len(operands)]
    listed = ", ".join(f"%{n}" for n in names)
    samples = (sample(f"{prefix}.{name} {listed} : {stated or '{a}'}", **dict(zip(names, operands, strict=True))),)
    return row(f"{prefix}.{name}", meaning, *samples, name=name)


def _bits(name: str, op: str) -> OpRow:
    text = f"arith.{name} %a, %b : {{a}}"
    samples = (sample(text, a="signed[]", b="signed[]"), sample(text, a="bool[]", b="bool[]"))
    return row(f"arith.{name}", partial(_bitwise, op), *samples)


_UNSIGNED = [("divui", "tdiv"), ("remui", "rem"), ("maxui", "max"), ("minui", "min")]
_FLOATS = [("addf", "add"), ("subf", "sub"), ("mulf", "mul"), ("divf", "div"), ("maximumf", "max"),
           ("minimumf", "min"), ("maxnumf", "fmax"), ("minnumf", "fmin")]  # fmt: skip
_INTEGERS = [("addi", "add"), ("subi", "sub"), ("muli", "mul"), ("maxsi", "max"), ("minsi", "min")]
_DIVISIONS = [("divsi", "tdiv"), ("remsi", "rem"), ("floordivsi", "floordiv")]
_BITS = [("andi", "bitand"), ("ori", "bitor"), ("xori", "bitxor")]
_SHIFTS = [("shli", "shl"), ("shrsi", "shr")]
_FUNCTIONS = {**{name: row.values for name, row in REALS.items()}, **dict.fromkeys(ROUNDINGS[:-1], "real")}

ROWS = [
    row(
        "arith.constant",
        _constant,
        "arith.constant 2.5 : f64",
        "arith.constant -1.0e-05 : f32",
        "arith.constant -3 : i32",
        "arith.constant true",
        "arith.constant 0xFFF0000000000000 : f64",
        "arith.constant 0x7FC00000 : f32",
    ),
    *(_row(name, partial(_pair, partial(cell, op), "float"), "real[]", "real[]") for name, op in _FLOATS),
    *(_row(name, partial(_pair, partial(cell, op), "integer"), "signed[]", "signed[]") for name, op in _INTEGERS),
    *(_row(name, partial(_division, op), "signed[]", "positive_signed[]") for name, op in _DIVISIONS),
    *(_row(name, partial(_unsigned, op), "signed[]", "positive_signed[]") for name, op in _UNSIGNED),
    _row("shrui", _unsigned_shift, "i32[]", "count[]"),
    *(_bits(name, op) for name, op in _BITS),
    *(_row(name, partial(_shift, op), "i32[]", "count[]") for name, op in _SHIFTS),
    _row("remf", partial(_pair, partial(cell, "rem"), "float"), "real[]", "positive_real[]"),
    _row("negf", partial(_unary, "neg", "float"), "real[]"),
    row(
        "arith.cmpf",
        _compare,
        *(sample(f"arith.cmpf {p}, %a, %b : {{a}}", a="real[]", b="real[]") for p in PREDICATES if p in _OF_REALS),
    ),
    row(
        "arith.cmpi",
        _compare,
        *(
            sample(f"arith.cmpi {p}, %a, %b : {{a}}", a="signed[]", b="signed[]")
            for p in PREDICATES
            if p not in _OF_REALS
        ),
        "arith.cmpi ne, %a, %b : i1",
        *(sample(f"arith.cmpi {p}, %m, %n : index") for p in ("eq", "ne", "slt", "sge")),
        a="bool[]",
        b="bool[]",
    ),
    row("arith.select", _select, "arith.select %c, %a, %b : {a}", a="int_or_real[]", b="int_or_real[]", c="bool[]"),
    *(
        _row(name, partial(_conversion, allowed), f"{source}[]", stated=f"{{a}} to {dtype}")
        for name, allowed, source, dtype in _CONVERSIONS
    ),
    *(
        row(
            f"arith.{name}",
            partial(_without_sign_conversion, allowed),
            *(sample(f"arith.{name} %a : {{a}} to {dtype}", a=f"{source}[]") for source in sources),
        )
        for name, allowed, sources, dtype in _WITHOUT_SIGN
    ),
    row("arith.index_castui", _index_cast_without_sign, "arith.index_castui %a : i32 to index", a="count[]"),
    row("arith.index_cast", _index_cast, "arith.index_cast %n : index to i64", "arith.index_cast %m : index to i32"),
    *(_row(name, partial(_unary, name, "float"), f"{values}[]", prefix="math") for name, values in _FUNCTIONS.items()),
    _row("roundeven", partial(_unary, "rint", "float"), "real[]", prefix="math"),
    _row("absf", partial(_unary, "abs", "float"), "real[]", prefix="math"),
    _row("absi", partial(_unary, "abs", "integer"), "signed[]", prefix="math"),
    row("math.powf", partial(_pair, power_cell, "float"), "math.powf %a, %b : {a}", a="positive_real[]", b="real[]"),
    _row("atan2", partial(_pair, partial(terms.apply, "atan2"), "float"), "real[]", "real[]", prefix="math"),
    _row("copysign", partial(_pair, partial(terms.apply, "copysign"), "float"), "real[]", "real[]", prefix="math"),
]
