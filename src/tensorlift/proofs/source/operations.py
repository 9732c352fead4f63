"""What the scalar operations of literal IR give: exact integers, conditions on indices and sizes, and terms of data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation

from tensorlift.comprehension import terms
from tensorlift.comprehension.quotients import difference, divides, is_not_negative
from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Term, applies
from tensorlift.ir.arithmetic import never_wraps
from tensorlift.ir.function import dtype_of
from tensorlift.ir.scalar_terms import choose_by, compare, convert, integer_predicate, signed, term_of
from tensorlift.ops.dtypes import DType, integer_range, is_integer
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import EMPTY, UNIVERSE, Domain, at_least
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.proofs.source.integers import (
    Exact,
    Known,
    are_equal_bits,
    as_signed,
    as_term,
    as_unsigned,
    divided,
    divided_by_cases,
    is_nonnegative,
    lies_in,
    rests_by_cases,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Attribute, BlockArgument, SSAValue


class Memory(NamedTuple):
    """A memory by its name: of an argument, a local array or a variable at file scope; offsets count from ``start``."""

    name: str
    start: Polynomial = ZERO


class Place(NamedTuple):
    """An offset that is data, counted from an exact one."""

    start: Polynomial
    data: Term


class Cases(NamedTuple):
    """An integer that is another one on each of several domains, which are disjoint and leave no point out."""

    pieces: tuple[tuple[Domain, Exact], ...]


# An integer, one by cases, a condition on indices and sizes, data, a memory, or a place in one that depends on data.
Value: TypeAlias = Exact | Cases | Domain | Term | Memory | Place


class Undecided(Exception):  # noqa: N818 - an answer
    """Raised where it is not shown that a claim holds; says why, and at which operation."""

    def __init__(self, why: str, at: Operation | None = None) -> None:
        super().__init__(why)
        self.at = at


def element_type(of_type: Attribute) -> DType:
    """Name the type of a scalar, or of the cells of a memory; integers are signed."""
    return dtype_of(of_type)  # type: ignore[return-value]  # a str that names a type


def as_data(value: Value, of_type: Attribute, dtype: DType | None = None) -> Term:
    """Return a value of the IR as a term, of the type ``dtype`` where given; an exact integer has the signed type.

    Raises:
        Undecided: for a memory, and where a truth value is wanted for what may be another number than 0 and 1.

    """
    if isinstance(value, Memory | Place):
        raise Undecided("a pointer depends on data, or on the way that was taken")
    if isinstance(value, Cases):
        term = terms.piecewise((domain, as_data(part, of_type)) for domain, part in value.pieces)
    elif isinstance(value, Domain):
        term = TRUE if value is UNIVERSE else FALSE if value is EMPTY else choose_by(value, TRUE, FALSE)
    else:
        term = as_term(value, element_type(of_type)) if isinstance(value, Exact) else value
    if dtype == "bool" and not _is_truth(term):
        raise Undecided("a byte is not shown to be a truth value")
    return convert(term, dtype) if dtype is not None else term


def as_test(value: Value) -> Domain | Term:
    """Return a truth value as a condition on indices and sizes, or on data."""
    return value if isinstance(value, Domain) else as_data(value, i1)


def _is_truth(term: Term) -> bool:
    """Tell whether a number is certainly 0 or 1."""
    match term:
        case Apply(op="select", args=(_, *arms)) | Apply(op="cast", args=arms) if is_integer(term.dtype):
            return all(map(_is_truth, arms))
        case Piecewise():
            return all(map(_is_truth, term.children))
        case Constant(value=value):
            return value in (0, 1)
    return term.dtype == "bool"


def evaluated(op: Operation, operands: Sequence[Value], context: Domain, known: Known) -> Value:
    """Return the result of a scalar operation at the points of a context.

    Raises:
        UnknownOperationError: where the operation has no meaning on terms.

    """
    if op.name == "arith.constant" and isinstance(op.results[0].type, IntegerType):
        return _constant(op, op.results[0].type.width.data)
    for position, value in enumerate(operands):
        if isinstance(value, Cases):
            return _by_cases(op, operands, position, context, known)
    found = _place(op, operands) or _exactly(op, operands, context, known)
    if found is not None:
        return found
    given = [as_data(value, operand.type) for value, operand in zip(operands, op.operands, strict=True)]
    if op.name == "arith.cmpi" and any(map(divides, given)):
        found = _compared_quotients(op, given, context)
        if found is not None:
            return found
    return term_of(op, [signed(term) for term in given] if never_wraps(op) else given)


def _exactly(op: Operation, operands: Sequence[Value], context: Domain, known: Known) -> Value | None:
    """Return the result of an operation on exact integers, or on conditions; None where it is data."""
    given: Any = operands
    if all(isinstance(value, Exact) for value in operands):
        if op.name in _DIVISIONS:
            return _division(op, given, context, known)
        return _INTEGERS[op.name](op, given, context, known) if op.name in _INTEGERS else None
    if not all(isinstance(value, Domain) for value in operands):
        return None
    if op.name == "arith.extui":
        return _as_number(given[0])
    return _CONNECTIVES[op.name](*given) if op.name in _CONNECTIVES else None


def _as_number(truth: Domain) -> Value:
    """Return a condition on indices and sizes as the number 1 or 0."""
    one, zero = (Exact(Polynomial.constant(number), is_signed=True) for number in (1, 0))
    return one if truth is UNIVERSE else zero if truth is EMPTY else Cases(((truth, one), (truth.complement(), zero)))


def _by_cases(op: Operation, operands: Sequence[Value], position: int, context: Domain, known: Known) -> Value:
    """Evaluate an operation for each case of an operand."""
    cases = operands[position]
    assert isinstance(cases, Cases)
    found: list[tuple[Domain, Value]] = []
    for domain, part in cases.pieces:
        where = context & domain
        if not where.is_empty():
            given = [*operands[:position], part, *operands[position + 1 :]]
            found.append((domain, evaluated(op, given, where, known)))
    if len(found) == 1:
        return found[0][1]
    return joined(found, op.results[0].type)


def joined(found: Sequence[tuple[Domain, Value]], of_type: Attribute) -> Value:
    """Return a value that is another one on each of several domains."""
    if all(isinstance(value, Domain) for _, value in found):
        return Domain.union(domain & value for domain, value in found if isinstance(value, Domain))
    if all(isinstance(value, Exact | Cases) for _, value in found):
        pieces: list[tuple[Domain, Exact]] = []
        for domain, value in found:
            parts = value.pieces if isinstance(value, Cases) else ((UNIVERSE, value),)
            pieces += [(domain & where, part) for where, part in parts if isinstance(part, Exact)]
        return Cases(tuple(pieces))
    return terms.piecewise((domain, as_data(value, of_type)) for domain, value in found)


def _place(op: Operation, operands: Sequence[Value]) -> Value | None:
    """Add data to an offset; where the sum is that of a cell, it does not overflow."""
    pairs = zip(op.operands, operands, strict=True)
    operands = [_as_offset(value, found) if isinstance(found, Term) else found for value, found in pairs]
    match op.name, operands:
        case "arith.addi", (Exact() as start, Term() as data) | (Term() as data, Exact() as start):
            return Place(start.value, data) if not all(n.isidentifier() for n in start.value.variables()) else None
        case "arith.addi", (Place() as place, Exact() as more) | (Exact() as more, Place() as place):
            return Place(place.start + more.value, place.data)
        case "arith.addi", (Place() as place, Term() as data) | (Term() as data, Place() as place):
            return Place(place.start, terms.apply("add", place.data, data)) if data.dtype == "i64" else None
        case "arith.index_cast", (Place() as place,):
            return place
        case "arith.index_cast", (Term() as data,):
            return Place(ZERO, data)
    return None


_SUMS = {"arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul"}


def _as_offset(value: SSAValue, term: Term) -> Term:
    """Say widened sums with products, which do not overflow, as those of what is widened: rows and columns of it."""
    owner = value.owner
    if not isinstance(owner, Operation):
        return term
    if owner.name == "arith.extsi" and applies(term, "cast"):
        narrow = term.args[0]
        return _widened_in(owner.operands[0], narrow) if any(applies(node, "mul") for node in walk(narrow)) else term
    return _as_sum(owner, term, _as_offset) or term


def _widened_in(value: SSAValue, term: Term) -> Term:
    owner = value.owner
    found = _as_sum(owner, term, _widened_in) if isinstance(owner, Operation) else None
    if found is not None:
        return found
    term = signed(term)
    return terms.index(term.affine, "i64") if isinstance(term, Index) else convert(term, "i64")


def _as_sum(op: Operation, term: Term, part: Callable[[SSAValue, Term], Term]) -> Term | None:
    """Say a sum or product that does not overflow by its parts; None where a term is none."""
    if not never_wraps(op) or not isinstance(term, Apply) or term.op != _SUMS.get(op.name):
        return None
    return terms.apply(term.op, *map(part, op.operands, term.args))


def _constant(op: Operation, width: int) -> Value:
    attribute: Any = op.properties["value"]
    if width == 1:
        return UNIVERSE if attribute.value.data else EMPTY
    return Exact(Polynomial.constant(attribute.value.data), is_signed=True)


_CONNECTIVES: dict[str, Callable[[Domain, Domain], Domain]] = {
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: (a - b) | (b - a),
}


# -- exact integers

IntegerRule: TypeAlias = "Callable[[Operation, list[Exact], Domain, Known], Value | None]"


def _arithmetic(combine: Callable[[Polynomial, Polynomial], Polynomial]) -> IntegerRule:
    """Compute modulo two to the width; where overflow is undefined, the signed value is that of the operands'."""

    def build(op: Operation, operands: list[Exact], _: Domain, __: Known) -> Value:
        left, right = operands
        value = combine(left.value, right.value)
        return Exact(value, left.is_signed and right.is_signed and (never_wraps(op) or _fits(value, op)))

    return build


def _fits(value: Polynomial, op: Operation) -> bool:
    """Tell whether a number is the signed value of its bits."""
    number, of_type = value.constant_value, op.results[0].type
    assert isinstance(of_type, IntegerType)
    half = 1 << (of_type.width.data - 1)
    return number is not None and -half <= number < half


def _widened(op: Operation, operands: list[Exact], context: Domain, known: Known) -> Value | None:
    read = as_unsigned if op.name == "arith.extui" else as_signed
    found = read(operands[0], element_type(op.operands[0].type), context, known)
    return None if found is None else Exact(found, is_signed=True)


def _cut_off(op: Operation, operands: list[Exact], context: Domain, known: Known) -> Value | None:
    """Keep the lower bits; a single one is a truth value, and no number."""
    if op.results[0].type == i1:
        return None
    value, (low, high) = operands[0].value, integer_range(element_type(op.results[0].type))
    return Exact(value, is_signed=lies_in(value, low, high, context, known))


def _extremum(op: Operation, operands: list[Exact], context: Domain, known: Known) -> Value | None:
    """Give the less or the greater number by cases."""
    dtype = element_type(op.results[0].type)
    left, right = (as_signed(operand, dtype, context, known) for operand in operands)
    difference = (left - right).as_affine() if left is not None and right is not None else None
    if left is None or right is None or difference is None:
        return None
    is_left = compare("le" if op.name == "arith.minsi" else "ge", difference, Affine(0))
    cases = [(is_left, left), (is_left.complement(), right)]
    found = [(domain, Exact(part, is_signed=True)) for domain, part in cases if not context.is_disjoint(domain)]
    return Cases(tuple(found)) if len(found) != 1 else found[0][1]


def _as_index(_op: Operation, operands: list[Exact], _: Domain, __: Known) -> Value:
    """Take an offset for an index: it is one only where it is shown to be that of a cell."""
    return operands[0]


def _compared(op: Operation, operands: list[Exact], context: Domain, known: Known) -> Value | None:
    name, is_unsigned = integer_predicate(op)
    dtype = element_type(op.operands[0].type)
    readings = (as_unsigned,) if is_unsigned else (as_signed, as_unsigned) if name in {"eq", "ne"} else (as_signed,)
    for read in readings:
        left, right = (read(operand, dtype, context, known) for operand in operands)
        if left is not None and right is not None:
            difference = (left - right).as_affine()
            return (
                _ordered(name, right - left, context, known)
                if difference is None
                else compare(name, difference, Affine(0))
            )
    if name in {"eq", "ne"}:
        apart = are_equal_bits(operands[0], operands[1], dtype, context, known)
        exact = apart.as_affine() if apart is not None else None
        return None if exact is None else compare(name, exact, Affine(0))
    return None


def _compared_quotients(op: Operation, sides: Sequence[Term], context: Domain) -> Domain | None:
    """Compare integers of which one divides: where that is so, or with one answer by what bounds them."""
    name, is_unsigned = integer_predicate(op)
    if is_unsigned and not all(is_not_negative(side, context) for side in sides):
        return None
    left, right = sides
    exact = difference(left, right, context, has_data=False)
    if exact is not None:
        return (compare(name, exact.value, Affine(0)) & exact.facts).project_out(*exact.names)
    about = difference(left, right, context, has_data=True)
    if about is None:
        return None
    told, inside = compare(name, about.value, Affine(0)), context & about.facts
    return UNIVERSE if inside.is_subset(told) else EMPTY if inside.is_disjoint(told) else None


def _ordered(name: str, above: Polynomial, context: Domain, known: Known) -> Domain | None:
    """Compare integers of which the second is ``above`` the first, where one answer is right everywhere."""
    if name in {"gt", "ge"}:
        name, above = name.replace("g", "l"), -above
    strictly = name == "lt"
    if name in {"lt", "le"}:
        if is_nonnegative(above - ONE if strictly else above, context, known.extents):
            return UNIVERSE
        return EMPTY if is_nonnegative(-above if strictly else -above - ONE, context, known.extents) else None
    if any(is_nonnegative(apart - ONE, context, known.extents) for apart in (above, -above)):
        return EMPTY if name == "eq" else UNIVERSE
    return None


# Whether an operation reads its operands as unsigned, and whether it gives the rest.
_DIVISIONS = {
    "arith.divsi": (False, False),
    "arith.floordivsi": (False, False),
    "arith.divui": (True, False),
    "arith.ceildivsi": (False, False),
    "arith.remsi": (False, True),
    "arith.remui": (True, True),
    "arith.shrsi": (False, False),
    "arith.shrui": (True, False),
    "arith.andi": (False, True),  # by one less than a power of two, whatever the sign
}
_LINEAR = {"arith.addi", "arith.subi", "arith.muli", "arith.extsi"}
_ROUNDED_DOWN = frozenset({"arith.floordivsi", "arith.ceildivsi", "arith.shrsi", "arith.andi"})  # whatever the sign


def _division(op: Operation, operands: list[Exact], context: Domain, known: Known) -> Value | None:
    """Divide without a rest, by the name that the quotient has, or where the rest is known."""
    is_unsigned, gives_rest = _DIVISIONS[op.name]
    dtype = element_type(op.operands[0].type)
    read = as_unsigned if is_unsigned else as_signed
    numerator, divisor = (read(operand, dtype, context, known) for operand in operands)
    if numerator is None or divisor is None:
        return None
    if op.name.startswith("arith.shr"):
        number = divisor.constant_value
        if number is None or not 0 <= number < int(dtype[1:]):
            return None
        divisor = Polynomial.constant(1 << number)
    if op.name == "arith.andi":
        number = divisor.constant_value
        if number is None or number < 1 or number & (number + 1):
            return None
        divisor += ONE
    number = divisor.constant_value
    if op.name == "arith.ceildivsi":
        if number is None:
            return None
        numerator += Polynomial.constant(number - 1)
    is_small = number is not None and 1 < number <= integer_range(dtype)[1]  # so are quotient and rest
    is_down = op.name in _ROUNDED_DOWN
    whole = _quotient(numerator, divisor, context, known, is_down=is_down)
    pieces = [
        (domain, Exact(numerator - quotient * divisor if gives_rest else quotient, is_small or not is_unsigned))
        for domain, quotient in (
            [(UNIVERSE, whole)] if whole is not None else divided_by_cases(numerator, divisor, context, is_down=is_down)
        )
    ]
    if not pieces and gives_rest and number is not None and _is_compared(op.results[0]):
        rests = rests_by_cases(numerator, number, context)
        pieces = [(domain, Exact(Polynomial.constant(rest), is_signed=True)) for domain, rest in rests]
    return None if not pieces else pieces[0][1] if len(pieces) == 1 else Cases(tuple(pieces))


def _is_compared(value: SSAValue) -> bool:
    """Tell whether comparisons alone ask for an integer, or where loops begin: what is stored is a term."""
    uses = [(use.operation, use.index) for use in value.uses]
    return all(
        op.name == "arith.cmpi"
        or (op.name in _LINEAR and _is_compared(op.results[0]))
        or (op.name == "cf.br" and _is_counter(op.successors[0].args[index]))
        for op, index in uses
    )


def _is_counter(argument: BlockArgument) -> bool:
    """Tell whether a block compares what it is given."""
    return any(use.operation.name == "arith.cmpi" and use.operation.parent is argument.block for use in argument.uses)


def _quotient(
    value: Polynomial, divisor: Polynomial, context: Domain, known: Known, *, is_down: bool
) -> Polynomial | None:
    """Divide by what is positive; ``is_down`` where the quotient of a negative number is rounded down too."""
    number, exact = divisor.constant_value, value.as_affine()
    if number is not None and number <= 0:
        return None
    quotient, rest = value.divide(divisor)
    if not rest.terms:
        return quotient
    below = divisor.as_affine()
    if number is None and exact is not None and below is not None:
        is_one = context.implies(at_least(exact, 0), at_least(below, 1))
        named = (size.name for size in known.derived if (size.numerator, size.divisor) == (exact, below))
        if is_one and (name := next(named, None)) is not None:
            return Polynomial.variable(name)
    if number is not None and exact is not None and (is_down or context.implies(at_least(exact, 0))):
        constant = rest.constant_value
        if constant is not None:
            return quotient + Polynomial.constant(constant // number)
        named = (size.name for size in known.derived if size.numerator == exact and size.divisor == number)
        if (name := next(named, None)) is not None:
            return Polynomial.variable(name)
    return divided(value, divisor, context, known.extents)


_INTEGERS: dict[str, IntegerRule] = {
    "arith.addi": _arithmetic(lambda a, b: a + b),
    "arith.subi": _arithmetic(lambda a, b: a - b),
    "arith.muli": _arithmetic(lambda a, b: a * b),
    "arith.extsi": _widened,
    "arith.extui": _widened,
    "arith.trunci": _cut_off,
    "arith.index_cast": _as_index,
    "arith.cmpi": _compared,
    "arith.maxsi": _extremum,
    "arith.minsi": _extremum,
}
