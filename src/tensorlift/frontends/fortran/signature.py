"""What a procedure takes and gives, as a signature of C: extents are those that Fortran declares, axes in its order.

A scalar that is written is memory without dimensions.  An assumed extent is a size of its own, but for those that the
source takes to be equal; one of an assumed size is what the accesses tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import constant_of, integer_of
from tensorlift.frontends.fortran.items import items_of
from tensorlift.frontends.fortran.refusals import refusal
from tensorlift.frontends.fortran.symbols import ASSUMED, require_type
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.frontends.fortran.uses import path_of
from tensorlift.ir import nodes
from tensorlift.ir.function import SIZE, axis_name
from tensorlift.ops.c_types import BOOL, INT, LONG, PARTS, TRUTH, VOID, ArrayType, ComplexType, CType, IntegerType
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.fortran.symbols import Procedure, Symbol

_OPERATORS = {"+", "-", "*", "/"}


def signature_of(procedure: Procedure, equal: Mapping[str, str], *, by_columns: bool = False) -> nodes.Function:
    """Give the signature of a procedure; ``equal`` are sizes that are another one, by their names in literal IR.

    With ``by_columns`` the axes of arrays are in the other order.
    """
    scope = procedure.scope
    place = scope.file.location(procedure.line, procedure.name)
    result = scope.names.get(procedure.result)
    is_pair = result is not None and isinstance(result.ctype, ComplexType)
    items = [item for item in items_of(procedure) if item.symbol.bounds or item.symbol is not result or is_pair]
    numbers = {
        item.symbol: nodes.Variable(item.name, _type(item.symbol, place), _at(item.symbol), is_parameter=True)
        for item in items
        if item.is_number and not item.parts
    }
    taken = {item.name for item in items}
    sizes: dict[str, nodes.Variable] = {}
    for item in items:
        for axis, (_, upper) in enumerate(item.symbol.bounds):
            own = axis_name(item.name, len(item.symbol.bounds) - 1 - axis if by_columns else axis, SIZE)
            if upper is None and own not in equal:
                name = unused(f"{item.name}_d{axis}", taken)
                sizes[own] = nodes.Variable(name, LONG, _at(item.symbol), is_parameter=True)
    parameters: list[nodes.Variable] = []
    for item in items:
        symbol = item.symbol
        if symbol in numbers:
            parameters.append(numbers[symbol])
            continue
        at = _at(symbol)
        if item.parts:
            element = _type(symbol, place)
            parameters += [nodes.Variable(name, element, at, is_parameter=True) for name in item.parts]
            continue
        called = [axis_name(item.name, axis, SIZE) for axis in range(len(symbol.bounds))]
        named = [equal.get(name, name) for name in called]
        extents = tuple(
            _name(sizes[name], at) if name in sizes else _extent(procedure, symbol, axis, numbers)
            for axis, name in enumerate(named[::-1] if by_columns else named)
        )
        extents = extents[::-1] if by_columns else extents
        if isinstance(symbol.ctype, ComplexType):
            extents = (*extents, nodes.Integer(PARTS, INT, at))
        element = _type(symbol, place)
        apart = not symbol.attributes & {"pointer", "target"}  # what is neither is reached by its name alone
        kind = ArrayType(f"{element.spelling} [", element, None)
        parameters.append(
            nodes.Variable(
                item.name, kind, at, extents, is_parameter=True, is_restrict=apart, keeps_rank=not is_flat(symbol)
            )
        )
    gives: CType = VOID if result is None or result.bounds or is_pair else _type(result, place)
    if by_columns and gives is TRUTH:
        gives = BOOL  # as C returns it
    return nodes.Function(procedure.name, (*parameters, *sizes.values()), gives, place)


def _type(symbol: Symbol, place: Location) -> Any:
    """Give the type of an element, of a complex one that of its parts."""
    if isinstance(symbol.ctype, ComplexType):
        return symbol.ctype.part
    if symbol.ctype is None:
        require_type(symbol)
        raise refusal(symbol.unread or "type", place, symbol.name)
    return TRUTH if symbol.ctype is BOOL else symbol.ctype


def _at(symbol: Symbol) -> Location:
    scope = symbol.variable.home
    assert scope is not None
    return scope.file.location(scope.first + symbol.line, symbol.variable.name)


def _name(variable: nodes.Variable, at: Location) -> nodes.Expression:
    return nodes.Name(variable, variable.ctype, at)


def _extent(
    procedure: Procedure, symbol: Symbol, axis: int, numbers: dict[Symbol, nodes.Variable]
) -> nodes.Expression | None:
    """Give an extent as a sum of arguments; None where it is no such sum, or open."""
    lower, upper = symbol.bounds[axis]
    if upper is None or upper == ASSUMED:
        return None
    scope, at = symbol.home or procedure.scope, _at(symbol)
    low = 1 if lower is None else integer_of(lower, scope)
    high = integer_of(upper, scope)
    if low is not None and high is not None:
        return nodes.Integer(max(high - low + 1, 0), INT, at)
    found = _sum(procedure, upper, numbers, at)
    if found is None:
        return None
    if low is not None:
        return found if low == 1 else _added(found, 1 - low, at)
    less = _sum(procedure, lower, numbers, at)
    return None if less is None else _added(nodes.Binary("-", found, less, INT, at), 1, at)


def _added(expression: nodes.Expression, number: int, at: Location) -> nodes.Expression:
    if (
        isinstance(expression, nodes.Binary)
        and isinstance(expression.right, nodes.Integer)
        and expression.operator in "+-"
    ):
        own = expression.right.value
        return _added(expression.left, number + (own if expression.operator == "+" else -own), at)
    if number == 0:
        return expression
    return nodes.Binary("+" if number > 0 else "-", expression, nodes.Integer(abs(number), INT, at), INT, at)


def _sum(
    procedure: Procedure, node: Any, numbers: dict[Symbol, nodes.Variable], at: Location
) -> nodes.Expression | None:
    constant = constant_of(node, procedure.scope)
    if constant is not None:
        is_integer = isinstance(constant.ctype, IntegerType)
        return nodes.Integer(int(constant.value), constant.ctype, at) if is_integer else None
    match kind_of(node):
        case "Name" | "Data_Ref":
            named = procedure.scope.find(path_of(node))
            variable = numbers.get(named.same) if named is not None else None
            return None if variable is None or not isinstance(variable.ctype, IntegerType) else _name(variable, at)
        case "Parenthesis":
            return _sum(procedure, node.children[1], numbers, at)
        case "Level_2_Expr" | "Add_Operand":
            left, operator, right = node.children
            sides = [_sum(procedure, side, numbers, at) for side in (left, right)]
            if str(operator) in _OPERATORS and sides[0] is not None and sides[1] is not None:
                return nodes.Binary(str(operator), sides[0], sides[1], INT, at)
    return None


def is_flat(symbol: Symbol) -> bool:
    """Whether an array is memory of open length, on which a procedure may step by any increment."""
    return len(symbol.bounds) == 1 and symbol.bounds[0][1] == ASSUMED
