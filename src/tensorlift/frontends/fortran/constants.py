"""Constants of Fortran: literals, named constants, and expressions of these, each with its type.

Reals are rounded to their kind after each operation, as a compiler does; what is not decided here is None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.symbols import COMPLEX_KINDS, INTEGER_KINDS, REAL_KINDS
from tensorlift.frontends.fortran.syntax import kind_of, reparsed
from tensorlift.ops.c_types import BOOL, DOUBLE, INT, ComplexType, FloatType, IntegerType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.frontends.fortran.symbols import Numeric, Scope

_DEEPEST = 100
_LARGEST_POWER = 1100


@dataclass(frozen=True, slots=True)
class Constant:
    """A number or truth value with its type."""

    value: float  # an integer, a real, or a truth value as 0 or 1
    ctype: Numeric


def integer_of(node: Any, scope: Scope) -> int | None:
    """Evaluate a constant expression to an integer; one that was evaluated is a number already."""
    if isinstance(node, int):
        return node
    found = constant_of(node, scope)
    return int(found.value) if found is not None and _is_integer(found.ctype) else None


def constant_of(node: Any, scope: Scope, depth: int = 0) -> Constant | None:
    """Evaluate a constant expression; None where it is none."""
    if depth > _DEEPEST:
        return None
    match kind_of(node):
        case "Int_Literal_Constant" | "Signed_Int_Literal_Constant":
            return _literal(int(node.children[0]), INTEGER_KINDS.get(_kind(node, scope)))
        case "Real_Literal_Constant" | "Signed_Real_Literal_Constant":
            return real_literal(node, scope)
        case "Logical_Literal_Constant":
            return Constant(float("true" in str(node.children[0]).lower()), BOOL)
        case "Name":
            return _named(str(node).lower(), scope, depth)
        case "Parenthesis":
            return constant_of(node.children[1], scope, depth + 1)
        case "Level_2_Unary_Expr":
            sign, operand = node.children
            found = constant_of(operand, scope, depth + 1)
            return found if found is None or str(sign) == "+" else _checked(-found.value, found.ctype)
        case "Level_2_Expr" | "Add_Operand" | "Mult_Operand":
            left, operator, right = node.children
            one, other = (constant_of(side, scope, depth + 1) for side in (left, right))
            return None if one is None or other is None else combined(str(operator), one, other)
        case "Intrinsic_Function_Reference" | "Part_Ref" | "Function_Reference":
            return _call(node, scope, depth)
    return None


def _kind(node: Any, scope: Scope, default: int = 4) -> int:
    """Give the kind that a literal states."""
    told = node.children[1]
    if told is None:
        return default
    text = str(told).lower()
    if text.isdigit():
        return int(text)
    found = _named(text, scope, 0)
    return int(found.value) if found is not None else 0


def real_literal(node: Any, scope: Scope) -> Constant | None:
    """Read a real literal: its kind is in its suffix or exponent, single where neither says."""
    text = str(node.children[0]).lower()
    ctype = DOUBLE if "d" in text else REAL_KINDS.get(_kind(node, scope, scope.file.settings.real_kind))
    if ctype is None:
        return None
    return Constant(ctype.rounded(float(text.replace("d", "e"))), ctype)


def _literal(value: int, ctype: IntegerType | None) -> Constant | None:
    return Constant(value, ctype) if ctype is not None and value <= ctype.maximum else None


def _named(name: str, scope: Scope, depth: int) -> Constant | None:
    symbol = scope.find(name)
    if symbol is None:
        kind = scope.intrinsic_constant(name)
        return None if kind is None else Constant(kind, INT)
    if not symbol.is_constant or symbol.value is None or symbol.bounds or symbol.ctype is None:
        return None
    found = constant_of(symbol.value, symbol.home or scope, depth + 1)
    return None if found is None else cast(found, symbol.ctype)


def cast(constant: Constant, ctype: Numeric) -> Constant | None:
    """Convert a constant to a type; complex numbers are no constants."""
    if (constant.ctype is BOOL) != (ctype is BOOL) or isinstance(ctype, ComplexType):
        return None
    if isinstance(ctype, FloatType):
        return Constant(ctype.rounded(float(constant.value)), ctype)
    if not math.isfinite(constant.value):
        return None
    return _checked(int(constant.value), ctype)


def _checked(value: float, ctype: Numeric) -> Constant | None:
    if isinstance(ctype, FloatType):
        return Constant(ctype.rounded(value), ctype)
    if isinstance(ctype, ComplexType):
        return None
    return Constant(int(value), ctype) if ctype.minimum <= value <= ctype.maximum else None


def common_type(left: Numeric, right: Numeric) -> Numeric:
    """Give the type in which two numbers are combined: complex before real before integer, then the larger kind."""
    kinds = {type(left), type(right)}
    if ComplexType in kinds:
        parts = [t.part if isinstance(t, ComplexType) else t for t in (left, right)]
        widest = max(part.width for part in parts if isinstance(part, FloatType))
        return COMPLEX_KINDS[widest // 8]
    return max(left, right, key=lambda t: (isinstance(t, FloatType), _width(t)))


def _width(ctype: Numeric) -> int:
    return ctype.part.width if isinstance(ctype, ComplexType) else ctype.width


def _is_integer(ctype: Numeric) -> bool:
    return isinstance(ctype, IntegerType) and ctype is not BOOL


def combined(operator: str, left: Constant, right: Constant) -> Constant | None:
    """Apply an arithmetic operator to constants."""
    if BOOL in {left.ctype, right.ctype}:
        return None
    if operator == "**":
        return _power(left, right)
    ctype = common_type(left.ctype, right.ctype)
    one, other = cast(left, ctype), cast(right, ctype)
    if one is None or other is None:
        return None
    a, b = one.value, other.value
    if operator == "/":
        if b == 0:
            return None
        return _checked(truncated(int(a), int(b)) if isinstance(ctype, IntegerType) else a / b, ctype)
    operations: dict[str, Callable[[], float]] = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b}
    found = operations[operator]() if operator in operations else None
    return None if found is None or not math.isfinite(found) else _checked(found, ctype)


def truncated(a: int, b: int) -> int:
    """Divide integers, rounded towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _power(left: Constant, right: Constant) -> Constant | None:
    if (
        isinstance(left.ctype, FloatType)
        and _is_integer(right.ctype)
        and left.value
        and abs(right.value) < _LARGEST_POWER
    ):
        exact = Fraction(left.value) ** int(right.value)
        is_number = abs(exact) < Fraction(2) ** 1024
        found = left.ctype.rounded(float(exact)) if is_number else math.inf
        return Constant(found, left.ctype) if math.isfinite(found) else None  # rounded once, as compilers do
    if not (_is_integer(left.ctype) and _is_integer(right.ctype)) or not 0 <= right.value <= _LARGEST_POWER:
        return None
    return _checked(int(left.value) ** int(right.value), common_type(left.ctype, right.ctype))


def arguments_of(node: Any) -> list[tuple[str, Any]]:
    """List the arguments of a reference, each with its keyword, empty where it has none."""
    listed = node.children[1]
    found: list[tuple[str, Any]] = []
    for one in getattr(listed, "children", ()) if listed is not None else ():
        keyword, value = one.children if kind_of(one) in {"Actual_Arg_Spec", "Component_Spec"} else ("", one)
        if kind_of(value) == "Proc_Component_Ref":  # a component, as the parser has it among those of a structure
            value = reparsed("Data_Ref", value)
        found.append((str(keyword).lower(), value))
    return found


def _call(node: Any, scope: Scope, depth: int) -> Constant | None:
    name = str(node.children[0]).lower()
    given = arguments_of(node)
    symbol = scope.find(name)
    is_own = symbol is not None and (symbol.bounds or symbol.is_dummy)
    if is_own or scope.procedure(name) is not None or scope.generic(name):
        return None  # a name of the source that an intrinsic function has too
    if name == "selected_real_kind":
        return _selected_real(given, scope)
    if name == "kind" and len(given) == 1:
        found = constant_of(given[0][1], scope, depth + 1)
        ctype = found.ctype if found is not None else getattr(scope.find(str(given[0][1]).lower()), "ctype", None)
        return None if ctype is None else Constant(4 if ctype is BOOL else _width(ctype) // 8, INT)
    if name in LIMITS and len(given) == 1:
        found = constant_of(given[0][1], scope, depth + 1)
        ctype = found.ctype if found is not None else getattr(scope.find(str(given[0][1]).lower()), "ctype", None)
        return None if ctype is None else limit(name, ctype)
    values = [constant_of(value, scope, depth + 1) for keyword, value in given if keyword != "kind"]
    known = [value for value in values if value is not None]
    kinds = [integer_of(value, scope) for keyword, value in given if keyword == "kind"]
    if len(known) < len(values) or None in kinds:
        return None
    rule = _FUNCTIONS.get(name)
    told = [kind for kind in kinds if kind is not None]
    if name == "real" and not told and len(known) == 1:
        told = [scope.file.settings.real_kind]
    return rule(known, told) if rule is not None and known else None


_MODEL = {"radix": (2, 2), "digits": (24, 53), "minexponent": (-125, -1021), "maxexponent": (128, 1024)}
LIMITS = {"huge", "tiny", "epsilon", *_MODEL}


def limit(name: str, ctype: Numeric) -> Constant | None:
    """Give a number that an inquiry about a type asks for, such as its largest number."""
    if name in _MODEL:
        return Constant(_MODEL[name][ctype == DOUBLE], INT) if isinstance(ctype, FloatType) else None
    if isinstance(ctype, IntegerType):
        return Constant(ctype.maximum, ctype) if name == "huge" and ctype is not BOOL else None
    if isinstance(ctype, ComplexType):
        return None
    double = ctype == DOUBLE
    values = {
        "huge": (2 - 2.0**-52) * 2.0**1023 if double else (2 - 2.0**-23) * 2.0**127,
        "tiny": 2.0**-1022 if double else 2.0**-126,
        "epsilon": 2.0**-52 if double else 2.0**-23,
    }
    return Constant(values[name], ctype)


def _selected_real(given: Sequence[tuple[str, Any]], scope: Scope) -> Constant | None:
    """Give the kind of least precision that has enough digits and range."""
    wanted = {"p": 0, "r": 0}
    for position, (keyword, value) in enumerate(given):
        found = integer_of(value, scope)
        name = keyword or "pr"[position : position + 1]
        if found is None or name not in wanted:
            return None
        wanted[name] = found
    for kind, digits, exponent in ((4, 6, 37), (8, 15, 307)):
        if wanted["p"] <= digits and wanted["r"] <= exponent:
            return Constant(kind, INT)
    return None


def _selected_integer(values: Sequence[Constant], _kinds: Sequence[int]) -> Constant | None:
    digits = values[0].value
    return next((Constant(k, INT) for k, most in ((1, 2), (2, 4), (4, 9), (8, 18)) if digits <= most), None)


def _converted(values: Sequence[Constant], kinds: Sequence[int], rows: dict[int, Any], default: int) -> Constant | None:
    kind = int(values[1].value) if len(values) > 1 else kinds[0] if kinds else default
    ctype = rows.get(kind)
    return cast(values[0], ctype) if ctype is not None else None


def _rounded(values: Sequence[Constant], kinds: Sequence[int], rounds: Callable[[float], int]) -> Constant | None:
    is_real = isinstance(values[0].ctype, FloatType) and math.isfinite(values[0].value)
    ctype = INTEGER_KINDS.get(int(values[1].value) if len(values) > 1 else kinds[0] if kinds else 4)
    return _checked(rounds(values[0].value), ctype) if is_real and ctype is not None else None


def _extreme(values: Sequence[Constant], _kinds: Sequence[int], choose: Callable[..., float]) -> Constant | None:
    if len({value.ctype for value in values}) > 1:
        return None
    return Constant(choose(value.value for value in values), values[0].ctype)


_FUNCTIONS: dict[str, Callable[[Sequence[Constant], Sequence[int]], Constant | None]] = {
    "selected_int_kind": _selected_integer,
    "int": lambda v, k: _converted(v, k, INTEGER_KINDS, 4),
    "real": lambda v, k: _converted(v, k, REAL_KINDS, 4),
    "dble": lambda v, k: _converted(v, k, REAL_KINDS, 8),
    "max": lambda v, k: _extreme(v, k, max),
    "min": lambda v, k: _extreme(v, k, min),
    "ceiling": lambda v, k: _rounded(v, k, math.ceil),
    "floor": lambda v, k: _rounded(v, k, math.floor),
    "abs": lambda v, _: _checked(abs(v[0].value), v[0].ctype),
}
