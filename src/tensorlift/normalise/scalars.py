"""Rules for numbers: exact where their operands are, tests of comparisons, and else the same operation on data."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Operation

from tensorlift.ir.arithmetic import (
    NEGATED,
    constant_of,
    evaluator,
    never_wraps,
    predicate_of,
    width_of,
)
from tensorlift.ir.location import END, name_of
from tensorlift.ir.operations import can_be_eager, operation_class
from tensorlift.normalise.accesses import counts_rows
from tensorlift.normalise.bounds import cut_off, from_the_end, has_multiple, is_of_data, untold_extent
from tensorlift.normalise.cases import NO_VARIABLE, chosen_form, computed, decided, sign
from tensorlift.normalise.conditions import AffineCondition
from tensorlift.normalise.evolution import same
from tensorlift.normalise.exact import DIVISIONS, EXACT, QUOTIENTS, constant, integer, read_as
from tensorlift.normalise.execution import Test, ctype_of, derived_size, note_least, require_returned
from tensorlift.normalise.steering import is_integer
from tensorlift.normalise.truths import (
    COMBINED,
    conjunction,
    decided_here,
    disjunction,
    inverted,
    joined_known,
    known_of,
)
from tensorlift.normalise.values import Choice, Data, Unknown
from tensorlift.ops.c_types import INT, LONG, UNSIGNED_LONG, FloatType
from tensorlift.poly.index_arithmetic import Index, Need, compare_constants, convert, counts_objects, wrapping_point
from tensorlift.poly.loops import Known, NotZero
from tensorlift.poly.polynomial import ONE, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xdsl.ir import Attribute, SSAValue

    from tensorlift.normalise.execution import Execution, Rule

_KEPT = ("predicate",)  # the properties that say what an operation on data computes
_NONE: Mapping[str, Attribute] = MappingProxyType({})
_CASTS = {"arith.index_cast", "arith.index_castui"}
_LARGEST_POWER = 8
_WIDENING = {"arith.extui", "arith.extsi"}
_PLACES = {"arith.addi", "arith.subi", "arith.muli"}


def copied(ex: Execution, op: Operation) -> None:
    """Compute with data by the same operation."""
    kept = {name: op.properties[name] for name in _KEPT if name in op.properties}
    ex.values[op.results[0]] = _made(ex, op.name, [ex.number(operand) for operand in op.operands], op.results[0], kept)


def _made(
    ex: Execution, name: str, operands: Sequence[Data], result: SSAValue, properties: Mapping[str, Attribute] = _NONE
) -> Data:
    """Compute with values of the program, which gives one of the type of a result."""
    made = operation_class(name).create(
        operands=[operand.ssa for operand in operands],
        result_types=[result.type],
        properties=dict(properties),
        location=ex.sink.place(ex.place),
    )
    return Data(ex.sink.value_of(made), ctype_of(result), truth=result.type == i1)


def _constant(ex: Execution, op: Operation) -> None:
    value: Any = op.properties["value"]
    result = op.results[0]
    if isinstance(value, FloatAttr):
        ex.values[result] = ex.sink.constant(value.value.data, ctype_of(result), ex.place)
    elif isinstance(value, IntegerAttr) and is_integer(result):
        ex.values[result] = constant(op)
    else:
        ex.values[result] = Test(bool(value.value.data))


def _poison(ex: Execution, op: Operation) -> None:
    reason = "no-return" if name_of(op) == END else "uninitialised"
    ex.values[op.results[0]] = Unknown(reason, op.results[0].name_hint or NO_VARIABLE)


def _integer(ex: Execution, op: Operation) -> None:
    """Compute with integers: exactly, where the operands are exact."""
    result = op.results[0]
    if not is_integer(result) or not all(map(is_integer, op.operands)) or op.name not in EXACT:
        (_truth if not is_integer(result) else copied)(ex, op)
        return
    operands: list[object] = [decided(ex, ex.values[operand]) for operand in op.operands]
    is_exact = never_wraps(op) or width_of(result.type) >= ex.exact_from > INT.width
    steers = result in ex.steering.values
    if any(not isinstance(o, Index | Choice) for o in operands) and steers and op.name in _PLACES and is_exact:
        operands = [o if isinstance(o, Choice) else ex.as_index(v) for o, v in zip(operands, op.operands, strict=True)]
    found = None
    if any(is_of_data(ex, operand) for operand in operands) and _is_rest(op):
        copied(ex, op)
        return
    is_place = op.name in {*_PLACES, *_CASTS} or (op.name == "arith.extsi" and has_multiple(ex, operands[0]))
    if is_place or not any(is_of_data(ex, operand) for operand in operands):
        found = computed(ex, operands, lambda exact: _exactly(ex, op, exact, splits=steers and op.name in DIVISIONS))
    if found is not None:
        if is_of_data(ex, found) and not untold_extent(found.polynomial) and not counts_rows(found.polynomial):
            copied(ex, op)
            ex.numbers.pop(result, None)  # of another arm
            ex.numbers[result] = ex.number(result)
        ex.values[result] = found
        return
    if op.name in _CASTS:
        ctype = integer(result.type, signed=op.name == "arith.index_cast")
        ex.values[result] = ex.sink.convert(_read_data(ex, op.operands[0], ctype.signed), ctype, ex.place)
        return
    untold = next((name for o in operands if isinstance(o, Index) and (name := untold_extent(o.polynomial))), None)
    if untold is None:
        copied(ex, op)
    else:
        ex.values[result] = Unknown("extent", untold)


def _is_rest(op: Operation) -> bool:
    """Tell whether an operation computes ``a - a // b * b``, a number of its own: it is no sum of places."""
    product = op.operands[-1].owner
    if op.name != "arith.subi" or not isinstance(product, Operation) or product.name != "arith.muli":
        return False
    quotient = product.operands[0].owner
    return (
        isinstance(quotient, Operation)
        and quotient.name == "arith.floordivsi"
        and (op.operands[0], product.operands[1]) == tuple(quotient.operands)
    )


def _exactly(ex: Execution, op: Operation, operands: Sequence[object], *, splits: bool) -> Index | Polynomial | None:
    """Compute with exact integers; gives where a quotient wraps, if it may be split there."""
    exact = [operand for operand in operands if isinstance(operand, Index)]
    found = EXACT[op.name](op, exact, ex.setting) if len(exact) == len(operands) else None
    if found is None and splits and len(exact) == len(operands):
        point = wrapping_point(exact[0].polynomial, exact[1].polynomial, ex.ranges, ex.domain)
        if point is not None and sign(ex, point) is None:
            return point
        found = _quotient_of_sizes(ex, op, exact) if op.name in QUOTIENTS else None
    if found is not None and op.name == "arith.muli" and not found.polynomial.is_affine:
        ex.products.setdefault(found.polynomial, (exact[0].polynomial, exact[1].polynomial))
    return found


def _quotient_of_sizes(ex: Execution, op: Operation, operands: Sequence[Index]) -> Index | None:
    ctype = integer(op.results[0].type, signed=op.name != "arith.divui")
    read = [one for operand in operands if (one := read_as(operand, ctype, ex.setting)) is not None]
    return derived_size(ex, read[0], read[1], ctype) if len(read) == len(operands) else None


def _read_data(ex: Execution, value: SSAValue, signed: bool) -> Data:  # noqa: FBT001 - one of two readings
    """Give an integer of the emitted program, read with or without a sign."""
    return replace(ex.number(value), ctype=integer(value.type, signed=signed))


def _truth(ex: Execution, op: Operation) -> None:
    """Combine truth values."""
    if op.name not in COMBINED:
        copied(ex, op)
        return

    def combine(sides: Sequence[object]) -> Test | None:
        left, right = sides
        return COMBINED[op.name](left, right) if isinstance(left, Test) and isinstance(right, Test) else None

    found = computed(ex, [ex.values[operand] for operand in op.operands], combine)
    if found is not None:
        ex.values[op.results[0]] = found
        return
    left, right = (ex.test(operand) for operand in op.operands)
    copied(ex, op)
    known = known_of(op.name, left, right)
    sides = ((left, right), (right, left)) if op.name == "arith.xori" else ()
    contrary = [other.condition for one, other in sides if one.condition is True]
    of_data = [condition for condition in contrary if isinstance(condition, Data)]
    ex.values[op.results[0]] = Test(ex.number(op.results[0]), known, of_data[0] if of_data else None)


def _compared(ex: Execution, op: Operation) -> None:
    """Compare integers: an affine condition, where both are exact."""
    operator, signed = predicate_of(op)
    asked = _truth_in(op.operands[0]) if constant_of(op.operands[1]) == 0 else None
    if asked is not None and operator in {"==", "!="}:
        test = ex.test(asked)
        if operator == "!=" or not isinstance(test.condition, Data):
            ex.values[op.results[0]] = test if operator == "!=" else inverted(test)
            return
    unknown = next((value for value in map(ex.values.get, op.operands) if isinstance(value, Unknown)), None)
    if unknown is not None:
        ex.values[op.results[0]] = unknown
        return

    def compare(sides: Sequence[object]) -> Test | None:
        left, right = sides
        if not isinstance(left, Index) or not isinstance(right, Index) or is_of_data(ex, left) or is_of_data(ex, right):
            return None
        return _affine(ex, operator, op, (left, right), signed=signed)

    found = computed(ex, [ex.values[operand] for operand in op.operands], compare)
    if found is not None:
        ex.values[op.results[0]] = found
    else:
        copied(ex, op)


def _ordered(ex: Execution, op: Operation) -> None:
    """Compare floats: constants are, as ``beta == 0`` where a caller passes 1."""
    literals = [found.literal if isinstance(found, Data) else None for found in map(ex.values.get, op.operands)]
    compare = evaluator(op)
    if None in literals or compare is None:
        copied(ex, op)
        return
    ctype = ctype_of(op.operands[0])
    assert isinstance(ctype, FloatType)
    given = [ctype.rounded(one) for one in literals if one is not None]
    ex.values[op.results[0]] = Test(bool(compare(*given)))


def _truth_in(value: SSAValue) -> SSAValue | None:
    """Give the truth value that an integer was made of."""
    op: Any = value.owner
    while getattr(op, "name", "") in _WIDENING:
        value = op.operands[0]
        if value.type == i1:
            return value if op.name == "arith.extui" else None
        op = value.owner
    return None


def _affine(ex: Execution, operator: str, op: Operation, sides: tuple[Index, Index], *, signed: bool) -> Test | None:
    left, right = sides
    if operator not in {"==", "!="}:
        ctype = integer(op.operands[0].type, signed=signed)
        read = [read_as(side, ctype, ex.setting) for side in sides]
        if read[0] is None or read[1] is None:
            return None
        left, right = read[0], read[1]
    elif left.ctype.signed != right.ctype.signed:
        found = _without_sign(ex, op, left, right)
        if found is None:
            return None
        left, right = found
    difference = left.polynomial - right.polynomial
    if counts_rows(difference):
        raise refusal("pointer-compared", ex.at(op), "pointers to two rows of a table are compared")
    value = difference.constant_value
    known = (_known(ex, operator, difference), _known(ex, NEGATED[operator], difference))
    if value is None and not difference.is_affine:
        return None
    ex.rely_on(left)
    ex.rely_on(right)
    if value is not None:
        return Test(bool(compare_constants(operator, value)))
    if operator == "!=":
        return Test(AffineCondition(((difference, True),), inverted=True), known)
    return Test(AffineCondition((_constraint(operator, difference),)), known)


def _without_sign(ex: Execution, op: Operation, left: Index, right: Index) -> tuple[Index, Index] | None:
    """Read sides that are compared for equality, only one of which has a sign: they are equal modulo their range.

    A constant is read without; another one is less than the whole range below the other side, which is asked for.
    """
    ctype = integer(op.operands[0].type, signed=False)
    signed, other = (left, right) if left.ctype.signed else (right, left)
    if signed.polynomial.constant_value is not None:
        read = convert(signed, ctype, ex.place)
        if read is None or (read.polynomial.constant_value or 0) > LONG.maximum:
            return None  # no condition on sizes holds so large a number
        return (read, right) if signed is left else (left, read)
    if ctype.width < LONG.width:
        room = Polynomial.constant(ctype.maximum) - other.polynomial + signed.polynomial
        ex.preconditions.demand(Need("overflow", room, ex.place), ex.domain)
    return left, right


def _constraint(operator: str, difference: Polynomial) -> tuple[Polynomial, bool]:
    """Write ``difference operator 0`` as a polynomial that is not negative, or zero where marked."""
    match operator:
        case "<":
            return -difference - ONE, False
        case "<=":
            return -difference, False
        case ">":
            return difference - ONE, False
        case ">=":
            return difference, False
    return difference, True


def _known(ex: Execution, operator: str, difference: Polynomial) -> Known:
    if operator != "!=":
        polynomial, equality = _constraint(operator, difference)
        return (polynomial, -polynomial) if equality else (polynomial,)
    for side in (difference, -difference):  # what differs from its end lies beyond it
        if ex.ranges.is_certain(side, ex.domain):
            return (side - ONE,)
    return (NotZero(difference),)


def _to_float(ex: Execution, op: Operation) -> None:
    """Convert an integer to a float; one that is exact with its sign, where that is certain."""
    value, result = ex.index(op.operands[0]) if is_integer(op.operands[0]) else None, op.results[0]
    ctype = ctype_of(result)
    assert isinstance(ctype, FloatType)
    read = read_as(value, integer(op.operands[0].type, signed=op.name == "arith.sitofp"), ex.setting) if value else None
    if read is None:
        copied(ex, op)
        return
    constant_value = read.polynomial.constant_value
    if constant_value is not None:
        ex.rely_on(read)
        ex.values[result] = ex.sink.constant(float(constant_value), ctype, ex.place)
        return
    is_unsigned = read.ctype == UNSIGNED_LONG
    if _is_exact_in_long(ex, read):
        ex.rely_on(read)
        read, is_unsigned = Index(read.polynomial, LONG), False
    made = ex.sink.convert(ex.number_of(read), ctype, ex.place)
    ex.values[result] = made
    if is_unsigned:
        ex.converted.append((made, read.polynomial, ex.domain))


def _is_exact_in_long(ex: Execution, value: Index) -> bool:
    """Tell whether an unsigned value certainly is the exact one, and 64 bits with a sign hold it."""
    if value.ctype == UNSIGNED_LONG:
        return counts_objects(value.polynomial)
    rooms = (need.polynomial for need in value.needs if need.wraps)
    return not value.ctype.signed and all(ex.ranges.is_certain(room, ex.domain) for room in rooms)


_ASKS = {"arith.cmpi", "arith.maxsi", "arith.minsi"}  # where all that matters of an extreme is which one it is


def _extremum(ex: Execution, op: Operation) -> None:
    """Give the least or greatest of two integers; the least of several bounds loops, and is one of them elsewhere."""
    found = cut_off(ex, op)
    if found is not None:
        ex.values[op.results[0]] = found
        return
    exact = [ex.index(operand) for operand in op.operands]
    reached = EXACT[op.name](op, [one for one in exact if one is not None], ex.setting) if None not in exact else None
    if reached is not None:
        ex.values[op.results[0]] = reached
        return
    is_least = op.name == "arith.minsi"
    bounds = [ex.least.get(o) or (one,) for o, one in zip(op.operands, exact, strict=True)]
    several = tuple(one for side in bounds for one in side if one is not None)
    if is_least and all(None not in side for side in bounds):
        ex.least[op.results[0]] = several

    def choose(sides: Sequence[object]) -> Index | Polynomial | None:
        first, second = sides
        if not isinstance(first, Index) or not isinstance(second, Index):
            return None
        room = second.polynomial - first.polynomial if is_least else first.polynomial - second.polynomial
        known = sign(ex, room)
        return room if known is None else (first if known else second)

    operands = [ex.values[operand] for operand in op.operands]
    result = op.results[0]
    steers = result in ex.steering.values or all(use.operation.name in _ASKS for use in result.uses)
    is_known = all(isinstance(one, Index | Choice) for one in operands)
    form = computed(ex, operands, choose) if steers and is_known else None
    if form is None:
        copied(ex, op)
    else:
        ex.values[op.results[0]] = form


def _power(ex: Execution, op: Operation) -> None:
    """Multiply a small power out."""
    base, exponent = (ex.number(operand) for operand in op.operands)
    count = exponent.literal
    if count is None or not float(count).is_integer() or not 1 <= abs(count) <= _LARGEST_POWER:
        copied(ex, op)
        return
    product = base
    for _ in range(int(abs(count)) - 1):
        product = _made(ex, "arith.mulf", [product, base], op.results[0])
    if count < 0:
        one = ex.sink.constant(1.0, base.ctype, ex.place)
        product = _made(ex, "arith.divf", [one, product], op.results[0])
    ex.values[op.results[0]] = product


def _to_other_float(ex: Execution, op: Operation) -> None:
    """Convert a float to another type; a constant is one of that."""
    value, result = ex.number(op.operands[0]), op.results[0]
    if value.literal is None:
        copied(ex, op)
    else:
        ex.values[result] = ex.sink.constant(value.literal, ctype_of(result), ex.place)


def _negated(ex: Execution, op: Operation) -> None:
    ex.values[op.results[0]] = ex.sink.negated(ex.number(op.operands[0]), ex.place)


def _selected(ex: Execution, op: Operation) -> None:
    """Choose between two values that are there."""
    condition, then, otherwise = op.operands
    result = op.results[0]
    found = from_the_end(ex, op)
    if is_of_data(ex, found):
        ex.numbers[result] = ex.number(otherwise)
    ex.values[result] = chosen(ex, ex.test(condition), (then, otherwise), result) if found is None else found


def chosen(ex: Execution, test: Test, arms: tuple[SSAValue, SSAValue], result: SSAValue) -> Any:
    """Give one of two values that are computed already."""
    test = decided_here(ex, test)
    if isinstance(test.condition, bool):
        return ex.values[arms[0 if test.condition else 1]]
    require_returned(ex, *(ex.values[arm] for arm in arms))
    for arm, other in (arms, arms[::-1]):
        if isinstance(ex.values[arm], Unknown):
            return ex.values[other]
    if result.type == i1:
        return _chosen_truth(ex, test, arms, result)
    first, second = (ex.index(arm) if is_integer(arm) else None for arm in arms)
    alike = same(first, second)
    if alike is not None:
        return alike
    note_least(ex, result, test, [first, second])
    form = chosen_form(ex, result, test, [decided(ex, ex.values[arm]) for arm in arms])
    if form is not None:
        return form
    return _made(ex, "arith.select", [ex.truth(test.condition), *map(ex.number, arms)], result)


def _chosen_truth(ex: Execution, test: Test, arms: tuple[SSAValue, SSAValue], result: SSAValue) -> Test:
    """Choose between truth values: with a constant among them, ``&&`` or ``||``."""
    first, second = (ex.test(arm) for arm in arms)
    left = first.condition if isinstance(first.condition, bool) else None
    right = second.condition if isinstance(second.condition, bool) else None
    found = None
    if right is False:
        found = conjunction(test, first)
    elif left is True:
        found = disjunction(test, second)
    elif left is False and not isinstance(test.condition, Data):
        found = conjunction(inverted(test), second)
    elif right is True and not isinstance(test.condition, Data):
        found = disjunction(inverted(test), first)
    if found is not None:
        return found
    condition, then, otherwise = (ex.truth(one.condition) for one in (test, first, second))
    if left is False and right is True:
        return Test(_made(ex, "arith.xori", [condition, otherwise], result), test.known[::-1], condition)
    if right is False:
        made = _made(ex, "arith.andi", [condition, then], result)
    elif left is True:
        made = _made(ex, "arith.ori", [condition, otherwise], result)
    else:
        made = _made(ex, "arith.select", [condition, then, otherwise], result)
    return Test(made, joined_known(test, first, second))


def is_eager(op: Operation) -> bool:
    """Whether an operation may run although the program would not have reached it."""
    if op.name == "scf.if":
        return all(is_eager(inside) for region in op.regions for block in region.blocks for inside in block.ops)
    return op.name in {"scf.yield", "ub.poison"} or can_be_eager(op)


SCALARS: dict[str, Rule] = {
    "arith": copied,
    "math": copied,
    **dict.fromkeys(EXACT, _integer),
    **dict.fromkeys(("arith.ori", "arith.xori"), _integer),
    "arith.constant": _constant,
    "ub.poison": _poison,
    "arith.cmpi": _compared,
    "arith.cmpf": _ordered,
    "arith.sitofp": _to_float,
    "arith.uitofp": _to_float,
    "arith.negf": _negated,
    "math.powf": _power,
    **dict.fromkeys(("arith.extf", "arith.truncf"), _to_other_float),
    **dict.fromkeys(("arith.maxsi", "arith.minsi"), _extremum),
    "arith.select": _selected,
}
