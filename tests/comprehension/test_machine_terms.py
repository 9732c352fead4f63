"""Terms of machine integers, truth values and conversions that rules make equal have equal values for all operands.

Thousands of small terms are grouped by their normal form: those of one group must agree at every point at which both
are defined.  A false rule joins two terms that differ.  The values are computed here, in no way that the rules use.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.flags import simplified_flag
from tensorlift.comprehension.normal import interning
from tensorlift.comprehension.normal.combine import combine, same
from tensorlift.comprehension.normal.interning import Undecided
from tensorlift.comprehension.normal.normalise import Scope
from tensorlift.comprehension.notation import show
from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Apply, Constant, Scalar, Term
from tensorlift.ir.scalar_terms import convert
from tensorlift.ops.conversions import value_of
from tensorlift.ops.dtypes import DType, integer_range, is_float, is_integer, width, wrap
from tensorlift.poly.domain import UNIVERSE
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.normal.monomials import Poly

Value = Fraction | None  # None where C and the libraries define none

_SCALARS: dict[str, DType] = {"x": "i8", "y": "u8", "w": "i32", "p": "bool", "q": "bool"}
_LEAVES = [
    *(terms.scalar(name, dtype) for name, dtype in _SCALARS.items()),
    *(terms.constant(value, dtype) for dtype in ("i8", "u8", "i16", "i32") for value in (0, 1, 2, 3, 7, 100)),
    *(terms.constant(-1, dtype) for dtype in ("i8", "i16", "i32")),
]  # fmt: skip
_TYPES: list[DType] = ["bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "f32", "f64"]
_POINTS = [
    dict(zip("xywpq", map(Fraction, point), strict=True))
    for point in itertools.product(
        (-128, -127, -1, 0, 1, 3, 100, 127), (0, 1, 2, 127, 128, 255), (-(2**31), -1, 2**24 + 1), (0, 1), (0, 1)
    )
][::5]
_INTEGER = [
    "add",
    "sub",
    "mul",
    "tdiv",
    "rem",
    "floordiv",
    "mod",
    "max",
    "min",
    "bitand",
    "bitor",
    "bitxor",
    "shl",
    "shr",
]
_FLOAT = ["add", "sub", "mul", "div", "max", "min"]
_ORDERS = ["lt", "le", "gt", "ge", "eq", "ne"]
_TRUTH = ["and", "or", "eq", "ne", "max", "min", "bitand", "bitor", "bitxor"]


def _random_term(random: Random, pool: Sequence[Term]) -> Term:
    """Apply an operation to terms that are there."""
    first = random.choice(pool)
    same = [term for term in pool if term.dtype == first.dtype]
    kind = random.randrange(10)
    if kind < 4:
        return convert(first, random.choice(_TYPES)) if kind < 2 else terms.cast(first, random.choice(_TYPES))
    if kind == 4 and first.dtype != "bool":
        return terms.apply(random.choice(["neg", "abs", *["bitnot"] * is_integer(first.dtype)]), first)
    if kind == 4:
        return terms.apply("not", first)
    if kind == 5:
        condition = random.choice([term for term in pool if term.dtype == "bool"])
        return terms.apply("select", condition, first, random.choice(same))
    if kind == 6 and first.dtype != "bool":
        return terms.apply(random.choice(_ORDERS), first, random.choice(same))
    names = _TRUTH if first.dtype == "bool" else _FLOAT if is_float(first.dtype) else _INTEGER
    return terms.apply(random.choice(names), first, random.choice(same))


def _evaluated(term: Term, point: Mapping[str, Fraction], known: dict[Term, Value]) -> Value:
    if term not in known:
        known[term] = _value(term, point, known)
    return known[term]


def _value(term: Term, point: Mapping[str, Fraction], known: dict[Term, Value]) -> Value:
    if isinstance(term, Constant):
        return Fraction(wrap(int(term.value), term.dtype)) if is_integer(term.dtype) else Fraction(term.value)
    if isinstance(term, Scalar):
        return point[term.name]
    assert isinstance(term, Apply)
    if term.op == "select":
        condition = _evaluated(term.args[0], point, known)
        return None if condition is None else _evaluated(term.args[1 if condition else 2], point, known)
    values = [_evaluated(operand, point, known) for operand in term.args]
    found = [value for value in values if value is not None]
    if len(found) < len(values):
        return None
    if term.op == "cast":
        return value_of(found[0], term.args[0].dtype, term.dtype)
    result = _operation(term.op, found, term)
    return Fraction(wrap(int(result), term.dtype)) if result is not None and is_integer(term.dtype) else result


def _operation(op: str, values: Sequence[Fraction], term: Apply) -> Value:  # noqa: C901, PLR0912 - a table
    a, b = values[0], values[-1]
    match op:
        case "add" | "sub" | "mul":
            return a + b if op == "add" else a - b if op == "sub" else a * b
        case "div":
            return a / b if b else None
        case "tdiv" | "rem" | "floordiv" | "mod":
            low, _ = integer_range(term.dtype)
            if not b or (a == low and b == -1):
                return None
            quotient = Fraction(math.trunc(a / b) if op in {"tdiv", "rem"} else math.floor(a / b))
            return quotient if op in {"tdiv", "floordiv"} else a - b * quotient
        case "max" | "min":
            return max(a, b) if op == "max" else min(a, b)
        case "neg" | "abs":
            return -a if op == "neg" else abs(a)
        case "bitnot":
            return -1 - a
        case "and" | "bitand":
            return Fraction(int(a) & int(b))
        case "or" | "bitor":
            return Fraction(int(a) | int(b))
        case "bitxor":
            return Fraction(int(a) ^ int(b))
        case "not":
            return 1 - a
        case "shl" | "shr":
            if not 0 <= b < width(term.dtype):
                return None
            return a * 2 ** int(b) if op == "shl" else Fraction(math.floor(a / 2 ** int(b)))
        case _:
            holds = {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b, "eq": a == b, "ne": a != b}
            return Fraction(holds[op])


def _systematic() -> list[Term]:
    """Give chains of two conversions, and each operation on narrow integers and constants."""
    scalars, numbers = _LEAVES[: len(_SCALARS)], _LEAVES[len(_SCALARS) :]
    once = [terms.cast(term, dtype) for term in scalars for dtype in _TYPES]
    found = [*once, *(terms.cast(term, dtype) for term in once for dtype in _TYPES)]
    x, y = scalars[:2]
    for term in (x, y, terms.cast(x, "u8"), terms.cast(y, "i8"), terms.cast(x, "i16"), terms.cast(y, "i16")):
        for other in [x, y, *numbers]:
            if other.dtype == term.dtype and other is not term:
                found += [terms.apply(op, term, other) for op in (*_INTEGER, *_ORDERS)]
    return found


def _pool(seed: int, count: int) -> list[Term]:
    random = Random(seed)
    pool = [*_LEAVES, *_systematic()]
    for _ in range(count):
        recent = pool[-60:] if random.random() < 0.3 else pool[:400]
        pool.append(_random_term(random, [*_LEAVES[: len(_SCALARS)] * 8, *_LEAVES, *recent]))
    return [term for term in dict.fromkeys(pool) if not is_float(term.dtype) or not _narrows_floats(term)]


def _narrows_floats(term: Term) -> bool:
    """Tell whether a double becomes a float somewhere, of which terms do not say that it rounds."""
    return any(
        isinstance(node, Apply) and node.op == "cast" and (node.dtype, node.args[0].dtype) == ("f32", "f64")
        for node in walk(term)
    )


def _differ(left: Sequence[Value], right: Sequence[Value]) -> bool:
    return any(a != b for a, b in zip(left, right, strict=True) if a is not None and b is not None)


def _groups(pool: Sequence[Term]) -> list[list[Term]]:
    """Put terms together whose normal forms are the same."""
    found: dict[tuple[DType, int], list[tuple[Poly, list[Term]]]] = defaultdict(list)
    scope = Scope(UNIVERSE)
    for term in pool:
        try:
            with interning.tables.question():
                form = combine(scope.of(term), UNIVERSE)
            near = found[term.dtype, form.sig]
            group = next((group for other, group in near if same(other, form, UNIVERSE)), None)
        except Undecided:
            continue
        if group is None:
            near.append((form, [term]))
        else:
            group.append(term)
    return [group for near in found.values() for _, group in near]


def test_terms_with_one_normal_form_have_one_value() -> None:
    SESSION.forget()
    tables: list[dict[Term, Value]] = [{} for _ in _POINTS]
    groups = _groups(_pool(1, 1500))
    assert sum(len(group) - 1 for group in groups) > 300
    for group in groups:
        rows = [[_evaluated(t, p, known) for p, known in zip(_POINTS, tables, strict=True)] for t in group]
        for k, row in enumerate(rows[1:], 1):
            wrong = next((j for j in range(k) if _differ(rows[j], row)), None)
            assert wrong is None, f"{show(group[wrong or 0])}\n{show(group[k])}"


def test_simplified_flags_have_the_values_of_what_they_stand_for() -> None:
    simplified = 0
    for term in _pool(2, 3000):
        if not isinstance(term, Apply):
            continue
        found = simplified_flag(term.op, term.args, term.dtype)
        if found is None:
            continue
        simplified += 1
        values = [[_evaluated(t, point, {}) for point in _POINTS[::2]] for t in (term, found)]
        assert not _differ(*values), f"{show(term)}\n{show(found)}"
    assert simplified > 20
