"""What XLA does not compile as it is meant.

On processors with AVX-512, XLA (jaxlib 0.10.2) gives a negative number for ``(float)(unsigned long)(long)x`` of a
negative ``x``: its code generator keeps the integer in a vector register, and converts it back by its first type.

A divisor that several cells share, or that is a constant, is replaced by its reciprocal, which is multiplied by: so
49 / 49 is below one.  As a float it differs in the last bit; as an integer it is another number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import (
    Assign,
    Cast,
    Cumulative,
    Elementwise,
    Literal,
    Reduction,
    SetSlice,
    Variable,
    nodes_of,
    walk_statements,
)
from tensorlift.ops.dtypes import is_float, is_integer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tensorlift.ir.tensor_program import Expression, TensorProgram

    Assigned = Mapping[str, Sequence[Expression]]  # what variables are given

_ROUND_TRIPS = {"i32": "u32", "u32": "i32", "i64": "u64", "u64": "i64"}
_CHOOSING = ("select", "max", "min")
_DOWN = ("floor", "ceil", "trunc")
_TO_NEAREST = ("rint", "round")  # give the same for what is a little off


def check_program(program: TensorProgram, title: str) -> None:
    """Refuse what XLA does not compute as it is meant: LiftError TL305."""
    assigned: dict[str, list[Expression]] = {}
    for statement in walk_statements(program.body):
        if isinstance(statement, Assign | SetSlice):
            assigned.setdefault(statement.name, []).append(statement.value)
    for node in nodes_of(program.body):
        if isinstance(node, Cast) and is_float(node.dtype):
            _check_round_trip(node, assigned, title)
        if _cuts(node) and _has_reciprocal(node, assigned):
            message = (
                f"{title} runs in XLA, which multiplies by reciprocals: an exact quotient may fall below a whole number"
            )
            raise refuse("TL305", message, remedy="lift to numpy, torch or c")


def _check_round_trip(node: Cast, assigned: Assigned, title: str) -> None:
    """Refuse a float that becomes an integer, one of the other sign, and a float again."""
    for inner in _casts(node.argument, assigned):
        before = _ROUND_TRIPS.get(inner.dtype)
        if before == inner.argument.dtype and any(
            first.dtype == before and is_float(first.argument.dtype) for first in _casts(inner.argument, assigned)
        ):
            message = f"{title} loses the sign of {inner.dtype} from {before} between two floats"
            raise refuse("TL305", message, remedy="lift to numpy, torch or c")


def _casts(value: Expression, assigned: Assigned) -> Iterator[Cast]:
    """Yield the conversions that cells of a value may come from, through variables and what only moves them."""
    return (node for node in _origins(value, assigned, _moved) if isinstance(node, Cast))


def _moved(node: Expression) -> Sequence[Expression]:
    """Return the operands of which an operation gives cells as they are."""
    if isinstance(node, Elementwise):
        return node.arguments if node.op in _CHOOSING else ()
    return () if isinstance(node, Cast | Reduction | Cumulative) else node.operands


def _cuts(node: Expression) -> bool:
    """Tell whether an operation makes whole numbers of floats, which is another one for a float a little below."""
    if isinstance(node, Cast):
        return is_integer(node.dtype) and is_float(node.argument.dtype)
    return isinstance(node, Elementwise) and node.op in _DOWN


def _has_reciprocal(node: Expression, assigned: Assigned) -> bool:
    """Tell whether an operation takes what is computed from a quotient by what cells share, or by a constant."""
    origins = (inner for operand in node.operands for inner in _origins(operand, assigned, _computed))
    return any(isinstance(inner, Elementwise) and inner.op == "div" and _is_shared(inner) for inner in origins)


def _computed(node: Expression) -> Sequence[Expression]:
    """Return the operands whose last bits count in floats."""
    is_whole = isinstance(node, Elementwise) and node.op in _TO_NEAREST
    return () if is_whole else [operand for operand in node.operands if is_float(operand.dtype)]


def _is_shared(quotient: Elementwise) -> bool:
    """Tell whether the divisor is a constant without an exact reciprocal, or one for several cells."""
    divisor = quotient.arguments[1]
    if not isinstance(divisor, Literal):
        return divisor.shape != quotient.shape
    value = divisor.value
    return isinstance(value, str) or any(part & (part - 1) for part in (abs(value.numerator), value.denominator))


def _origins(
    value: Expression,
    assigned: Assigned,
    operands: Callable[[Expression], Sequence[Expression]],
) -> Iterator[Expression]:
    """Yield a value and what it comes from through the operands that are told, and through variables."""
    stack, seen = [value], set()
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            yield node
            stack += assigned.get(node.name, ()) if isinstance(node, Variable) else operands(node)
