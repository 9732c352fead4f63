"""Reductions over axes, running reductions and sums of products, with PyTorch's parameters.

For products PyTorch wants operands of one type.

Operators and functions of PyTorch cell by cell: arithmetic, functions of reals, extremes, selections, conversions.

Operands have a common type without PyTorch's default.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.tensor import Obligations, Strength, SymbolicTensor
from tensorlift.ops.dtypes import FLOATS
from tensorlift.ops.scalar_ops import REALS, ROUNDINGS
from tensorlift.targets.arrays import arithmetic, contraction, functions, logic, reduction
from tensorlift.targets.target import (
    Axes,
    ElementType,
    Flag,
    Memory,
    OpRow,
    Sample,
    Tensor,
    Text,
    both_forms,
    respelled,
    row,
    sample,
    samples_of,
)

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import Meaning


_SHARED = {row.spelling: row for row in (*arithmetic.ROWS, *logic.ROWS, *functions.ROWS, *contraction.ROWS)}

FUNCTIONS = {op: function.values for op, function in REALS.items() if op != "cbrt"}  # those that PyTorch has
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
    "torch.uint8": "u8", "torch.float16": "f16", "torch.bfloat16": "bf16", "torch.float32": "f32",
    "torch.float64": "f64",
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
    of_reals, shared = partial(functions.function_of_reals, name), f"np.{_NUMPY_NAMES.get(name, name)}"
    return row(f"torch.{name}", _of_tensors(of_reals if name in REALS else _SHARED[shared].meaning), *samples)


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


def _clamp(
    o: Obligations,
    input: Tensor,  # noqa: A002 - PyTorch's name
    min: Tensor | None = None,  # noqa: A002 - as above
    max: Tensor | None = None,  # noqa: A002 - as above
) -> SymbolicTensor:
    if not input.is_strong or input.dtype == "bool" or (min is None and max is None):
        o.refuse("torch.clamp but for bounds of a tensor of numbers")
    result: SymbolicTensor = input
    for op, bound in (("max", min), ("min", max)):
        if bound is not None and o.types.result_type(o, (input, bound)) != input.dtype:
            o.refuse("torch.clamp by a bound of a wider type")
        result = result if bound is None else arithmetic.plain(op, arithmetic.FUNCTION, o, result, bound)
    return result


def _where(o: Obligations, condition: Tensor, input: Tensor, other: Tensor) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    if condition.dtype != "bool" or not condition.is_strong:
        o.refuse("torch.where by anything but a tensor of truth values")
    return logic.where(o, condition, input, other)


def _to(o: Obligations, x: Tensor, dtype: ElementType) -> SymbolicTensor:
    if not x.is_strong:
        o.refuse("a Python number has no method to()")
    return functions.as_type(o, x, dtype.dtype)


def _as_tensor_memory(data: SymbolicTensor, *_: object, **__: object) -> Memory:
    """Say that a number of Python becomes a new tensor; a scalar parameter may be a tensor already."""
    return Memory.NEW if data.strength is Strength.WEAK else Memory.VIEW


def _to_memory(x: SymbolicTensor, dtype: ElementType) -> Memory:
    """Say that a conversion to the type which a tensor has is the tensor itself."""
    return Memory.VIEW if x.dtype == dtype.dtype else Memory.NEW


def _clone(o: Obligations, x: Tensor) -> SymbolicTensor:
    if not x.is_strong:
        o.refuse("a Python number has no method clone()")
    return x


def _on_both(*texts: str) -> list[Sample]:
    return samples_of(texts, a="number[m, n]", b="number[n]")


def _row(spelling: str, *samples: Sample) -> OpRow:
    return replace(_SHARED[spelling], samples=samples)


def _arithmetic(spelling: str) -> OpRow:
    forms = (f"a {spelling} b", f"a {spelling} 3", f"2 {spelling} b")
    zero_rank = (f"a {spelling} x", f"x {spelling} x")
    return _row(
        spelling,
        *samples_of(forms, a="arith[m, n]", b="arith[n]"),
        *samples_of(zero_rank, a="arith[m]", x="arith[]"),
        sample(f"a {spelling} 2.5", a="real[m]"),
    )


def _division(spelling: str) -> OpRow:
    forms = (f"a {spelling} b", f"a {spelling} 3", f"2 {spelling} b")
    divided = samples_of(forms, a="number[m, n]", b="positive[n]")
    return _row(spelling, *divided, sample(f"(m + n) {spelling} 2 * a", a="i64[m]"))


def _comparison(spelling: str) -> OpRow:
    texts = (f"a {spelling} b", f"a {spelling} 1", f"torch.arange(m)[:, None] {spelling} torch.arange(n) + 1")
    return _row(spelling, *samples_of((*texts, f"m {spelling} n"), a="int_or_real[m, n]", b="int_or_real[n]"))


def _bits(spelling: str) -> OpRow:
    texts = (f"a {spelling} b", f"(c > 0) {spelling} (a[:, 0] > 0)", f"torch.arange(n) {spelling} 1")
    return _row(spelling, *samples_of(texts, 1, a="integer[m, n]", b="integer[n]", c="f64[m]"))


ROWS = [
    *map(_arithmetic, ("+", "-", "*")),
    _row(
        "/",
        *samples_of(("a / b", "a / 3", "2 / b"), a="real[m, n]", b="positive_real[n]"),
        sample("a / n", 1, a="real[m, n]"),
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
        respelled(partial(arithmetic.power, arithmetic.FUNCTION), "input=x1 exponent=x2"),
        "torch.pow(a, 3)",
        sample("torch.pow(a, b)", a="positive_real[m, n]", b="real[n]"),
        "torch.pow(2.0, b)",
        sample("torch.pow(a, torch.arange(n))", a="real[m, n]"),
        a="number[m, n]",
        b="real[n]",
    ),
    row(
        "torch.clamp",
        _clamp,
        *_on_both(
            "torch.clamp(a, min=1)", "torch.clamp(a, max=0)", "torch.clamp(a, min=b)", "torch.clamp(a, min=1, max=2)"
        ),
    ),
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
        respelled(functions.new_array, "data=object dtype! device"),
        "torch.as_tensor(x, dtype=torch.float64)",
        "torch.as_tensor(2.5, dtype=torch.float32)",
        "torch.as_tensor(m > n, dtype=torch.bool)",
        "torch.as_tensor(n, dtype=torch.int32, device=a.device)",
        memory=_as_tensor_memory,
        x="arith[]",
        a="f64[m]",
    ),
    row(".clone()", _clone, "a.clone()", a="arith[m, n]"),
]


_INTEGER_TEXTS = ("dim=0, dtype=torch.int32", "dtype=torch.float64")


def _product(
    o: Obligations, a: Tensor, axis: Axes = None, dtype: ElementType | None = None, *, keepdims: Flag = False
) -> SymbolicTensor:
    if isinstance(axis, tuple):
        o.refuse("a product over several axes at once")
    return reduction.reduction("prod")(o, a, axis, dtype, keepdims=keepdims)


def _extreme(op: Reducer, o: Obligations, a: Tensor, axis: Axes = None, *, keepdims: Flag = False) -> SymbolicTensor:
    if a.dtype == "bool":
        o.refuse("an extreme of truth values")
    return reduction.reduction(op)(o, a, axis, keepdims=keepdims)


def _running_extreme(op: Reducer, o: Obligations, input: Tensor, dim: int) -> tuple[SymbolicTensor, ...]:  # noqa: A002 - PyTorch's name
    """Give the values; where they stood, which PyTorch gives too, has no name here."""
    return (reduction.running(op, default_axis=None)(o, input, dim),)


def _rows(name: str, shared: Meaning, values: str, least: int, *texts: str, typed: str = "") -> list[OpRow]:
    meaning = respelled(shared, f"input=a dim=axis keepdim=keepdims{typed}")
    return _in_both_forms(name, meaning, values, least, *texts)


def _in_both_forms(name: str, meaning: Meaning, values: str, least: int, *texts: str) -> list[OpRow]:
    method, function = both_forms("torch", name, texts, least, f"{values}[m, n]")
    return [row(f".{name}()", meaning, *method, name=f"method {name}"), row(f"torch.{name}", meaning, *function)]


def _running(name: str, op: Reducer, *texts: str) -> list[OpRow]:
    meaning = respelled(reduction.running(op, default_axis=None), "input=a dim=axis! * dtype")
    return _in_both_forms(name, meaning, "arith", 0, *texts)


def _of_matrix(*texts: str) -> tuple[Sample, ...]:
    return tuple(sample(text, 1, a="number[m, n]") for text in texts)


_TEXTS = ("", "dim=0", "dim=(0, 1)", "dim=-1, keepdim=True")
_ONE_AXIS = ("", "dim=0", "dim=-1, keepdim=True")

ROWS += [
    *_rows("sum", reduction.reduction("sum"), "arith", 0, *_TEXTS, *_INTEGER_TEXTS, typed=" * dtype"),
    *_rows("prod", _product, "arith", 0, *_ONE_AXIS, *_INTEGER_TEXTS, typed=" * dtype"),
    *_rows("amax", partial(_extreme, "max"), "arith", 1, *_TEXTS),
    *_rows("amin", partial(_extreme, "min"), "arith", 1, *_TEXTS),
    *_rows("argmax", partial(reduction.position, "argmax"), "tied", 1, "dim=0", "dim=-1, keepdim=True"),
    *_rows("argmin", partial(reduction.position, "argmin"), "tied", 1, "dim=0", "dim=-1, keepdim=True"),
    *_rows("any", reduction.reduction("any"), "sparse", 0, *_TEXTS),
    *_rows("all", reduction.reduction("all"), "sparse", 0, *_TEXTS),
    *_rows("mean", reduction.mean, "real", 1, *_TEXTS),
    *_running("cumsum", "sum", "dim=0", "dim=-1", "dim=1, dtype=torch.int32"),
    *_running("cumprod", "prod", "dim=0", "dim=-1"),
    row(
        "torch.cummax",
        partial(_running_extreme, "max"),
        *_of_matrix("torch.cummax(a, dim=1)[0]", "torch.cummax(a > 0, dim=1)[0]"),
    ),
    row(
        "torch.cummin",
        partial(_running_extreme, "min"),
        *_of_matrix("torch.cummin(a, dim=0)[0]", "torch.cummin(a > 0, dim=0)[0]"),
    ),
]


def _of_one_type(meaning: Meaning) -> Meaning:
    """Return the meaning for tensors of one type that is not that of truth values."""

    @functools.wraps(meaning)
    def checked(o: Obligations, *values: Any, **named: Any) -> Any:
        tensors = [value for value in values if isinstance(value, SymbolicTensor)]
        if len({t.dtype for t in tensors}) > 1 or not all(t.is_strong for t in tensors):
            o.refuse("a product of tensors of different types")
        return meaning(o, *values, **named)

    return checked


def _einsum(o: Obligations, equation: Text, *operands: Tensor) -> SymbolicTensor:
    """Sum products, but for narrow integers: whether these are widened depends on the order of evaluation."""
    if operands[0].dtype not in ("i64", *FLOATS):
        o.refuse("torch.einsum of narrow integers, which it may widen")
    return contraction.einsum(o, equation, *operands)


def _products(form: str) -> tuple[Sample, ...]:
    shapes = [("[m, k]", "[k, n]"), ("[k]", "[k, n]"), ("[m, k]", "[k]"), ("[k]", "[k]")]
    return tuple(sample(form, a=f"{t}{left}", b=f"{t}{right}") for left, right in shapes for t in ("f32", "f64", "i32"))


def _vector_row(name: str) -> OpRow:
    samples = tuple(sample(f"torch.{name}(a, b)", a=f"{t}[m]", b=f"{t}[m]") for t in ("f64", "i32"))
    return row(f"torch.{name}", _of_one_type(_dot), *samples)


def _dot(o: Obligations, input: Tensor, other: Tensor) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    if input.rank != 1 or other.rank != 1:
        o.refuse("a product of anything but vectors")
    return contraction.matmul(o, input, other)


_EINSUMS = (
    ("'ik,kj->ij'", {"a": "[m, k]", "b": "[k, n]"}),
    ("'ik,kj->ji'", {"a": "[m, k]", "b": "[k, n]"}),
    ("'ik,kj->k'", {"a": "[m, k]", "b": "[k, n]"}),
    ("'ik,kj,i->j'", {"a": "[m, k]", "b": "[k, n]", "c": "[m]"}),
    ("'ij->ji'", {"a": "[n, n]"}),
    ("'ii->i'", {"a": "[n, n]"}),
    ("'ii->'", {"a": "[n, n]"}),
    ("'i,j->'", {"a": "[n]", "b": "[m]"}),
    ("'bik,bkj->bij'", {"a": "[2, m, k]", "b": "[2, k, n]"}),
)


def _einsums() -> tuple[Sample, ...]:
    return tuple(
        sample(f"torch.einsum({spec}, {', '.join(shapes)})", **{name: f"{t}{shape}" for name, shape in shapes.items()})
        for spec, shapes in _EINSUMS
        for t in ("f64", "f32", "i64")
    )


ROWS += [
    replace(
        _SHARED["@"],
        meaning=_of_one_type(contraction.matmul),
        samples=(*_products("a @ b"), sample("a @ b", a="f64[2, m, k]", b="f64[k, n]")),
    ),
    row("torch.matmul", _of_one_type(contraction.matmul), *_products("torch.matmul(a, b)")),
    _vector_row("dot"),
    _vector_row("vdot"),
    replace(_SHARED["np.einsum"], spelling="torch.einsum", meaning=_of_one_type(_einsum), samples=_einsums()),
    row(
        "torch.tensordot",
        _of_one_type(respelled(contraction.tensordot, "a b dims=axes!")),
        "torch.tensordot(a, b, 1)",
        sample("torch.tensordot(a, b, dims=2)", a="f64[2, m, k]", b="f64[m, k, n]"),
        sample("torch.tensordot(a, b, dims=2)", a="i32[m, k]", b="i32[m, k]"),
        sample("torch.tensordot(a, b, dims=((0, 2), (1, 0)))", a="f64[m, 2, k]", b="f64[k, m, n]"),
        a="f64[m, k]",
        b="f64[k, n]",
    ),
    row(
        "torch.outer", respelled(contraction.outer, "input=a vec2=b"), "torch.outer(a, b)", a="arith[m]", b="number[n]"
    ),
    row("torch.trace", respelled(contraction.trace, "input=a"), "torch.trace(a)", a="arith[n, n]"),
]
