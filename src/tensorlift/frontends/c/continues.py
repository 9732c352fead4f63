"""Rewrite ``continue``: what follows an ``if`` that may ``continue`` moves into the arms that go on.

``if (p) continue; A`` becomes ``if (p) {} else { A }``, and ``if (p) { if (q) continue; A } B`` becomes
``if (p) { if (q) {} else { A B } } else { B }``.
"""

from __future__ import annotations

from tensorlift.frontends.c import nodes


def without_continue(body: nodes.Statement) -> nodes.Statement:
    """Rewrite a loop body; a ``continue`` that stays is inside something else than blocks and conditions."""
    if not _continues(body):
        return body
    return nodes.Block(_rewritten([body]), body.location)


def _rewritten(statements: list[nodes.Statement]) -> tuple[nodes.Statement, ...]:
    """Rewrite statements up to the end of a loop body."""
    for position, statement in enumerate(statements):
        before, after = statements[:position], statements[position + 1 :]
        if not _continues(statement):
            continue
        if isinstance(statement, nodes.Block):
            return (*before, nodes.Block(_rewritten([*statement.statements, *after]), statement.location))
        if isinstance(statement, nodes.If):
            arms = [
                nodes.Block(_rewritten([*([] if arm is None else [arm]), *after]), statement.location)
                for arm in (statement.then, statement.otherwise)
            ]
            return (*before, nodes.If(statement.condition, arms[0], arms[1], statement.location))
        return tuple(before)
    return tuple(statements)


def _continues(statement: nodes.Statement | None) -> bool:
    return holds(statement, "continue")


def holds(statement: nodes.Statement | None, jump: str) -> bool:
    """Whether a statement holds a ``continue`` or ``break`` of the loop around it."""
    match statement:
        case nodes.Unsupported(kind=kind):
            return kind == jump
        case nodes.Block(statements=statements):
            return any(holds(inner, jump) for inner in statements)
        case nodes.If(then=then, otherwise=otherwise):
            return holds(then, jump) or holds(otherwise, jump)
        case _:
            return False
