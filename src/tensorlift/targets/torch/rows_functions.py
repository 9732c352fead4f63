"""Operators and functions of PyTorch cell by cell: arithmetic, functions of reals, extremes, selections, conversions.

Operands have a common type without PyTorch's default.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorlift.ops.scalar_ops import ROUNDINGS, numpy_name
from tensorlift.targets.arrays import arithmetic, functions, logic
from tensorlift.targets.target import Device, ElementType, Memory, OpRow, Sample, Tensor, Text, row, sample

if TYPE_CHECKING:
    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import Meaning

_SHARED = {row.spelling: row for row in (*arithmetic.ROWS, *logic.ROWS, *functions.ROWS)}

FUNCTIONS = {op: values for op, values in functions.FUNCTIONS.items() if op != "cbrt"}  # those that PyTorch has
# PyTorch's names, and values on which the functions are defined.
_OF_ONE = {
    **FUNCTIONS, **dict.fromkeys(("floor", "ceil", "trunc", "round"), "real"), "reciprocal": "positive_real",
    "isnan": "real", **dict.fromkeys(("square", "abs", "sign", "logical_not"), "number"),
}  # fmt: skip
_OF_TWO = {
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), "arith"),
    **dict.fromkeys(("atan2", "copysign", "hypot"), "real"), **dict.fromkeys(("logical_and", "logical_or"), "number"),
}  # fmt: skip
_NUMPY_NAMES = {"round": "rint", "atan2": "arctan2"}

ELEMENT_TYPES: dict[str, DType] = {
    "torch.bool": "bool", "torch.int8": "i8", "torch.int16": "i16", "torch.int32": "i32", "torch.int64": "i64",
    "torch.uint8": "u8", "torch.float32": "f32", "torch.float64": "f64",
}  # fmt: skip


def _of_tensors(meaning: Meaning) -> Meaning:
    """Return the meaning for tensors only: PyTorch takes no Python numbers there."""

    @functools.wraps(meaning)
    def checked(o: Obligations, *operands: SymbolicTensor) -> Any:
        if not all(operand.is_strong for operand in operands):
            o.refuse("a function of tensors gets a Python number; make a tensor of it, as torch.as_tensor(x) does")
        return meaning(o, *operands)

    return checked


def _function(name: str, *samples: Sample) -> OpRow:
    shared = _SHARED[f"np.{_NUMPY_NAMES.get(name, numpy_name(name))}"]
    return row(f"torch.{name}", _of_tensors(shared.meaning), *samples)


def _unary(name: str, values: str) -> OpRow:
    factor = " * 3.0" if name in ROUNDINGS else ""
    return _function(
        name, sample(f"torch.{name}(a{factor})", a=f"{values}[m, n]"), sample(f"torch.{name}(b)", b=f"{values}[]")
    )


def _binary(name: str, values: str) -> OpRow:
    text = f"torch.{name}(a, b)"
    return _function(
        name,
        sample(text, a=f"{values}[m, n]", b=f"{values}[n]"),
        sample(text, a=f"{values}[n]", b=f"{values}[]"),
    )


def _divided(o: Obligations, input: Tensor, other: Tensor, *, rounding_mode: Text) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    """Divide integers: ``trunc`` rounds towards zero, as C does."""
    dtype = o.types.result_type(o, (input, other))
    if rounding_mode != "trunc" or dtype[0] not in "iu":
        o.refuse("a division but for integers that are rounded towards zero")
    o.nonzero(other, "an integer is divided by", input)
    return arithmetic.binary(o, "tdiv", (input, other), dtype, o.types.strength(o, (input, other), dtype))


def _remainder(o: Obligations, input: Tensor, other: Tensor) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    if not input.is_strong:
        o.refuse("torch.fmod of a Python number")
    return arithmetic.integer_division("rem", arithmetic.FUNCTION, o, input, other)


def _power(o: Obligations, input: Tensor, exponent: Tensor) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    return arithmetic.power(arithmetic.FUNCTION, o, input, exponent)


def _clamp(
    o: Obligations,
    input: Tensor,  # noqa: A002 - PyTorch's name
    min: Tensor | None = None,  # noqa: A002 - as above
    max: Tensor | None = None,  # noqa: A002 - as above
) -> SymbolicTensor:
    if not input.is_strong or input.dtype == "bool" or (min is None) == (max is None):
        o.refuse("torch.clamp but for one bound of a tensor of numbers")
    bound, op = (min, "max") if min is not None else (max, "min")
    assert bound is not None
    if o.types.result_type(o, (input, bound)) != input.dtype:
        o.refuse("torch.clamp by a bound of a wider type")
    return arithmetic.plain(op, arithmetic.FUNCTION, o, input, bound)


def _where(o: Obligations, condition: Tensor, input: Tensor, other: Tensor) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    if condition.dtype != "bool" or not condition.is_strong:
        o.refuse("torch.where by anything but a tensor of truth values")
    return logic.where(o, condition, input, other)


def _to(o: Obligations, x: Tensor, dtype: ElementType) -> SymbolicTensor:
    if not x.is_strong:
        o.refuse("a Python number has no method to()")
    return functions.as_type(o, x, dtype.dtype)


def _to_memory(x: SymbolicTensor, dtype: ElementType) -> Memory:
    """Say that a conversion to the type which a tensor has is the tensor itself."""
    return Memory.VIEW if x.dtype == dtype.dtype else Memory.NEW


def _as_tensor(
    o: Obligations,
    data: Tensor,
    dtype: ElementType,
    device: Device | None = None,  # noqa: ARG001 - says where, not what
) -> SymbolicTensor:
    return functions.as_type(o, data, dtype.dtype)


def _clone(o: Obligations, x: Tensor) -> SymbolicTensor:
    if not x.is_strong:
        o.refuse("a Python number has no method clone()")
    return x


def _on_both(*texts: str) -> tuple[Sample, ...]:
    return tuple(sample(text, a="number[m, n]", b="number[n]") for text in texts)


_NUMBERS = {"a": "arith[m, n]", "b": "arith[n]"}
_REALS = {"a": "real[m, n]", "b": "positive_real[n]"}
_DIVISORS = {"a": "number[m, n]", "b": "positive[n]"}
_INTEGERS = {"a": "integer[m, n]", "b": "integer[n]"}


def _row(spelling: str, *samples: Sample) -> OpRow:
    return replace(_SHARED[spelling], samples=samples)


def _arithmetic(spelling: str) -> OpRow:
    forms = (f"a {spelling} b", f"a {spelling} 3", f"2 {spelling} b")
    zero_rank = (f"a {spelling} x", f"x {spelling} x")
    return _row(
        spelling,
        *(sample(form, **_NUMBERS) for form in forms),
        *(sample(form, a="arith[m]", x="arith[]") for form in zero_rank),
        sample(f"a {spelling} 2.5", a="real[m]"),
    )


def _division(spelling: str) -> OpRow:
    return _row(
        spelling,
        sample(f"a {spelling} b", **_DIVISORS),
        sample(f"a {spelling} 3", **_DIVISORS),
        sample(f"2 {spelling} b", **_DIVISORS),
        sample(f"(m + n) {spelling} 2 * a", a="i64[m]"),
    )


def _comparison(spelling: str) -> OpRow:
    texts = (f"a {spelling} b", f"a {spelling} 1", f"torch.arange(m)[:, None] {spelling} torch.arange(n) + 1")
    samples = [sample(text, a="int_or_real[m, n]", b="int_or_real[n]") for text in (*texts, f"m {spelling} n")]
    return _row(spelling, *samples)


def _bits(spelling: str) -> OpRow:
    texts = (f"a {spelling} b", f"(c > 0) {spelling} (a[:, 0] > 0)", f"torch.arange(n) {spelling} 1")
    return _row(spelling, *(sample(text, 1, **_INTEGERS, c="f64[m]") for text in texts))


ROWS = [
    *map(_arithmetic, ("+", "-", "*")),
    _row(
        "/",
        sample("a / b", **_REALS),
        sample("a / 3", **_REALS),
        sample("2 / b", **_REALS),
        sample("a / n", 1, **_REALS),
    ),
    *map(_division, ("//", "%")),
    _row(
        "**",
        sample("a ** 2", a="number[m, n]"),
        sample("a ** b", a="positive_real[n]", b="real[n]"),
        sample("a ** torch.arange(n)", a="real[m, n]"),
    ),
    _row("-x", sample("-a", a="number[m, n]"), sample("-n + a", a="i64[n]")),
    *map(_comparison, ("==", "!=", "<", "<=", ">", ">=")),
    *map(_bits, ("&", "|", "^")),
    _row("<<", sample("a << 3", a="integer[m, n]"), sample("a << b", a="i32[n]", b="count[n]")),
    _row(">>", sample("a >> 3", a="integer[m, n]"), sample("a >> b", a="i32[n]", b="count[n]")),
    _row("~x", sample("~a", a="integer[m, n]"), sample("~(a > 0)", a="f64[n]")),
    *(_unary(*entry) for entry in _OF_ONE.items()),
    *(_binary(*entry) for entry in _OF_TWO.items()),
    row(
        "torch.div",
        _divided,
        'torch.div(a, b, rounding_mode="trunc")',
        'torch.div(a, 3, rounding_mode="trunc")',
        'torch.div(7, b, rounding_mode="trunc")',
        a="integer[m, n]",
        b="positive_wide_integer[n]",
    ),
    row(
        "torch.fmod",
        _remainder,
        "torch.fmod(a, b)",
        sample("torch.fmod(a, 3)", a="number[n]"),
        a="number[m, n]",
        b="positive[n]",
    ),
    row(
        "torch.pow",
        _power,
        "torch.pow(a, 3)",
        sample("torch.pow(a, b)", a="positive_real[m, n]", b="real[n]"),
        "torch.pow(2.0, b)",
        sample("torch.pow(a, torch.arange(n))", a="real[m, n]"),
        a="number[m, n]",
        b="real[n]",
    ),
    row("torch.clamp", _clamp, *_on_both("torch.clamp(a, min=1)", "torch.clamp(a, max=0)", "torch.clamp(a, min=b)")),
    row(
        "torch.where",
        _where,
        *_on_both("torch.where(a > 0, a, b)", "torch.where(a > 0, 1, b)"),
        "torch.where(a > 0, 1.5, b)",
        sample("torch.where(torch.arange(n) < m, a, 0)", a="number[n]"),
        sample("torch.where(a[0] > 0, a, x)", 1, a="number[n]", x="number[]"),
        a="number[m]",
        b="real[m]",
    ),
    row(
        ".to()",
        _to,
        *(sample(f"a.to({t})", a="arith[m, n]") for t in ELEMENT_TYPES),
        "(a > 0).to(torch.int32)",
        memory=_to_memory,
        a="f64[m]",
    ),
    row(
        "torch.as_tensor",
        _as_tensor,
        "torch.as_tensor(x, dtype=torch.float64)",
        "torch.as_tensor(2.5, dtype=torch.float32)",
        "torch.as_tensor(m > n, dtype=torch.bool)",
        "torch.as_tensor(n, dtype=torch.int32, device=a.device)",
        memory=Memory.VIEW,
        x="arith[]",
        a="f64[m]",
    ),
    row(".clone()", _clone, "a.clone()", a="arith[m, n]"),
]
