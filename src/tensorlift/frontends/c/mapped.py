"""Syntax trees written anew with other expressions in them, and expressions that are written alike."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from tensorlift.frontends.c import nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tensorlift.frontends.c.c_types import CType

    Change = Callable[[nodes.Expression], nodes.Expression | None]

_Node = TypeVar("_Node", bound="nodes.Expression | nodes.Statement")
_SAID = ("value", "variable", "operator", "name", "callee")


def changed(expression: nodes.Expression, change: Change) -> nodes.Expression:
    """Return an expression in which ``change`` gives others for some; where it gives None it is asked inside."""
    other = change(expression)
    if other is not None:
        return other
    return _with(expression, nodes.OPERANDS, lambda operand: changed(operand, change))


def _with(node: _Node, fields: Mapping[type, tuple[str, ...]], change: Callable[[Any], Any]) -> _Node:
    """Return a node with others in the fields that a table names for it."""
    held = {name: value for name in fields.get(type(node), ()) if (value := getattr(node, name)) is not None}
    new: dict[str, Any] = {
        n: tuple(map(change, value)) if isinstance(value, tuple) else change(value) for n, value in held.items()
    }
    return replace(node, **new) if new else node


def with_expressions(
    statement: nodes.Statement,
    change: Callable[[nodes.Expression], nodes.Expression],
    inside: Callable[[nodes.Statement], nodes.Statement],
) -> nodes.Statement:
    """Return a statement with other expressions, and others in place of the statements inside of it.

    What a declaration starts with is changed in place.
    """
    if isinstance(statement, nodes.Declare) and statement.variable.initialiser is not None:
        statement.variable.initialiser = change(statement.variable.initialiser)
    return _with(_with(statement, nodes.EXPRESSIONS, change), nodes.STATEMENTS, inside)


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


def expressions_of(statement: nodes.Statement) -> list[nodes.Expression]:
    """List the expressions of a statement, but not those of statements inside of it."""
    if isinstance(statement, nodes.Declare):
        variable = statement.variable
        return [one for one in (*variable.extents, variable.initialiser) if one is not None]
    return nodes.parts(statement, nodes.EXPRESSIONS)


def nodes_of(statement: nodes.Statement) -> Iterator[nodes.Expression]:
    """Yield the expressions of a statement and all in them, but not those of statements inside of it."""
    for expression in expressions_of(statement):
        yield from walk(expression)


def walk(expression: nodes.Expression) -> Iterator[nodes.Expression]:
    """Iterate over an expression and everything in it, without recursion."""
    work = [expression]
    while work:
        node = work.pop()
        yield node
        operands = _OPERANDS.get(type(node))
        if operands is not None:
            work.extend(operands(node))


# A table by class, not a chain of cases: every analysis asks this of every node.
_OPERANDS: dict[type, Callable[[Any], tuple[nodes.Expression, ...]]] = {
    kind: (lambda node: (node.operand,)) if names == ("operand",) else attrgetter(*names)
    for kind, names in nodes.OPERANDS.items()
}


def children(node: nodes.Expression) -> tuple[nodes.Expression, ...]:
    """List the operands of an expression."""
    operands = _OPERANDS.get(type(node))
    return () if operands is None else operands(node)
