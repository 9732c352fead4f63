"""Rewrite ``continue``: what follows an ``if`` that ends in ``continue`` becomes the other arm of that ``if``."""

from __future__ import annotations

from tensorlift.frontends.c import nodes


def without_continue(body: nodes.Statement) -> nodes.Statement:
    """Rewrite a loop body; a ``continue`` deeper inside stays, and is refused where it is reached."""
    if _is_continue(body):
        return nodes.Block((), body.location)
    if not isinstance(body, nodes.Block):
        return body
    return nodes.Block(_rewritten(body.statements), body.location)


def _rewritten(statements: tuple[nodes.Statement, ...]) -> tuple[nodes.Statement, ...]:
    """Rewrite the statements of a loop body."""
    for position, statement in enumerate(statements):
        before, after = statements[:position], statements[position + 1 :]
        if _is_continue(statement):
            return before
        if isinstance(statement, nodes.If):
            rest = nodes.Block(_rewritten(after), statement.location)
            then, otherwise = _skipping(statement.then), _skipping(statement.otherwise)
            if then is None and otherwise is None:
                continue
            first = _joined(statement.then, rest) if then is None else then
            second = _joined(statement.otherwise, rest) if then is not None else otherwise
            return (*before, nodes.If(statement.condition, first, second, statement.location))
    return statements


def _joined(first: nodes.Statement | None, rest: nodes.Block) -> nodes.Statement:
    """Put the rest of the body after the statements of an arm."""
    return rest if first is None else nodes.Block((first, rest), rest.location)


def _skipping(arm: nodes.Statement | None) -> nodes.Block | None:
    """Give the statements of an arm that ends in ``continue`` without it."""
    if arm is None:
        return None
    if _is_continue(arm):
        return nodes.Block((), arm.location)
    if isinstance(arm, nodes.Block) and arm.statements and _is_continue(arm.statements[-1]):
        return nodes.Block(arm.statements[:-1], arm.location)
    return None


def _is_continue(statement: nodes.Statement) -> bool:
    return isinstance(statement, nodes.Unsupported) and statement.kind == "continue"
