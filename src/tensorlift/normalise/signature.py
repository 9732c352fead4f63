"""What the arguments of literal IR are, by the signature of the source: sizes, numbers, arrays and their offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ZERO, Polynomial
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import LONG
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.values import Address, Array, Index
from tensorlift.normalise.accesses import DISTANCE
from tensorlift.normalise.steering import is_memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.dialects.func import FuncOp

    from tensorlift.frontends.c.values import Value
    from tensorlift.normalise.execution import Bind, Execution

_START = Index(ZERO, LONG)


def argument_names(function: FuncOp) -> list[str]:
    """Give the names of the arguments in the source."""
    marks = function.arg_attrs
    return [str(row.data["tl.name"].data) for row in marks] if marks is not None else []  # type: ignore[attr-defined]


def c_arguments(function: FuncOp, signature: nodes.Function) -> Bind:
    """Give what binds the arguments of a function that was read from C or C++."""
    return lambda ex: list(_bound(ex, function, signature))


def _bound(ex: Execution, function: FuncOp, signature: nodes.Function) -> Iterator[Value]:
    variables = {v.access or v.name: v for v in (*signature.parameters, *signature.outer)}
    arguments = zip(argument_names(function), function.body.blocks[0].args, strict=True)
    array: Array | None = None
    since = 0
    for name, argument in arguments:
        since += 1
        variable = variables.get(name)
        bound = ex.environment.get(variable) if variable is not None else None
        if is_memory(argument):
            array = bound.base if isinstance(bound, Address) and isinstance(bound.base, Array) else None
            if array is None:
                raise refusal("global", ex.place, name)
            since = 0
            yield Address(array, (ZERO,))
        elif array is not None and since == 1:
            yield _START
        elif array is not None and array.row_table and since == 2:  # noqa: PLR2004 - the third argument of a table
            yield Index(Polynomial.variable(f"{DISTANCE}{array.name}"), LONG)
        elif isinstance(bound, Index) or bound is not None:
            yield bound  # type: ignore[misc] # a number
        else:
            raise refusal("global", ex.place, name)


def named_in_extents(variables: Sequence[nodes.Variable]) -> set[str]:
    """Name the parameters that extents are made of."""
    found: set[str] = set()
    work = [extent for variable in variables for extent in variable.extents if extent is not None]
    while work:
        node = work.pop()
        match node:
            case nodes.Name(variable=variable):
                found.add(variable.name)
            case nodes.Binary(left=left, right=right):
                work += [left, right]
            case nodes.Cast(operand=operand) | nodes.Unary(operand=operand):
                work.append(operand)
    return found
