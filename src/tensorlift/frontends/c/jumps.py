"""Rewrite jumps forward, as ``continue`` and ``goto``: what they jump over moves into the arms that do not jump.

``if (p) continue; A`` becomes ``if (p) {} else { A }``, and ``if (p) { if (q) continue; A } B`` becomes
``if (p) { if (q) {} else { A B } } else { B }``.  A ``goto`` to a label further on, in the same block or in one around
it, does the same up to the label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.exchanges import statements_of
from tensorlift.frontends.c.mapped import nodes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Jump: TypeAlias = tuple[str, str]  # its kind, and the label that it leads to, if any
_CONTINUE: Jump = ("continue", "")
_LABEL = ":"
_MOST_JUMPS = 8  # to one label: what follows an arm that may jump is there once for each arm


def without_continue(body: nodes.Statement) -> nodes.Statement:
    """Rewrite a loop body; a ``continue`` that stays is inside something else than blocks and conditions."""
    if not _holds(body, _CONTINUE):
        return body
    return nodes.Block(without_jump([body], _CONTINUE), body.location)


def without_goto(body: nodes.Block) -> None:
    """Rewrite, in place, jumps to labels; those that lead back, or out of loops, stay, and so do their labels."""
    blocks = [statement for statement in statements_of(body) if isinstance(statement, nodes.Block)]
    for block in blocks:
        block.statements = tuple(one for statement in block.statements for one in _labelled(statement))
        for label in [one for one in block.statements if isinstance(one, nodes.Unsupported) and _is_label(one)]:
            jump = ("goto", label.detail.removesuffix(_LABEL))
            position = block.statements.index(label)
            before, after = block.statements[:position], block.statements[position + 1 :]
            jumps = [one for one in statements_of(body) if isinstance(one, nodes.Unsupported) and _is(one, jump)]
            is_forward = sum(count(one, jump) for one in before) == len(jumps) <= _MOST_JUMPS
            start = next((k for k, one in enumerate(before) if _holds(one, jump)), position)
            if is_forward and _declared(before[start:]).isdisjoint(_named(after)):
                block.statements = (*without_jump(before, jump), *after)


def _labelled(statement: nodes.Statement) -> Sequence[nodes.Statement]:
    """Return a label and what it stands before as statements of the block around them."""
    match statement:
        case nodes.Block(statements=(nodes.Unsupported() as first, *rest), is_scope=False) if _is_label(first):
            return (first, *(one for inner in rest for one in _labelled(inner)))
        case _:
            return (statement,)


def without_jump(statements: Sequence[nodes.Statement], jump: Jump) -> tuple[nodes.Statement, ...]:
    """Rewrite statements in which a jump leads to their end."""
    for position, statement in enumerate(statements):
        before, after = statements[:position], statements[position + 1 :]
        if not _holds(statement, jump):
            continue
        if isinstance(statement, nodes.Block):
            return (*before, nodes.Block(without_jump([*statement.statements, *after], jump), statement.location))
        if isinstance(statement, nodes.If):
            arms = [
                nodes.Block(without_jump([*([] if arm is None else [arm]), *after], jump), statement.location)
                for arm in (statement.then, statement.otherwise)
            ]
            return (*before, nodes.If(statement.condition, arms[0], arms[1], statement.location))
        return tuple(before)
    return tuple(statements)


def _holds(statement: nodes.Statement | None, jump: Jump) -> bool:
    """Whether a statement holds a jump, outside of loops inside of it."""
    return count(statement, jump) > 0


def count(statement: nodes.Statement | None, jump: Jump) -> int:
    """Count the jumps in a statement, outside of loops inside of it."""
    match statement:
        case nodes.Unsupported():
            return _is(statement, jump)
        case nodes.Block(statements=statements):
            return sum(count(inner, jump) for inner in statements)
        case nodes.If(then=then, otherwise=otherwise):
            return count(then, jump) + count(otherwise, jump)
        case _:
            return 0


def _is(statement: nodes.Unsupported, jump: Jump) -> bool:
    return (statement.kind, statement.detail) == jump


def _is_label(statement: nodes.Unsupported) -> bool:
    return statement.kind == "goto" and statement.detail.endswith(_LABEL)


def label(name: str) -> str:
    """Return the detail by which a label is told from a jump to it."""
    return f"{name}{_LABEL}"


def _declared(statements: Sequence[nodes.Statement]) -> set[nodes.Variable]:
    inside = (one for statement in statements for one in statements_of(statement))
    return {one.variable for one in inside if isinstance(one, nodes.Declare)}


def _named(statements: Sequence[nodes.Statement]) -> set[nodes.Variable]:
    inside = (one for statement in statements for one in statements_of(statement))
    return {node.variable for one in inside for node in nodes_of(one) if isinstance(node, nodes.Name)}
