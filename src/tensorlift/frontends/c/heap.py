"""Scratch memory from the heap as the local arrays that it stands for.

``double *t = malloc(n * sizeof *t)`` and ``calloc`` declare an array of the function's own, of as many elements as fit;
``calloc`` fills it with zeros.  ``free(t)`` then says nothing, and a check that memory was found is decided as for
every other array: it was.
Memory that is allocated at more than one place, grown, or not kept in a local variable stays refused.

Two arrays that change places: ``t = a; a = b; b = t;`` as an exchange of their elements.

A loop that computes the next state from the present one, and exchanges the pointers, has no array that stays where it
is.  Where both are arrays of the function's own, of one length, and no other pointer tells which memory they are in,
exchanging the elements means the same.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import (
    BOOL,
    INT,
    LONG,
    UNSIGNED_LONG,
    ArrayType,
    NumberType,
    PointerType,
)
from tensorlift.frontends.c.demand import walk
from tensorlift.frontends.c.mapped import alike, is_name, names_in, nodes_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from tensorlift.diagnostics import Location

_ARGUMENTS = {"malloc": 1, "calloc": 2}
_BYTE = 8


def as_local_arrays(body: nodes.Block) -> nodes.Block:
    """Return a body in which arrays are declared where it allocates them; declarations are changed in place."""
    sites = Counter(variable for statement in nodes.statements_of(body) for variable, _ in _allocations(statement))
    arrays = frozenset(variable for variable, count in sites.items() if count == 1)
    if not arrays:
        return body
    (block,) = _Rewriting(arrays).statement(body)
    assert isinstance(block, nodes.Block)
    exchange_elements(block, arrays)
    return block


class _Rewriting:
    """Rewrites statements; each becomes none, one or several."""

    def __init__(self, arrays: frozenset[nodes.Variable]) -> None:
        self._arrays = arrays

    def statement(self, statement: nodes.Statement) -> list[nodes.Statement]:
        for variable, call in _allocations(statement):
            if variable in self._arrays:
                return _declared(variable, call)
        match statement:
            case nodes.Block(statements=statements):
                statement.statements = tuple(new for old in statements for new in self.statement(old))
            case nodes.Declare(variable=variable) if variable in self._arrays:
                return []  # it is declared where it is allocated
            case nodes.Evaluate(expression=nodes.Call(name="free", arguments=(pointer,))) if self._is_array(pointer):
                return []
            case nodes.If():
                statement.then = self._one(statement.then)
                statement.otherwise = None if statement.otherwise is None else self._one(statement.otherwise)
            case nodes.Loop():
                statement.body = self._one(statement.body)
        return [statement]

    def _one(self, statement: nodes.Statement) -> nodes.Statement:
        found = self.statement(statement)
        return found[0] if len(found) == 1 else nodes.Block(tuple(found), statement.location)

    def _is_array(self, expression: nodes.Expression) -> bool:
        expression = nodes.without_casts(expression)
        return isinstance(expression, nodes.Name) and expression.variable in self._arrays


def _allocations(statement: nodes.Statement) -> Iterator[tuple[nodes.Variable, nodes.Call]]:
    """Yield the variable that a statement lets point to new memory, and the call."""
    found = assignment(statement)
    if found is None:
        return
    variable, call = found
    is_local = not (variable.is_parameter or variable.is_global or variable.is_static)
    cells = isinstance(variable.ctype, PointerType) and isinstance(variable.ctype.element, NumberType)
    if is_local and cells and isinstance(call, nodes.Call) and len(call.arguments) == _ARGUMENTS.get(call.name, -1):
        yield variable, call


def _declared(variable: nodes.Variable, call: nodes.Call) -> list[nodes.Statement]:
    """Declare a variable as an array of as many elements as the allocated bytes hold."""
    assert isinstance(variable.ctype, PointerType)
    element = variable.ctype.element
    assert isinstance(element, NumberType)
    location = call.location
    size = call.arguments[0]
    for factor in call.arguments[1:]:
        size = nodes.Binary("*", size, factor, UNSIGNED_LONG, location)
    variable.extents = (_elements(size, element.width // _BYTE),)
    variable.ctype = ArrayType(f"{element.spelling}[]", element, None, variable=True)
    variable.initialiser = None
    declaration = nodes.Declare(variable, location)
    if call.name == "malloc":
        return [declaration]
    name = nodes.name_of(variable, location)
    fill = nodes.Call("memset", (name, nodes.Integer(0, INT, location), size), None, call.ctype, location)
    return [declaration, nodes.Evaluate(fill, location)]


def _elements(size: nodes.Expression, width: int) -> nodes.Expression:
    """Divide a number of bytes by the width of an element: its size is a factor, as programmers write it."""
    factors = [size]
    while (product := next((f for f in factors if _is_product(f)), None)) is not None:
        at = factors.index(product)
        product = nodes.without_casts(product)
        assert isinstance(product, nodes.Binary)
        factors[at : at + 1] = [product.left, product.right]
    for at, factor in enumerate(map(nodes.without_casts, factors)):
        if isinstance(factor, nodes.Integer) and factor.value == width and len(factors) > 1:
            first, *others = factors[:at] + factors[at + 1 :]
            return reduce(lambda a, b: nodes.Binary("*", a, b, UNSIGNED_LONG, size.location), others, first)
    divisor = nodes.Integer(width, UNSIGNED_LONG, size.location)
    return nodes.Binary("/", size, divisor, UNSIGNED_LONG, size.location)


def _is_product(expression: nodes.Expression) -> bool:
    expression = nodes.without_casts(expression)
    return isinstance(expression, nodes.Binary) and expression.operator == "*"


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
