"""Scalar operations of the dialects arith and math: how each function is spelled, by the kind of its type."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.ops.dtypes import is_float, width
from tensorlift.ops.scalar_ops import REALS, ROUNDINGS
from tensorlift.targets.emitted import as_float
from tensorlift.targets.linalg.writer import element_type

if TYPE_CHECKING:
    from fractions import Fraction

    from tensorlift.ops.dtypes import DType

FLOAT = {
    "add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf", "div": "arith.divf", "rem": "arith.remf",
    "neg": "arith.negf", "max": "arith.maximumf", "min": "arith.minimumf", "fmax": "arith.maxnumf",
    "fmin": "arith.minnumf", "abs": "math.absf", "pow": "math.powf", "atan2": "math.atan2",
    "copysign": "math.copysign", "rint": "math.roundeven",
    **{name: f"math.{name}" for name in (*REALS, *ROUNDINGS[:-1])},
}  # fmt: skip
_INTEGER = {
    "add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli", "tdiv": "arith.divsi", "rem": "arith.remsi",
    "floordiv": "arith.floordivsi", "max": "arith.maxsi", "min": "arith.minsi", "abs": "math.absi",
    "bitand": "arith.andi", "bitor": "arith.ori", "bitxor": "arith.xori", "shl": "arith.shli", "shr": "arith.shrsi",
}  # fmt: skip
_TRUTH = {"and": "arith.andi", "or": "arith.ori", "ne": "arith.xori", "bitand": "arith.andi", "bitor": "arith.ori"}
_FLOAT_COMPARISONS = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
_INTEGER_COMPARISONS = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
COMPARISONS = frozenset(_FLOAT_COMPARISONS)
COMBINERS: dict[str, str] = {
    "sum": "add", "prod": "mul", "max": "max", "min": "min", "fmax": "fmax", "fmin": "fmin", "any": "or", "all": "and",
}  # fmt: skip
_SPECIAL = {
    ("inf", 64): "0x7FF0000000000000", ("-inf", 64): "0xFFF0000000000000", ("nan", 64): "0x7FF8000000000000",
    ("inf", 32): "0x7F800000", ("-inf", 32): "0xFF800000", ("nan", 32): "0x7FC00000",
}  # fmt: skip


def operation(op: str, dtype: DType) -> str:
    """Return the name of a scalar operation on operands of a type.

    Raises:
        LiftError: TL305, where the dialects have none.

    """
    table = FLOAT if is_float(dtype) else _TRUTH if dtype == "bool" else _INTEGER
    found = table.get(op)
    if found is None:
        raise refuse("TL305", f"MLIR's arith and math have no {op} on {dtype}", remedy="lift to another target")
    return found


def comparison(op: str, dtype: DType) -> str:
    """Return a comparison of operands of a type, with its predicate."""
    if is_float(dtype):
        return f"arith.cmpf {_FLOAT_COMPARISONS[op]},"
    if dtype == "bool" and op not in ("eq", "ne"):
        raise refuse("TL305", f"truth values have no comparison {op}", remedy="compare integers")
    return f"arith.cmpi {_INTEGER_COMPARISONS[op]},"


def conversion(source: DType, dtype: DType) -> str:
    """Return the operation that converts between two types that differ; none goes to truth values."""
    if source == "bool":
        return "arith.uitofp" if is_float(dtype) else "arith.extui"
    if is_float(source):
        if not is_float(dtype):
            return "arith.fptosi"
        return "arith.extf" if width(dtype) > width(source) else "arith.truncf"
    if is_float(dtype):
        return "arith.sitofp"
    return "arith.extsi" if width(dtype) > width(source) else "arith.trunci"


def number(value: Fraction | str, dtype: DType) -> str:
    """Spell a constant of a type, exactly."""
    if isinstance(value, str):
        return _SPECIAL[value, width(dtype)]
    if dtype == "bool":
        return "true" if value else "false"
    if not is_float(dtype):
        return str(int(value))
    return _decimal(as_float(value)) if dtype == "f64" else _decimal(_single(value))


def _single(value: Fraction) -> float:
    rounded: float = struct.unpack("f", struct.pack("f", as_float(value)))[0]
    return rounded


def _decimal(value: float) -> str:
    """Spell a float so that MLIR reads it: with a point, also before an exponent."""
    text = repr(value)
    mantissa, sign, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{sign}{exponent}"


def stem_of(value: Fraction | str, dtype: DType) -> str:
    """Return a name for a constant."""
    if isinstance(value, str) or value.denominator != 1 or value < 0 or is_float(dtype):
        return {0: "zero", 1: "one", 2: "two"}.get(value, "cst") if not isinstance(value, str) else "cst"  # type: ignore[call-overload]  # fractions are hashed as numbers
    return f"c{value}_{element_type(dtype)}"
