"""The normal form's data: polynomials whose monomials are guarded sums of products of atoms.

A `Monomial` means ``coefficient * sum over bound of [domain] * product of num / product of den``: zero outside its
domain.  A `Poly` is the sum of its monomials, over the reals (modulus 0; also truth values as 0 and 1) or modulo two to
the width of an integer type.

Guards are relative to the domain of the question: a monomial without a guard has the domain `UNIVERSE`.  As formulas
both are defined at every integer point, so that a summand may be compared outside its own guard.  Monomials outside
atoms have unique bound names; their `key` is computed with canonical ones.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING

from tensorlift.comprehension.normal.atoms import Atom, FoldAtom, IndexAtom, Renaming, Subscript, apply_atom, index_atom
from tensorlift.comprehension.normal.interning import signature, spend, unique_name
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.ops.dtypes import DType

Coefficient = int | Fraction
_NONE: frozenset[str] = frozenset()


class Monomial:
    """``coefficient * sum over bound of [domain] * product of num / product of den``."""

    __slots__ = ("_free", "_key", "_order", "_sig", "bound", "coefficient", "den", "domain", "num")

    def __init__(
        self,
        coefficient: Coefficient,
        num: tuple[Atom, ...] = (),
        den: tuple[Atom, ...] = (),
        bound: tuple[str, ...] = (),
        domain: Domain = UNIVERSE,
    ) -> None:
        self.coefficient = coefficient
        self.num = num
        self.den = den
        self.bound = bound
        self.domain = domain
        self._key: tuple[int, ...] | None = None
        self._order: tuple[str, ...] = bound
        self._sig = -1
        self._free: frozenset[str] | None = None

    def with_domain(self, domain: Domain, coefficient: Coefficient | None = None) -> Monomial:
        """Return the same summand under another guard."""
        if coefficient is None:
            coefficient = self.coefficient
        if domain is self.domain and coefficient is self.coefficient:
            return self
        same = Monomial(coefficient, self.num, self.den, self.bound, domain)
        same._key, same._order, same._sig = self._key, self._order, self._sig
        if domain is self.domain:
            same._free = self._free
        return same

    def scaled(self, factor: Coefficient) -> Monomial:
        """Multiply by a number."""
        return self.with_domain(self.domain, self.coefficient * factor)

    @property
    def sig(self) -> int:
        """A number that equal summands share, whatever their subscripts."""
        if self._sig < 0:
            self._sig = signature("*", tuple(sorted(a.sig for a in self.num)), tuple(sorted(a.sig for a in self.den)))
        return self._sig

    def sigs_of_fewer(self) -> Iterator[int]:
        """Yield those of the summands that arise beside this one where its indices are shifted by a number."""
        indices = [a for a in self.num if isinstance(a, IndexAtom)]
        if indices:
            others = sorted(a.sig for a in self.num if not isinstance(a, IndexAtom))
            below = tuple(sorted(a.sig for a in self.den))
            for left in range(len(indices)):
                yield signature("*", tuple(sorted([*others, *(a.sig for a in indices[:left])])), below)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms above and below the line."""
        return self.num + self.den if self.den else self.num

    @property
    def depth(self) -> int:
        """How many binders are nested."""
        return max((a.depth for a in self.atoms), default=0) + (1 if self.bound else 0)

    @property
    def free(self) -> frozenset[str]:
        """The variables on which the value depends."""
        if self._free is None:
            free = _NONE.union(*(a.free for a in self.atoms))
            if self.domain is not UNIVERSE:
                free = free.union(self.domain.variables())
            self._free = free.difference(self.bound)
        return self._free

    @property
    def key(self) -> tuple[int, ...]:
        """The summand up to names of bound variables: equal keys mean the same summand of the variables in `order`."""
        if self._key is None:
            self._key = self._identify()
        return self._key

    @property
    def order(self) -> tuple[str, ...]:
        """The bound variables in the order in which the summand meets them."""
        if self._key is None:
            self._key = self._identify()
        return self._order

    def _identify(self) -> tuple[int, ...]:
        num, den = self.num, self.den
        if self.bound:
            self._order = self._meet()
            names = {v: Affine.var(n) for v, n in self._canonical_names(self._order).items()}
            num = tuple(a.rename(names) for a in num)
            den = tuple(a.rename(names) for a in den)
        return (len(self.bound), *sorted(a.number for a in num), -1, *sorted(a.number for a in den))

    def _meet(self) -> tuple[str, ...]:
        if len(self.bound) == 1:
            return self.bound
        order: dict[str, None] = {}
        for atom in sorted(self.atoms, key=lambda a: (a.sig, self._masked(a))):
            for _, indices in atom.subscripts():
                for index in indices:
                    order.update((v, None) for v in index.variables if v in self.bound)
        order.update((v, None) for v in self.bound)
        return tuple(order)

    def _canonical_names(self, order: tuple[str, ...]) -> dict[str, str]:
        depth, free = self.depth, self.free
        names = (name for p in count() if (name := f"b__{depth}_{p}") not in free)
        return dict(zip(order, names, strict=False))

    def _masked(self, atom: Atom) -> str:
        """Spell the subscripts of an atom without the bound variables, to order atoms that look alike."""
        return str([[[t for t in i.terms if t[0] not in self.bound] for i in s] for _, s in atom.subscripts()])

    def subscripts(self) -> Iterator[Subscript]:
        """Yield the subscripts of every atom."""
        for atom in self.atoms:
            yield from atom.subscripts()

    def rename(self, values: Renaming) -> Monomial:
        """Replace free variables; bound ones are renamed where they would capture."""
        values = {v: a for v, a in values.items() if v not in self.bound} if self.bound else values
        if self.free.isdisjoint(values):
            return self
        if self.bound and any(a.mentions(self.bound) for a in values.values()):
            return self.freshened().rename(values)
        return self._rename(values, self.bound)

    def _rename(self, values: Renaming, bound: tuple[str, ...]) -> Monomial:
        num = tuple(a.rename(values) for a in self.num)
        den = tuple(a.rename(values) for a in self.den)
        return Monomial(self.coefficient, num, den, bound, self.domain.substitute(values))

    def renamed_item(self, values: Renaming, fold: FoldAtom) -> list[Monomial]:
        """Replace free variables of an item of a fold, or of a factor of a product."""
        item = self.rename(values)
        return spread_indices(item) if fold.op == "product" else [item.as_item(fold.modulus, fold.dtype)]

    def as_item(self, modulus: int, dtype: DType | None) -> Monomial:
        """Return an item of a fold as one product: a sum becomes a single atom."""
        parts = spread_indices(Monomial(self.coefficient, self.num, self.den))
        if not parts:
            return Monomial(0, (), (), self.bound, self.domain)
        if len(parts) == 1:
            return Monomial(parts[0].coefficient, parts[0].num, parts[0].den, self.bound, self.domain)
        return Monomial(1, (apply_atom("value", (poly(parts, modulus),), dtype),), (), self.bound, self.domain)

    def freshened(self) -> Monomial:
        """Give the bound variables names that nothing else uses."""
        return self.with_bound({v: unique_name() for v in self.bound})

    def with_bound(self, names: Mapping[str, str]) -> Monomial:
        """Give the bound variables other names, new to the monomial."""
        changed = {v: Affine.var(n) for v, n in names.items() if v != n}
        if not changed:
            return self
        num, den = (tuple(a.rename(changed) for a in atoms) for atoms in (self.num, self.den))
        bound = tuple(names[v] for v in self.bound)
        same = Monomial(self.coefficient, num, den, bound, self.domain.substitute(changed))
        same._sig, same._free = self._sig, self._free
        if len(bound) == 1:  # which of several is met first depends on their names
            same._key = self._key
        return same

    def canonical(self) -> Monomial:
        """Give the bound variables canonical names, as they have inside atoms."""
        return self.with_bound(self._canonical_names(self.order))

    def substituted(self, values: Renaming, bound: tuple[str, ...]) -> Monomial:
        """Replace bound variables by expressions, leaving the given ones bound."""
        return self._rename(values, bound)


class Poly:
    """A sum of monomials, modulo ``modulus`` where that is not zero."""

    __slots__ = ("_free", "_sig", "modulus", "terms")

    def __init__(self, terms: tuple[Monomial, ...], modulus: int = 0) -> None:
        self.terms = terms
        self.modulus = modulus
        self._sig = -1
        self._free: frozenset[str] | None = None

    @property
    def sig(self) -> int:
        """A number that equal polynomials share as a rule, whatever their subscripts."""
        if self._sig < 0:
            shifted = {sig for t in self.terms for sig in t.sigs_of_fewer()}
            self._sig = signature("+", tuple(sorted({t.sig for t in self.terms} - shifted)))
        return self._sig

    @property
    def free(self) -> frozenset[str]:
        """The variables on which the value depends."""
        if self._free is None:
            self._free = _NONE.union(*(t.free for t in self.terms))
        return self._free

    @property
    def constant(self) -> Coefficient | None:
        """The value, where it is a number everywhere."""
        if not self.terms:
            return 0
        only = self.terms[0]
        if len(self.terms) > 1 or only.num or only.den or only.bound or only.domain is not UNIVERSE:
            return None
        return only.coefficient

    @property
    def atom(self) -> Atom | None:
        """The atom, where the value is just one everywhere."""
        if len(self.terms) != 1:
            return None
        only = self.terms[0]
        if only.coefficient != 1 or len(only.num) != 1 or only.den or only.bound or only.domain is not UNIVERSE:
            return None
        return only.num[0]

    def rename(self, values: Renaming) -> Poly:
        """Replace free variables."""
        if self.free.isdisjoint(values):
            return self
        return poly([t.rename(values) for t in self.terms], self.modulus)

    def canonical(self) -> Poly:
        """Return the polynomial with canonical bound names, as it stands inside atoms."""
        if not any(t.bound for t in self.terms):
            return self
        return Poly(tuple(t.canonical() for t in self.terms), self.modulus)

    def opened(self) -> Poly:
        """Return the polynomial, taken out of an atom, with bound names that nothing else uses."""
        if not any(t.bound for t in self.terms):
            return self
        return Poly(tuple(t.freshened() for t in self.terms), self.modulus)

    def subscripts(self) -> Iterator[Subscript]:
        """Yield the subscripts of every monomial."""
        for term in self.terms:
            yield from term.subscripts()

    def negated(self) -> Poly:
        """Return the additive inverse."""
        return Poly(tuple(t.scaled(-1) for t in self.terms), self.modulus)


def reduced(coefficient: Coefficient, modulus: int) -> Coefficient:
    """Return the representative of a coefficient, a plain integer where it is one."""
    if modulus:
        return int(coefficient) % modulus
    if isinstance(coefficient, Fraction) and coefficient.denominator == 1:
        return coefficient.numerator
    return coefficient


def poly(terms: list[Monomial], modulus: int) -> Poly:
    """Collect monomials of the same summand and guard."""
    spread = [s for t in terms for s in spread_indices(t)]
    spend(len(spread))
    if len(spread) == 1:
        only = spread[0]
        value = reduced(only.coefficient, modulus)
        return Poly((only.with_domain(only.domain, value),) if value else (), modulus)
    sums: dict[tuple[tuple[int, ...], Domain], Monomial] = {}
    for term in spread:
        known = sums.get(place := (term.key, aligned(term)))
        sums[place] = term if known is None else known.with_domain(known.domain, known.coefficient + term.coefficient)
    kept = ((t, reduced(t.coefficient, modulus)) for t in sums.values())
    return Poly(tuple(t.with_domain(t.domain, c) for t, c in kept if c), modulus)


def aligned(term: Monomial) -> Domain:
    """Return the guard with canonical names for the bound variables."""
    if not term.bound:
        return term.domain
    return term.domain.rename({v: f"b__{p}" for p, v in enumerate(term.order)})


def idempotent(factors: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Drop repeated truth values: they are 0 or 1, so that a square is the value itself."""
    if not any(a.dtype == "bool" for a in factors):
        return factors
    truths = dict.fromkeys(a for a in factors if a.dtype == "bool")
    return (*(a for a in factors if a.dtype != "bool"), *truths)


def spread_indices(term: Monomial) -> list[Monomial]:
    """Write every factor that is an affine expression as a sum over its variables (above the line), or as a number."""
    for position, atom in enumerate(term.num):
        if isinstance(atom, IndexAtom) and atom.affine.variable is None:
            others = term.num[:position] + term.num[position + 1 :]
            parts = [(c, (*others, index_atom(Affine.var(v)))) for v, c in atom.affine.terms]
            if atom.affine.constant:
                parts.append((atom.affine.constant, others))
            return [
                s
                for c, num in parts
                for s in spread_indices(Monomial(term.coefficient * c, num, term.den, term.bound, term.domain))
            ]
    if any(isinstance(a, IndexAtom) and a.affine.variable is None for a in term.den):
        return [_spread_divisors(term)]
    return [term]


def _spread_divisors(term: Monomial) -> Monomial:
    coefficient, den = term.coefficient, []
    for atom in term.den:
        value = atom.affine if isinstance(atom, IndexAtom) else None
        if value is None or value.variable is not None:
            den.append(atom)
        elif value.is_constant and value.constant:
            coefficient = Fraction(coefficient) / value.constant
        else:
            den.append(apply_atom("value", (poly([Monomial(1, (atom,))], 0),), "f64"))
    return Monomial(coefficient, term.num, tuple(den), term.bound, term.domain)
