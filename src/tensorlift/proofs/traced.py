"""Which names a block of statements assigns, and how: by binding them anew or by storing into their memory.

Loops whose body is a function of its own, as JAX has them, and how their variable may occur in it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def statements_of(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements with those inside them."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.For | ast.With):
            yield from statements_of(statement.body)


def returns_inside(body: list[ast.stmt]) -> bool:
    """Tell whether a return is among them."""
    return any(isinstance(statement, ast.Return) for statement in statements_of(body))


def targets_of(body: list[ast.stmt]) -> Iterator[ast.expr]:
    """Yield what the statements assign to."""
    for statement in statements_of(body):
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                yield from target.elts if isinstance(target, ast.Tuple) else [target]
        elif isinstance(statement, ast.AugAssign | ast.For):
            yield statement.target


def assigned_names(body: list[ast.stmt]) -> set[str]:
    """Return the names that a body binds or stores into."""
    return rebound_names(body) | {
        t.value.id for t in targets_of(body) if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)
    }


def rebound_names(body: list[ast.stmt]) -> set[str]:
    """Return the names that may hold another object after an iteration."""
    return {t.id for t in targets_of(body) if isinstance(t, ast.Name)}


def stored_names(body: list[ast.stmt]) -> set[str]:
    """Return the names into whose memory a body stores."""
    stored = {t.value.id for t in targets_of(body) if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)}
    updates = (s.target for s in statements_of(body) if isinstance(s, ast.AugAssign))
    return stored | {t.id for t in updates if isinstance(t, ast.Name)}


_EXACT = ("jnp.int32", "jnp.int64", "jnp.float64")
_ROUNDED = ("jnp.float16", "jnp.bfloat16", "jnp.float32")
_SUM = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Name, ast.Constant, ast.expr_context)


class TracedLoop(ast.For):
    """A loop whose body is a function of its own.

    ``own`` are the names in it that are not those around it, ``beside`` those that are added to its variable.
    """

    target: ast.Name
    own: set[str]
    beside: set[str]


class Scan(TracedLoop):
    """A traced loop that takes cells of ``slices``, and stores cells of others: each has as many as it has iterations.

    It begins with cells of the arrays ``starts``, also where it runs no times.  ``leads`` are the sizes that say which
    rows of arrays these are cells of; those of ``apart`` have to differ.
    """

    _fields = (*ast.For._fields, "slices", "starts", "leads")
    slices: list[ast.expr]
    starts: list[ast.expr]
    leads: list[ast.expr]
    apart: list[tuple[Sequence[ast.expr], Sequence[ast.expr]]]


class CellStore(ast.Assign):
    """A store of a cell that has to have the type and the shape of the array's cells, as it is stacked with others.

    ``axes`` are as many as say which cell.
    """

    axes: int


def names_of(expression: ast.expr) -> tuple[str, ...]:
    """Return the name, or the names of a tuple of several; none for anything else."""
    listed = expression.elts if isinstance(expression, ast.Tuple) and len(expression.elts) > 1 else [expression]
    names = tuple(node.id for node in listed if isinstance(node, ast.Name))
    return names if len(names) == len(listed) else ()


def names_beside(body: list[ast.stmt], variable: str) -> set[str] | None:
    """Return the names with which a variable occurs in sums and products that only say positions or numbers of a type.

    None where it occurs elsewhere, in a slice for one.
    """
    nodes = [node for statement in body for node in ast.walk(statement)]
    if any(isinstance(node, ast.IfExp) for node in nodes):  # which a traced number may not decide
        return None
    sums = [[inner for inner in ast.walk(item) if isinstance(inner, ast.Name)] for n in nodes for item in _sums(n)]
    said = {name for names in sums for name in names}
    if any(node not in said for node in nodes if isinstance(node, ast.Name) and node.id == variable):
        return None
    beside = {name.id for names in sums if any(name.id == variable for name in names) for name in names}
    return beside - {variable, *(loop.target.id for loop in nodes if isinstance(loop, TracedLoop))}


def _sums(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the subscripts, the bounds of traced loops and what is compared or converted: sums and products of names.

    The variable of a loop has 32 bits unless JAX has others, and what is made of it wraps: to a type of 32 bits that is
    no matter, those of 64 bits JAX does not have then, and to single precision the variable alone is converted.
    """
    items: list[ast.expr] = []
    if isinstance(node, ast.Subscript):
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    elif isinstance(node, ast.Compare):
        items = [node.left, *node.comparators]
    elif isinstance(node, TracedLoop) and isinstance(node.iter, ast.Call):
        items = node.iter.args
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        converted = ast.unparse(node.func)
        items = (
            node.args if converted in _EXACT or (converted in _ROUNDED and isinstance(node.args[0], ast.Name)) else []
        )
    yield from (item for item in items if all(isinstance(inner, _SUM) for inner in ast.walk(item)))
