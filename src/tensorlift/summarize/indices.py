"""Index arithmetic: affine maps and sets of the loop IR as affine expressions and domains over names.

A quotient of sizes becomes a *derived size*, a new name that the context bounds: ``n floordiv 2`` is ``n_div_2`` with
``2 * n_div_2 <= n <= 2 * n_div_2 + 1``, and ``n floordiv m`` is ``n_div_m`` with ``0 <= n_div_m <= n``.  A quotient
of loop variables has no affine form: in a condition it is an existential variable, as a number a rounded division.

Lets a loop variable step by the factor that it always has.

``p[3 * i]`` for ``i < n`` is ``p[i]`` for ``i < 3 * n`` in steps of three; the iteration that writes a cell is then an
affine function of the cell.

This is done where the stores of an iteration leave no cell between those of the next one, or store constants: a program
has no single expression for other cells in between.

Accesses at places that depend on data, as loops over all places: a load is the sum of what lies where the subscript
points to, a store changes what lies there.

``x[t]`` is ``sum(g : 0 <= g < N) select(hits(t, g), x(g), 0)``: ``hits`` compares, and says besides that the source
reads or writes there, so that ``t`` is the place of a cell.  After ``x[t] = v``, ``x(g)`` is
``select(hits(t, g), v, x(g))``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import gcd, lcm
from typing import TYPE_CHECKING

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import ArrayInfo, DerivedSize
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, NotAffine
from tensorlift.poly.names import fresh, name_of_quotient, unused
from tensorlift.summarize.statements import (
    Allocate,
    Block,
    Branch,
    Load,
    Loop,
    Statement,
    Store,
    terms_of,
    value_read,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.comprehension.terms import Term
    from tensorlift.diagnostics import Location
    from tensorlift.ops.dtypes import DType


Place = Affine | terms.Term  # what a subscript is: an exact expression, or an integer that depends on data


def gathered(  # noqa: PLR0913 - the names that a load needs
    array: ArrayInfo,
    places: Sequence[Place],
    scalar: str,
    *,
    new_value: Callable[[], str],
    taken: set[str],
    location: Location | None,
) -> Block:
    """Return what leaves the cell of an array in a local scalar: a loop over each axis whose place depends on data."""
    dtype = array.dtype
    variables, indices = _cell_at(array, places, taken)
    cell, before = new_value(), new_value()
    total = terms.apply("or" if dtype == "bool" else "add", value_read(before, dtype), value_read(cell, dtype))
    body: Block = (
        Load(cell, array.name, indices, dtype, location),
        Load(before, scalar, (), dtype, location),
        Store(scalar, (), total, location),
    )
    start: tuple[Statement, ...] = (Allocate(scalar), Store(scalar, (), terms.zero(dtype), location))
    return (*start, *_where_hit(body, array, places, variables, location))


def scattered(
    array: ArrayInfo, places: Sequence[Place], term: Term, *, taken: set[str], location: Location | None
) -> Block:
    """Return what stores to the cell of an array: a loop over each axis whose place depends on data."""
    variables, indices = _cell_at(array, places, taken)
    return _where_hit((Store(array.name, indices, term, location),), array, places, variables, location)


def is_access(loop: Loop) -> bool:
    """Tell whether a loop stands for an access at a place that depends on data."""
    first = next(iter(loop.body), None)
    return isinstance(first, Branch) and isinstance(first.condition, terms.Apply) and first.condition.op == "hits"


def _cell_at(array: ArrayInfo, places: Sequence[Place], taken: set[str]) -> tuple[list[str | None], tuple[Affine, ...]]:
    variables = [None if isinstance(p, Affine) else unused(f"{array.name}_place", taken) for p in places]
    return variables, tuple(
        p if isinstance(p, Affine) else affine(str(v)) for p, v in zip(places, variables, strict=True)
    )


def _where_hit(
    body: Block, array: ArrayInfo, places: Sequence[Place], variables: Sequence[str | None], location: Location | None
) -> Block:
    """Run statements for the cell that places hit."""
    for axis, (place, variable) in enumerate(zip(places, variables, strict=True)):
        if variable is not None and not isinstance(place, Affine):
            body = (Branch(_hits(place, variable), body, (), location=location),)
            body = (Loop(variable, (Affine(0),), (array.shape[axis],), 1, body, location),)
    return body


def _hits(place: Term, variable: str) -> Term:
    wide = terms.cast(place, "i64")
    return terms.apply("hits", wide, terms.index(affine(variable), "i64"))


def rescaled(loop: Loop) -> Loop:
    """Return the loop with the greatest common factor of its variable's coefficients as part of the step."""
    variable = loop.variable
    factor = gcd(*(index.coefficient(variable) for s in walk(loop.body) for index in _affines(s)))
    if factor <= 1 or not _leaves_no_gap(loop, factor) or any(_needs_value(s, variable) for s in walk(loop.body)):
        return loop
    lower, upper = (tuple(bound * factor for bound in bounds) for bounds in (loop.lower, loop.upper))
    body = _divided(loop.body, variable, factor)
    return replace(loop, lower=lower, upper=upper, step=loop.step * factor, body=body)


def _leaves_no_gap(loop: Loop, factor: int) -> bool:
    subscripts: dict[str, set[tuple[Affine, ...]]] = {}
    varying: set[str] = set()
    for s in walk(loop.body):
        if isinstance(s, Store) and any(index.coefficient(loop.variable) for index in s.indices):
            subscripts.setdefault(s.array, set()).add(s.indices)
            if s.term.reads or s.term.free:
                varying.add(s.array)
    gapless = all(len(found) >= factor or array not in varying for array, found in subscripts.items())
    return gapless and bool(subscripts)  # a loop that stores to no cell of its own gains nothing


def _affines(s: Statement) -> Iterator[Affine]:
    if isinstance(s, Load | Store):
        yield from s.indices
    elif isinstance(s, Loop):
        yield from (*s.lower, *s.upper)


def _needs_value(s: Statement, variable: str) -> bool:
    """Tell whether a term or a condition depends on the variable."""
    if any(variable in term.free for term in terms_of(s)):
        return True
    if not isinstance(s, Branch):
        return False
    domains = [s.then_within, s.otherwise_within, *([s.condition] if isinstance(s.condition, Domain) else [])]
    return any(domain.mentions(variable) for domain in domains)


def _divided(block: Block, variable: str, factor: int) -> Block:
    def smaller(values: tuple[Affine, ...]) -> tuple[Affine, ...]:
        return tuple(v - Affine.var(variable, v.coefficient(variable) * (factor - 1) // factor) for v in values)

    def convert(s: Statement) -> Statement:
        if isinstance(s, Load | Store):
            return replace(s, indices=smaller(s.indices))
        if isinstance(s, Loop):
            return replace(s, lower=smaller(s.lower), upper=smaller(s.upper), body=tuple(map(convert, s.body)))
        if isinstance(s, Branch):
            return replace(s, then=tuple(map(convert, s.then)), otherwise=tuple(map(convert, s.otherwise)))
        return s

    return tuple(map(convert, block))


Quotients = dict[str, tuple[Affine, int]]  # variables that stand for floor(numerator / divisor)


@dataclass(frozen=True, slots=True)
class Divided:
    """An index expression with quotients of loop variables in it."""

    affine: Affine
    quotients: Quotients

    def __str__(self) -> str:
        """Spell it with ``/`` for what is rounded down."""
        text = str(self.affine)
        for name, (numerator, divisor) in reversed(self.quotients.items()):
            text = re.sub(rf"\b{name}\b", f"({numerator})/{divisor}", text)
        return text

    def satisfies(self, constraint: Callable[[Affine], Domain]) -> Domain:
        """Return where the expression satisfies a condition."""
        bounds = [bound for name, q in self.quotients.items() for bound in _bounds(name, *q)]
        return (constraint(self.affine) & Domain.of(*bounds)).project_out(*self.quotients)

    def at_least(self) -> Affine | None:
        """Return what the expression never is less than, where it has whole multiples of one quotient."""
        ((name, (numerator, divisor)), *more) = self.quotients.items()
        factor, rest = divmod(self.affine.coefficient(name), divisor)
        if more or rest:
            return None
        least = numerator - (divisor - 1 if factor > 0 else 0)
        return self.affine + least * factor - Affine.var(name, factor * divisor)

    def most_times(self) -> Affine | None:
        """Return what is greater than each number from zero on that is less than the expression.

        With ``0 <= i``, ``i < r + a / 2 + b / 2`` means ``i < 2*r + a + b``, as that is more than ``2*i``.
        """
        times = lcm(*(divisor for _, divisor in self.quotients.values()))
        most = self.affine * times
        for name, (numerator, divisor) in self.quotients.items():
            factor, parts = self.affine.coefficient(name), times // divisor
            least = 0 if factor > 0 else divisor - 1  # that is rounded off
            most = most + (numerator - least) * (factor * parts) - Affine.var(name, factor * times)
        return most if self.quotients.keys().isdisjoint(most.variables) else None

    def term(self, dtype: DType) -> Term:
        """Return the expression as a number of a type that holds what is divided."""
        whole, parts = self.affine, list["Term"]()
        for name, (numerator, divisor) in self.quotients.items():
            factor = whole.coefficient(name)
            whole = whole - Affine.var(name, factor)
            if not factor:
                continue  # it occurs in another quotient only
            dividend = Divided(numerator, self.quotients).term(dtype)
            divide, rest = "floordiv", whole + numerator * (factor // divisor)
            if factor % divisor == 0 and isinstance(dividend, terms.Index) and len(rest.terms) < len(whole.terms):
                divide, whole, factor = "mod", rest, -factor // divisor
            divided = terms.apply(divide, dividend, terms.constant(divisor, dtype))
            parts.append(rewrite.simplified("mul", (divided, terms.constant(factor, dtype))))
        total = terms.index(whole, dtype)
        for part in parts:
            total = rewrite.simplified("add", (total, part))
        return total


class Indices:
    """Turns the index expressions of one function into affine ones; collects the derived sizes that they need."""

    def __init__(self, sizes: Sequence[str], taken: set[str]) -> None:
        self.sizes = set(sizes)
        self.derived: dict[tuple[Affine, Affine], DerivedSize] = {}
        self.taken = taken

    def apply(self, affine_map: AffineMap, operands: Sequence[Affine]) -> tuple[Affine, ...]:
        """Apply a map to its operands, dimensions before symbols.

        Raises:
            NotAffine: where a result multiplies variables or divides a loop variable.

        """
        return tuple(self._expression(e, operands, affine_map.num_dims, None) for e in affine_map.results)

    def condition(self, affine_set: AffineSet, operands: Sequence[Affine]) -> Domain:
        """Return the points that satisfy a set.

        Raises:
            NotAffine: where a constraint multiplies variables.

        """
        quotients: Quotients = {}
        found = []
        for constraint in affine_set.constraints:
            left, right = (
                self._expression(side, operands, affine_set.num_dims, quotients)
                for side in (constraint.lhs, constraint.rhs)
            )
            found.append(_constraint(constraint.kind.value, left, right))
        found += [bound for name, q in quotients.items() for bound in _bounds(name, *q)]
        return Domain.of(*found).project_out(*quotients)

    def multiples(self, affine_set: AffineSet, operands: Sequence[Affine]) -> tuple[Affine, Affine] | None:
        """Return what a set says to be a multiple of a size, and that size; None where it says something else.

        Raises:
            NotAffine: where one of them multiplies variables.

        """
        (first, *more), dims = affine_set.constraints, affine_set.num_dims
        rest = first.lhs
        if more or first.rhs != AffineExpr.constant(0) or not isinstance(rest, AffineBinaryOpExpr):
            return None
        if (rest.kind, first.kind) != (AffineBinaryOpKind.Mod, AffineConstraintKind.eq):
            return None
        number, size = (self._expression(side, operands, dims, None) for side in (rest.lhs, rest.rhs))
        return None if size.is_constant else (number, size)

    def divided(self, affine_map: AffineMap, operands: Sequence[Affine]) -> Divided:
        """Apply a map with one result, which may divide loop variables.

        Raises:
            NotAffine: where the result multiplies variables.

        """
        quotients: Quotients = {}
        (result,) = affine_map.results
        return Divided(self._expression(result, operands, affine_map.num_dims, quotients), quotients)

    def places(self, affine_map: AffineMap, operands: Sequence[Affine]) -> list[Place]:
        """Apply a map; a result that divides loop variables is an integer that is computed.

        Raises:
            NotAffine: where a result multiplies variables.

        """
        found = list[Place]()
        for e in affine_map.results:
            quotients: Quotients = {}
            value = self._expression(e, operands, affine_map.num_dims, quotients)
            found.append(Divided(value, quotients).term("i64") if quotients else value)
        return found

    def quotient(self, numerator: Affine, divisor: int) -> Affine:
        """Return ``floor(numerator / divisor)`` where only sizes are divided.

        Raises:
            NotAffine: where a loop variable is divided.

        """
        return self._quotient(numerator, divisor, None)

    def context(self) -> Domain:
        """Return what is known of the derived sizes."""
        bounds = [bound for size in self.derived.values() for bound in size.bounds]
        return Domain.of(*bounds) if bounds else UNIVERSE

    def _expression(
        self,
        expression: AffineExpr,
        operands: Sequence[Affine],
        dims: int,
        quotients: Quotients | None,
    ) -> Affine:
        if isinstance(expression, AffineConstantExpr):
            return Affine(expression.value)
        if isinstance(expression, AffineDimExpr):
            return operands[expression.position]
        if isinstance(expression, AffineSymExpr):
            return operands[dims + expression.position]
        assert isinstance(expression, AffineBinaryOpExpr)
        left = self._expression(expression.lhs, operands, dims, quotients)
        right = self._expression(expression.rhs, operands, dims, quotients)
        if expression.kind is AffineBinaryOpKind.Add:
            return left + right
        if expression.kind is AffineBinaryOpKind.Mul:
            return multiply(left, right)
        if expression.kind is AffineBinaryOpKind.FloorDiv and right.variables and self._are_sizes(left, right):
            return self._derived_size(left, right)
        if not right.is_constant or right.constant <= 0:
            raise NotAffine(f"({left}) {expression.kind.get_token()} ({right})")
        return self._divide(expression.kind, left, right.constant, quotients)

    def _divide(
        self,
        kind: AffineBinaryOpKind,
        left: Affine,
        divisor: int,
        quotients: Quotients | None,
    ) -> Affine:
        if kind is AffineBinaryOpKind.FloorDiv:
            return self._quotient(left, divisor, quotients)
        if kind is AffineBinaryOpKind.CeilDiv:
            return self._quotient(left + (divisor - 1), divisor, quotients)
        return left - self._quotient(left, divisor, quotients) * divisor

    def _quotient(self, numerator: Affine, divisor: int, quotients: Quotients | None) -> Affine:
        whole = Affine(numerator.constant // divisor, {v: c // divisor for v, c in numerator.terms if c % divisor == 0})
        rest = numerator - whole * divisor
        if rest.is_constant:
            return whole
        if self._are_sizes(rest):
            return whole + self._derived_size(rest, affine(divisor))
        if quotients is None:
            raise NotAffine(f"({numerator}) floordiv {divisor}")
        name = fresh("q")
        quotients[name] = (rest, divisor)
        return whole + affine(name)

    def _are_sizes(self, *values: Affine) -> bool:
        return all(name in self.sizes for value in values for name in value.variables)

    def _derived_size(self, numerator: Affine, divisor: Affine) -> Affine:
        key = (numerator, divisor)
        if key not in self.derived:
            name = unused(name_of_quotient(numerator, divisor), self.taken)
            self.derived[key] = DerivedSize(name, numerator, divisor)
            self.sizes.add(name)
        return affine(self.derived[key].name)


def _bounds(name: str, numerator: Affine, divisor: int) -> tuple[Constraint, ...]:
    return DerivedSize(name, numerator, affine(divisor)).bounds


def multiply(left: Affine, right: Affine) -> Affine:
    """Multiply where one side is a number.

    Raises:
        NotAffine: where both sides vary.

    """
    if right.is_constant:
        return left * right.constant
    if left.is_constant:
        return right * left.constant
    raise NotAffine(f"({left}) * ({right})")


def _constraint(kind: str, left: Affine, right: Affine) -> Constraint:
    if kind == "==":
        return Constraint(left - right, is_equality=True)
    return Constraint(left - right if kind == ">=" else right - left)
