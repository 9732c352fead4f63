"""The types of what functions of numbers give, those of builtins, math and numpy."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import (
    DTYPES,
    Scalar,
    binary,
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
    joined_node,
    known_integers,
    name_of,
    number,
    of_numpy,
    of_type,
    truth,
    truth_of,
)
from tensorlift.frontends.python.syntax import COMPARING, KINDS_OF_FLOATS
from tensorlift.ops.c_types import DOUBLE, LONG, FloatType
from tensorlift.ops.scalar_ops import SPELLED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Apply = Callable[[Sequence[Scalar]], Scalar]

# Functions of one number and of two by their names in math and numpy, all of which compute in floating point.
_UNARY = {"fabs", "floor", "ceil", "trunc", "rint", "degrees", "rad2deg", "radians", "deg2rad"}
_BINARY = {"pow", "atan2", "arctan2", "copysign", "fmod", "hypot"}
_ROUNDED = {"floor", "ceil", "trunc"}  # integers where they come from math


def function_of_numbers(module: str, name: str) -> tuple[int, Apply] | None:
    """Find how many numbers a function takes, and the type of what it gives; None where it is not listed."""
    if module == "":
        return (1, _BUILTINS[name]) if name in _BUILTINS else None
    if module == "math" and name in KINDS_OF_FLOATS:
        return 1, lambda _: truth(weak=True)
    if module == "math":
        return None if name.startswith("arc") else _of_either(name, "math")
    found = _of_numpy(name) or _of_either(name, module)
    if found is None:
        return None
    count, apply = found
    return count, lambda values: replace(apply([of_numpy(value) for value in values]), weak=False)


def _of_either(name: str, module: str) -> tuple[int, Apply] | None:
    """Find a function that math and numpy share."""
    if name in _UNARY or name in SPELLED.get(module, ()):
        return 1, partial(_float, module, is_rounded=name in _ROUNDED)
    return (2, partial(_float, module)) if name in _BINARY else None


def _of_numpy(name: str) -> tuple[int, Apply] | None:
    if name in DTYPES:
        return 1, lambda values: cast(values[0], DTYPES[name])
    if name in _NUMPY:
        return 1, lambda values: _NUMPY[name]([_of_one_type(value) for value in values])
    if name in COMPARING:
        return 2, lambda values: compare(*values)
    if name in {"logical_and", "logical_or"}:
        return 2, _truth
    if name == "clip":
        return 3, lambda v: extreme(extreme(v[0], v[1]), v[2])
    return None


def _of_one_type(value: Scalar) -> Scalar:
    """Give an integer that data may make one of Python, which NumPy takes for ``int64``, in this type."""
    if not (value.loose and value.is_integer):
        return value
    if value.ctype != LONG:
        detail = f"a function of NumPy of a number that is {name_of(value.ctype)} or, where data decides so, of Python"
        raise RefusedError("type", detail)
    return replace(value, loose=False)


def extreme(left: Scalar, right: Scalar, *, keeps_type: bool = False) -> Scalar:
    """Give the lesser or the greater of two numbers, in their common type or as it is where that ``keeps_type``."""
    mixed = differ_in_kind([left, right])
    if left.is_truth and right.is_truth:
        return truth(weak=left.weak and right.weak, mixed=mixed)
    a, b, weak = join(left, right)
    if keeps_type and not mixed:
        check_choice(left, right, a.ctype)
    is_float = isinstance(a.ctype, FloatType)
    if not keeps_type and not is_float:
        check_wrapping(left, right)
    found = of_type(a.ctype, (a, b), joined_node("?", a, b), weak=weak)
    loose = (keeps_type or is_float) and is_loose((left, right), a.ctype, weak=weak)
    return replace(found, mixed=mixed, loose=loose, known=None if is_float else known_integers((left, right)))


def _float(module: str, values: Sequence[Scalar], *, is_rounded: bool = False) -> Scalar:
    """Give the type of a function of math or numpy: math computes with Python's float."""
    value = number(values[0])
    if len(values) > 1:
        first, _, weak = join(*values)
        value = replace(first, weak=weak)
    if is_rounded and value.is_integer:
        if module != "math":
            raise RefusedError("type", "rounding of integers, which NumPy gives as floats or not by its version")
        return replace(value, weak=True)
    ctype = float_type(module, value.ctype, weak=value.weak)
    is_whole = is_rounded and module == "math"
    return Scalar(LONG, weak=True, is_any=True) if is_whole else Scalar(ctype, weak=True)


def _absolute(values: Sequence[Scalar]) -> Scalar:
    (value,) = values
    if value.is_truth and not (value.weak or value.mixed):
        return value
    value = _counted(value)
    if isinstance(value.ctype, FloatType):
        return Scalar(value.ctype, value.weak, loose=value.loose)
    return replace(choose(binary("-", integer(0), value), value), known=None)


def _counted(value: Scalar) -> Scalar:
    """Give a number, or a truth value of Python as the number that it is; refuse one of NumPy."""
    if not value.weak and (value.mixed or value.is_truth):
        raise RefusedError("truths", "this function is not lifted for a truth value of NumPy")
    return number(value)


def _sign(values: Sequence[Scalar]) -> Scalar:
    value = _counted(values[0])
    one, minus_one = (cast(integer(stated), value.ctype) for stated in (1, -1))
    return choose(one, choose(minus_one, value))


def _rounded(values: Sequence[Scalar]) -> Scalar:
    value = _counted(values[0])
    return value if value.is_integer and value.weak else _to_integer([value])


def _square(values: Sequence[Scalar]) -> Scalar:
    value = _counted(values[0])
    return binary("*", value, value)


def _truth(_values: Sequence[Scalar]) -> Scalar:
    return truth(weak=False)


def _plain(values: Sequence[Scalar]) -> Scalar:
    """Give a number of the type that the operand has."""
    value = _counted(values[0])
    return Scalar(value.ctype, value.weak, is_any=value.is_any)


def _reciprocal(values: Sequence[Scalar]) -> Scalar:
    if not isinstance(values[0].ctype, FloatType):
        raise RefusedError("operator", "`reciprocal` of integers, which rounds, is not lifted")
    return _plain(values)


def _rounded_elements(values: Sequence[Scalar]) -> Scalar:
    value = _counted(values[0])
    return value if value.is_integer else _plain(values)


def _to_integer(values: Sequence[Scalar]) -> Scalar:
    return replace(cast(values[0], LONG), weak=True)


_BUILTINS: dict[str, Apply] = {
    "abs": _absolute,
    "int": _to_integer,
    "float": lambda values: replace(cast(values[0], DOUBLE), weak=True),
    "bool": lambda values: replace(truth_of(values[0]), weak=True),
    "round": _rounded,
}
_NUMPY: dict[str, Apply] = {
    **dict.fromkeys(("abs", "absolute"), _absolute),
    "sign": _sign,
    "square": _square,
    "negative": _plain,
    "reciprocal": _reciprocal,
    **dict.fromkeys(("logical_not", *KINDS_OF_FLOATS), _truth),
    **dict.fromkeys(("round", "around"), _rounded_elements),
}
