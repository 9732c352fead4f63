"""Arithmetic on sizes and positions in types that may not hold it, such as ``n + w`` in 32 bits.

A source may leave that to its caller, as overflow is undefined; a program that is to do what the source does may not.
Positions are what is made of variables of 64 bits alone; cells and other variables are data, which a type holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.ranges import combined
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.mapped import nodes_of, walk
from tensorlift.ops.c_types import IntegerType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tensorlift.comprehension.ranges import Range
    from tensorlift.ops.c_types import CType

_WIDE = 64
_LEAVES = (nodes.Integer, nodes.Name)
_INNER = (nodes.Binary, nodes.Unary, nodes.Cast, nodes.Conditional)
_SUMS = {"+": "add", "-": "sub", "*": "mul"}


def narrow_line(function: nodes.Function, sizes: Collection[str]) -> int | None:
    """Return the first line on which a function may lose bits of sizes or positions; None where none does."""
    parameters = (p.location.line for p in function.parameters if p.name in sizes and _is_narrow(p.ctype))
    statements = list(nodes.statements_of(function.body))
    assigned = [pair for statement in statements for pair in _assigned(statement)]
    summed = [pair for statement in statements for pair in _summed(statement)]
    keepers, plain = _keepers([*assigned, *summed]), _keepers(assigned)
    lines = (line for statement in statements for line in _lines(statement, keepers, plain))
    return min((*parameters, *lines), default=None)


def overflow_line(function: nodes.Function, sizes: Collection[str], widths: frozenset[int]) -> int | None:
    """Return the first line of signed arithmetic on data that may leave its type; None where none does.

    It counts at ``widths``, those of what is computed, or of what it is computed from before C makes that an ``int``.
    Counters of loops, sizes, and what is computed of these alone, are no data.
    """
    statements = list(nodes.statements_of(function.body))
    places = {p for p in function.parameters if p.name in sizes}
    loops = [statement for statement in statements if isinstance(statement, nodes.Loop)]
    places |= {loop.initial.variable for loop in loops if isinstance(loop.initial, nodes.Declare)}
    assigned = [pair for statement in statements for pair in (*_assigned(statement), *_summed(statement))]
    places -= {variable for variable, value in assigned if not _names_in(value) <= places}
    computed = (node for statement in statements for node in nodes_of(statement) if _overflows(node, widths))
    return min((node.location.line for node in computed if not _names_in(node) <= places), default=None)


def _names_in(expression: nodes.Expression) -> set[object]:
    """Collect what an expression reads: variables, and cells as nothing that is known."""
    read = [node for node in walk(expression) if isinstance(node, nodes.Name | nodes.Subscript | nodes.Call)]
    return {node.variable if isinstance(node, nodes.Name) else node for node in read}


def _overflows(node: nodes.Expression, widths: frozenset[int]) -> bool:
    """Tell whether a sum, difference, product or negation of integers with a sign may leave its type."""
    if not isinstance(node.ctype, IntegerType) or not node.ctype.signed:
        return False
    match node:
        case nodes.Binary(operator="+" | "-" | "*" | "<<", left=left, right=right):
            operands: tuple[nodes.Expression, ...] = (left, right)
        case nodes.Unary(operator="-" | "pre++" | "pre--" | "post++" | "post--", operand=operand):
            operands = (operand,)
        case nodes.Assign(operator="+" | "-" | "*" | "<<", target=target, value=value):
            operands = (target, value)
        case _:
            return False
    from_widths = {one.ctype.width for one in map(nodes.without_casts, operands) if isinstance(one.ctype, IntegerType)}
    return not widths.isdisjoint({node.ctype.width, max(from_widths, default=0)}) and not _fits(node)


def _lines(statement: nodes.Statement, keepers: set[nodes.Variable], plain: set[nodes.Variable]) -> Iterator[int]:
    """Yield the lines of what may lose bits; ``plain`` are the keepers that do not only sum what loops give."""
    if isinstance(statement, nodes.Loop):
        counter = statement.initial.variable if isinstance(statement.initial, nodes.Declare) else None
        ends = [] if statement.condition is None else [statement.condition]
        if counter is None or _is_narrow(counter.ctype) or any(map(_names_narrow, ends)):
            yield statement.location.line
    for node in nodes_of(statement):
        is_index = isinstance(node, nodes.Subscript) and _names_narrow(node.index)
        is_counted = _is_narrow(node.ctype) and _is_of_positions(node, keepers)
        if is_index or (is_counted and not _fits(node)) or _changed(node) in plain:
            yield node.location.line
    for variable, value in _summed(statement):
        if variable in plain and _is_of_positions(value, keepers):
            yield statement.location.line


def _keepers(values: Sequence[tuple[nodes.Variable, nodes.Expression]]) -> set[nodes.Variable]:
    """Return the narrow variables that get what is made of positions; ``values`` are those that variables get."""
    given = [
        (variable, value)
        for variable, value in values
        if _is_narrow(variable.ctype) and any(isinstance(node, nodes.Name) for node in walk(value))
    ]
    found: set[nodes.Variable] = set()
    while True:
        more = {variable for variable, value in given if _is_of_positions(value, found)}
        if more <= found:
            return found
        found |= more


def _assigned(statement: nodes.Statement) -> Iterator[tuple[nodes.Variable, nodes.Expression]]:
    """Yield the variables that a statement gives values to, with these."""
    if isinstance(statement, nodes.Declare) and statement.variable.initialiser is not None:
        yield statement.variable, statement.variable.initialiser
    for node in nodes_of(statement):
        if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name) and not node.operator:
            yield node.target.variable, node.value


def _summed(statement: nodes.Statement) -> Iterator[tuple[nodes.Variable, nodes.Expression]]:
    """Yield the variables that a statement combines with values, as ``p += n`` does, with these."""
    for node in nodes_of(statement):
        if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name) and node.operator:
            yield node.target.variable, node.value


def _changed(node: nodes.Expression) -> nodes.Variable | None:
    """Return the variable that a node adds one to, or takes one from."""
    match node:
        case nodes.Unary(operator="pre++" | "pre--" | "post++" | "post--", operand=nodes.Name(variable=variable)):
            return variable
    return None


def _is_narrow(ctype: CType) -> bool:
    return isinstance(ctype, IntegerType) and ctype.width < _WIDE


def _names_narrow(expression: nodes.Expression) -> bool:
    return any(isinstance(node, nodes.Name) and _is_narrow(node.variable.ctype) for node in walk(expression))


def _is_of_positions(expression: nodes.Expression, keepers: set[nodes.Variable]) -> bool:
    """Tell whether a value is made of constants, variables of 64 bits, and narrow ones that get such values, alone."""
    for node in walk(expression):
        if isinstance(node, nodes.Name) and _is_narrow(node.variable.ctype) and node.variable not in keepers:
            return False
        if not isinstance(node, (*_LEAVES, *_INNER)) or not isinstance(node.ctype, IntegerType):
            return False
    return True


def _fits(expression: nodes.Expression) -> bool:
    """Tell whether all values of a narrow type are held by it, where what it is made of has any values."""
    low, high = _range(expression)
    assert isinstance(expression.ctype, IntegerType)
    return expression.ctype.minimum <= low and high <= expression.ctype.maximum


def _range(node: nodes.Expression) -> Range:
    """Return the least and the greatest value of what is made of positions; parts of it are looked at by themselves."""
    assert isinstance(node.ctype, IntegerType)
    whole = node.ctype.minimum, node.ctype.maximum
    match node:
        case nodes.Integer(value=value):
            return value, value
        case nodes.Cast(operand=operand) if isinstance(operand.ctype, IntegerType):
            low, high = _range(operand)
            return (low, high) if whole[0] <= low and high <= whole[1] else whole
        case nodes.Unary(operator="-", operand=operand):
            return combined("neg", _range(operand))
        case nodes.Binary(operator="/", left=left, right=nodes.Integer(value=divisor)) if divisor > 0:
            low, high = _range(left)
            return _quotient(low, divisor), _quotient(high, divisor)
        case nodes.Binary(operator="%", right=nodes.Integer(value=divisor)) if divisor > 0:
            return 1 - divisor, divisor - 1
        case nodes.Binary(operator="+" | "-" | "*" as operator, left=left, right=right):
            return combined(_SUMS[operator], _range(left), _range(right))
        case nodes.Binary(operator="<<" | "/" | "%") | nodes.Assign() | nodes.Unary():
            return whole[0] - 1, whole[1]  # not known to fit
    return whole


def _quotient(dividend: int, divisor: int) -> int:
    """Return a quotient as C rounds it, towards zero."""
    return dividend // divisor if dividend >= 0 else -(-dividend // divisor)
