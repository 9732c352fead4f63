"""Two arrays that change places: ``t = a; a = b; b = t;`` as an exchange of their elements.

A loop that computes the next state from the present one, and exchanges the pointers, has no array that stays where it
is.  Where both are arrays of the function's own, of one length, and no other pointer tells which memory they are in,
exchanging the elements means the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import BOOL, LONG, ArrayType, PointerType
from tensorlift.frontends.c.demand import walk
from tensorlift.frontends.c.mapped import alike, is_name, names_in, nodes_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from tensorlift.diagnostics import Location

_Step = tuple[nodes.Variable, nodes.Variable]  # a pointer, and the one that it is set to


def exchange_elements(body: nodes.Block, arrays: Collection[nodes.Variable]) -> None:
    """Replace, in place, the exchanges of two of these arrays."""
    blocks = [statement for statement in nodes.statements_of(body) if isinstance(statement, nodes.Block)]
    found = {id(block): pair for block in blocks if (pair := _exchange_in(block, arrays)) is not None}
    known = {id(s) for block in blocks if id(block) in found for s in block.statements[slice(*found[id(block)][0])]}
    alone = frozenset(v for v in arrays if not _is_told(v, body, known) and _keeps_length(v, body))
    for block in blocks:
        if id(block) in found:
            (first, last), (one, other), spare = found[id(block)]
            if {one, other} <= alone and not _is_used(spare, body, known):
                loop = _exchange(one, other, block.statements[first].location)
                block.statements = (*block.statements[:first], loop, *block.statements[last:])


def assignment(statement: nodes.Statement) -> tuple[nodes.Variable, nodes.Expression] | None:
    """Return the variable that a statement is there to set, and the value, without conversions."""
    match statement:
        case nodes.Declare(variable=target) if target.initialiser is not None:
            return target, nodes.without_casts(target.initialiser)
        case nodes.Evaluate(expression=nodes.Assign(operator="", target=nodes.Name(variable=target), value=value)):
            return target, nodes.without_casts(value)
        case _:
            return None


def _exchange_in(
    block: nodes.Block, arrays: Collection[nodes.Variable]
) -> tuple[tuple[int, int], _Step, nodes.Variable] | None:
    """Return where a block exchanges two arrays, which, and the pointer that helps."""
    steps = [_step(statement) for statement in block.statements]
    for first in range(len(steps) - 2):
        save, move, restore = steps[first : first + 3]
        if save is None or move is None or restore is None:
            continue
        (spare, one), (target, other) = save, move
        if target is one and restore == (other, spare) and one in arrays and other in arrays and _alike(one, other):
            return (first, first + 3), (one, other), spare
    return None


def _step(statement: nodes.Statement) -> _Step | None:
    target, value = assignment(statement) or (None, None)
    return None if target is None or not isinstance(value, nodes.Name) else (target, value.variable)


def _alike(one: nodes.Variable, other: nodes.Variable) -> bool:
    """Whether two arrays have elements of one type and the same extents as they are written."""
    same_type = isinstance(one.ctype, ArrayType) and isinstance(other.ctype, ArrayType)
    return (
        same_type
        and one.ctype.element == other.ctype.element  # type: ignore[union-attr] # both are array types
        and len(one.extents) == len(other.extents) == 1
        and all(map(_same, one.extents, other.extents))
    )


def _same(left: nodes.Expression | None, right: nodes.Expression | None) -> bool:
    if left is None or right is None:
        return False
    known = nodes.Name | nodes.Integer | nodes.Binary | nodes.Cast
    return all(isinstance(node, known) for node in walk(left)) and alike(left, right, but_types=True)


def _is_told(variable: nodes.Variable, body: nodes.Block, exchanges: Collection[int]) -> bool:
    """Whether a pointer keeps a place in the memory of an array, or the array is assigned, outside of exchanges."""

    def keeps(target: nodes.Expression | nodes.Variable, value: nodes.Expression) -> bool:
        return isinstance(target.ctype, PointerType | ArrayType) and variable in names_in(value)

    for statement in nodes.statements_of(body):
        if id(statement) in exchanges:
            continue
        declared = statement.variable if isinstance(statement, nodes.Declare) else None
        if declared is not None and declared.initialiser is not None and keeps(declared, declared.initialiser):
            return True
        if any(isinstance(node, nodes.Assign) and keeps(node.target, node.value) for node in nodes_of(statement)):
            return True
        if _is_assigned(variable, statement):
            return True
    return False


def _is_assigned(variable: nodes.Variable, statement: nodes.Statement) -> bool:
    """Whether an expression of a statement sets a variable or moves it by one."""
    changed = map(nodes.changed_by, nodes_of(statement))
    return any(target is not None and is_name(nodes.without_casts(target), variable) for target in changed)


def _keeps_length(array: nodes.Variable, body: nodes.Block) -> bool:
    """Whether the extents of an array still have the values that they had where it was declared."""
    named = {n.variable for e in array.extents if e is not None for n in walk(e) if isinstance(n, nodes.Name)}
    return not any(_is_assigned(variable, statement) for variable in named for statement in nodes.statements_of(body))


def _is_used(variable: nodes.Variable, body: nodes.Block, exchanges: Collection[int]) -> bool:
    """Whether a variable occurs outside of exchanges."""
    return any(
        variable in names_in(node)
        for statement in nodes.statements_of(body)
        if id(statement) not in exchanges
        for node in nodes_of(statement)
    )


def _exchange(one: nodes.Variable, other: nodes.Variable, location: Location) -> nodes.Loop:
    """Write the loop that exchanges all elements."""
    assert isinstance(one.ctype, ArrayType)
    element, (extent,) = one.ctype.element, one.extents
    assert extent is not None
    counter = nodes.Variable("z", LONG, location, initialiser=nodes.Integer(0, LONG, location))
    index = nodes.Name(counter, LONG, location)

    def cell(array: nodes.Variable) -> nodes.Subscript:
        return nodes.Subscript(nodes.name_of(array, location), index, element, location)

    held = nodes.Variable("held", element, location, initialiser=cell(one))
    moves = ((cell(one), cell(other)), (cell(other), nodes.Name(held, element, location)))
    body: list[nodes.Statement] = [nodes.Declare(held, location)]
    body += [nodes.assignment(to, value, location) for to, value in moves]
    return nodes.Loop(
        "for",
        nodes.Declare(counter, location),
        nodes.Binary("<", index, nodes.Cast(extent, LONG, location, explicit=False), BOOL, location),
        nodes.Unary("pre++", index, LONG, location),
        nodes.Block(tuple(body), location),
        location,
    )
