"""Calls of functions that choose between integers, as ``imin(a, b)``, become the expression that they return.

So ``for (k = imax(0, i - r); ...)`` and ``x[imin(i + 1, n - 1)]`` are read as the same with ``?:`` in its place.  This
takes functions of integers whose body consists of ``if`` and ``return``, and arguments that read no memory: they may be
evaluated several times.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import IntegerType
from tensorlift.frontends.c.demand import walk
from tensorlift.frontends.c.mapped import converted
from tensorlift.frontends.c.modified import has_effects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PLAIN = nodes.Name | nodes.Integer | nodes.Unary | nodes.Binary | nodes.Cast | nodes.Conditional
_MOST_NODES = 200


def as_choice(call: nodes.Call) -> nodes.Expression:
    """Give the value of a call as an expression with ``?:``, where it is one; else the call."""
    callee = call.callee
    if callee is None or callee.is_variadic or callee.writes or len(callee.parameters) != len(call.arguments):
        return call
    types = [callee.result, *(parameter.ctype for parameter in callee.parameters)]
    if not all(isinstance(ctype, IntegerType) for ctype in types) or not all(map(_is_plain, call.arguments)):
        return call
    value = _returned(callee.body.statements, callee)
    if value is None or not _chooses(value):
        return call
    given = zip(callee.parameters, call.arguments, strict=True)
    arguments = {parameter: converted(argument, parameter.ctype) for parameter, argument in given}
    names = [node.variable for node in walk(value) if isinstance(node, nodes.Name)]
    nodes_in_all = sum(sum(1 for _ in walk(arguments[name])) for name in names if name in arguments)
    if not set(names) <= arguments.keys() or nodes_in_all > _MOST_NODES:
        return call
    return _with_arguments(value, arguments, call)


def _returned(statements: Sequence[nodes.Statement], function: nodes.Function) -> nodes.Expression | None:
    """Give what statements return as one expression; None where they do more."""
    if not statements:
        return None
    first, rest = statements[0], statements[1:]
    match first:
        case nodes.Return(value=value):
            return value if value is not None and _is_plain(value) else None
        case nodes.Block(statements=inner):
            return _returned((*inner, *rest), function)
        case nodes.If(condition=condition, then=then, otherwise=otherwise) if _is_plain(condition):
            arms = [_returned((*([] if arm is None else [arm]), *rest), function) for arm in (then, otherwise)]
            if arms[0] is not None and arms[1] is not None:
                return nodes.Conditional(condition, arms[0], arms[1], function.result, first.location)
    return None


def _is_plain(expression: nodes.Expression) -> bool:
    """Whether an expression reads no memory and changes nothing."""
    parts = list(walk(expression))
    return not has_effects(expression) and all(
        isinstance(part, _PLAIN) and isinstance(part.ctype, IntegerType) for part in parts
    )


def _chooses(expression: nodes.Expression) -> bool:
    return any(isinstance(node, nodes.Conditional) for node in walk(expression))


def _with_arguments(
    expression: nodes.Expression, arguments: Mapping[nodes.Variable, nodes.Expression], call: nodes.Call
) -> nodes.Expression:
    """Copy what a function returns, with arguments for parameters, as if it stood in place of the call."""

    def copied(node: nodes.Expression) -> nodes.Expression:
        match node:
            case nodes.Name(variable=variable):
                return arguments[variable]
            case nodes.Unary() | nodes.Cast():
                return replace(node, operand=copied(node.operand), location=call.location)
            case nodes.Binary():
                return replace(node, left=copied(node.left), right=copied(node.right), location=call.location)
            case nodes.Conditional():
                condition, then, otherwise = map(copied, (node.condition, node.then, node.otherwise))
                return replace(node, condition=condition, then=then, otherwise=otherwise, location=call.location)
        return replace(node, location=call.location)

    return copied(expression)
