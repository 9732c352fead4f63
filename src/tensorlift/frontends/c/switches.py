"""``switch`` as a chain of conditions; what a case falls into is there once more.

Labels split the statements of the body into groups; one that does not end with ``break``, ``continue`` or ``return``
falls into the next.  ``switch (x) { case 1: case 2: A; break; case 3: B; default: C; }`` becomes
``if (x == 1 || x == 2) A else if (x == 3) { B C } else C``.  The selecting value is evaluated again for each label, so
it must be without side effect, and the groups must leave alone what it reads: it is only copied where it is a name.

Rewrite jumps forward, as ``continue`` and ``goto``: what they jump over moves into the arms that do not jump.

``if (p) continue; A`` becomes ``if (p) {} else { A }``, and ``if (p) { if (q) continue; A } B`` becomes
``if (p) { if (q) {} else { A B } } else { B }``.  A ``goto`` to a label further on, in the same block or in one around
it, does the same up to the label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import INT, VOID, IntegerType, promote
from tensorlift.frontends.c.mapped import nodes_of
from tensorlift.frontends.c.modified import has_effects
from tensorlift.frontends.c.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c.clang_ast import UnitReader


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
    blocks = [statement for statement in nodes.statements_of(body) if isinstance(statement, nodes.Block)]
    for block in blocks:
        block.statements = tuple(one for statement in block.statements for one in _labelled(statement))
        for label in [one for one in block.statements if isinstance(one, nodes.Unsupported) and _is_label(one)]:
            jump = ("goto", label.detail.removesuffix(_LABEL))
            position = block.statements.index(label)
            before, after = block.statements[:position], block.statements[position + 1 :]
            jumps = [one for one in nodes.statements_of(body) if isinstance(one, nodes.Unsupported) and _is(one, jump)]
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
    if isinstance(statement, nodes.Unsupported):
        return _is(statement, jump)
    inside = [] if isinstance(statement, nodes.Loop) else nodes.parts(statement, nodes.STATEMENTS)
    return sum(count(inner, jump) for inner in inside)


def _is(statement: nodes.Unsupported, jump: Jump) -> bool:
    return (statement.kind, statement.detail) == jump


def _is_label(statement: nodes.Unsupported) -> bool:
    return statement.kind == "goto" and statement.detail.endswith(_LABEL)


def label(name: str) -> str:
    """Return the detail by which a label is told from a jump to it."""
    return f"{name}{_LABEL}"


def _declared(statements: Sequence[nodes.Statement]) -> set[nodes.Variable]:
    inside = (one for statement in statements for one in nodes.statements_of(statement))
    return {one.variable for one in inside if isinstance(one, nodes.Declare)}


def _named(statements: Sequence[nodes.Statement]) -> set[nodes.Variable]:
    inside = (one for statement in statements for one in nodes.statements_of(statement))
    return {node.variable for one in inside for node in nodes_of(one) if isinstance(node, nodes.Name)}


_BREAK = ("break", "")
_MOST_AGAIN = 64  # statements that a group falls into
_MOST_BREAKS = 8  # in a group: what follows an arm that may break is there once for each arm


@dataclass(slots=True)
class _Group:
    """The labels of a group, and the statements up to the next label."""

    labels: list[nodes.Expression]
    is_default: bool
    cursors: list[Any]


def as_conditions(reader: UnitReader, value: Any, body: Any, location: Location) -> nodes.Statement:
    """Read a ``switch``; one with statements behind no label, or whose value has effects, is outside the subset."""
    selector, groups = reader.expression(value), _groups(reader, body)
    arms = [_arm(reader, groups[number:], location) for number in range(len(groups))]
    blocks = [arm for arm in arms if arm is not None]
    if len(blocks) < len(arms) or has_effects(selector) or not isinstance(selector.ctype, IntegerType):
        return nodes.Unsupported("switch", VOID, location)
    pairs = list(zip(groups, blocks, strict=True))
    rest: nodes.Statement = next((b for g, b in pairs if g.is_default), nodes.Block((), location))
    for group, block in reversed(pairs):
        if not group.is_default:
            rest = nodes.If(_any_of(selector, group.labels, location), block, rest, location)
    return rest


def _groups(reader: UnitReader, body: Any) -> list[_Group]:
    """Split the body at its labels; what comes before the first is a group without any."""
    groups: list[_Group] = []
    for child in libclang.children(body):
        labels, is_default, inner = _labels(reader, child)
        if labels or is_default or not groups:
            groups.append(_Group(labels, is_default, []))
        groups[-1].cursors.append(inner)
    return groups


def _arm(reader: UnitReader, groups: list[_Group], location: Location) -> nodes.Block | None:
    """Read what is done from a group on, up to a ``break``; None where that is not clear."""
    if not groups[0].labels and not groups[0].is_default:
        return None
    statements: list[nodes.Statement] = []
    for group in groups:
        if len(statements) > len(groups[0].cursors) + _MOST_AGAIN:
            return None
        for position, cursor in enumerate(group.cursors):
            statements.append(reader.statement(cursor))
            if _leaves(statements[-1]):
                return _ended(statements, location) if position == len(group.cursors) - 1 else None
    return _ended(statements, location)


def _ended(statements: list[nodes.Statement], location: Location) -> nodes.Block | None:
    if sum(count(statement, _BREAK) for statement in statements) > _MOST_BREAKS:
        return None
    return nodes.Block(without_jump(statements, _BREAK), location)


def _labels(reader: UnitReader, cursor: Any) -> tuple[list[nodes.Expression], bool, Any]:
    """Strip the labels off a statement."""
    labels: list[nodes.Expression] = []
    is_default = False
    while cursor.kind in {CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT}:
        *cases, inner = libclang.children(cursor)
        if len(cases) > 1:
            raise refusal("switch", reader.location(cursor))  # a range, an extension of GNU C
        labels += [reader.expression(case) for case in cases]
        is_default = is_default or cursor.kind is CursorKind.DEFAULT_STMT
        cursor = inner
    return labels, is_default, cursor


def _leaves(statement: nodes.Statement) -> bool:
    """Whether a statement leaves its group at its end, if not before."""
    match statement:
        case nodes.Block(statements=(*_, last)):
            return _leaves(last)
        case nodes.Unsupported(kind=kind):
            return kind in {"break", "continue"}
    return isinstance(statement, nodes.Return)


def _any_of(selector: nodes.Expression, labels: list[nodes.Expression], location: Location) -> nodes.Expression:
    """Compare the value with every label of a group."""
    assert isinstance(selector.ctype, IntegerType)
    common = promote(selector.ctype)
    found: nodes.Expression | None = None
    for label in labels:
        sides = [
            side if side.ctype == common else nodes.Cast(side, common, location, explicit=False)
            for side in (selector, label)
        ]
        test = nodes.Binary("==", sides[0], sides[1], INT, location)
        found = test if found is None else nodes.Binary("||", found, test, INT, location)
    return found if found is not None else nodes.Integer(0, INT, location)
