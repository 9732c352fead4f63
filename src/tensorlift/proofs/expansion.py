"""The summary's definitions in a proof: some are known by name only, the others are written out where they are read.

A definition becomes *opaque* when the program was proved to hold it: from there on program and summary mean the same
array by its name, whatever its cells are.  Cells of a local array that the source never wrote have no value: any value
of the program's will do, since a source whose output depended on them would be undefined.

What the source executes around the present place of the program, and what that tells of values.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import Definition, Item, KeptLoop, Summary, loops_of
from tensorlift.comprehension.normal import alike, equal
from tensorlift.comprehension.rewrite import lookup, map_reads, walk
from tensorlift.comprehension.terms import Piecewise, Read, Term, applies
from tensorlift.comprehension.whole import in_integers
from tensorlift.ops.dtypes import NARROW
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tensorlift.comprehension.tensor import SymbolicTensor

    Equality = Callable[[Term, Term, Domain], bool]  # tells whether two terms are shown equal at the points of a domain


Fact = TypeVar("Fact")


class Surroundings:
    """The items executed around the present place: the whole function, and the bodies of the loops around it."""

    def __init__(self, items: tuple[Item, ...]) -> None:
        self._active: list[tuple[Item, ...]] = [items]
        self._changing: list[frozenset[str]] = [frozenset()]

    def enter(self, loop: KeptLoop) -> None:
        """Go on inside a loop: outside of it the names of what it carries mean the arrays after the loop."""
        self._active.append(loop.body)
        self._changing.append(frozenset(c.name for c in loop.carried))

    def leave(self) -> None:
        """Go on outside the innermost loop."""
        self._active.pop()
        self._changing.pop()

    def definitions(self) -> dict[str, Definition]:
        """Return the definitions that have a meaning at the present place, by name."""
        return {item.name: item for items in self._active for item in items if isinstance(item, Definition)}

    def __iter__(self) -> Iterator[tuple[tuple[Item, ...], frozenset[str]]]:
        """Yield the items of each body, outermost first, with the names that mean something else there."""
        for depth, items in enumerate(self._active):
            yield items, frozenset().union(*self._changing[depth + 1 :])


class Facts(Generic[Fact]):
    """What definitions tell at the present place; collected once for each body.

    ``collect`` takes the term of a piece, its domain and the indices of its definition; ``reads`` names the arrays that
    a fact is about, which must mean the same at the present place.
    """

    def __init__(
        self,
        surroundings: Surroundings,
        collect: Callable[[Term, Domain, tuple[str, ...]], Iterable[Fact]],
        reads: Callable[[Fact], frozenset[str]],
    ) -> None:
        self._surroundings = surroundings
        self._collect = collect
        self._reads = reads
        self._known: dict[int, list[Fact]] = {}

    def __iter__(self) -> Iterator[Fact]:
        """Yield the facts that hold at the present place."""
        for items, changing in self._surroundings:
            known = self._known.get(id(items))
            if known is None:
                known = self._known[id(items)] = list(self._of(items))
            yield from (fact for fact in known if self._reads(fact).isdisjoint(changing))

    def _of(self, items: tuple[Item, ...]) -> Iterator[Fact]:
        for item in items:
            if isinstance(item, Definition):
                for piece, term in item.pieces:
                    yield from self._collect(term, item.domain & piece, item.indices)


class Definitions:
    """The definitions of a summary by name, and which of them are opaque."""

    def __init__(self, summary: Summary) -> None:
        self.by_name: dict[str, Definition] = {d.name: d for d in summary.definitions()}
        self.opaque: set[str] = set()
        self.arrays = summary.arrays
        self._array_of = {c.name: c.array for loop in loops_of(summary.items) for c in loop.carried}
        self._unwritten = {name for name, info in summary.arrays.items() if not info.is_parameter}

    @cached_property
    def has_narrow(self) -> bool:
        """Tell whether anything is in a float type narrower than double precision."""
        found = (node for d in self.by_name.values() for _, term in d.pieces for node in walk(term))
        return any(info.dtype in NARROW for info in self.arrays.values()) or any(n.dtype in NARROW for n in found)

    def is_unwritten(self, name: str) -> bool:
        """Tell whether a name is the initial version of a local array, whose cells have no values."""
        return name in self._unwritten and name not in self.by_name

    def expand(self, term: Term, domain: Domain, *, fully: bool = False) -> Term:
        """Write out the definitions that a term reads, except the opaque ones (or those too)."""
        written = self.by_name.keys() if fully else self.by_name.keys() - self.opaque
        if term.reads.isdisjoint(written):
            return term

        known: dict[tuple[Term, int], tuple[Domain, Term]] = {}  # by the domain's identity

        def write_out(found: Read, where: Domain) -> Term:
            if found.array not in written:
                return found
            said = known.get((found, id(where)))
            if said is None:
                said = known[found, id(where)] = where, map_reads(self.cell(found, where), where, write_out)
            return said[1]

        return map_reads(term, domain, write_out)

    def cell(self, found: Read, where: Domain) -> Term:
        """Return what a cell of a definition is."""
        definition = self.by_name[found.array]
        values = dict(zip(definition.indices, found.indices, strict=True))
        outside = terms.read(f"outside {found.array}", found.indices, found.dtype)
        return lookup(list(definition.pieces), values, where, outside)

    def array_of(self, version: str) -> str:
        """Return the array of which a carried or initial version is one."""
        return self._array_of.get(version, version)

    def is_version(self, tensor: SymbolicTensor, version: str, context: Domain) -> bool:
        """Decide whether a tensor is a version of an array: a definition, an initial version or a carried one."""
        definition = self.by_name.get(version)
        if definition is not None:
            return self.is_opaque(tensor, definition) or self.equals(tensor, definition, context)
        names = tuple(fresh("v") for _ in tensor.shape)
        indices = tuple(map(Affine.var, names))
        want = terms.read(version, indices, tensor.dtype)
        return self.equal_on(tensor.at(indices), want, context & Domain.box(names, tensor.shape))

    def is_opaque(self, tensor: SymbolicTensor, definition: Definition) -> bool:
        """Tell whether a tensor is a definition by its name, because it was proved to be."""
        indices = definition.cell
        by_name = terms.read(definition.name, indices, definition.dtype)
        return definition.name in self.opaque and tensor.at(indices) is by_name

    def equals(self, tensor: SymbolicTensor, definition: Definition, context: Domain) -> bool:
        """Decide whether a tensor is the whole of a definition, cell by cell, for all sizes of the context."""
        got = tensor.at(definition.cell)
        cells = definition.domain & context
        return all(got is want or self.equal_on(got, want, piece & cells) for piece, want in definition.pieces)

    def equal_on(self, got: Term, want: Term, domain: Domain) -> bool:
        """Decide whether a term is what a definition says on a domain; cells without a value are anything."""
        if got is want or domain.is_empty() or (isinstance(want, Read) and self.is_unwritten(want.array)):
            return True
        if self.equal(got, want, domain):
            return True
        want = self.expand(want, domain)
        if isinstance(want, Piecewise):
            return all(self.equal_on(got, part, domain & piece) for piece, part in want.pieces)
        if applies(want, "select") and applies(got, "select"):  # by the same condition, between the same
            pairs = zip(got.args, want.args, strict=True)
            if all(self.equal_on(one, other, domain) for one, other in pairs):
                return True
        whole = in_integers(want)
        return whole is not want and self.equal(got, whole, domain)

    @property
    def equalities(self) -> tuple[Equality, ...]:
        """Return ways to decide whether two terms are equal, each slower than the one before and finding more.

        Look at every candidate at a glance before comparing one in earnest.
        """
        return self._alike_by_name, self._alike, self.equal

    def equal(self, got: Term, want: Term, domain: Domain) -> bool:
        """Decide whether two terms are equal on a domain, by opaque names or written out."""
        near = self._by_name(got, want, domain)
        fewer, more = sorted((term.reads for term in near), key=len)
        if alike(*near, domain) or (fewer <= more and equal(*near, domain)):
            return True
        far = self._written_out(got, want, domain)
        return alike(*far, domain) or equal(*near, domain) or equal(*far, domain)

    def _alike_by_name(self, got: Term, want: Term, domain: Domain) -> bool:
        return alike(*self._by_name(got, want, domain), domain)

    def _alike(self, got: Term, want: Term, domain: Domain) -> bool:
        return self._alike_by_name(got, want, domain) or alike(*self._written_out(got, want, domain), domain)

    def _by_name(self, got: Term, want: Term, domain: Domain) -> tuple[Term, Term]:
        return self.expand(got, domain), self.expand(want, domain)

    def _written_out(self, got: Term, want: Term, domain: Domain) -> tuple[Term, Term]:
        return self.expand(got, domain, fully=True), self.expand(want, domain, fully=True)
