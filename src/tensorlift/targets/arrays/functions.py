"""Functions of one real, and conversions between element types."""

from __future__ import annotations

from functools import partial

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Obligations, Strength, SymbolicTensor, affine_of, convert, elementwise
from tensorlift.ops.dtypes import DType, holds, is_float, is_integer
from tensorlift.ops.scalar_ops import IN_NUMPY, REALS, ROUNDINGS, numpy_name
from tensorlift.targets.arrays.promotion import converted
from tensorlift.targets.target import ElementType, Memory, OpRow, Tensor, row, sample

FUNCTIONS = {op: REALS[op].values for op in IN_NUMPY}

ELEMENT_TYPES: dict[str, DType] = {
    "np.bool_": "bool", "np.bool": "bool", "bool": "bool", "int": "i64", "float": "f64",
    "np.int8": "i8", "np.int16": "i16", "np.int32": "i32", "np.int64": "i64",
    "np.uint8": "u8", "np.uint16": "u16", "np.uint32": "u32", "np.uint64": "u64",
    "np.float16": "f16", "np.float32": "f32", "np.float64": "f64",
}  # fmt: skip


def function_of_reals(op: str, o: Obligations, x: Tensor) -> SymbolicTensor:
    """Apply a function of one real."""
    dtype = o.types.float_type(o, x.dtype)
    strength = o.types.strength(o, (x,), dtype)
    return elementwise(o, partial(terms.apply, op), (converted(o, x, dtype),), dtype, strength)


def rounding(op: str, o: Obligations, x: Tensor) -> SymbolicTensor:
    """Apply a function that rounds reals."""
    if not is_float(x.dtype) or (x.strength is Strength.EITHER and x.dtype != "f64"):
        o.refuse("rounding of anything but a NumPy float")
    strength = o.types.strength(o, (x,), x.dtype)
    return elementwise(o, partial(terms.apply, op), (x,), x.dtype, strength)


def _square(o: Obligations, x: Tensor) -> SymbolicTensor:
    if x.dtype == "bool" or x.strength is Strength.EITHER:
        o.refuse("the square of a truth value or of a number that may be a Python one")
    strength = o.types.strength(o, (x,), x.dtype)
    return elementwise(o, lambda a: terms.apply("mul", a, a), (x,), x.dtype, strength)


def _reciprocal(o: Obligations, x: Tensor) -> SymbolicTensor:
    if not is_float(x.dtype) or not x.is_strong:
        o.refuse("the reciprocal of anything but a NumPy float")
    return elementwise(o, lambda a: terms.apply("div", terms.one(x.dtype), a), (x,), x.dtype)


def _conversion(dtype: DType, o: Obligations, x: Tensor) -> SymbolicTensor:
    return as_type(o, x, dtype)


def _conversion_memory(dtype: DType, x: SymbolicTensor) -> Memory:
    """Say that an array of the type is given back as it is, not a copy."""
    return Memory.VIEW if x.rank and x.dtype == dtype else Memory.NEW


def as_type(o: Obligations, x: SymbolicTensor, dtype: DType) -> SymbolicTensor:
    """Convert cell by cell: narrowing wraps, floats truncate; a Python integer that does not fit would raise."""
    o.types.check_conversion(o, x.dtype, dtype)
    if x.strength is Strength.WEAK:
        return _strong(converted(o, x, dtype))
    if x.strength is Strength.EITHER and is_integer(dtype) and is_integer(x.dtype) and not holds(dtype, x.dtype):
        o.refuse(f"a scalar parameter of type {x.dtype} may be a Python integer that {dtype} does not hold")
    return SymbolicTensor(x.shape, dtype, lambda indices: convert(x.at(indices), dtype))


def _strong(x: SymbolicTensor) -> SymbolicTensor:
    return SymbolicTensor(x.shape, x.dtype, x.at)


def _astype(o: Obligations, x: Tensor, dtype: ElementType) -> SymbolicTensor:
    if not x.is_strong:
        o.refuse("a Python number has no astype")
    return as_type(o, x, dtype.dtype)


def _to_python_int(o: Obligations, x: Tensor) -> SymbolicTensor:
    if x.rank or not (is_integer(x.dtype) or x.dtype == "bool"):
        o.refuse("int() of anything but one integer")
    value = affine_of(x.value())
    term = convert(x.value(), "i64") if value is None else terms.index(value, "i64")
    return SymbolicTensor((), "i64", lambda _: term, Strength.WEAK)


def _to_python_float(o: Obligations, x: Tensor) -> SymbolicTensor:
    if x.rank:
        o.refuse("float() of an array")
    value = converted(o, x, "f64").value() if x.strength is Strength.WEAK else convert(x.value(), "f64")
    return SymbolicTensor((), "f64", lambda _: value, Strength.WEAK)


def _copy(o: Obligations, x: Tensor) -> SymbolicTensor:
    if not x.is_strong:
        o.refuse("a Python number has no copy")
    return x


def _copy_of(o: Obligations, a: Tensor) -> SymbolicTensor:
    return as_type(o, a, a.dtype)


def new_array(o: Obligations, object: Tensor, dtype: ElementType | None = None) -> SymbolicTensor:  # noqa: A002 - NumPy's name
    """Copy an array, or make one of a number."""
    return as_type(o, object, dtype.dtype) if dtype else as_type(o, object, object.dtype)


def _is_nan(o: Obligations, x: Tensor) -> SymbolicTensor:
    if not is_float(x.dtype):
        o.refuse("isnan of anything but a float")
    return elementwise(o, lambda a: terms.apply("ne", a, a), (x,), "bool")


def _unary_row(op: str, values: str) -> OpRow:
    name = numpy_name(op)
    samples = [sample(f"np.{name}(a)", a=f"{values}[m, n]"), sample(f"np.{name}(b)", b=f"{values}[]")]
    if values not in ("fraction", "above_one"):
        samples.append(sample(f"np.{name}(a)", a="positive_wide_integer[m]"))
    return row(f"np.{name}", partial(function_of_reals, op), *samples)


def conversion_row(spelling: str, dtype: DType) -> OpRow:
    """Return the row of a type that is called to convert, such as ``np.float32(x)``."""
    samples = (
        sample(f"{spelling}(x)", x="arith[]"),
        sample(f"{spelling}(3)"),
        sample(f"{spelling}(a)", a="arith[m, n]"),
    )
    name = f"to {spelling.removeprefix('np.')}"
    return row(
        f"{spelling}()", partial(_conversion, dtype), *samples, name=name, memory=partial(_conversion_memory, dtype)
    )


ROWS = [
    *(_unary_row(*entry) for entry in FUNCTIONS.items()),
    *(row(f"np.{op}", partial(rounding, op), f"np.{op}(a * 3.0)", a="real[m, n]") for op in ROUNDINGS if op != "round"),
    row("np.square", _square, "np.square(a)", a="number[m, n]"),
    row("np.reciprocal", _reciprocal, "np.reciprocal(a)", a="positive_real[m, n]"),
    row("np.isnan", _is_nan, "np.isnan(a)", a="real[m, n]"),
    *(conversion_row(name, dtype) for name, dtype in ELEMENT_TYPES.items() if name.startswith("np.")),
    row(
        ".astype()",
        _astype,
        *(sample(f"a.astype({t})", a="arith[m, n]") for t in ELEMENT_TYPES),
        "(a > 0).astype(float)",
        "np.arange(n).astype(np.float64)",
        a="number[m]",
    ),
    row(".copy()", _copy, "a.copy()", a="arith[m, n]"),
    row("np.copy", _copy_of, "np.copy(a)", name="np.copy", a="arith[m, n]"),
    row("np.array", new_array, "np.array(a)", "np.array(2.5, dtype=np.float32)", a="arith[m]"),
    row("int()", _to_python_int, "a + int(x)", "int(n) + 1", a="number[m]", x="i32[]"),
    row("float()", _to_python_float, "a + float(x)", sample("a * float(n)", a="real[m]"), a="number[m]", x="f32[]"),
]
