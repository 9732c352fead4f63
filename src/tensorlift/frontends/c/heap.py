"""Scratch memory from the heap as the local arrays that it stands for.

``double *t = malloc(n * sizeof *t)`` and ``calloc`` declare an array of the function's own, of as many elements as fit;
``calloc`` fills it with zeros.  ``free(t)`` then says nothing, and a check that memory was found is decided as for
every other array: it was.
Memory that is allocated at more than one place, grown, or not kept in a local variable stays refused.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import (
    INT,
    UNSIGNED_LONG,
    ArrayType,
    NumberType,
    PointerType,
)
from tensorlift.frontends.c.exchanges import assignment, exchange_elements

if TYPE_CHECKING:
    from collections.abc import Iterator

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
