"""Which names a block of statements assigns, and how: by binding them anew or by storing into their memory."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


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
