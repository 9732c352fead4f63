"""Syntax trees written anew with other expressions in them, and expressions that are written alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.demand import children, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tensorlift.frontends.c.c_types import CType

    Change = Callable[[nodes.Expression], nodes.Expression | None]

_SAID = ("value", "variable", "operator", "name", "callee")


def changed(expression: nodes.Expression, change: Change) -> nodes.Expression:
    """Return an expression in which ``change`` gives others for some; where it gives None it is asked inside."""
    other = change(expression)
    if other is not None:
        return other
    match expression:
        case nodes.Binary(left=left, right=right):
            return replace(expression, left=changed(left, change), right=changed(right, change))
        case nodes.Subscript(base=base, index=index):
            return replace(expression, base=changed(base, change), index=changed(index, change))
        case nodes.Unary(operand=operand) | nodes.Cast(operand=operand):
            return replace(expression, operand=changed(operand, change))
        case nodes.Assign(target=target, value=value):
            return replace(expression, target=changed(target, change), value=changed(value, change))
        case nodes.Conditional(condition=condition, then=then, otherwise=otherwise):
            arms = (changed(then, change), changed(otherwise, change))
            return replace(expression, condition=changed(condition, change), then=arms[0], otherwise=arms[1])
        case nodes.Call(arguments=arguments):
            return replace(expression, arguments=tuple(changed(argument, change) for argument in arguments))
    return expression


def with_expressions(
    statement: nodes.Statement,
    change: Callable[[nodes.Expression], nodes.Expression],
    inside: Callable[[nodes.Statement], nodes.Statement],
) -> nodes.Statement:
    """Return a statement with other expressions, and others in place of the statements inside of it.

    What a declaration starts with is changed in place.
    """
    match statement:
        case nodes.Block(statements=statements):
            return replace(statement, statements=tuple(map(inside, statements)))
        case nodes.Declare(variable=variable) if variable.initialiser is not None:
            variable.initialiser = change(variable.initialiser)
        case nodes.Evaluate(expression=expression):
            return replace(statement, expression=change(expression))
        case nodes.Return(value=value) if value is not None:
            return replace(statement, value=change(value))
        case nodes.If(condition=condition, then=then, otherwise=otherwise):
            other = None if otherwise is None else inside(otherwise)
            return replace(statement, condition=change(condition), then=inside(then), otherwise=other)
        case nodes.Loop(initial=initial, condition=condition, advance=advance, body=body):
            return replace(
                statement,
                initial=None if initial is None else inside(initial),
                condition=None if condition is None else change(condition),
                advance=None if advance is None else change(advance),
                body=inside(body),
            )
    return statement


def with_value(expression: nodes.Expression, variable: nodes.Variable, value: nodes.Expression) -> nodes.Expression:
    """Return an expression with a value in place of a variable."""
    return changed(expression, lambda node: value if is_name(node, variable) else None)


def is_name(expression: nodes.Expression, variable: nodes.Variable) -> bool:
    """Whether an expression is the name of a variable."""
    return isinstance(expression, nodes.Name) and expression.variable is variable


def names_in(expression: nodes.Expression) -> set[nodes.Variable]:
    """Collect the variables that an expression names."""
    return {node.variable for node in walk(expression) if isinstance(node, nodes.Name)}


def converted(value: nodes.Expression, ctype: CType) -> nodes.Expression:
    """Convert a value to a type, if it is of another."""
    return value if value.ctype == ctype else nodes.Cast(value, ctype, value.location, explicit=False)


def alike(left: nodes.Expression, right: nodes.Expression, *, but_types: bool = False) -> bool:
    """Whether two expressions are the same but for where they are, and perhaps for conversions and types."""
    if but_types:
        left, right = nodes.without_casts(left), nodes.without_casts(right)
    if type(left) is not type(right) or (left.ctype != right.ctype and not but_types):
        return False
    if any(getattr(left, name, None) != getattr(right, name, None) for name in _SAID):
        return False
    mine, theirs = children(left), children(right)
    return len(mine) == len(theirs) and all(
        alike(*pair, but_types=but_types) for pair in zip(mine, theirs, strict=True)
    )


def expressions_of(statement: nodes.Statement) -> Iterator[nodes.Expression]:
    """Yield the expressions of a statement, but not those of statements inside of it."""
    found: list[nodes.Expression | None] = []
    match statement:
        case nodes.Declare(variable=variable):
            found = [variable.initialiser, *variable.extents]
        case nodes.Evaluate(expression=expression):
            found = [expression]
        case nodes.If(condition=condition):
            found = [condition]
        case nodes.Loop(condition=until, advance=advance):
            found = [until, advance]
        case nodes.Return(value=value):
            found = [value]
    yield from (one for one in found if one is not None)


def nodes_of(statement: nodes.Statement) -> Iterator[nodes.Expression]:
    """Yield the expressions of a statement and all in them, but not those of statements inside of it."""
    for expression in expressions_of(statement):
        yield from walk(expression)
