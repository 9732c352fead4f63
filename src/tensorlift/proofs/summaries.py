"""Programs that are read back as summaries: every array that they leave must be that of the source.

A program in a language with loops has no operations with meanings of their own.  It is read by the front end and
summarised, with the same induction checks as any source, by whoever calls the checker; what it computes is then decided
here against the source's summary.  Definitions of the program are written out where it reads them, unless they were
proved to be definitions of the source; loops that both keep are proved by induction on what they carry.

Cases of scalars: where a program asks whether a scalar is a number, each answer is proved by itself.

BLAS does not read what it scales by zero, so that its meaning asks for ``beta == 0``.  Where the answer is yes the
scalar is that number everywhere, where it is no the other arm counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import (
    ArrayInfo,
    Carried,
    Definition,
    DerivedSize,
    Item,
    KeptLoop,
    Summary,
    without_quotients,
)
from tensorlift.comprehension.places import cell_at, limit_of, places_read
from tensorlift.comprehension.quotients import towards_zero
from tensorlift.comprehension.rewrite import exchanged, map_reads, substitute, visit_reads, walk
from tensorlift.comprehension.tensor import SymbolicTensor, array
from tensorlift.comprehension.terms import Apply, Constant, Read, Scalar, Term
from tensorlift.contract.language import Product, Sum
from tensorlift.contract.notation import parse_sum
from tensorlift.ops.dtypes import DType, integer_range
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Constraint, Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import strided
from tensorlift.proofs.counterparts import Counterparts, refusal_of
from tensorlift.proofs.divisors import Divisors, whole_divisions
from tensorlift.proofs.expansion import Definitions, Surroundings
from tensorlift.proofs.failure import DIVISOR, INTERFACE, OBLIGATION, UNEQUAL, CheckFailure
from tensorlift.proofs.proof import Places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.ir.cut import Cut
    from tensorlift.ir.function import FunctionView


_MOST_QUESTIONS = 3

Case = dict[Term, bool]  # the answer to each question


def cases_of(term: Term) -> list[Case]:
    """Return all answers to the questions that a term asks of scalars; none where it asks none, or too many."""
    questions = [node for node in walk(term) if _is_question(node)]
    if not questions or len(questions) > _MOST_QUESTIONS:
        return []
    return [dict(zip(questions, answers, strict=True)) for answers in product((True, False), repeat=len(questions))]


def in_case(term: Term, case: Case) -> Term:
    """Return what a term is where the questions have these answers."""
    known: dict[Term, Term] = {}
    for question, answer in case.items():
        assert isinstance(question, Apply)
        known[question] = terms.constant(int(answer), "bool")
        if answer:
            scalar, number = question.args
            known[scalar] = number
    return exchanged(term, known.get)


def _is_question(node: Term) -> bool:
    return (
        isinstance(node, Apply)
        and node.op == "eq"
        and isinstance(node.args[0], Scalar)
        and isinstance(node.args[1], Constant)
        and node.args[0].dtype == node.args[1].dtype
    )


Strides = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A program as it was read back: its summary, and the strides of its arrays that are not dense.

    ``needs`` are the preconditions that reading it found, ``view`` is its function.
    """

    summary: Summary
    strides: Mapping[str, Strides]
    needs: tuple[str, ...]
    view: FunctionView


def check_summary(
    program: ReadBack, source: Summary, strides: Mapping[str, Strides], cuts: Sequence[Cut] = ()
) -> dict[str, int]:
    """Prove that a program computes what a summary says, for all sizes of its context; count what was proved.

    ``strides`` are those of the source's arrays that are not dense; ``cuts`` are hints.

    Raises:
        CheckFailure: where that is not proved, with the reason.

    """
    source = towards_zero(source, integer_range("i32")[1])
    proof = _Proof(program, source, strides, cuts)
    proof.check_interface()
    proof.check_sizes()
    proof.block(program.summary.items, source.items, proof.context)
    proof.check_results()
    return dict(sorted(proof.counts.items()))


@dataclass
class _Proof:
    program: ReadBack
    source: Summary
    strides: Mapping[str, Strides]
    cuts: Sequence[Cut]
    counts: dict[str, int] = field(default_factory=dict)
    values: dict[str, SymbolicTensor] = field(default_factory=dict)  # versions of the program

    def __post_init__(self) -> None:
        self.definitions = Definitions(self.source)
        self.surroundings = Surroundings(self.source.items)
        self.divisors = Divisors(self.definitions, self.surroundings)
        self.counterparts = Counterparts(self.definitions, self.divisors, self.surroundings)
        self.places = Places(self.definitions, self.surroundings)
        _, most = integer_range("i32")  # of sizes, as `check_entry` demands that callers are asked
        self.context = self.source.context & Domain.of(*(at_least(most, size) for size in self.source.sizes))
        self.arrays = dict(_arrays_of_versions(self.program.summary))
        self.narrowed: dict[str, ArrayInfo] = {}

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1

    # -- the interface

    def check_interface(self) -> None:
        """Demand the source's parameters in the source's memory; others are scratch, of any contents."""
        mine, source = self.program.summary, self.source
        for size in mine.derived:
            if size not in source.derived:
                self._add_quotient(size)
        unknown = [name for name in (*mine.sizes, *mine.scalars) if name not in {*source.sizes, *source.scalars}]
        if unknown:
            raise CheckFailure(INTERFACE, f"the source has no parameter {unknown[0]}")
        for name, dtype in mine.scalars.items():
            if name not in source.sizes and source.scalars.get(name) != dtype:  # what is no size here may be any number
                raise CheckFailure(INTERFACE, f"the scalar {name} is of another type in the source")
        for name, info in mine.arrays.items():
            if info.is_parameter:
                self._check_array(name, info)

    def _add_quotient(self, size: DerivedSize) -> None:
        """Take a quotient of sizes that the source does not have, under a name that it does not have either."""
        source = self.source
        variables = {*source.sizes, *(d.name for d in source.derived), *_loop_variables(source.items)}
        if size.name in variables:
            raise CheckFailure(INTERFACE, f"{size.name} is something else in the source")
        if not self.context.implies(*size.demands):
            raise CheckFailure(OBLIGATION, f"{size.numerator} may be negative, or {size.divisor} is not positive")
        self.context = self.context & Domain.of(*size.facts)

    def _check_array(self, name: str, info: ArrayInfo) -> None:
        source = self.source.arrays.get(name)
        if source is None or not source.is_parameter:
            if name in {*self.source.sizes, *self.source.scalars}:
                raise CheckFailure(INTERFACE, f"{name} is no array in the source")
            self.values[name] = array(f"scratch {name}", info.shape, info.dtype)
            return
        if info.contents != source.contents:
            raise CheckFailure(INTERFACE, f"{name} holds other values in the source, or is no table of constants")
        if info.dtype != source.dtype or len(info.shape) != len(source.shape):
            raise CheckFailure(INTERFACE, f"the array {name} is of another type in the source")
        if _layout(self.program.strides.get(name), info.shape) != _layout(self.strides.get(name), source.shape):
            raise CheckFailure(INTERFACE, f"the array {name} lies in memory in another way than in the source")
        self.values[name] = array(name, source.shape, source.dtype)
        if any(not self.context.implies(equal(a, b)) for a, b in zip(info.shape, source.shape, strict=True)):
            self.narrowed[name] = source

    def check_sizes(self) -> None:
        """Demand that the program is defined wherever the source is."""
        mine = self.program.summary
        needed = without_quotients(mine.context, mine.derived)
        self._count("the program is defined for the sizes of the source")
        if not self.context.is_subset(needed):
            raise CheckFailure(OBLIGATION, f"the program needs that {needed.gist(self.context)}")

    # -- definitions

    def block(self, mine: Sequence[Item], source: Sequence[Item], context: Domain) -> None:
        """Go through the items of the program, where ``source`` are those of the source at the same depth."""
        pending = [item for item in source if isinstance(item, KeptLoop)]
        for item in mine:
            if isinstance(item, Definition):
                self._define(item, context)
            else:
                pending = pending[self._loop(item, pending, context) + 1 :]

    def _define(self, item: Definition, context: Domain) -> None:
        """Give a definition of the program its value, in terms of the source where it is one of the source."""
        item = item.over([fresh("v") for _ in item.indices])  # which no definition of the source has
        pieces = tuple(
            (domain & item.domain, self._written_out(term, domain & item.domain & context))
            for domain, term in item.pieces
        )
        self._check_inside(item, context)
        self._check_places(item, context)
        for domain, term in pieces:
            for divisor, where, guards in whole_divisions(term, domain & context):
                self._count("a divisor is not zero")
                if not any(
                    self.divisors.is_nonzero(divisor, where, guards, equality)
                    for equality in self.definitions.equalities
                ):
                    raise CheckFailure(DIVISOR, "the program divides by what may be zero where the source does not")
        tensor = _tensor(item, pieces)
        for name in self._candidates(item):
            if self._is(tensor, name, context):
                self._count("an array holds a definition")
                self.definitions.opaque.add(name)
                known = self.definitions.by_name[name]
                tensor = array(name, known.shape, known.dtype)
                break
        self.values[item.name] = tensor

    def _candidates(self, item: Definition) -> list[str]:
        """Return definitions of the source that an array may hold now, as the hints say and the rest by its name."""
        visible = self.surroundings.definitions()
        hinted = [cut.definition for cut in self.cuts if cut.variable == item.array and cut.definition in visible]
        listed = list(dict.fromkeys(hinted))
        return [
            name
            for name in listed
            if name not in self.definitions.opaque
            and visible[name].dtype == item.dtype
            and len(visible[name].shape) == len(item.shape)
        ]

    def _written_out(self, term: Term, where: Domain) -> Term:
        """Replace what a term of the program reads by what that is."""

        def convert(found: Read, _: Domain) -> Term:
            value = self.values.get(found.array)
            if value is None:
                return terms.read(f"unknown {found.array}", found.indices, found.dtype)
            return value.at(found.indices)

        return exchanged(map_reads(term, where, convert), self._sizes_as_numbers.get)

    @cached_property
    def _sizes_as_numbers(self) -> Mapping[Term, Term]:
        """What stands for 64 bit numbers of the program that are sizes of the source."""
        wide = [name for name, dtype in self.program.summary.scalars.items() if dtype == "i64"]
        return {terms.scalar(n, "i64"): terms.index(Affine.var(n), "i64") for n in wide if n in self.source.sizes}

    def _check_inside(self, item: Definition, context: Domain) -> None:
        """Demand that arrays that are larger in the program are touched inside of the source's extents only."""
        if not self.narrowed:
            return

        def visit(found: Read, where: Domain) -> None:
            info = self.narrowed.get(found.array)
            if info is not None and not where.implies(*_inside(found.indices, info)):
                raise CheckFailure(OBLIGATION, f"the program reads outside of {found.array}")

        own = item.cell
        for domain, term in item.pieces:
            where = domain & item.domain & context
            info = self.narrowed.get(item.array)
            if info is not None and isinstance(term, Read) and term.indices == own and self._keeps(term.array, item):
                continue
            visit_reads(term, where, visit)
            if info is not None and not where.implies(*_inside(own, info)):
                raise CheckFailure(OBLIGATION, f"the program writes outside of {item.array}")

    def _check_places(self, item: Definition, context: Domain) -> None:
        """Demand that what is read at places that depend on data is read inside, as the source reads it."""
        for domain, term in item.pieces:
            for read in places_read(term, domain & item.domain & context, item.indices):
                where = read.domain.project_out(read.hit)
                extent = limit_of(read, cell_at(read, item, self.program.summary), self.program.summary)
                guards = tuple((self._written_out(condition, where), holds) for condition, holds in read.guards)
                self._count("a place is inside")
                if not self.places.is_inside(self._written_out(read.place, where), extent, where, guards):
                    raise CheckFailure(OBLIGATION, "the program may read outside of an array")

    def _keeps(self, version: str, item: Definition) -> bool:
        """Tell whether a version is one of the same array."""
        return self.arrays.get(version) == item.array

    def _is(self, tensor: SymbolicTensor, version: str, context: Domain) -> bool:
        """Decide whether a value is a version of the source, on the cells that the source has."""
        definition = self.definitions.by_name.get(version)
        if definition is None or self.definitions.is_opaque(tensor, definition):
            return self.definitions.is_version(tensor, version, context)
        indices = definition.cell
        got = tensor.at(indices)
        for piece, want in definition.pieces:
            where = piece & definition.domain & context
            if self.definitions.equal_on(got, want, where):
                continue
            cases, written = cases_of(got), self.definitions.expand(want, where)
            if not cases or not all(
                self.definitions.equal_on(in_case(got, case), in_case(written, case), where) for case in cases
            ):
                return False
        return self.counterparts.difference(tensor, version, context) is None

    # -- loops

    def _loop(self, mine: KeptLoop, pending: Sequence[KeptLoop], context: Domain) -> int:
        """Prove a loop of the program to be one of the source's; return its position."""
        position = next((k for k, kept in enumerate(pending) if self._same_range(mine, kept, context)), -1)
        if position < 0:
            raise CheckFailure(UNEQUAL, f"the source keeps no loop over {mine.variable} here")
        kept = pending[position]
        mine = mine.over(kept.variable)
        found = ((c, self._carried_as(c, kept, context, asks=c.name == mine.goes_on)) for c in mine.carried)
        pairs = [(c, other) for c, other in found if other is not None]
        if kept.goes_on is not None and not any((c.name, o.name) == (mine.goes_on, kept.goes_on) for c, o in pairs):
            raise CheckFailure(UNEQUAL, "what a loop of the program asks is not what that of the source asks")
        paired = {c.name for c, _ in pairs}
        outside = set(self.definitions.opaque)
        self.surroundings.enter(kept)
        for carried in mine.carried:
            start = self.values.get(carried.before)
            info = self._shape_of(carried, start)
            known = next((other.name for c, other in pairs if c is carried), f"carried {fresh('unknown')}")
            self.values[carried.name] = array(known, *info)
        inside = context & kept.domain & Domain.of(at_least(kept.variable, kept.lower), less(kept.variable, kept.upper))
        inside = inside & strided(kept.variable, kept.lower, kept.step)
        self.block(mine.body, kept.body, inside)
        for carried, other in pairs:
            self._count("an iteration keeps what the loop carries")
            if carried.after not in self.values or not self._is(self.values[carried.after], other.after, inside):
                raise CheckFailure(
                    UNEQUAL, f"{carried.array} is not proved to be {other.after} at the end of an iteration"
                )
        self.surroundings.leave()
        self.definitions.opaque = outside
        for carried in mine.carried:
            if carried.name not in paired:
                tensor = self.values[carried.name]
                self.values[carried.name] = array(f"after {fresh('unknown')}", tensor.shape, tensor.dtype)
        return position

    def _same_range(self, mine: KeptLoop, kept: KeptLoop, context: Domain) -> bool:
        if mine.goes_on is not None or kept.goes_on is not None:
            return mine.goes_on is not None and kept.goes_on is not None
        ends = equal(mine.lower, kept.lower), equal(mine.upper, kept.upper)
        return mine.step == kept.step and context.implies(*ends)

    def _carried_as(self, mine: Carried, kept: KeptLoop, context: Domain, *, asks: bool) -> Carried | None:
        """Find what the source carries in an array of the program, and prove that both start alike.

        What a loop ``asks`` is what that of the source asks.
        """
        start = self.values.get(mine.before)
        hinted = {cut.definition for cut in self.cuts if cut.variable == mine.array}
        likely = {kept.goes_on} if asks else hinted
        for other in kept.carried:
            if other.name in likely and start is not None and self._is(start, other.before, context):
                return other
        return None

    def _shape_of(self, carried: Carried, start: SymbolicTensor | None) -> tuple[tuple[Affine, ...], DType]:
        if start is not None:
            return start.shape, start.dtype
        info = self.program.summary.arrays[carried.array]
        return info.shape, info.dtype

    # -- results

    def check_results(self) -> None:
        """Demand that each array of the source ends as it does there, and so does the result."""
        mine = self.program.summary
        left = dict(mine.outputs)
        for name, version in self.source.outputs:
            self._count("an output equals its definition")
            held = self.values.get(left.get(name, name))
            if held is None or not self._is(held, version, self.context):
                self._refuse(name, held, version)
        for name, version in mine.outputs:
            is_output = name in dict(self.source.outputs)
            if not is_output and name in self.source.arrays and not self._is(self.values[version], name, self.context):
                raise CheckFailure(UNEQUAL, f"the program changes {name}, which the source leaves alone")
        if (mine.result is None) != (self.source.result is None):
            raise CheckFailure(
                INTERFACE, "the program returns a value where the source does not, or the other way round"
            )
        if self.source.result is not None and mine.result is not None:
            self._count("an output equals its definition")
            held = self.values[mine.result]
            if held.dtype != self.definitions.by_name[self.source.result].dtype:
                raise CheckFailure(INTERFACE, "the result is of another type in the source")
            if not self._is(held, self.source.result, self.context):
                self._refuse("the result", held, self.source.result)

    def _refuse(self, name: str, held: SymbolicTensor | None, version: str) -> None:
        if held is not None and self.definitions.is_version(held, version, self.context):
            difference = self.counterparts.difference(held, version, self.context)
            if difference is not None:
                raise refusal_of(difference, name, None)
        raise CheckFailure(UNEQUAL, f"{name} is not proved to be {version}")


def _arrays_of_versions(summary: Summary) -> Iterator[tuple[str, str]]:
    """Yield each version with its array: initial ones, definitions, and those that loops carry."""
    yield from ((name, name) for name in summary.arrays)
    yield from ((d.name, d.array) for d in summary.definitions())
    waiting = list(summary.items)
    while waiting:
        item = waiting.pop()
        if isinstance(item, KeptLoop):
            yield from ((c.name, c.array) for c in item.carried)
            waiting += item.body


def _tensor(item: Definition, pieces: Sequence[tuple[Domain, Term]]) -> SymbolicTensor:
    def at(indices: tuple[Affine, ...]) -> Term:
        values = dict(zip(item.indices, indices, strict=True))
        return terms.piecewise((domain.substitute(values), substitute(term, values)) for domain, term in pieces)

    return SymbolicTensor(item.shape, item.dtype, at)


def _inside(indices: Sequence[Affine], info: ArrayInfo) -> list[Constraint]:
    found = []
    for index, extent in zip(indices, info.shape, strict=True):
        found += [at_least(index, 0), less(index, extent)]
    return found


def _layout(strides: Strides | None, shape: Sequence[Affine]) -> list[frozenset[Product]]:
    """Return the distances of neighbours along each axis as polynomials."""
    if strides is not None:
        return [frozenset(parse_sum(stride).terms) for stride in strides]
    found, inner = [], Sum.number(1)
    for extent in reversed(shape):
        found.append(frozenset(inner.terms))
        inner = inner * parse_sum(str(extent))
    return found[::-1]


def _loop_variables(items: Sequence[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, KeptLoop):
            yield item.variable
            yield from _loop_variables(item.body)
