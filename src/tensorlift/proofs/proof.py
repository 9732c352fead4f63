"""The proof of one program against one summary, whatever language the program is written in.

A language gives the parameters of the program by name and executes its statements; what parameters may be and what is
returned must be, is decided here.

Proofs that an array is read inside of its bounds at places that depend on data.

C's read outside of an array is undefined, so that a program may read wherever the source does; elsewhere it must not:
NumPy raises there, or counts from the end.  A place is accepted if its type, or a mask, keeps it inside, or if the
source itself reads there, under no other conditions, on the same points.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import product
from typing import TYPE_CHECKING, ClassVar

from tensorlift.comprehension import terms
from tensorlift.comprehension.matching import matches
from tensorlift.comprehension.places import PlaceRead, by_sums, places_read, stays_within, without_widening
from tensorlift.comprehension.ranges import ends_of, is_below, is_inside_by_type, is_not_negative
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.tensor import Strength, SymbolicTensor, array, scalar_value, size
from tensorlift.comprehension.terms import Piecewise, Term, applies
from tensorlift.ops.dtypes import DType, is_float
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.proofs.counterparts import (
    Counterparts,
    CutExecution,
    refusal_of,
)
from tensorlift.proofs.divisors import Divisors
from tensorlift.proofs.expansion import Definitions, Facts, Surroundings
from tensorlift.proofs.failure import INTERFACE, MEMORY, UNEQUAL, CheckFailure
from tensorlift.proofs.implied import conditions_of, is_implied, reads_of
from tensorlift.proofs.obligations import Ledger
from tensorlift.proofs.values import Buffer, Held, Item

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.places import Guards
    from tensorlift.ir.cut import Cut
    from tensorlift.targets.target import Target


class Places:
    """Decides whether places are inside, knowing where the source reads."""

    def __init__(self, definitions: Definitions, surroundings: Surroundings) -> None:
        self._definitions = definitions
        self._reads = Facts(surroundings, self._collect, lambda read: read.place.reads | reads_of(read.guards))

    def is_inside(self, place: Term, extent: Affine, domain: Domain, guards: Guards = ()) -> bool:
        """Tell whether a place is one of an axis wherever conditions hold on a domain."""
        place = without_widening(place)
        if domain.is_empty() or _is_shown_inside(place, extent, domain):
            return True
        if isinstance(place, Piecewise):
            return all(self.is_inside(piece, extent, domain & part, guards) for part, piece in place.pieces)
        if applies(place, "select"):
            condition, *arms = place.args
            cases = zip(arms, ((condition, True), (condition, False)), strict=True)
            if all(self.is_inside(arm, extent, domain, (*guards, case)) for arm, case in cases):
                return True
        return self._is_read(self._written_out(terms.cast(place, "i64"), domain), extent, domain, guards)

    def _is_read(self, wanted: tuple[Term, ...], extent: Affine, domain: Domain, guards: Guards) -> bool:
        """Tell whether the source reads at a place, in any of its forms, if conditions hold on a domain."""
        candidates = list(self._candidates(wanted, extent, domain, guards))
        candidates.sort(key=lambda found: not domain.is_subset(found[-1]))  # those first that leave nothing
        for equality in self._definitions.equalities:
            for read, values, place, points in candidates:
                mine = substitute(read.place, values)
                is_same = mine is place or equality(mine, place, points)
                if is_same and is_implied(read.guards, values, (guards, points), equality):
                    rest = domain - points
                    return rest.is_empty() or self._is_read(wanted, extent, rest, guards)
        return False

    def _candidates(
        self, wanted: tuple[Term, ...], extent: Affine, domain: Domain, guards: Guards
    ) -> Iterator[tuple[PlaceRead, Mapping[str, Affine], Term, Domain]]:
        """Yield reads along an axis that is no longer, values of their variables, the place they may be, and where."""
        conditions = tuple(dict.fromkeys(conditions_of(guards)))
        for read, place in product(self._reads, wanted):
            pairs = [(read.place, place), *product(dict.fromkeys(conditions_of(read.guards)), conditions)]
            plain = [values for pair in pairs for values in matches(*pair, read.variables)]
            found = [*plain, *(_with_same_ends(values, read, place, domain) for values in plain)]
            for values in {frozenset(values.items()): values for values in found}.values():
                hit, free = fresh("hit"), [v for v in read.variables if v not in values and v != read.hit]
                there = read.domain.project_out(*free).rename({read.hit: hit}).substitute(values)
                if (there & domain).implies(at_least(hit, 0), less(hit, extent)):
                    points = there.project_out(hit) & domain
                    if not points.is_empty():
                        yield read, values, place, points

    def _written_out(self, place: Term, domain: Domain) -> tuple[Term, ...]:
        """Return a place with the definitions that it reads by name as far as they are known, and written out."""
        found = (self._definitions.expand(place, domain), self._definitions.expand(place, domain, fully=True))
        return tuple(dict.fromkeys(found))

    def _collect(self, term: Term, domain: Domain, indices: tuple[str, ...]) -> Iterator[PlaceRead]:
        for read in places_read(term, domain, indices):
            for place in self._written_out(read.place, read.domain):
                yield (written := read._replace(place=place))
                yield from by_sums(written)


def _with_same_ends(values: Mapping[str, Affine], read: PlaceRead, place: Term, domain: Domain) -> Mapping[str, Affine]:
    """Move variables that stand for others by as much as these end earlier: some count from one, others from zero."""
    moved = dict(values)
    for name, value in values.items():
        other = value.variable
        if other is not None and other in place.free:  # so it is a variable as it is
            mine = ends_of(read.domain.project_out(read.hit, *(v for v in read.variables if v != name)), name)
            its = ends_of(domain.project_out(*(v for v in place.free if v != other)), other)
            if mine is not None and its is not None and (mine[1] - its[1]).is_constant:
                moved[name] = value + (mine[1] - its[1])
    return moved


def _is_shown_inside(place: Term, extent: Affine, domain: Domain) -> bool:
    """Tell whether the type of a place, or how it is chosen, keeps it inside of an axis."""
    if is_inside_by_type(place, extent, domain) or stays_within(place, Affine(0), extent - 1, domain):
        return True
    return applies(place, "max") and is_below(place, extent, domain) and is_not_negative(place)


class Proof(ABC):
    """One program against one summary; `prove` is run once for each case of the sizes.

    ``scalar_strength`` says how much the type of a scalar parameter counts.
    """

    scalar_strength: ClassVar[Strength] = Strength.EITHER

    def __init__(self, summary: Summary, target: Target, cuts: Sequence[Cut]) -> None:
        self.summary = summary
        self.target = target
        self.cuts = cuts
        self.unused: set[str] = set()  # functions of the text that were not executed yet
        self.definitions = Definitions(summary)
        self.ledger = Ledger(summary.context, summary.derived, target.types, self._never_zero, self._is_inside)
        self.ledger.ranges = summary.ranges
        self._start()

    def _start(self) -> None:
        """Stand at the beginning of the source."""
        surroundings = Surroundings(self.summary.items)
        self.divisors = Divisors(self.definitions, surroundings)
        self.places = Places(self.definitions, surroundings)
        self.counterparts = Counterparts(self.definitions, self.divisors, surroundings)

    def _never_zero(self, divisor: SymbolicTensor, context: Domain) -> bool:
        return self.divisors.never_zero(divisor, context)

    def _is_inside(self, place: Term, extent: Affine, domain: Domain) -> bool:
        return self.places.is_inside(place, extent, domain)

    def prove(self, case: Domain) -> None:
        """Prove the program for the sizes of one case."""
        self._check_results(*self.executed(case))

    def executed(self, case: Domain) -> tuple[CutExecution, Item]:
        """Execute the program for the sizes of one case."""
        self._start()
        self.ledger.begin(case)
        self.definitions.opaque = set()
        return self.execute()

    @abstractmethod
    def execute(self) -> tuple[CutExecution, Item]:
        """Execute the program; return the execution and the value that the program returns."""

    # -- parameters

    def parameters(self, names: Sequence[str]) -> dict[str, Held]:
        """Return the parameters by the names of the source; each kind of them stands in source order."""
        given = [self.summary.source_name(parameter) for parameter in names]
        values = {parameter: self._parameter(parameter, name) for parameter, name in zip(names, given, strict=True)}
        if len(set(given)) != len(given):
            raise CheckFailure(INTERFACE, "a parameter of the source stands twice")
        for kind in (self.summary.arrays, self.summary.scalars, self.summary.sizes):
            listed = [name for name in given if name in kind]
            if listed != [name for name in kind if name in listed]:
                raise CheckFailure(INTERFACE, "the parameters are not in the order of the source")
        return values

    def size(self, name: str) -> SymbolicTensor:
        """Return a size that is a parameter."""
        return size(Affine.var(name))

    def require_enabled(self, dtype: DType) -> None:  # noqa: B027 - most languages have every type
        """Refuse a type that the program has no values of."""

    def _parameter(self, parameter: str, name: str) -> Held:
        known = {**self.summary.scalars, **{a.name: a.dtype for a in self.summary.arrays.values()}}
        if name in known and not (name in self.summary.scalars and is_float(known[name])):  # checked where it is used
            self.require_enabled(known[name])
        info = self.summary.arrays.get(name)
        if info is not None and info.contents:
            raise CheckFailure(INTERFACE, f"{name} is a table of constants in the source")
        if info is not None and info.is_parameter:
            return Held(array(name, info.shape, info.dtype), Buffer(is_input=True))
        if name in self.summary.scalars:
            return Held(scalar_value(terms.scalar(name, self.summary.scalars[name]), self.scalar_strength))
        if name in self.summary.sizes:
            return Held(self.size(name))
        raise CheckFailure(INTERFACE, f"the source has no parameter {parameter}")

    # -- results

    @property
    def results(self) -> list[tuple[str, str]]:
        """What the program returns, by name, each with the version that it is."""
        result = self.summary.result
        return [*self.summary.outputs, *([] if result is None else [("the result", result)])]

    def _check_results(self, execution: CutExecution, returned: Item) -> None:
        wanted = self.results
        values = (returned,) if len(wanted) == 1 else returned
        if not isinstance(values, tuple) or len(values) != len(wanted) or not wanted:
            raise CheckFailure(INTERFACE, f"the source has {len(wanted)} outputs", self.ledger.line)
        buffers: set[Buffer] = set()
        for (name, version), value in zip(wanted, values, strict=True):
            if not isinstance(value, Held) or value.blank is not None:
                raise CheckFailure(INTERFACE, f"{name} is returned without values", self.ledger.line)
            self._check_result(execution, name, version, value)
            self._check_memory(name, value, buffers)

    def _check_result(self, execution: CutExecution, name: str, version: str, held: Held) -> None:
        shape, dtype = self.form_of(version)
        if not execution.has_shape(held, shape):
            mine = ", ".join(map(str, held.tensor.shape))
            raise CheckFailure(INTERFACE, f"{name} is returned with the shape ({mine})", self.ledger.line)
        if held.tensor.dtype != dtype:
            raise CheckFailure(
                INTERFACE, f"{name} is returned as {held.tensor.dtype}, but is {dtype} in the source", self.ledger.line
            )
        self.ledger.counts["an output equals its definition"] += 1
        if not self.definitions.is_version(held.tensor, version, self.ledger.context):
            cut = execution.unproved_cut
            hint = "" if cut is None else f" (nor {cut.variable} to be {cut.definition} after line {cut.line})"
            raise CheckFailure(UNEQUAL, f"{name} is not proved to be {version}{hint}", self.ledger.line)
        difference = self.counterparts.difference(held.tensor, version, self.ledger.context)
        if difference is not None:
            raise refusal_of(difference, name, self.ledger.line)

    def form_of(self, version: str) -> tuple[tuple[Affine, ...], DType]:
        """Return shape and type of a version of an array."""
        definition = self.definitions.by_name.get(version)
        if definition is not None:
            return definition.shape, definition.dtype
        info = self.definitions.arrays[self.definitions.array_of(version)]
        return info.shape, info.dtype

    def _check_memory(self, name: str, held: Held, buffers: set[Buffer]) -> None:
        """Demand a fresh output: no view of an input, of another output or of read-only memory."""
        if held.buffer is None or held.is_number or not self.target.changes_arrays:
            return
        is_view = held.is_window and (held.tensor.rank > 0 or not held.buffer.is_cell)
        if held.buffer.is_input or is_view or held.buffer in buffers:
            raise CheckFailure(
                MEMORY, f"{name} is returned in memory that is not its own", self.ledger.line, "return a copy"
            )
        buffers.add(held.buffer)
