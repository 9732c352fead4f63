"""The loops of a function as they are written, and what the iterations of each share of variables.

Iterations may run at the same time only if none assigns a variable that another names.  A variable in which all of them
add up is the exception: each thread adds up in one of its own.  What they share of arrays is not looked at here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.mapped import alike, expressions_of, is_name, names_in, nodes_of, walk
from tensorlift.ops.c_types import BOOL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_EXTREMES = {">": "max", "<": "min"}


@dataclass(frozen=True, slots=True)
class PlainLoop:
    """One loop: the line on which it starts, the loops right inside, and what its iterations share.

    ``reductions`` are the variables in which iterations add up, each with its operator (``+``, ``*``, ``&&``, ``||``,
    ``max``, ``min``).  They are None where iterations share another variable, or do not count upwards by a constant.
    """

    line: int
    inner: tuple[PlainLoop, ...]
    reductions: dict[str, str] | None


def plain_loops(function: nodes.Function) -> tuple[PlainLoop, ...]:
    """Return the outermost loops of a function, in the order of the text.

    Of a function that takes the address of a variable there are none, as that hides what is assigned.
    """
    inside = chain.from_iterable(map(nodes_of, nodes.statements_of(function.body)))
    return () if any(map(_takes_address, inside)) else tuple(_loops(function.body))


def _assigned_in(statement: nodes.Statement) -> set[nodes.Variable]:
    """Collect the variables that a statement assigns or declares."""
    inside = list(nodes.statements_of(statement))
    targets = (nodes.changed_by(node) for inner in inside for node in nodes_of(inner))
    named = (nodes.without_casts(target) for target in targets if target is not None)
    assigned = {target.variable for target in named if isinstance(target, nodes.Name)}
    return assigned | {inner.variable for inner in inside if isinstance(inner, nodes.Declare)}


def _takes_address(node: nodes.Expression) -> bool:
    if not isinstance(node, nodes.Unary) or node.operator != "&":
        return False
    return not isinstance(nodes.without_casts(node.operand), nodes.Subscript)


def _loops(statement: nodes.Statement) -> Iterator[PlainLoop]:
    if isinstance(statement, nodes.Loop):
        yield PlainLoop(statement.location.line, tuple(_loops(statement.body)), _reductions(statement))
        return
    for inner in nodes.parts(statement, nodes.STATEMENTS):
        yield from _loops(inner)


def _reductions(loop: nodes.Loop) -> dict[str, str] | None:
    inside = list(nodes.statements_of(loop.body))
    own = {s.variable for s in inside if isinstance(s, nodes.Declare)}
    assigned = _assigned_in(loop.body)
    calls = (isinstance(node, nodes.Call) and node.callee is not None for s in inside for node in nodes_of(s))
    ends = (isinstance(s, nodes.Return | nodes.Unsupported) for s in inside)
    if not _counts(loop, assigned) or any(calls) or any(ends):
        return None
    found = {variable: _operator(variable, inside) for variable in assigned - own}
    known = {variable.name: operator for variable, operator in found.items() if operator is not None}
    return dict(sorted(known.items())) if len(known) == len(found) else None


def _counts(loop: nodes.Loop, assigned: set[nodes.Variable]) -> bool:
    """Tell whether a loop is ``for (T i = first; i < end; i += step)``, its end the same at each iteration."""
    if not isinstance(loop.initial, nodes.Declare) or not isinstance(loop.condition, nodes.Binary):
        return False
    counter, test = loop.initial.variable, loop.condition
    names = names_in(test.right)
    return (
        test.operator in ("<", "<=")
        and is_name(nodes.without_casts(test.left), counter)
        and _advances(loop.advance, counter)
        and names.isdisjoint({counter, *assigned})
        and counter not in assigned
        and not any(isinstance(node, nodes.Call | nodes.Subscript) for node in walk(test.right))
    )


def _advances(advance: nodes.Expression | None, counter: nodes.Variable) -> bool:
    match advance:
        case nodes.Unary(operator="post++" | "pre++", operand=operand):
            return is_name(operand, counter)
        case nodes.Assign(operator="+", target=target, value=value):
            step = nodes.without_casts(value)
            return is_name(target, counter) and isinstance(step, nodes.Integer) and step.value > 0
    return False


def _operator(variable: nodes.Variable, inside: Sequence[nodes.Statement]) -> str | None:
    """Return the operator by which statements add up in a variable, None where they use it for anything else."""
    operators: set[str | None] = set()
    for statement in inside:
        named = [e for e in expressions_of(statement) if variable in names_in(e)]
        if named:
            operators.add(_step(named[0], variable) if isinstance(statement, nodes.Evaluate) else None)
    return operators.pop() if len(operators) == 1 else None


def _step(expression: nodes.Expression, variable: nodes.Variable) -> str | None:
    """Return the operator of ``v += x`` and the like, and of ``v = x > v ? x : v``, where ``x`` is without ``v``.

    All of it must be in the type of the variable, as each thread adds up in that.
    """
    if not isinstance(expression, nodes.Assign) or not is_name(expression.target, variable):
        return None
    value, ctype = expression.value, variable.ctype
    if expression.operator in ("+", "*"):
        return expression.operator if value.ctype == ctype and variable not in names_in(value) else None
    match nodes.without_casts(value) if ctype == BOOL else value:
        case nodes.Binary(operator="&&" | "||" as operator, left=left, right=right) if ctype == BOOL:
            is_step = is_name(nodes.without_casts(left), variable) and variable not in names_in(right)
            return operator if is_step else None
        case nodes.Conditional(condition=nodes.Binary(operator=">" | "<" as order) as test, then=then, otherwise=other):
            ends = is_name(test.right, variable) and is_name(other, variable)
            is_step = ends and then.ctype == ctype and variable not in names_in(then)
            return _EXTREMES[order] if is_step and alike(test.left, then) else None
    return None
