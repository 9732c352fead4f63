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
    Conditional,
    Cumulative,
    Elementwise,
    Literal,
    Reduction,
    SetSlice,
    Variable,
    values_of,
    walk_expressions,
    walk_statements,
)
from tensorlift.ops.dtypes import is_float, is_integer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.ir.tensor_program import Expression, TensorProgram

_ROUND_TRIPS = {"i32": "u32", "u32": "i32", "i64": "u64", "u64": "i64"}
_CHOOSING = ("select", "max", "min")
_DOWN = ("floor", "ceil", "trunc")
_TO_NEAREST = ("rint", "round")  # give the same for what is a little off


def check_round_trips(program: TensorProgram, title: str) -> None:
    """Refuse a float that becomes an integer, one of the other sign, and a float again: LiftError TL305."""
    assigned = _assigned(program)
    for node in _nodes(program):
        if not isinstance(node, Cast) or not is_float(node.dtype):
            continue
        for inner in _casts(node.argument, assigned):
            before = _ROUND_TRIPS.get(inner.dtype)
            if before == inner.argument.dtype and any(
                first.dtype == before and is_float(first.argument.dtype) for first in _casts(inner.argument, assigned)
            ):
                message = f"{title} loses the sign of {inner.dtype} from {before} between two floats"
                raise refuse("TL305", message, remedy="lift it to numpy, torch or c")


def check_reciprocals(program: TensorProgram, title: str) -> None:
    """Refuse a quotient by what cells share that becomes a whole number: LiftError TL305."""
    assigned = _assigned(program)
    for node in _nodes(program):
        is_cut = isinstance(node, Cast) and is_integer(node.dtype) and is_float(node.argument.dtype)
        if (is_cut or (isinstance(node, Elementwise) and node.op in _DOWN)) and _has_reciprocal(node, assigned):
            message = (
                f"{title} runs in XLA, which multiplies by reciprocals: an exact quotient may fall below a whole number"
            )
            raise refuse("TL305", message, remedy="lift it to numpy, torch or c")


def _has_reciprocal(node: Expression, assigned: Mapping[str, Sequence[Expression]]) -> bool:
    """Tell whether a value is computed from a quotient by what several cells share, or by a constant."""
    stack: list[Expression] = list(node.operands)
    seen: set[Expression] = set()
    while stack:
        inner = stack.pop()
        if inner in seen or not is_float(inner.dtype):
            continue
        seen.add(inner)
        if isinstance(inner, Elementwise) and inner.op in _TO_NEAREST:
            continue
        if isinstance(inner, Elementwise) and inner.op == "div":
            divisor = inner.arguments[1]
            if not _is_power_of_two(divisor) and (isinstance(divisor, Literal) or divisor.shape != inner.shape):
                return True
        stack += assigned.get(inner.name, ()) if isinstance(inner, Variable) else inner.operands
    return False


def _is_power_of_two(divisor: Expression) -> bool:
    if not isinstance(divisor, Literal) or isinstance(divisor.value, str) or not divisor.value:
        return False
    parts = abs(divisor.value.numerator), divisor.value.denominator
    return all(part & (part - 1) == 0 for part in parts)


def _assigned(program: TensorProgram) -> dict[str, list[Expression]]:
    """Return what the variables of a program are given."""
    found: dict[str, list[Expression]] = {}
    for statement in walk_statements(program.body):
        if isinstance(statement, Assign | SetSlice):
            found.setdefault(statement.name, []).append(statement.value)
    return found


def _nodes(program: TensorProgram) -> Iterator[Expression]:
    for statement in walk_statements(program.body):
        for value in values_of(statement):
            yield from walk_expressions(value)


def _casts(value: Expression, assigned: Mapping[str, Sequence[Expression]]) -> Iterator[Cast]:
    """Yield the conversions that cells of a value may come from, through variables and what only moves them."""
    stack, seen = [value], set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Cast):
            yield node
        elif isinstance(node, Variable):
            stack += assigned.get(node.name, ())
        elif isinstance(node, Elementwise):
            stack += node.arguments if node.op in _CHOOSING else ()
        elif isinstance(node, Conditional) or not isinstance(node, Reduction | Cumulative):
            stack += node.operands
