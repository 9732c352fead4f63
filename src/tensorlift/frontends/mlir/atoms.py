"""Index expressions of one function: linear over atoms, which are sizes, loop variables and quotients.

An index is a `Affine` over the names of atoms.  A quotient by a constant is an atom of its own, so that every index
that the affine dialect can spell has a linear form; ``a mod m`` is ``a - m * (a floordiv m)``.  Bounds over sizes alone
come from replacing loop variables by their bounds, the innermost first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir.affine import (
    AffineBinaryOpKind,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineMap,
    AffineSet,
)

from tensorlift.ir.linear import evaluated
from tensorlift.poly.affine import ZERO, Affine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import SSAValue


class NotAffineError(Exception):
    """Raised where an index has no linear form; says why."""


@dataclass(slots=True)
class Size:
    """A number that is the same all through the function: its value in the emitted program, and its bits."""

    value: SSAValue
    width: int = 64


@dataclass(slots=True)
class Variable:
    """A loop variable with its bounds: at least each of ``lowers``, less than each of ``uppers``."""

    value: SSAValue
    lowers: tuple[Affine, ...]
    uppers: tuple[Affine, ...]


@dataclass(slots=True)
class Quotient:
    """``floor(numerator / divisor)``."""

    numerator: Affine
    divisor: int


Atom = Size | Variable | Quotient


class Atoms:
    """The atoms of a function, in order of their first use: an atom's bounds hold earlier ones only."""

    def __init__(self) -> None:
        """Know no atom yet."""
        self.known: dict[str, Atom] = {}
        self.relied: set[str] = set()  # the variables whose bounds something was proved from

    def add(self, name: str, atom: Atom) -> Affine:
        """Add a size or variable; the name is made unique."""
        unique = f"{name}#{len(self.known)}"
        self.known[unique] = atom
        return Affine.var(unique)

    def quotient(self, numerator: Affine, divisor: int) -> Affine:
        """Give ``floor(numerator / divisor)``, without an atom where it is exact.

        Raises NotAffineError where the divisor is not positive.
        """
        if divisor < 1:
            raise NotAffineError(f"divides by {divisor}")
        exact = {name: k // divisor for name, k in numerator.terms if k % divisor == 0}
        whole = Affine(numerator.constant // divisor, exact)
        rest = numerator - whole * divisor
        if not rest.terms:
            return whole
        name = f"{rest} // {divisor}"
        self.known.setdefault(name, Quotient(rest, divisor))
        return whole + Affine.var(name)

    def applied(self, expression: AffineExpr, dims: Sequence[Affine], symbols: Sequence[Affine]) -> Affine:
        """Evaluate an affine expression over indices; raises NotAffineError."""
        return evaluated(expression, dims, symbols, Affine, self._combined)

    def _combined(self, kind: AffineBinaryOpKind, left: Affine, right: Affine) -> Affine:
        if kind is AffineBinaryOpKind.Add:
            return left + right
        return product(left, right) if kind is AffineBinaryOpKind.Mul else self.divided(kind, left, right)

    def divided(self, kind: AffineBinaryOpKind, left: Affine, right: Affine) -> Affine:
        """Divide as the affine dialect does; raises NotAffineError where the divisor is no positive constant."""
        if right.terms:
            raise NotAffineError("divides by a number that is not constant")
        if kind is AffineBinaryOpKind.CeilDiv:
            return self.quotient(left + (right.constant - 1), right.constant)
        quotient = self.quotient(left, right.constant)
        return quotient if kind is AffineBinaryOpKind.FloorDiv else left - quotient * right.constant

    # -- bounds

    def greatest(self, index: Affine) -> Affine | None:
        """Give an upper bound over sizes, None where there is none."""
        return self._bound(index, upwards=True)

    def least(self, index: Affine) -> Affine | None:
        """Give a lower bound over sizes, None where there is none."""
        return self._bound(index, upwards=False)

    def is_nonnegative(self, index: Affine) -> bool:
        """Tell whether an index is certainly not negative, for sizes that are not."""
        least = self.least(index)
        return least is not None and is_nonnegative(least)

    def _bound(self, index: Affine, *, upwards: bool) -> Affine | None:
        order = {name: position for position, name in enumerate(self.known)}
        inner = [(name, k) for name, k in index.terms if not isinstance(self.known[name], Size)]
        if not inner:
            return index
        name, factor = max(inner, key=lambda term: order[term[0]])
        atom = self.known[name]
        above = (factor > 0) == upwards
        if isinstance(atom, Quotient):
            if not self.is_nonnegative(atom.numerator):
                return None
            ends = [atom.numerator if above else ZERO]
        else:
            assert isinstance(atom, Variable)
            self.relied.add(name)
            ends = [upper - 1 for upper in atom.uppers] if above else list(atom.lowers)
        rest = index - Affine.var(name) * factor
        found = [self._bound(rest + end * factor, upwards=upwards) for end in ends]
        bounds = [bound for bound in found if bound is not None]
        return _tightest(bounds, upwards=upwards) if bounds else None

    # -- emission

    def map(self, indices: Sequence[Affine]) -> tuple[AffineMapAttr, list[SSAValue]]:
        """Spell indices as one map, with its operands."""
        spelling = _Spelling(self, indices)
        results = tuple(spelling.expression(index) for index in indices)
        return AffineMapAttr(AffineMap(len(spelling.dims), len(spelling.symbols), results)), spelling.operands()

    def set(self, constraints: Sequence[tuple[Affine, bool]]) -> tuple[AffineSetAttr, list[SSAValue]]:
        """Spell a conjunction of ``index >= 0``, or ``== 0`` where it says so, with its operands."""
        spelling = _Spelling(self, [index for index, _ in constraints])
        zero = AffineExpr.constant(0)
        kinds = {True: AffineConstraintKind.eq, False: AffineConstraintKind.ge}
        found = tuple(AffineConstraintExpr(kinds[eq], spelling.expression(index), zero) for index, eq in constraints)
        return AffineSetAttr(AffineSet(len(spelling.dims), len(spelling.symbols), found)), spelling.operands()


class _Spelling:
    """The operands of one map: variables are dimensions, sizes symbols."""

    def __init__(self, atoms: Atoms, indices: Sequence[Affine]) -> None:
        self.known = atoms.known
        leaves = [leaf for index in indices for leaf in self._leaves(index)]
        self.dims = list(dict.fromkeys(leaf for leaf in leaves if isinstance(self.known[leaf], Variable)))
        self.symbols = list(dict.fromkeys(leaf for leaf in leaves if isinstance(self.known[leaf], Size)))

    def _leaves(self, index: Affine) -> list[str]:
        found: list[str] = []
        for name, _ in index.terms:
            atom = self.known[name]
            found += self._leaves(atom.numerator) if isinstance(atom, Quotient) else [name]
        return found

    def operands(self) -> list[SSAValue]:
        atoms = [self.known[name] for name in (*self.dims, *self.symbols)]
        return [atom.value for atom in atoms if not isinstance(atom, Quotient)]

    def expression(self, index: Affine) -> AffineExpr:
        parts = [self._atom(name) * k if k != 1 else self._atom(name) for name, k in index.terms]
        if index.constant or not parts:
            parts.append(AffineExpr.constant(index.constant))
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    def _atom(self, name: str) -> AffineExpr:
        atom = self.known[name]
        if isinstance(atom, Quotient):
            return self.expression(atom.numerator) // AffineExpr.constant(atom.divisor)
        if isinstance(atom, Variable):
            return AffineExpr.dimension(self.dims.index(name))
        return AffineExpr.symbol(self.symbols.index(name))


def product(left: Affine, right: Affine) -> Affine:
    """Multiply where one side is constant; raises NotAffineError."""
    if left.terms and right.terms:
        raise NotAffineError("multiplies two numbers that are not constant")
    return left * right.constant if left.terms else right * left.constant


def is_nonnegative(bound: Affine) -> bool:
    """Tell whether a linear expression over sizes is not negative for all sizes from 0 on."""
    return bound.constant >= 0 and all(k > 0 for _, k in bound.terms)


def _tightest(bounds: Sequence[Affine], *, upwards: bool) -> Affine:
    """Choose the bound that is at least as tight as all others, or else the simplest."""
    for bound in bounds:
        if all(is_nonnegative((other - bound) if upwards else (bound - other)) for other in bounds):
            return bound
    return min(bounds, key=lambda bound: (len(bound.terms), str(bound)))
