"""Polynomials to affine maps: loop variables become dimensions, sizes symbols, quotients ``floordiv``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineMap,
    AffineSet,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xdsl.ir import BlockArgument, SSAValue

    from tensorlift.poly.polynomial import Polynomial
    from tensorlift.poly.ranges import Ranges


class AffineMaps:
    """Builds maps and sets with their operands; ``values`` holds the value of every variable in scope."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        self.values: dict[str, BlockArgument] = {}

    def map(self, polynomials: Sequence[Polynomial]) -> tuple[AffineMapAttr, list[SSAValue]]:
        """Give the map of several results and its operands, dimensions first."""
        positions, operands, dims, symbols = self._operands(polynomials)
        results = tuple(self.expression(polynomial, positions) for polynomial in polynomials)
        return AffineMapAttr(AffineMap(dims, symbols, results)), operands

    def set(self, constraints: Sequence[tuple[Polynomial, bool]]) -> tuple[AffineSetAttr, list[SSAValue]]:
        """Give the set of a conjunction (equality where marked, else not negative) and its operands."""
        positions, operands, dims, symbols = self._operands([polynomial for polynomial, _ in constraints])
        return AffineSetAttr(AffineSet(dims, symbols, self._constraints(constraints, positions))), operands

    def multiples(self, polynomial: Polynomial, size: Polynomial) -> tuple[AffineSetAttr, list[SSAValue]]:
        """Give the set of the multiples of a size, and its operands."""
        positions, operands, dims, symbols = self._operands([polynomial, size])
        sides = (self.expression(side, positions) for side in (polynomial, size))
        rest = AffineBinaryOpExpr(AffineBinaryOpKind.Mod, *sides)
        zero = AffineConstraintExpr(AffineConstraintKind.eq, rest, AffineExpr.constant(0), canonicalize=False)
        return AffineSetAttr(AffineSet(dims, symbols, (zero,))), operands

    def size_map(self, polynomials: Sequence[Polynomial]) -> AffineMapAttr:
        """Give the map from all sizes, in the order of the arguments, to several results."""
        positions = self._size_positions()
        results = tuple(self.expression(polynomial, positions) for polynomial in polynomials)
        return AffineMapAttr(AffineMap(0, len(positions), results))

    def size_set(self, constraints: Sequence[tuple[Polynomial, bool]]) -> AffineSetAttr:
        """Give the set of sizes where polynomials are not negative, or zero where that is marked."""
        positions = self._size_positions()
        return AffineSetAttr(AffineSet(0, len(positions), self._constraints(constraints, positions)))

    def has_quotients(self, polynomials: Sequence[Polynomial]) -> bool:
        """Tell whether a polynomial is over quotients, as remainders are."""
        return any(not one.variables().isdisjoint(self._ranges.quotients) for one in polynomials)

    def _constraints(
        self, constraints: Sequence[tuple[Polynomial, bool]], positions: Mapping[str, AffineExpr]
    ) -> tuple[AffineConstraintExpr, ...]:
        zero = AffineExpr.constant(0)
        kinds = {True: AffineConstraintKind.eq, False: AffineConstraintKind.ge}
        return tuple(
            AffineConstraintExpr(kinds[equality], self.expression(polynomial, positions), zero, canonicalize=False)
            for polynomial, equality in constraints
        )

    def _size_positions(self) -> dict[str, AffineExpr]:
        arguments = (name for name in self._ranges.sizes if name not in self._ranges.derived)
        return {name: AffineExpr.symbol(position) for position, name in enumerate(arguments)}

    def _operands(self, polynomials: Sequence[Polynomial]) -> tuple[dict[str, AffineExpr], list[SSAValue], int, int]:
        """Place the variables that occur: loop variables as dimensions, sizes as symbols, in order of scope."""
        used = set().union(*(self._ranges.leaves(polynomial) for polynomial in polynomials)) if polynomials else set()
        for name, parts in reversed(self._ranges.derived.items()):  # each of them may be over those before it
            used |= set().union(*map(self._ranges.leaves, parts)) if name in used else set()
        dims = [name for name in self.values if name in used and name not in self._ranges.sizes]
        symbols = [name for name in self.values if name in used and name in self._ranges.sizes]
        positions = {name: AffineExpr.dimension(position) for position, name in enumerate(dims)}
        positions |= {name: AffineExpr.symbol(position) for position, name in enumerate(symbols)}
        return positions, [self.values[name] for name in dims + symbols], len(dims), len(symbols)

    def expression(self, polynomial: Polynomial, positions: Mapping[str, AffineExpr]) -> AffineExpr:
        """Turn an affine polynomial into an affine expression."""
        result: AffineExpr | None = None
        constant = 0
        for monomial, value in sorted(polynomial.terms.items(), key=_term_order):
            if not monomial:
                constant = value
                continue
            (name,) = monomial
            factor = self._variable(name, positions)
            term = factor if value == 1 else factor * value
            result = term if result is None else result + term
        if result is None:
            return AffineExpr.constant(constant)
        return result + constant if constant else result

    def _variable(self, name: str, positions: Mapping[str, AffineExpr]) -> AffineExpr:
        if name in self._ranges.quotients:
            numerator, divisor = self._ranges.quotients[name]
            return self.expression(numerator, positions) // divisor
        if name in self._ranges.derived:
            above, below = (self.expression(part, positions) for part in self._ranges.derived[name])
            return AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, above, below)
        return positions[name]


def _term_order(term: tuple[tuple[str, ...], int]) -> tuple[bool, tuple[str, ...]]:
    """Put positive terms first, so that expressions print without a leading sign."""
    return term[1] < 0, term[0]
