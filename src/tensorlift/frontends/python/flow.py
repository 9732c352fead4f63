"""Where a variable of a Python function lives: which block it can belong to.

Python's variables belong to the function, those of the loop IR to a block.  A variable may live in a block if nothing
outside of the block mentions it and if the block writes it before it reads it, on every path; the scan below decides
that.  It errs to the side of reading.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

First = Literal["read", "written", "maybe", "neither"]


def occurrences(node: ast.AST | Sequence[ast.AST], name: str) -> int:
    """Count the mentions of a name."""
    nodes = [node] if isinstance(node, ast.AST) else node
    return sum(isinstance(n, ast.Name) and n.id == name for one in nodes for n in ast.walk(one))


def names_in(node: ast.AST) -> set[str]:
    """Collect the names that are mentioned."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def stored_in(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """Iterate over the names that are bound somewhere, in the order of the text; comprehensions keep theirs."""
    for node in nodes:
        own = {id(n) for c in ast.walk(node) if isinstance(c, ast.comprehension) for n in ast.walk(c.target)}
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store) and id(inner) not in own:
                yield inner.id


def loop_variables(node: ast.AST) -> set[str]:
    """Collect the names that ``for`` loops bind."""
    return {name for loop in ast.walk(node) if isinstance(loop, ast.For) for name in stored_in([loop.target])}


def first_use(statements: Sequence[ast.stmt], name: str) -> First:
    """Say whether a block reads a name before it writes it."""
    state: First = "neither"
    for statement in statements:
        found = _statement(statement, name)
        if found in ("read", "written"):
            return found
        if found == "maybe":
            state = "maybe"
    return state


def _statement(statement: ast.stmt, name: str) -> First:
    match statement:
        case ast.Assign(targets=targets, value=value):
            return _assignment(targets, [value], name)
        case ast.AnnAssign(target=target, value=value) if value is not None:
            return _assignment([target], [value], name)
        case ast.If(test=test, body=body, orelse=orelse):
            if occurrences(test, name):
                return "read"
            return _join(first_use(body, name), first_use(orelse, name))
        case ast.While(test=test, body=body):
            inner = "read" if occurrences(test, name) else first_use(body, name)
            return "maybe" if inner == "written" else inner
        case ast.For(target=target, iter=iterable, body=body):
            if occurrences(iterable, name):
                return "read"
            inner = "written" if occurrences(target, name) else first_use(body, name)
            return "maybe" if inner == "written" else inner
        case _:
            return "read" if occurrences(statement, name) else "neither"


def _assignment(targets: Sequence[ast.expr], values: Sequence[ast.expr], name: str) -> First:
    if occurrences(values, name):
        return "read"
    mentions = [n for target in targets for n in ast.walk(target) if isinstance(n, ast.Name) and n.id == name]
    if not mentions:
        return "neither"
    return "written" if all(isinstance(n.ctx, ast.Store) for n in mentions) else "read"


def _join(first: First, second: First) -> First:
    if "read" in (first, second):
        return "read"
    if first == second:
        return first
    return "maybe"
