"""Cells of locals that have no value: nothing may depend on them, and what the program puts there is no matter.

Definitions first say where a local has no value yet, by reading it under a name of its own.  Going through them in
order, the cells of each version without a value are known, each with the condition on data under which it has none.
Locals that are computed from it hand that on, other than from one iteration of a loop that stays to a later one; a
result that it reaches is refused, unless the conditions on the way contradict each other.  What is left becomes zero.

Of a loop that stays it is not known how conditions on data of different iterations go together: a cell that may have
been left without a value by one, and a condition on what the loop computes, only count against a read where nothing on
data guards it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import ArrayInfo, Definition, Item, KeptLoop, definitions_of
from tensorlift.comprehension.flags import negated
from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.rewrite import lookup, map_reads, simplified, substitute
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.state import merged
from tensorlift.comprehension.terms import Piecewise, Read, Reduce, Term, applies
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.poly.domain import UNIVERSE, Domain, less
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


_MARK = " before any write"  # no name of a source has spaces


def unwritten(found: Read) -> Read:
    """Return the read of a local's cell that nothing was written to."""
    return terms.read(found.array + _MARK, found.indices, found.dtype)


def without_unwritten(items: Iterable[Item], arrays: Mapping[str, ArrayInfo]) -> list[Item]:
    """Return the items with zeros in the cells that have no value.

    Raises:
        LiftError: TL204 where a result can depend on such a cell.

    """
    listed = list(items)
    if not any(_has_marks(definition) for definition in definitions_of(tuple(listed))):
        return listed
    _Check(arrays).block(listed)
    return [_with_zeros(item) for item in listed]


def _has_marks(definition: Definition) -> bool:
    return any(name.endswith(_MARK) for _, term in definition.pieces for name in term.reads)


class _Hole(NamedTuple):
    """Cells of ``array`` without a value where a condition is true, or perhaps with one; over a version's indices."""

    array: str
    cells: Domain
    condition: Term = TRUE
    perhaps: bool = False

    def without(self, bound: tuple[str, ...]) -> _Hole:
        """Return the cells for which some values of bound variables give one; a condition on those is forgotten."""
        cells = self.cells.project_out(*bound)
        if self.condition.free.isdisjoint(bound):
            return self._replace(cells=cells)
        return self._replace(cells=cells, condition=TRUE, perhaps=True)


class _Version(NamedTuple):
    """What a version of an array lacks, over its index variables."""

    array: str = ""
    indices: tuple[str, ...] = ()
    holes: tuple[_Hole, ...] = ()

    def lacking(self) -> Domain:
        """Return the cells that may lack a value."""
        return Domain.union(hole.cells for hole in self.holes)

    def surely(self) -> Domain:
        """Return the cells that lack a value whatever the data."""
        return Domain.union(hole.cells for hole in self.holes if hole.condition is TRUE and not hole.perhaps)

    def after(self, touched: Domain, written: Domain) -> _Version:
        """Return what is still lacking when some cells may have been written, and others have been."""
        left = [hole._replace(cells=hole.cells - touched) for hole in self.holes]
        left += [hole._replace(cells=(hole.cells & touched) - written, perhaps=True) for hole in self.holes]
        return self._replace(holes=tuple(hole for hole in left if not hole.cells.is_empty()))


class _Place(NamedTuple):
    """Where a term is evaluated: at the points of a domain at which a condition on data is true."""

    item: Definition
    domain: Domain
    condition: Term = TRUE

    def inside(self, domain: Domain) -> _Place:
        """Restrict the points."""
        return self._replace(domain=self.domain & domain)

    def where(self, condition: Term) -> _Place:
        """Add a condition on data."""
        return self._replace(condition=_both(self.condition, condition))


class _Check:
    """Refuses what depends on cells without a value; remembers those of each version."""

    def __init__(self, arrays: Mapping[str, ArrayInfo]) -> None:
        self._arrays = arrays
        self._versions: dict[str, _Version] = {}
        self._definitions: dict[str, Definition] = {}
        self._seen: set[tuple[Term, Domain, Term]] = set()  # of one definition
        self._carried: set[str] = set()  # versions that iterations start from
        self._computed: set[str] = set()  # these, and the others that change from iteration to iteration
        self._before: dict[str, tuple[str, Domain]] = {}  # what they are where no iteration runs, and where one does
        self._trials = 0

    def block(self, items: Iterable[Item]) -> None:
        """Check items in order."""
        for item in items:
            if isinstance(item, Definition):
                self._definition(item)
            else:
                self._loop(item)

    def _loop(self, loop: KeptLoop) -> None:
        """Check all iterations at once: cells that none before it has written lack a value."""
        self._carried |= {c.name for c in loop.carried}
        self._computed |= self._carried | {d.name for d in definitions_of(loop.body)}
        runs = Domain.of(less(loop.lower, loop.upper))
        self._before |= {c.name: (c.before, runs) for c in loop.carried}
        before = {c.name: self._versions[c.before] for c in loop.carried if c.before in self._versions}
        effects = self._effects(loop, before) if before else {}
        earlier = fresh(loop.variable)
        order = Domain.of(less(earlier, loop.variable))
        for name, version in before.items():
            done = [(d.rename({loop.variable: earlier}) & order).project_out(earlier) for d in effects[name]]
            self._versions[name] = version.after(*done)
        self.block(loop.body)
        self._carried -= {c.name for c in loop.carried}
        for name, version in before.items():
            self._versions[name] = version.after(*(d.project_out(loop.variable) for d in effects[name]))

    def _effects(self, loop: KeptLoop, before: Mapping[str, _Version]) -> dict[str, tuple[Domain, Domain]]:
        """Return, over the loop's variable, the cells without a value that an iteration may write, and does write."""
        self._trials += 1
        self._versions.update(before)
        self.block(loop.body)
        self._trials -= 1
        ends = {c.name: self._versions.get(c.after, _Version()) for c in loop.carried}
        cells = {name: loop.domain & version.lacking() for name, version in before.items()}
        return {name: (cells[name] - ends[name].surely(), cells[name] - ends[name].lacking()) for name in before}

    def _definition(self, item: Definition) -> None:
        holes: list[_Hole] = []
        self._definitions[item.name] = item
        self._seen = set()
        for piece, term in item.pieces:
            holes += self._value(term, _Place(item, piece & item.domain))
        if holes:
            self._versions[item.name] = _Version(item.array, item.indices, tuple(holes))

    def _value(self, term: Term, place: _Place) -> Iterator[_Hole]:
        """Return where the value of a cell is none, for a local; elsewhere that is refused."""
        info = self._arrays.get(place.item.array)
        if info is None or info.is_parameter:
            self._reads(term, place)
        else:
            yield from self._lost(term, place, ())

    def _lost(self, term: Term, place: _Place, bound: tuple[str, ...]) -> Iterator[_Hole]:
        """Return where a term depends on a cell without a value; ``bound`` are the variables of the sums around."""
        if not self._concerns(term) or not self._is_new(term, place):
            return
        if isinstance(term, Read):
            if self._hands_on(term, place.item):
                yield from (hole.without(bound) for hole in self._lacking(term, place))
            else:
                self._read(term, place)
            return
        inside = (*bound, *term.bound) if isinstance(term, Reduce) else bound
        for child, here in _operands(term, place):
            yield from self._lost(child, here, inside)

    def _hands_on(self, found: Read, item: Definition) -> bool:
        """Tell whether a read is of the same cell, or of what this iteration computed."""
        is_own = found.indices == item.cell and self._array_of(found) == item.array
        return is_own or found.array not in self._carried

    def _is_new(self, term: Term, place: _Place) -> bool:
        """Tell whether a definition evaluates a term at a place for the first time."""
        key = (term, place.domain, place.condition)
        is_new = key not in self._seen
        self._seen.add(key)
        return is_new

    def _array_of(self, found: Read) -> str:
        version = self._versions.get(found.array)
        return version.array if version is not None else found.array.removesuffix(_MARK)

    def _concerns(self, term: Term) -> bool:
        return any(name in self._versions or name.endswith(_MARK) for name in term.reads)

    def _lacking(self, found: Read, place: _Place) -> Iterator[_Hole]:
        """Return the points of a place at which the cell that is read has no value."""
        if found.array.endswith(_MARK):
            holes: list[_Hole] = [_Hole(found.array.removesuffix(_MARK), UNIVERSE)]
            values = {}
        elif found.array in self._versions:
            version = self._versions[found.array]
            holes, values = list(version.holes), dict(zip(version.indices, found.indices, strict=True))
        else:
            return
        for hole in holes:
            cells = place.domain & hole.cells.substitute(values)
            condition = _both(place.condition, substitute(hole.condition, values))
            if not cells.is_empty() and not self._never(condition, cells):
                yield hole._replace(cells=cells, condition=condition)

    def _reads(self, term: Term, place: _Place) -> None:
        """Refuse reads of cells without a value, each where it is evaluated."""
        if not self._concerns(term) or not self._is_new(term, place):
            return
        if isinstance(term, Read):
            self._read(term, place)
            return
        for child, here in _operands(term, place):
            self._reads(child, here)

    def _read(self, found: Read, place: _Place) -> None:
        for hole in self._lacking(found, place):
            guarded = place.condition is not TRUE
            undecided = hole.perhaps or not place.condition.reads.isdisjoint(self._computed)
            if not self._trials and not (guarded and undecided):
                raise _early_read(hole.array, place.item)

    def _never(self, condition: Term, domain: Domain) -> bool:
        if condition is TRUE:
            return False
        return equal(condition, FALSE, domain) or equal(self._written_out(condition, domain), FALSE, domain)

    def _written_out(self, term: Term, domain: Domain) -> Term:
        """Put what definitions say into a term."""

        def convert(found: Read, where: Domain) -> Term:
            before, runs = self._before.get(found.array, (found.array, where))
            if before != found.array and (where & runs).is_empty():
                return self._written_out(terms.read(before, found.indices, found.dtype), where)
            item = self._definitions.get(found.array)
            if item is None:
                return found
            values = dict(zip(item.indices, found.indices, strict=True))
            return self._written_out(lookup(list(item.pieces), values, where, found), where)

        return map_reads(term, domain, convert)


def _operands(term: Term, place: _Place) -> Iterator[tuple[Term, _Place]]:
    """Yield the operands, each with the place where it is evaluated."""
    if isinstance(term, Piecewise):
        yield from ((part, place.inside(domain)) for domain, part in term.pieces)
    elif applies(term, _WHEN):
        first, *rest = term.args
        yield first, place
        for arm, when in zip(rest, _WHEN[term.op], strict=True):
            yield arm, place.where(first if when else _negation(first))
    else:
        inside = place.inside(term.domain) if isinstance(term, Reduce) else place
        yield from ((child, inside) for child in term.children)


# What an operand after the first must be evaluated for: that the first is true, or false.
_WHEN = {"select": (True, False), "and": (True,), "or": (False,)}


def _both(left: Term, right: Term) -> Term:
    return simplified("and", (left, right))


def _negation(condition: Term) -> Term:
    known = negated(condition)
    return terms.apply("not", condition) if known is None else known


def _early_read(array: str, item: Definition) -> LiftError:
    name = array.removesuffix(_MARK)
    message = f"cells of `{name}` may be read here before they are written"
    return refuse("TL204", message, item.location, f"write all of `{name}` before it is read")


def _with_zeros(item: Item) -> Item:
    if isinstance(item, KeptLoop):
        return replace(item, body=tuple(map(_with_zeros, item.body)))
    if not _has_marks(item):
        return item
    pieces = [(domain, map_reads(term, domain, _zero_for_mark)) for domain, term in item.pieces]
    return replace(item, pieces=tuple(merged(pieces)))


def _zero_for_mark(found: Read, _: Domain) -> Term:
    return terms.zero(found.dtype) if found.array.endswith(_MARK) else found
