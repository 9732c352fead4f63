"""Syntax trees walked, and expressions that are written alike."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.c import nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_SAID = ("value", "variable", "operator", "name", "callee")


def is_name(expression: nodes.Expression, variable: nodes.Variable) -> bool:
    """Whether an expression is the name of a variable."""
    return isinstance(expression, nodes.Name) and expression.variable is variable


def names_in(expression: nodes.Expression) -> set[nodes.Variable]:
    """Collect the variables that an expression names."""
    return {node.variable for node in walk(expression) if isinstance(node, nodes.Name)}


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
