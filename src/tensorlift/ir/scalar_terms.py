"""What the scalar operations of the loop IR mean as terms: one row per operation.

MLIR integers are signless, terms have signed and unsigned types.  An operation that depends on the sign converts its
operands to that sign; any other is unsigned where an operand is.  Zero extension gives a signed type, since every value
fits there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension import terms
from tensorlift.comprehension.flags import fused
from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.rules import FALSE, TRUE, rewritten
from tensorlift.comprehension.segments import neutral_term
from tensorlift.comprehension.terms import Apply, Constant, Reducer, Term, applies
from tensorlift.ir.function import dtype_of
from tensorlift.ops.conversions import is_exact
from tensorlift.ops.dtypes import FLOATS, SIGNED, UNSIGNED, DType, round_float, rounded
from tensorlift.ops.scalar_ops import ON_NUMBERS, REALS, ROUNDINGS
from tensorlift.poly.domain import Constraint, Domain, equal

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from tensorlift.poly.affine import Affine

Builder = Callable[["Operation", list[Term]], Term]


_CHAINS = ("conversion through a type that holds all", "conversion through integers as wide")


def convert(term: Term, dtype: DType) -> Term:
    """Cast a term; a cast of a cast becomes one where the inner one loses nothing that counts."""
    if term.dtype == dtype:
        return term
    whole = terms.cast(term, dtype)
    if applies(term, "cast"):
        types = {"M": term.dtype, "T": dtype}
        for rule in _CHAINS:
            found = rewritten(rule, whole, types=types, x=term.args[0])
            if found is not None:
                return reconverted(found)
    if applies(term, _CHOOSING):
        found = _converted_choice(term, dtype)
        if found is not None:
            return found
    return whole


def _converted_choice(term: Apply, dtype: DType) -> Term | None:
    """Convert what is chosen instead of the choice, where both values come from a type that the new one holds."""
    *condition, first, second = (fused(arm) for arm in term.args)
    narrow = [widened_from(arm) for arm in (first, second)]
    common = next((one.dtype for one in narrow if all(is_exact(other.dtype, one.dtype) for other in narrow)), None)
    if common is None:
        return None
    a, b = (terms.cast(one, common) for one in narrow)
    arms = [terms.cast(one, term.dtype) for one in (a, b)]
    if any(fused(arm) is not known for arm, known in zip(arms, (first, second), strict=True)):
        return None
    whole = terms.cast(terms.apply(term.op, *condition, *arms), dtype)
    named = {"p": condition[0]} if condition else {}
    found = rewritten(f"converted {term.op}", whole, None, {"M": term.dtype, "T": dtype}, a=a, b=b, **named)
    if not isinstance(found, Apply):
        return None
    return terms.apply(term.op, *condition, *map(reconverted, found.args[len(condition) :]))


def reconverted(term: Term) -> Term:
    """Simplify a cast whose operand has become known."""
    return convert(term.args[0], term.dtype) if applies(term, "cast") else term


_TOTAL = {
    *("lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not"),
    *("add", "sub", "mul", "neg", "abs", "max", "min", "cast", "select"),
}
_CHOOSING = {"select", "max", "min", "fmax", "fmin"}  # their result is one of two operands


def widened_from(term: Term) -> Term:
    """Look through casts that keep every value."""
    while applies(term, "cast") and is_exact(term.args[0].dtype, term.dtype):
        term = term.args[0]
    return term


def signed(term: Term) -> Term:
    """Read an integer as signed."""
    return convert(term, SIGNED[UNSIGNED.index(term.dtype)]) if term.dtype in UNSIGNED else term


def unsigned(term: Term) -> Term:
    """Read an integer as unsigned."""
    return convert(term, UNSIGNED[SIGNED.index(term.dtype)]) if term.dtype in SIGNED else term


def _joined(operands: list[Term]) -> list[Term]:
    """Give operands of one width one type: unsigned where one is."""
    if any(t.dtype in UNSIGNED for t in operands):
        return [unsigned(t) for t in operands]
    return operands


def _plain(name: str) -> Builder:
    return lambda _, operands: terms.apply(name, *_joined(operands))


def _difference(_: Operation, operands: list[Term]) -> Term:
    """Subtract; ``a - a // b * b`` is what Python reads ``a % b`` as."""
    term = terms.apply("sub", *_joined(operands))
    match term.args[1]:
        case Apply(op="mul", args=(Apply(op="floordiv", args=(dividend, divisor)), factor)) if (
            dividend == term.args[0] and divisor == factor
        ):
            return terms.apply("mod", dividend, divisor)
    return term


def _by_sign(name: str, sign: Callable[[Term], Term]) -> Builder:
    return lambda _, operands: terms.apply(name, *map(sign, operands))


def _bitwise(on_bits: str, on_truth: str) -> Builder:
    def build(_: Operation, operands: list[Term]) -> Term:
        if operands[0].dtype != "bool":
            return terms.apply(on_bits, *_joined(operands))
        term = terms.apply(on_truth, *operands)
        negated = on_truth == "ne" and operands[1] is TRUE  # how MLIR spells it
        return (rewritten("different from true", term, p=operands[0]) if negated else None) or term

    return build


def _select(_: Operation, operands: list[Term]) -> Term:
    condition, *arms = operands
    return choose(condition, *_joined(arms))


def choose(condition: Term, chosen: Term, other: Term) -> Term:
    """Build a select, decided where the condition is constant or the arms agree."""
    term, found = terms.apply("select", condition, chosen, other), None
    if chosen is other:
        found = rewritten("choice of one value", term, p=condition, a=chosen)
    elif condition in {TRUE, FALSE}:
        found = rewritten("choice by true" if condition is TRUE else "choice by false", term, a=chosen, b=other)
    elif chosen.dtype == "bool":
        found = _connected(term, condition, chosen, other)
    return found or term


def _connected(term: Term, condition: Term, chosen: Term, other: Term) -> Term | None:
    """Write a choice of truth values as a connective, whose operands are always computed, where that may be done."""
    if chosen is TRUE and other is FALSE:
        return rewritten("choice of true or false", term, p=condition)
    if chosen is FALSE and other is TRUE:
        return rewritten("choice of false or true", term, p=condition)
    if chosen is TRUE and _is_total(other):
        return rewritten("choice of true or another", term, p=condition, q=other)
    return (
        rewritten("choice of another or false", term, p=condition, q=chosen)
        if (other is FALSE and _is_total(chosen))
        else None
    )


def _is_total(term: Term) -> bool:
    """Whether all parts of a term have a value wherever they are: no quotients, no cells at places that data say."""
    return all(node.op in _TOTAL for node in walk(term) if isinstance(node, Apply))


def compare(relation: str, left: Affine, right: Affine) -> Domain:
    """Return where a comparison of affine expressions holds."""
    same = Domain.of(equal(left, right))
    if relation in {"eq", "ne"}:
        return same if relation == "eq" else same.complement()
    if relation in {"lt", "gt"}:
        return Domain.of(Constraint((right - left if relation == "lt" else left - right) - 1))
    return Domain.of(Constraint(right - left if relation == "le" else left - right))


def choose_by(condition: Domain, chosen: Term, other: Term) -> Term:
    """Choose a term by a condition on indices and sizes."""
    if chosen is other:
        return chosen
    return terms.piecewise(((condition, chosen), (condition.complement(), other)))


_INTEGER_COMPARISONS: list[tuple[str, Callable[[Term], Term] | None]] = [
    ("eq", None), ("ne", None), ("lt", signed), ("le", signed), ("gt", signed), ("ge", signed),
    ("lt", unsigned), ("le", unsigned), ("gt", unsigned), ("ge", unsigned),
]  # fmt: skip
_ORDERED = {1: "eq", 2: "gt", 3: "ge", 4: "lt", 5: "le"}
_UNORDERED = {9: "le", 10: "lt", 11: "ge", 12: "gt"}  # true where the opposite ordered comparison is false


def integer_predicate(op: Operation) -> tuple[str, bool]:
    """Return the comparison of an ``arith.cmpi`` and whether it reads its operands as unsigned."""
    name, sign = _INTEGER_COMPARISONS[_predicate(op)]
    return name, sign is unsigned


def _predicate(op: Operation) -> int:
    attribute: Any = op.properties["predicate"]
    return int(attribute.value.data)


def _compare_integers(op: Operation, operands: list[Term]) -> Term:
    name, sign = _INTEGER_COMPARISONS[_predicate(op)]
    if operands[0].dtype == "bool" and sign is not None:
        return _compare_truths(name, operands if sign is unsigned else operands[::-1])
    if operands[0].dtype == "bool" and name in {"eq", "ne"} and _is_zero(operands[1]):  # a byte that is one
        return operands[0] if name == "ne" else terms.apply("not", operands[0])
    operands = list(map(sign, operands)) if sign else _joined(operands)
    operands = [fused(operand) for operand in operands]
    term, types = terms.apply(name, *operands), {"M": operands[0].dtype}
    narrow = [widened_from(operand) for operand in operands]
    found = None
    if narrow[0].dtype == narrow[1].dtype:  # the order of values is that of the wider type
        found = rewritten(f"{name} of converted", term, types=types, a=narrow[0], b=narrow[1])
    elif name in {"eq", "ne"} and _is_zero(narrow[1]):
        found = rewritten(f"{name} of a converted integer and zero", term, types=types, a=narrow[0])
    return found or term


def _compare_truths(name: str, operands: list[Term]) -> Term:
    """Compare truth values of which the true one is the greater."""
    lesser, greater = operands if name in {"lt", "le"} else operands[::-1]
    return terms.apply("and" if name in {"lt", "gt"} else "or", terms.apply("not", lesser), greater)


def _is_zero(term: Term) -> bool:
    return isinstance(term, Constant) and not term.value


def _compare_floats(op: Operation, operands: list[Term]) -> Term:
    predicate, (left, right) = _predicate(op), operands
    if predicate in _ORDERED:
        return terms.apply(_ORDERED[predicate], left, right)
    if predicate in _UNORDERED:
        return terms.apply("not", terms.apply(_UNORDERED[predicate], left, right))
    if predicate in {0, 15}:
        return TRUE if predicate else FALSE
    if predicate == 13:  # noqa: PLR2004 - "une", C's !=
        return terms.apply("ne", left, right)
    ordered = terms.apply("and", terms.apply("eq", left, left), terms.apply("eq", right, right))
    if predicate == 6:  # noqa: PLR2004 - "one"
        return terms.apply("and", ordered, terms.apply("ne", left, right))
    if predicate == 8:  # noqa: PLR2004 - "ueq"
        return terms.apply("or", terms.apply("not", ordered), terms.apply("eq", left, right))
    return ordered if predicate == 7 else terms.apply("not", ordered)  # noqa: PLR2004 - "ord"; 14 is "uno"


def _cast(sign: Callable[[Term], Term] | None, *, to_unsigned: bool | None = None) -> Builder:
    """Convert to the result type; an integer result is unsigned as told, by default as the operand is."""

    def build(op: Operation, operands: list[Term]) -> Term:
        operand = sign(operands[0]) if sign else operands[0]
        is_unsigned = operand.dtype in UNSIGNED if to_unsigned is None else to_unsigned
        return convert(operand, dtype_of(op.results[0].type, unsigned=is_unsigned))  # type: ignore[arg-type]  # a str

    return build


def _extend_signed(op: Operation, operands: list[Term]) -> Term:
    if operands[0].dtype != "bool":
        return _cast(signed)(op, operands)
    dtype: DType = dtype_of(op.results[0].type)  # type: ignore[assignment]  # a str that names a type
    return convert(sign_of(operands[0], "i8" if dtype in FLOATS else dtype), dtype)


def sign_of(term: Term, dtype: DType) -> Term:
    """Read a truth value as a signed integer of one bit: that bit is the sign, so that true is -1."""
    return terms.apply("neg", convert(term, dtype))


def lowest_bit(term: Term) -> Term:
    """Tell whether an integer is odd: what is left of it in one bit."""
    lowest = terms.apply("bitand", term, terms.one(term.dtype))
    bit, found = terms.apply("ne", lowest, terms.zero(term.dtype)), None
    if applies(term, "cast") and term.args[0].dtype == "bool":
        found = rewritten("lowest bit of a flag", bit, types={"I": term.dtype}, p=term.args[0])
    return found or bit


def _truncate(op: Operation, operands: list[Term]) -> Term:
    return lowest_bit(operands[0]) if dtype_of(op.results[0].type) == "bool" else _cast(None)(op, operands)


def _truncate_float(*, to_unsigned: bool) -> Builder:
    """Convert to an integer; in one bit, only 0 and the one other number are defined."""
    plain = _cast(None, to_unsigned=to_unsigned)

    def build(op: Operation, operands: list[Term]) -> Term:
        if dtype_of(op.results[0].type) != "bool":
            return plain(op, operands)
        return terms.apply("ne", terms.apply("trunc", operands[0]), terms.zero(operands[0].dtype))

    return build


def number(value: float, dtype: DType) -> Term:
    """Return a literal, infinities and NaN included."""
    if math.isfinite(value):
        return terms.constant(Fraction(value), dtype)
    if math.isnan(value):
        return convert(terms.apply("nan"), dtype)
    infinity = convert(terms.apply("infinity"), dtype)
    return infinity if value > 0 else terms.apply("neg", infinity)


def _constant(op: Operation, _: list[Term]) -> Term:
    attribute: Any = op.properties["value"]
    dtype: DType = dtype_of(op.results[0].type)  # type: ignore[assignment]  # a str that names a type
    if dtype in FLOATS:
        return number(round_float(float(attribute.value.data), dtype), dtype)
    whole = attribute.value.data
    return terms.constant(bool(whole) if dtype == "bool" else whole, dtype)


def _fma(_: Operation, operands: list[Term]) -> Term:
    return terms.apply("add", terms.apply("mul", *operands[:2]), operands[2])


def _reciprocal_root(_: Operation, operands: list[Term]) -> Term:
    return terms.apply("div", terms.one(operands[0].dtype), terms.apply("sqrt", operands[0]))


def _integer_power(_: Operation, operands: list[Term]) -> Term:
    return terms.apply("pow", operands[0], convert(operands[1], operands[0].dtype))


class UnknownOperationError(Exception):
    """Raised for an operation that has no row here."""


_SAME_NAME = [*REALS, *(name for name in ROUNDINGS if name != "rint"), "atan2", "copysign"]

_ROWS: dict[str, Builder] = {
    "arith.constant": _constant,
    "arith.addf": _plain("add"),
    "arith.subf": _plain("sub"),
    "arith.mulf": _plain("mul"),
    "arith.divf": _plain("div"),
    "arith.remf": _plain("rem"),
    "arith.negf": _plain("neg"),
    "arith.maximumf": _plain("max"),
    "arith.minimumf": _plain("min"),
    "arith.maxnumf": _plain("fmax"),
    "arith.minnumf": _plain("fmin"),
    "arith.addi": _plain("add"),
    "arith.subi": _difference,
    "arith.muli": _plain("mul"),
    "arith.divsi": _by_sign("tdiv", signed),
    "arith.divui": _by_sign("tdiv", unsigned),
    "arith.remsi": _by_sign("rem", signed),
    "arith.remui": _by_sign("rem", unsigned),
    "arith.floordivsi": _by_sign("floordiv", signed),
    "arith.maxsi": _by_sign("max", signed),
    "arith.maxui": _by_sign("max", unsigned),
    "arith.minsi": _by_sign("min", signed),
    "arith.minui": _by_sign("min", unsigned),
    "arith.andi": _bitwise("bitand", "and"),
    "arith.ori": _bitwise("bitor", "or"),
    "arith.xori": _bitwise("bitxor", "ne"),
    "arith.shli": _plain("shl"),
    "arith.shrsi": lambda _, operands: terms.apply("shr", signed(operands[0]), operands[1]),
    "arith.shrui": lambda _, operands: terms.apply("shr", unsigned(operands[0]), unsigned(operands[1])),
    "arith.select": _select,
    "arith.cmpi": _compare_integers,
    "arith.cmpf": _compare_floats,
    "arith.extsi": _extend_signed,
    "arith.extui": _cast(unsigned, to_unsigned=False),
    "arith.trunci": _truncate,
    "arith.sitofp": _extend_signed,
    "arith.uitofp": _cast(unsigned),
    "arith.fptosi": _truncate_float(to_unsigned=False),
    "arith.fptoui": _truncate_float(to_unsigned=True),
    "arith.extf": _cast(None),
    "arith.truncf": _cast(None),
    "math.absf": _plain("abs"),
    "math.absi": _by_sign("abs", signed),
    "math.powf": _plain("pow"),
    "math.fpowi": _integer_power,
    "math.roundeven": _plain("rint"),
    "math.fma": _fma,
    "math.rsqrt": _reciprocal_root,
    **{f"math.{name}": _plain(name) for name in _SAME_NAME},
}


def _on_truths(name: str) -> Builder:
    return lambda _, operands: terms.apply(name, *operands)


def _first(_: Operation, operands: list[Term]) -> Term:
    return operands[0]


# Integers of one bit: sums and differences are modulo two, the signed value of true is -1.  Where a quotient or a shift
# is defined, the divisor is true and the amount is zero.
_ON_TRUTHS: dict[str, Builder] = {
    **dict.fromkeys(["arith.addi", "arith.subi"], _on_truths("ne")),
    **dict.fromkeys(["arith.muli", "arith.maxsi", "arith.minui"], _on_truths("and")),
    **dict.fromkeys(["arith.minsi", "arith.maxui"], _on_truths("or")),
    **dict.fromkeys(["arith.remsi", "arith.remui"], lambda _op, _operands: FALSE),
    **dict.fromkeys(
        [
            "arith.divsi", "arith.divui", "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui",
            "arith.shli", "arith.shrsi", "arith.shrui", "math.absi",
        ],
        _first,
    ),
}  # fmt: skip


def term_of(op: Operation, operands: list[Term]) -> Term:
    """Return the meaning of a scalar operation on terms.

    Raises:
        UnknownOperationError: where the operation has no row.

    """
    builder = _ROWS.get(op.name)
    if op.name in _ON_TRUTHS and operands[0].dtype == "bool":
        builder = _ON_TRUTHS[op.name]
    if builder is None:
        raise UnknownOperationError(op.name)
    return _folded(builder(op, operands))


def _folded(term: Term) -> Term:
    """Compute with numbers in the type in which the source does: each result is rounded to it."""
    if not applies(term, ON_NUMBERS) or term.dtype not in FLOATS:
        return term
    values = [a.value for a in term.args if isinstance(a, Constant) and a.dtype == term.dtype]
    if len(values) < len(term.args) or (term.op == "div" and not values[1]):
        return term
    return terms.constant(rounded(ON_NUMBERS[term.op](*values), term.dtype), term.dtype)


def neutral(op: Reducer, dtype: DType) -> Term:
    """Return the operand that a fold ignores, where no number is NaN."""
    return neutral_term(op.removeprefix("f"), dtype)
