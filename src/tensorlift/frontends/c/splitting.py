"""Split loops over a product of sizes into nested loops, so that ``i / s`` and ``i % s`` come out exactly.

A loop of ``c*h*w`` iterations whose body divides its counter by ``w`` and by ``h*w`` becomes three loops over ``c``,
``h`` and ``w``, in the same order of iterations: ``i = (x*h + y)*w + z``.  Then ``i / w = x*h + y`` and ``i % w = z``
hold because ``0 <= z < w``.  A loop over a product without any division is split at the factors that the source
multiplies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import IntegerType
from tensorlift.frontends.c.demand import DIVISIONS, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Products: TypeAlias = "Mapping[Polynomial, tuple[Polynomial, Polynomial]]"
_MOST_LOOPS = 8


def divisors(statement: nodes.Statement, *, steering: bool = False) -> Iterator[tuple[nodes.Expression, ...]]:
    """Find what integers are divided by in a statement, as factors: ``(i / h) % w`` divides by ``h`` and by ``w*h``.

    With ``steering`` only divisions inside of subscripts count, and those of the variables there.
    """
    for expression in expressions(statement):
        for node in walk(expression):
            if isinstance(node, nodes.Subscript) and steering:
                yield from _divisors_in(node.index)
        if not steering:
            yield from _divisors_in(expression)


def divisor_name(expression: nodes.Expression) -> str | None:
    """Name what an expression divides integers by that are no data, to say why its value is not exact."""
    for node in walk(expression):
        if not isinstance(node, nodes.Binary) or node.operator not in DIVISIONS:
            continue
        if isinstance(node.ctype, IntegerType) and not any(isinstance(n, nodes.Subscript) for n in walk(node.left)):
            found = (n for n in walk(node.right) if isinstance(n, nodes.Name | nodes.Integer))
            divisor = next(found, None)
            if divisor is not None:
                return divisor.variable.name if isinstance(divisor, nodes.Name) else str(divisor.value)
    return None


def _divisors_in(
    expression: nodes.Expression, seen: frozenset[nodes.Variable] = frozenset()
) -> Iterator[tuple[nodes.Expression, ...]]:
    """Find divisors, also behind variables; ``seen`` are those passed already, as one may stand in its own start."""
    for node in walk(expression):
        if isinstance(node, nodes.Binary) and node.operator in DIVISIONS and isinstance(node.ctype, IntegerType):
            if any(isinstance(part, nodes.Name) for part in walk(node.left)):
                yield (node.right, *_divided_by(node.left, seen))
        elif isinstance(node, nodes.Assign) and node.operator in DIVISIONS and isinstance(node.ctype, IntegerType):
            yield (node.value,)
        elif isinstance(node, nodes.Name) and node is not expression and node.variable not in seen:
            start = node.variable.initialiser
            if _is_quotient(start):
                yield from _divisors_in(start, seen | {node.variable})


def _divided_by(expression: nodes.Expression, seen: frozenset[nodes.Variable]) -> tuple[nodes.Expression, ...]:
    """List by what an operand was divided before, through casts and the variables that hold it."""
    expression = nodes.without_casts(expression)
    if isinstance(expression, nodes.Name) and expression.variable not in seen:
        start = expression.variable.initialiser
        return _divided_by(start, seen | {expression.variable}) if _is_quotient(start) else ()
    if isinstance(expression, nodes.Binary) and expression.operator == "/":
        return (expression.right, *_divided_by(expression.left, seen))
    return ()


def _is_quotient(expression: nodes.Expression | None) -> TypeGuard[nodes.Expression]:
    while isinstance(expression, nodes.Cast):
        expression = expression.operand
    return isinstance(expression, nodes.Binary) and expression.operator in DIVISIONS


def expressions(statement: nodes.Statement | None) -> Iterator[nodes.Expression]:
    """List the expressions of a statement and of the statements inside."""
    match statement:
        case nodes.Block(statements=statements):
            for child in statements:
                yield from expressions(child)
        case nodes.Declare(variable=variable) if variable.initialiser is not None:
            yield variable.initialiser
        case nodes.Evaluate(expression=expression):
            yield expression
        case nodes.Return(value=value) if value is not None:
            yield value
        case nodes.If(condition=condition, then=then, otherwise=otherwise):
            yield condition
            yield from expressions(then)
            yield from expressions(otherwise)
        case nodes.Loop(initial=initial, condition=condition, advance=advance, body=body):
            yield from expressions(initial)
            yield from (part for part in (condition, advance) if part is not None)
            yield from expressions(body)


def factors_of(total: Polynomial, found: Sequence[Polynomial], products: Products) -> list[Polynomial] | None:
    """Give the lengths of nested loops, outermost first, that make up ``total`` iterations; None where there are none.

    ``found`` are the divisors in the loop, ``products`` the two factors of the products that the source computes.
    """
    inner_first: list[Polynomial] = []
    stride, rest = ONE, total
    for divisor in sorted(found, key=_degree):
        for step in (_exact(divisor, stride), divisor):
            left = None if step is None or step == ONE else _exact(rest, step)
            if step is not None and left is not None:
                inner_first.append(step)
                stride, rest = stride * step, left
                break
    repeated = [divisor for divisor in found if not divisor.is_constant]
    while not rest.is_affine and repeated and len(inner_first) < _MOST_LOOPS:
        left = _exact(rest, repeated[0])
        if left is None:
            repeated.pop(0)
        else:
            inner_first.append(repeated[0])
            rest = left
    whole = [*inner_first, *([] if rest == ONE else [rest])]
    parts = [_affine_factors(factor, products) for factor in whole]
    flat = [factor for part in parts if part is not None for factor in part]
    return list(reversed(flat)) if None not in parts and 1 < len(flat) <= _MOST_LOOPS else None


def _affine_factors(product: Polynomial, products: Products) -> list[Polynomial] | None:
    """Split a polynomial into affine factors, innermost first, as the source multiplies them, else by its variables."""
    if product.is_affine:
        return [product]
    if product in products:
        outer, inner = products[product]
        parts = [_affine_factors(inner, products), _affine_factors(outer, products)]
        return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]
    if len(product.terms) == 1:
        ((monomial, value),) = product.terms.items()
        names = [Polynomial.variable(name) for name in reversed(monomial)]
        return [*names[:-1], names[-1].scale(value)]
    return None


def _exact(dividend: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """Divide where nothing remains."""
    if divisor == ZERO:
        return None
    quotient, remainder = dividend.divide(divisor)
    return quotient if remainder == ZERO else None


def _degree(polynomial: Polynomial) -> tuple[int, str]:
    return max((len(monomial) for monomial in polynomial.terms), default=0), str(polynomial)
