"""What statements do to a variable first: read it, write it for certain, or neither.

The answers err on one side only: what may read before it writes reads, and a write that may not happen is none.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clang.cindex import CursorKind

from tensorlift.frontends.c.outline.syntax import FOR_PARTS, LOOPS, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PLAIN = {CursorKind.PAREN_EXPR, CursorKind.UNEXPOSED_EXPR, CursorKind.CSTYLE_CAST_EXPR}


class Effect(Enum):
    """What happens to a variable first; ``WRITE`` only where it happens for certain."""

    READ = "read"
    WRITE = "write"
    NONE = "none"


def first_effect(statements: Iterable[Node], variable: int) -> Effect:
    """Say what statements that follow each other do to a variable first."""
    jumped = False
    for statement in statements:
        effect = _effect(statement, variable)
        if effect is Effect.READ:
            return effect
        if effect is Effect.WRITE:
            return Effect.NONE if jumped else effect
        jumped = jumped or statement.jumps
    return Effect.NONE


def _effect(node: Node, variable: int) -> Effect:
    kind, parts = node.kind, node.parts
    if variable not in node.names:
        return Effect.WRITE if kind is CursorKind.RETURN_STMT else Effect.NONE  # nothing follows a return
    if kind is CursorKind.COMPOUND_STMT:
        return first_effect(parts, variable)
    if kind is CursorKind.IF_STMT:
        return _choice(parts, variable)
    if kind in LOOPS:
        return _loop(kind, parts, variable)
    if kind in _PLAIN and len(parts) == 1 and not parts[0].name:
        return _effect(parts[0], variable)
    if kind is CursorKind.BINARY_OPERATOR:
        return _operator(node.operator, parts, variable)
    return Effect.READ


def _choice(parts: Sequence[Node], variable: int) -> Effect:
    condition, *arms = parts
    decided = _effect(condition, variable)
    if decided is not Effect.NONE:
        return decided
    effects = {_effect(arm, variable) for arm in arms}
    if Effect.READ in effects:
        return Effect.READ
    return Effect.WRITE if effects == {Effect.WRITE} and len(arms) > 1 else Effect.NONE


def _loop(kind: CursorKind, parts: Sequence[Node], variable: int) -> Effect:
    if kind is CursorKind.DO_STMT:
        return first_effect(parts, variable)
    if kind is CursorKind.WHILE_STMT:
        before, repeated = parts[:1], parts[1:]
    elif len(parts) == FOR_PARTS:
        before, repeated = parts[:2], (parts[3], parts[2])
    else:
        return Effect.READ  # which part is missing is not known
    decided = first_effect(before, variable)
    if decided is not Effect.NONE:
        return decided
    return Effect.READ if first_effect(repeated, variable) is Effect.READ else Effect.NONE  # it may run no time


def _operator(operator: str, parts: Sequence[Node], variable: int) -> Effect:
    left, right = parts
    if operator == ",":
        return first_effect(parts, variable)
    if operator != "=" or not left.name:
        return Effect.READ
    if left.name == variable:
        return Effect.READ if variable in right.names else Effect.WRITE
    return _effect(right, variable)


def is_read_after(around: Sequence[tuple[Node, int]], variable: int) -> bool:
    """Tell whether what a variable holds behind some statements may be read.

    ``around`` are the statements that those stand in, innermost first, each with the position behind its last part
    that they take.
    """
    for node, end in around:
        effect = Effect.NONE
        if node.kind is CursorKind.COMPOUND_STMT:
            effect = first_effect(node.parts[end:], variable)
        elif node.kind in LOOPS:
            effect = _again(node, variable)
        elif node.kind is not CursorKind.IF_STMT:
            return True
        if effect is not Effect.NONE:
            return effect is Effect.READ
    return False


def _again(loop: Node, variable: int) -> Effect:
    """Say what a loop does to a variable first, behind its body."""
    kind, parts = loop.kind, loop.parts
    if kind is CursorKind.FOR_STMT and len(parts) < FOR_PARTS:
        return Effect.READ if variable in loop.names else Effect.NONE
    body = parts[0] if kind is CursorKind.DO_STMT else parts[-1]
    between = {CursorKind.FOR_STMT: (parts[2:3] + parts[1:2]), CursorKind.WHILE_STMT: parts[:1]}.get(kind, parts[1:])
    effect = first_effect(between, variable)
    if effect is Effect.READ or (effect is Effect.WRITE and not body.jumps):
        return effect
    return Effect.READ if first_effect([body], variable) is Effect.READ else Effect.NONE
