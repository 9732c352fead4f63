"""The versions of arrays that definitions name, and whether a state is one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import normal, rewrite, terms
from tensorlift.comprehension.state import Piece, at, own_cell, split
from tensorlift.poly.domain import UNIVERSE, Domain
from tensorlift.proofs.source.induction import values_at
from tensorlift.proofs.source.operations import Undecided

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.terms import Term

# No name of a source has spaces.  What was never written may be taken for anything; what is not known is nothing else.
UNDEFINED, UNKNOWN = "an undefined value", "an unknown value"


class Versions:
    """The definitions of a summary; ``named`` are the versions that states may be, since they were shown to be."""

    def __init__(self, summary: Summary) -> None:
        self.arrays = summary.arrays
        self.definitions = {definition.name: definition for definition in summary.definitions()}
        self.known: list[Callable[[Term, Domain], Term]] = []  # what is known of versions, in the loops that are run
        self.followed = set[str]()  # from which loops start that have not written all cells yet
        self.named = {name for name, info in summary.arrays.items() if info.is_parameter}
        self._said: dict[tuple[Term, int], tuple[Domain, Term]] = {}  # by the domain's identity, with so many named
        self._named_when_said = 0

    def own(self, array: str, version: str) -> terms.Read:
        """Return a cell of a version; from now on states may name it."""
        self.named.add(version)
        return self.read(array, version)

    def read(self, array: str, version: str) -> terms.Read:
        """Return a cell of a version, whether states may name it or not."""
        info = self.arrays[array]
        return terms.read(version, own_cell(array, len(info.shape), info.dtype).indices, info.dtype)

    def require(self, array: str, pieces: list[Piece], version: str, context: Domain) -> None:
        """Show that the cells of an array are what a version says, at the points of a context.

        Raises:
            Undecided: where that is not shown.

        """
        self.require_pieces(array, pieces, [(UNIVERSE, self.read(array, version))], context)

    def require_pieces(self, array: str, pieces: list[Piece], wanted: list[Piece], context: Domain) -> None:
        """Show that the cells of an array are some terms over versions; what is known of both is put in.

        Raises:
            Undecided: where that is not shown, or not for all cells.

        """
        own = self.read(array, array)
        rest = box = Domain.box(map(str, own.indices), self.arrays[array].shape) & context
        for piece, version in wanted:
            rest = rest - piece
            for domain, term in self._defined(version, box & piece):
                for where, found in values_at(pieces, domain, own):
                    for here, part in split([(where, self.expanded(found, where))]):
                        self._require_equal(part, term, here, array)
        if not rest.is_empty():
            raise Undecided(f"it is not said what all cells of {array} are")

    def _require_equal(self, left: Term, right: Term, domain: Domain, array: str) -> None:
        for known in self.known:
            left, right = known(left, domain), known(right, domain)
        if _is_shown(left, right, domain):
            return
        left, right = self._whole(left, domain), self._whole(right, domain)
        if not _is_shown(left, right, domain):
            raise Undecided(f"{array} is not shown to be what the definitions say")

    def _defined(self, term: Term, domain: Domain) -> list[Piece]:
        """Return what a cell of a version is, piece by piece."""
        if domain.is_empty():
            return []
        found = split([(domain, self.expanded(term, domain))])
        if not domain.is_subset(Domain.union(piece for piece, _ in found)):
            raise Undecided(f"{term} is not defined everywhere")
        return found

    def _whole(self, term: Term, domain: Domain) -> Term:
        """Say a term over versions that have no definition: what each other one is, though states may name it."""
        named, self.named = self.named, self.arrays.keys() - self.definitions.keys()
        self._said.clear()
        try:
            return self.expanded(term, domain)
        finally:
            self.named = named
            self._said.clear()

    def expanded(self, term: Term, domain: Domain) -> Term:
        """Say a term over versions that no state may name by those that one may."""
        if all(name in self.named or name not in self.definitions for name in term.reads):
            return term
        if self._named_when_said != len(self.named):
            self._named_when_said = len(self.named)
            self._said.clear()

        def convert(found: terms.Read, where: Domain) -> Term:
            definition = self.definitions.get(found.array)
            if found.array in self.named or definition is None:
                return found
            known = self._said.get((found, id(where)))
            if known is None:
                cell = rewrite.lookup(list(definition.pieces), at(definition.array, found.indices), where, found)
                if found.array in cell.reads:  # not everywhere is said what it is
                    raise Undecided(f"{found} is not defined everywhere")
                known = self._said[found, id(where)] = where, self.expanded(cell, where)
            return known[1]

        return rewrite.map_reads(term, domain, convert)


def _is_shown(found: Term, wanted: Term, domain: Domain) -> bool:
    """Tell whether a term is the one that is wanted, wherever it is defined."""
    defined = _where_defined(found) if UNDEFINED in found.reads else found
    return defined is None or defined is wanted or normal.equal(defined, wanted, domain)


def _where_defined(term: Term) -> Term | None:
    """Return what a term is where it is defined; None where it is so nowhere.

    Computing with what is undefined is undefined; of a choice, the other alternative remains.
    """
    if UNDEFINED not in term.reads or not isinstance(term, terms.Read | terms.Apply):
        return term
    if isinstance(term, terms.Read):
        return None
    if term.op in {"and", "or"}:
        return term
    args = [_where_defined(operand) for operand in term.args]
    if term.op == "select" and args[0] is not None and (args[1] is None or args[2] is None):
        return args[2] if args[1] is None else args[1]
    known = tuple(operand for operand in args if operand is not None)
    return rewrite.simplified(term.op, known, term) if len(known) == len(args) else None
