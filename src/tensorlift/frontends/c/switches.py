"""``switch`` as a chain of conditions, where no case falls into the next.

The statements of the body form groups: labels, statements, and a ``break``, ``continue`` or ``return`` at the end,
which only the last group may leave out.  ``switch (x) { case 1: case 2: A; break; default: B; }`` becomes
``if (x == 1 || x == 2) A else B``.  The selecting value is evaluated again for each label, so it must be without side
effect, and the groups must leave alone what it reads: it is only copied where it is a plain name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import INT, VOID, IntegerType, promote
from tensorlift.frontends.c.continues import holds
from tensorlift.frontends.c.modified import has_effects

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c.clang_ast import UnitReader

_Group = tuple[list[nodes.Expression], bool, list[nodes.Statement]]  # labels, whether default is one, statements


def as_conditions(reader: UnitReader, value: Any, body: Any, location: Location) -> nodes.Statement:
    """Read a ``switch``; one that falls through, or whose value has effects, is outside the subset."""
    selector = reader.expression(value)
    groups = _groups(reader, body)
    if groups is None or has_effects(selector) or not isinstance(selector.ctype, IntegerType):
        return nodes.Unsupported("switch", VOID, location)
    defaults = [statements for _, is_default, statements in groups if is_default]
    rest: nodes.Statement | None = _block(defaults[0], location) if defaults else None
    for labels, is_default, statements in reversed(groups):
        if is_default:
            continue
        condition = _any_of(selector, labels, location)
        rest = nodes.If(condition, _block(statements, location), rest, location)
    return rest if rest is not None else nodes.Block((), location)


def _groups(reader: UnitReader, body: Any) -> list[_Group] | None:
    """Split the body into groups; None where one falls into the next."""
    groups: list[_Group] = []
    open_group: _Group | None = None
    for child in libclang.children(body):
        labels, is_default, inner = _labels(reader, child)
        if labels or is_default:
            if open_group is not None and open_group[2]:
                return None
            if open_group is None:
                open_group = ([], False, [])
                groups.append(open_group)
            open_group = (open_group[0] + labels, open_group[1] or is_default, open_group[2])
            groups[-1] = open_group
        if open_group is None:
            return None
        ended = _add(reader, inner, open_group[2])
        if ended is None:
            return None
        open_group = None if ended else open_group
    return groups


def _labels(reader: UnitReader, cursor: Any) -> tuple[list[nodes.Expression], bool, Any]:
    """Strip the labels off a statement."""
    labels: list[nodes.Expression] = []
    is_default = False
    while cursor.kind in {CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT}:
        *cases, inner = libclang.children(cursor)
        labels += [reader.expression(case) for case in cases]
        is_default = is_default or cursor.kind is CursorKind.DEFAULT_STMT
        cursor = inner
    return labels, is_default, cursor


def _add(reader: UnitReader, cursor: Any, statements: list[nodes.Statement]) -> bool | None:
    """Add a statement to a group; True where it ends the group, None for a ``break`` in the middle of one."""
    if cursor.kind is CursorKind.BREAK_STMT:
        return True
    statement = reader.statement(cursor)
    if isinstance(statement, nodes.Block) and statement.is_scope and statement.statements:
        *before, last = statement.statements
        if any(holds(one, "break") for one in before):
            return None
        if isinstance(last, nodes.Unsupported) and last.kind == "break":
            statements.append(nodes.Block(tuple(before), statement.location))
            return True
        if _leaves(last):
            statements.append(statement)
            return True
    if holds(statement, "break"):
        return None
    statements.append(statement)
    return _leaves(statement)


def _leaves(statement: nodes.Statement) -> bool:
    is_continue = isinstance(statement, nodes.Unsupported) and statement.kind == "continue"
    return is_continue or isinstance(statement, nodes.Return)


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


def _block(statements: list[nodes.Statement], location: Location) -> nodes.Block:
    return nodes.Block(tuple(statements), location)
