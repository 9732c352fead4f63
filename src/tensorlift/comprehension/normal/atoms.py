"""The atoms of the normal form: what it does not look into, a cell, a scalar, an index, a function of polynomials.

Atoms are hash-consed: the same structure is the same object.  Inside atoms bound variables have canonical names,
numbered by the depth of nesting, so that atoms that differ in names of bound variables only are the same object.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from tensorlift.comprehension.normal.interning import signature, spend, tables
from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from tensorlift.comprehension.normal.monomials import Monomial, Poly
    from tensorlift.ops.dtypes import DType

Renaming = Mapping[str, Affine]
Subscript = tuple[int, tuple[Affine, ...]]  # the signature of what is subscripted, and the subscripts
_NONE: frozenset[str] = frozenset()


class Atom:
    """A factor of monomials; ``dtype`` bounds its value, None for an unbounded integer."""

    __slots__ = ("depth", "dtype", "free", "infinite", "number", "sig")

    dtype: DType | None
    free: frozenset[str]
    sig: int
    depth: int
    infinite: bool
    number: int

    def rename(self, values: Renaming) -> Atom:
        """Replace free variables."""
        raise NotImplementedError

    def subscripts(self) -> Iterator[Subscript]:
        """Yield every subscript inside, in an order that depends on the structure only."""
        raise NotImplementedError


class ScalarAtom(Atom):
    """A scalar parameter."""

    __slots__ = ()

    def rename(self, values: Renaming) -> Atom:  # noqa: ARG002 - the interface
        """Return the same: a scalar has no indices."""
        return self

    def subscripts(self) -> Iterator[Subscript]:
        """Yield nothing."""
        return iter(())


class ReadAtom(Atom):
    """A cell of an array."""

    __slots__ = ("array", "indices")
    array: str
    indices: tuple[Affine, ...]

    def rename(self, values: Renaming) -> Atom:
        """Replace variables in the subscripts."""
        if self.free.isdisjoint(values) or self.dtype is None:
            return self
        return read_atom(self.array, tuple(i.substitute(values) for i in self.indices), self.dtype)

    def subscripts(self) -> Iterator[Subscript]:
        """Yield the subscripts of the cell."""
        yield self.sig, self.indices


class IndexAtom(Atom):
    """An affine expression as a value; a single variable in a finished monomial."""

    __slots__ = ("affine",)
    affine: Affine

    def rename(self, values: Renaming) -> Atom:
        """Replace variables."""
        return self if self.free.isdisjoint(values) else index_atom(self.affine.substitute(values))

    def subscripts(self) -> Iterator[Subscript]:
        """Yield the expression."""
        yield self.sig, (self.affine,)


class ApplyAtom(Atom):
    """A function of polynomials that is only known by its name."""

    __slots__ = ("args", "op")
    op: str
    args: tuple[Poly, ...]

    def rename(self, values: Renaming) -> Atom:
        """Replace variables in the operands."""
        if self.free.isdisjoint(values):
            return self
        return apply_atom(self.op, tuple(arg.rename(values) for arg in self.args), self.dtype)

    def subscripts(self) -> Iterator[Subscript]:
        """Yield those of the operands."""
        for arg in self.args:
            yield from arg.subscripts()


class FoldAtom(Atom):
    """The greatest, least or product over items: the values of guarded monomials at each point of their variables.

    Where no item applies it is the neutral element of the fold.
    """

    __slots__ = ("items", "modulus", "op")
    op: str
    items: tuple[Monomial, ...]
    modulus: int

    def rename(self, values: Renaming) -> Atom:
        """Replace variables in the items."""
        if self.free.isdisjoint(values):
            return self
        items = [i for item in self.items for i in item.renamed_item(values, self)]
        return fold_atom(self.op, items, self.dtype, self.modulus)

    def subscripts(self) -> Iterator[Subscript]:
        """Yield those of the items."""
        for item in self.items:
            yield from item.subscripts()


def _interned(made: Atom, key: tuple[Hashable, ...]) -> Atom:
    made.number = len(tables.atoms)
    tables.atoms[key] = made
    return made


def scalar_atom(name: str, dtype: DType) -> Atom:
    """Return the atom of a scalar parameter."""
    key = ("s", name, dtype)
    known: Atom | None = tables.atoms.get(key)
    if known is not None:
        return known
    made = ScalarAtom()
    made.dtype, made.free, made.depth, made.infinite, made.sig = dtype, _NONE, 0, False, signature(*key)
    return _interned(made, key)


def read_atom(array: str, indices: tuple[Affine, ...], dtype: DType) -> Atom:
    """Return the atom of an array's cell."""
    key = ("r", array, indices, dtype)
    known: Atom | None = tables.atoms.get(key)
    if known is not None:
        return known
    made = ReadAtom()
    made.array, made.indices, made.dtype, made.depth, made.infinite = array, indices, dtype, 0, False
    made.free = frozenset(v for i in indices for v, _ in i.terms)
    made.sig = signature("r", array, dtype)
    return _interned(made, key)


def index_atom(value: Affine) -> Atom:
    """Return the atom of an affine expression."""
    key = ("i", value)
    known: Atom | None = tables.atoms.get(key)
    if known is not None:
        return known
    made = IndexAtom()
    made.affine, made.dtype, made.depth, made.infinite = value, None, 0, False
    made.free, made.sig = frozenset(value.variables), signature("i")
    return _interned(made, key)


COMMUTATIVE = frozenset({"product", "bitand", "bitor", "bitxor"})


def apply_atom(op: str, args: tuple[Poly, ...], dtype: DType | None) -> Atom:
    """Return the atom of a function of polynomials, which hold wherever the atom is used."""
    args = tuple(a.canonical() for a in args)
    identities = [(a.modulus, _identity(a.terms)) for a in args]
    key = ("f", op, dtype, tuple(sorted(identities) if op in COMMUTATIVE else identities))
    known: Atom | None = tables.atoms.get(key)
    if known is not None:
        return known
    made = ApplyAtom()
    made.op, made.args, made.dtype = op, args, dtype
    made.infinite = op in ("infinity", "nan")
    made.free = _NONE.union(*(a.free for a in args))
    made.depth = max((t.depth for a in args for t in a.terms), default=0)
    sigs = [a.sig for a in args]
    made.sig = signature("f", op, dtype, tuple(sorted(sigs) if op in COMMUTATIVE else sigs))
    return _interned(made, key)


def fold_atom(op: str, items: list[Monomial], dtype: DType | None, modulus: int) -> Atom:
    """Return the atom of the greatest, least or product of items."""
    items = [i.canonical() for i in items]
    key = ("M", op, dtype, modulus, _identity(items))
    known: Atom | None = tables.atoms.get(key)
    if known is not None:
        return known
    made = FoldAtom()
    made.op, made.items, made.dtype, made.modulus, made.infinite = op, tuple(items), dtype, modulus, False
    made.free = _NONE.union(*(i.free for i in items))
    made.depth = max((i.depth for i in items), default=0)
    made.sig = signature("M", op, dtype, tuple(sorted({i.sig for i in items})))
    return _interned(made, key)


def _identity(terms: Iterable[Monomial]) -> tuple[Hashable, ...]:
    """Return a key of monomials with canonical names: equal keys mean the same formula."""
    spend()
    return tuple(sorted((str(t.coefficient), t.key, str(t.domain)) for t in terms))
