"""Functions of numbers in builtins, math and numpy, each as an expression of its operands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import (
    DTYPES,
    Scalar,
    binary,
    call,
    cast,
    check_choice,
    check_wrapping,
    choose,
    compare,
    differ_in_kind,
    float_type,
    integer,
    is_loose,
    join,
    known_integers,
    logical,
    name_of,
    number,
    of_numpy,
    truth_of,
)
from tensorlift.frontends.python.syntax import COMPARING
from tensorlift.ops.c_types import DOUBLE, INT, LONG, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number

    Apply = Callable[[Sequence[Scalar], Location], Scalar]

# Functions of one number by their names in math and numpy, with the name of math.h.
UNARY = {
    "sqrt": "sqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "cbrt": "cbrt", "fabs": "fabs", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint",
    "degrees": "degrees", "rad2deg": "degrees", "radians": "radians", "deg2rad": "radians",
}  # fmt: skip
_EXTREMES = {
    "min": "fminimum", "amin": "fminimum", "minimum": "fminimum", "fmin": "fmin",
    "max": "fmaximum", "amax": "fmaximum", "maximum": "fmaximum", "fmax": "fmax",
}  # fmt: skip
BINARY = {"pow": "pow", "atan2": "atan2", "arctan2": "atan2", "copysign": "copysign", "fmod": "fmod", "hypot": "hypot"}
_ROUNDED = {"floor", "ceil", "trunc"}  # integers where they come from math
_LOGIC = {"logical_and": "&&", "logical_or": "||"}
_TWO = 2


def function_of_numbers(module: str, name: str) -> tuple[int, Apply] | None:
    """Find how many numbers a function takes and how it is computed; None where it is not listed."""
    if module == "":
        return (1, _BUILTINS[name]) if name in _BUILTINS else None
    if module == "math":
        return None if name.startswith("arc") else _of_either(name, "math")
    found = _of_numpy(name) or _of_either(name, module)
    if found is None:
        return None
    count, apply = found
    return count, lambda v, place: replace(apply([of_numpy(one) for one in v], place), weak=False)


def _of_either(name: str, module: str) -> tuple[int, Apply] | None:
    """Find a function that math and numpy share."""
    if name in UNARY:
        whole = module == "math" and name in _ROUNDED
        return 1, lambda v, place: _unary(UNARY[name], v[0], place, module, whole=whole)
    if name in BINARY:
        return _TWO, lambda v, place: _binary(BINARY[name], v, place, module)
    return None


def _of_numpy(name: str) -> tuple[int, Apply] | None:
    if name in DTYPES:
        return 1, lambda v, place: cast(v[0], DTYPES[name], place)
    if name in _NUMPY:
        return 1, lambda v, place: _NUMPY[name]([_of_one_type(one, place) for one in v], place)
    if name in COMPARING:
        return _TWO, lambda v, place: compare(COMPARING[name], v[0], v[1], place)
    if name in _LOGIC:
        return _TWO, lambda v, place: _both(_LOGIC[name], v, place)
    if name == "clip":
        return _TWO + 1, lambda v, p: extreme(extreme(v[0], v[1], p, "maximum"), v[2], p, "minimum")
    return None


def _of_one_type(value: Scalar, location: Location) -> Scalar:
    """Give an integer that data may make one of Python, which NumPy takes for ``int64``, in this type."""
    if not (value.loose and value.is_integer):
        return value
    if value.ctype != LONG:
        detail = f"a function of NumPy of a number that is {name_of(value.ctype)} or, where data decides so, of Python"
        raise refusal("type", location, detail)
    return replace(value, loose=False)


def extreme(left: Scalar, right: Scalar, location: Location, name: str, *, keeps_type: bool = False) -> Scalar:
    """Give the lesser or the greater of two numbers, in their common type or as it is where that ``keeps_type``.

    The name of the function says which one, and whether a NaN is dropped.
    """
    least = "min" in name
    mixed = differ_in_kind([left, right])
    if left.is_truth and right.is_truth:
        return logical("&&" if least else "||", [left, right], location, weak=left.weak and right.weak, mixed=mixed)
    a, b, weak = join(left, right, location)
    if keeps_type and not mixed:
        check_choice(left, right, a.ctype, location)
    if isinstance(a.ctype, FloatType):
        found = call(_EXTREMES[name], [a, b], a.ctype, location, weak=weak)
        return replace(found, mixed=mixed, loose=is_loose((left, right), a.ctype, weak=weak))
    if not keeps_type:
        check_wrapping(left, right, location)
    test = compare("<" if least else ">", a, b, location)
    found = Scalar(nodes.Conditional(test.node, a.node, b.node, a.ctype, location), a.ctype, weak, mixed=mixed)
    loose = keeps_type and is_loose((left, right), a.ctype, weak=weak)
    return replace(found, loose=loose, known=known_integers((left, right)))


def _float_of(value: Scalar, module: str, location: Location) -> Number:
    """Give the type of a function of math or numpy of a number: math computes with Python's float."""
    found = float_type(module, value.ctype, weak=value.weak)
    if found is None:
        raise refusal("type", location, f"NumPy computes this function of {name_of(value.ctype)} in float16")
    return found


def _unary(name: str, value: Scalar, location: Location, module: str, *, whole: bool) -> Scalar:
    value = number(value, location)
    if whole and value.is_integer:
        return replace(value, weak=True)
    result = call(name, [value], _float_of(value, module, location), location, weak=True)
    return Scalar(cast(result, LONG, location).node, LONG, weak=True) if whole else result


def _binary(name: str, values: Sequence[Scalar], location: Location, module: str) -> Scalar:
    left, right, weak = join(values[0], values[1], location)
    ctype = _float_of(replace(left, weak=weak), module, location)
    return call(name, [left, right], ctype, location, weak=True)


def _absolute(values: Sequence[Scalar], location: Location) -> Scalar:
    (value,) = values
    if value.is_truth and not (value.weak or value.mixed):
        return value
    value = _counted(value, location)
    if isinstance(value.ctype, FloatType):
        return replace(call("fabs", [value], value.ctype, location, weak=value.weak), loose=value.loose)
    zero = integer(0, location)
    found = choose(compare("<", value, zero, location), binary("-", zero, value, location), value, location)
    return replace(found, known=None)


def _counted(value: Scalar, location: Location) -> Scalar:
    """Give a number, or a truth value of Python as the number that it is; refuse one of NumPy."""
    if not value.weak and (value.mixed or value.is_truth):
        raise refusal("truths", location, "this function is not lifted for a truth value of NumPy")
    return number(value, location)


def _sign(values: Sequence[Scalar], location: Location) -> Scalar:
    """Give the sign; what is neither above nor below zero is given back, as a NaN is."""
    value = _counted(values[0], location)
    zero = integer(0, location)
    one, minus_one = (cast(integer(number, location), value.ctype, location) for number in (1, -1))
    below = choose(compare("<", value, zero, location), minus_one, value, location)
    return choose(compare(">", value, zero, location), one, below, location)


def _to_integer(values: Sequence[Scalar], location: Location) -> Scalar:
    return Scalar(cast(values[0], LONG, location).node, LONG, weak=True)


def _rounded(values: Sequence[Scalar], location: Location) -> Scalar:
    value = _counted(values[0], location)
    if value.is_integer:
        return value if value.weak else _to_integer([value], location)
    return _to_integer([call("rint", [values[0]], DOUBLE, location, weak=True)], location)


def _to_truth(values: Sequence[Scalar], location: Location) -> Scalar:
    return replace(truth_of(values[0], location), weak=True)


def _to_float(values: Sequence[Scalar], location: Location) -> Scalar:
    return Scalar(cast(values[0], DOUBLE, location).node, DOUBLE, weak=True)


def _square(values: Sequence[Scalar], location: Location) -> Scalar:
    value = _counted(values[0], location)
    return binary("*", value, value, location)


def _both(operator: str, values: Sequence[Scalar], location: Location) -> Scalar:
    return logical(operator, values, location, weak=False)


def _not(values: Sequence[Scalar], location: Location) -> Scalar:
    return Scalar(nodes.Unary("!", truth_of(values[0], location).node, INT, location), INT, truth=True)


def _negative(values: Sequence[Scalar], location: Location) -> Scalar:
    value = _counted(values[0], location)
    return Scalar(nodes.Unary("-", value.node, value.ctype, location), value.ctype, value.weak)


def _reciprocal(values: Sequence[Scalar], location: Location) -> Scalar:
    (value,) = values
    if not isinstance(value.ctype, FloatType):
        raise refusal("operator", location, "`reciprocal` of integers, which rounds, is not lifted")
    one = cast(integer(1, location), value.ctype, location)
    return Scalar(nodes.Binary("/", one.node, value.node, value.ctype, location), value.ctype, value.weak)


def _rounded_elements(values: Sequence[Scalar], location: Location) -> Scalar:
    value = _counted(values[0], location)
    return value if value.is_integer else call("rint", [value], value.ctype, location, weak=value.weak)


_BUILTINS: dict[str, Callable[[Sequence[Scalar], Location], Scalar]] = {
    "abs": _absolute,
    "int": _to_integer,
    "float": _to_float,
    "bool": _to_truth,
    "round": _rounded,
}
_NUMPY: dict[str, Callable[[Sequence[Scalar], Location], Scalar]] = {
    "abs": _absolute,
    "absolute": _absolute,
    "sign": _sign,
    "square": _square,
    "negative": _negative,
    "reciprocal": _reciprocal,
    "logical_not": _not,
    "round": _rounded_elements,
    "around": _rounded_elements,
}
