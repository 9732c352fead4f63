"""What XLA does not compile as it is meant.

On processors with AVX-512, XLA (jaxlib 0.10.2) gives a negative number for ``(float)(unsigned long)(long)x`` of a
negative ``x``: its code generator keeps the integer in a vector register, and converts it back by its first type.
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
    Reduction,
    SetSlice,
    Variable,
    values_of,
    walk_expressions,
    walk_statements,
)
from tensorlift.ops.dtypes import is_float

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.ir.tensor_program import Expression, TensorProgram

_ROUND_TRIPS = {"i32": "u32", "u32": "i32", "i64": "u64", "u64": "i64"}
_CHOOSING = ("select", "max", "min")


def check_round_trips(program: TensorProgram, title: str) -> None:
    """Refuse a float that becomes an integer, one of the other sign, and a float again: LiftError TL305."""
    assigned: dict[str, list[Expression]] = {}
    statements = list(walk_statements(program.body))
    for statement in statements:
        if isinstance(statement, Assign | SetSlice):
            assigned.setdefault(statement.name, []).append(statement.value)
    for node in (node for s in statements for value in values_of(s) for node in walk_expressions(value)):
        if not isinstance(node, Cast) or not is_float(node.dtype):
            continue
        for inner in _casts(node.argument, assigned):
            before = _ROUND_TRIPS.get(inner.dtype)
            if before == inner.argument.dtype and any(
                first.dtype == before and is_float(first.argument.dtype) for first in _casts(inner.argument, assigned)
            ):
                message = f"{title} loses the sign of {inner.dtype} from {before} between two floats"
                raise refuse("TL305", message, remedy="lift it to numpy, torch or c")


def _casts(value: Expression, assigned: dict[str, list[Expression]]) -> Iterator[Cast]:
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
