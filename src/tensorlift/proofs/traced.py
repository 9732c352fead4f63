"""Loops of JAX, ``lax.fori_loop`` over the function before it, read as the loops that they are.

The function takes the variable of the loop and the state, one variable or several as a tuple, and returns the state;
the call gives the values of the same variables and takes the new ones.  The variable of the loop is an array of JAX's,
so that it may only say positions: elsewhere its type would count.

Which names a block of statements assigns, and how: by binding them anew or by storing into their memory.
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


_SUM = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Name, ast.Constant, ast.expr_context)


class TracedLoop(ast.For):
    """A loop whose body is a function of its own.

    ``own`` are the names in it that are not those around it, ``beside`` those that are added to its variable.
    """

    target: ast.Name
    own: set[str]
    beside: set[str]


def with_loops(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return statements in which a function and the loop over it behind it are one loop; other functions stay."""
    result: list[ast.stmt] = []
    for statement in body:
        loop = _loop(result[-1], statement) if result else None
        if loop is None:
            result.append(statement)
        else:
            result[-1] = loop
    return result


def _loop(function: ast.stmt, call: ast.stmt) -> TracedLoop | None:
    """Return the loop over a function, None where the statements are none."""
    if not isinstance(function, ast.FunctionDef) or not isinstance(call, ast.Assign) or len(call.targets) != 1:
        return None
    parameters, state = [p.arg for p in function.args.args], _names(call.targets[0])
    if ast.unparse(function).partition("\n")[0] != f"def {function.name}({', '.join(parameters)}):":
        return None
    bounds, body = _bounds(call.value, function.name, state), _body(function, parameters, state)
    if bounds is None or body is None:
        return None
    beside = _names_beside(body, parameters[0])
    own = {function.name, *parameters, *assigned_names(body)}.difference(state)
    is_apart = len({function.name, *parameters, *state}) == len(state) + (3 if len(state) > 1 else 2)
    if not is_apart or beside is None:
        return None
    counts = ast.Call(ast.Name("range", ast.Load()), bounds, [])
    loop = TracedLoop(ast.Name(parameters[0], ast.Store()), counts, body, [])
    loop.own, loop.beside = own, beside
    return ast.fix_missing_locations(ast.copy_location(loop, function))


def _bounds(call: ast.expr, function: str, state: tuple[str, ...]) -> list[ast.expr] | None:
    """Return the bounds in ``lax.fori_loop(lower, upper, function, state)``."""
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "lax.fori_loop" or call.keywords:
        return None
    if len(call.args) != 4 or ast.unparse(call.args[2]) != function or _names(call.args[3]) != state:  # noqa: PLR2004 - the four above
        return None
    return call.args[:2]


def _body(function: ast.FunctionDef, parameters: list[str], state: tuple[str, ...]) -> list[ast.stmt] | None:
    """Return what a function does between taking the state apart and returning it."""
    body, last = function.body[:-1], function.body[-1]
    if len(parameters) != 2 or not isinstance(last, ast.Return) or last.value is None or _names(last.value) != state:  # noqa: PLR2004 - variable and state
        return None
    if len(state) == 1:
        return with_loops(body) if parameters[1:] == list(state) else None
    first = body[0] if body else None
    if not isinstance(first, ast.Assign) or len(first.targets) != 1 or _names(first.targets[0]) != state:
        return None
    return with_loops(body[1:]) if _names(first.value) == (parameters[1],) else None


def _names(expression: ast.expr) -> tuple[str, ...]:
    """Return the name, or the names of a tuple of several; none for anything else."""
    listed = expression.elts if isinstance(expression, ast.Tuple) and len(expression.elts) > 1 else [expression]
    names = tuple(node.id for node in listed if isinstance(node, ast.Name))
    return names if len(names) == len(listed) else ()


def _names_beside(body: list[ast.stmt], variable: str) -> set[str] | None:
    """Return the names with which a variable occurs in sums and products that are subscripts or compared.

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
    """Yield the subscripts, or what is compared, that are sums and products of names and numbers."""
    items: list[ast.expr] = []
    if isinstance(node, ast.Subscript):
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    elif isinstance(node, ast.Compare):
        items = [node.left, *node.comparators]
    yield from (item for item in items if all(isinstance(inner, _SUM) for inner in ast.walk(item)))
