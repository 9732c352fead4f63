"""Whether a source computes what its summary says: claims are made of its literal IR, and the checker decides them.

The claims come from how the loops of the function were summarised.
"""

from __future__ import annotations

import os
from dataclasses import replace
from math import prod
from operator import add, mul, sub
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import IntegerType, MemRefType, ModuleOp
from xdsl.ir import BlockArgument, SSAValue

from tensorlift.comprehension.definition import Item, KeptLoop, Summary
from tensorlift.comprehension.rewrite import map_reads, walk
from tensorlift.comprehension.state import Effect, Piece
from tensorlift.comprehension.terms import Read, Term
from tensorlift.comprehension.terms import read as cell
from tensorlift.diagnostics import LiftError, Location
from tensorlift.ir.arithmetic import never_wraps
from tensorlift.ir.function import FunctionView, function_named
from tensorlift.ir.literal_function import argument_names
from tensorlift.ir.location import location_of
from tensorlift.ir.regions import ControlFlow
from tensorlift.poly.affine import affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import formals
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.proofs.source.check import check_source
from tensorlift.proofs.source.claims import Advance, Ahead, Claims, Hit, LoopClaim, Phi, Rows
from tensorlift.proofs.source.operations import Undecided, element_type
from tensorlift.proofs.source.places import places_of
from tensorlift.proofs.source.sense import are_bits_of
from tensorlift.summarize.hits import called, left_early, states_of, stem, stems
from tensorlift.summarize.indices import is_access
from tensorlift.summarize.numbers import (
    as_entered,
    defined_once,
    in_one_iteration,
    is_at,
    memories_of,
    place_of,
    temporaries,
    with_count,
)
from tensorlift.summarize.one_loop import begins_at_rest, by_one_name, is_segment, level_of, nest, rows_of, together
from tensorlift.summarize.turns import turn

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from xdsl.dialects.func import FuncOp

    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.source.induction import Guess
    from tensorlift.summarize.hits import LeftEarly
    from tensorlift.summarize.statements import Loop


def claims_of(function: FuncOp, summary: Summary, names: Mapping[str, str] = MappingProxyType({})) -> Claims:
    """Match the loops of literal IR with those that were summarised, by their places in the source.

    ``names`` are the parameters of the summary by what literal IR calls them.
    """
    flow = ControlFlow(function)
    finding = _Finding(flow, summary, names)
    for header in sorted(flow.loops, key=lambda h: len(flow.loops[h].blocks)):
        finding.add(header)
    finding.name_what_loops_leave()
    return Claims(finding.loops, memories_of(function, summary))


class _Finding:
    """The claims found so far, those of inner loops first."""

    def __init__(self, flow: ControlFlow, summary: Summary, names: Mapping[str, str]) -> None:
        self.flow, self.summary = flow, summary
        self.kept = list(_kept(summary.items))
        self.loops: dict[int, LoopClaim] = {}
        self.sizes = {*summary.sizes}
        called = argument_names(flow.function)
        self.arguments = {a: names.get(name, name) for a, name in zip(flow.blocks[0].args, called, strict=True)}
        self.found: dict[int, list[tuple[Loop, Guess | None]]] = {}
        self.items: dict[int, list[KeptLoop]] = {}
        self.versions: dict[int, dict[str, str]] = {}
        self.told: set[int] = set()  # of several loops at one place
        self.once, self.temporaries = defined_once(summary), temporaries(flow, summary)
        infos = summary.all_arrays()
        self.spread = {n: infos[i.of] for n, i in infos.items() if i.of in infos and infos[i.of].shape}
        self.numbers = {n: i.of for n, i in infos.items() if i.of is not None and n not in self.spread}
        self.defined = {definition.name: definition.array for definition in summary.definitions()}
        places = {header: place_of(flow, header) for header in flow.loops}
        for place in {*places.values()}:
            self._match(place, [header for header in flow.loops if places[header] == place])

    def _match(self, place: tuple[int, int] | None, headers: list[int]) -> None:
        """Match the loops at one place with the summaries of them, one after the other where there are as many."""
        loops, headers = self.flow.loops, sorted(headers, key=lambda h: max(self.flow.loops[h].blocks))
        guesses = self.summary.guesses
        found = [(loop, guess) for loop, guess in guesses if is_at(loop.location, place) and not is_access(loop)]
        versions = [d for d in self.summary.definitions() if is_at(d.location, place)]
        items = [item for where, item in self.kept if where == place]
        kept = [item.variable for item in reversed(items)]  # inner ones first
        variables = [
            *dict.fromkeys(loop.variable for loop, _ in found if loop.variable not in kept),
            *dict.fromkeys(kept),
        ]
        is_told = len(variables) == len(headers)
        self.told |= {*headers} if is_told and len(headers) > 1 else set()
        for header, variable in zip(headers, variables, strict=False):
            self.found[header] = [one for one in found if not is_told or one[0].variable == variable]
            self.items[header] = [item for item in items if not is_told or item.variable == variable]
        for header in headers[len(variables) :]:
            self.found[header], self.items[header] = found, items
        outer = [h for h in headers if not any(h in loops[other].blocks for other in headers if other != h)]
        for header in headers:
            self.versions[header] = {d.array: d.name for d in versions}
        for array in {d.array for d in versions}:
            named = [d.name for d in versions if d.array == array]
            writing = [h for h in outer if any(guess and array in guess.states for _, guess in self.found[h])]
            if len(writing) == len(named):
                for header in outer:
                    self.versions[header].pop(array, None)
                for header, name in zip(writing, named, strict=True):
                    self.versions[header][array] = name

    def add(self, header: int) -> None:
        """Claim of a loop what its summary says."""
        found, items, versions = self.found[header], self.items[header], self.versions[header]
        early = left_early(found)
        if early is not None and not items:
            self._leave_early(header, early, versions)
        elif items:
            self._keep(header, items[-1], states_of(guess for _, guess in found), versions)
        elif (kept := self._kept_inside(header)) and found:
            self.loops[header] = self._interchanged(header, found, kept)
        elif found:
            claim = self._nested(header, nest(found[-1][0], {loop.variable for loop, _ in found}), found)
            if header in self.told:
                versions = {array: version for array, version in versions.items() if array in claim.states}
            elif len({loop.variable for loop, _ in found}) > 1:  # several cases, of which each has its own
                versions = {array: version for array, version in versions.items() if array not in claim.phis}
            self.loops[header] = replace(claim, versions=versions)

    def _keep(self, header: int, item: KeptLoop, states: Effect, versions: Mapping[str, str]) -> None:
        """Claim of a loop that it is one of the definitions, beside which arrays may have a closed form."""
        carried = {one.array: list[Piece]() for one in item.carried if one.name != item.goes_on}
        claim = LoopClaim(header, item.variable, (item.lower,), (item.upper,), item.step, (), item=item)
        spread = [self.numbers[array] for array in carried if array in self.numbers]
        phis = [with_count(phi, spread) for phi in self._phis(claim, {**states, **carried}, ())]
        claim = self._with_states(replace(claim, phis=(*phis,)), states)
        # Inside of it an array is not yet what definitions of inner loops name.
        for inner in self.flow.loops[header].blocks & self.loops.keys():
            named = {a: v for a, v in self.loops[inner].versions.items() if a not in states}
            self.loops[inner] = replace(self.loops[inner], versions=named)
        ahead = {a: one for a, p in claim.states.items() if (one := self._ahead(item, a, p, versions)) is not None}
        beside = {a: p for a, p in claim.states.items() if a not in carried}
        self.loops[header] = replace(claim, states=beside, ahead=ahead)

    def _kept_inside(self, header: int) -> list[KeptLoop]:
        """Return the loops of the definitions that loops inside of one are, and that are in no other one of them."""
        inside = self.flow.loops[header].blocks & self.loops.keys()
        items = [item for inner in sorted(inside) if (item := self.loops[inner].item) is not None]
        return [item for item in items if not any(item in other.body for other in items)]

    def _interchanged(self, header: int, found: Sequence[tuple[Loop, Guess | None]], kept: list[KeptLoop]) -> LoopClaim:
        """Claim of a loop that its iterations are rows, for loops of the definitions that are around them."""
        place, versions = place_of(self.flow, header), dict[str, str]()
        for item in level_of(self.summary.items, kept[0]):
            if isinstance(item, KeptLoop):
                versions |= {one.array: one.name for one in item.carried} if item in kept else {}
            elif is_at(item.location, place):
                versions[item.array] = item.name
        loop, local = found[-1][0], self.numbers.keys() | self.spread.keys()
        reached = rows_of(loop.variable, found, [item.variable for item in kept])
        rows = {a: Rows(reached[a], versions[a]) for a in sorted(reached.keys() & versions.keys() - local)}
        claim = LoopClaim(header, loop.variable, loop.lower, loop.upper, loop.step, (), rows=rows)
        return replace(claim, phis=self._phis(claim, {}, ()))

    def _leave_early(self, header: int, early: LeftEarly, versions: Mapping[str, str]) -> None:
        """Claim of a loop that is left early what it does up to the hit, and by what it is told."""
        running, states = early.running, dict(early.states)
        loop = early.loop
        claim = LoopClaim(header, loop.variable, loop.lower, loop.upper, loop.step, ())
        claim = replace(claim, phis=self._phis(claim, states or running, ()))
        names = {}
        for name in running:
            same = (p for p in claim.phis if isinstance(p, str) and (p == name or stem(p) == stem(name)))
            names[name] = next(same, name) if states else f"{name}__so_far"
        renamed = {names[name]: [(d, called(t, d, names)) for d, t in p] for name, p in running.items()}
        phis = tuple(names.get(p, p) if isinstance(p, str) else p for p in claim.phis)
        claim = self._with_states(replace(claim, phis=phis, running=renamed), states)
        argument = next(
            (k for k, phi in enumerate(phis) if isinstance(phi, Advance) and self._is_counter(header, k)), 0
        )
        info = self.summary.all_arrays().get(early.hit)
        dtype = info.dtype if info is not None else early.dtype
        hit = Hit(early.hit, argument, early.none, dtype)
        told = {array: version for array, version in versions.items() if array in states or array == early.hit}
        self.loops[header] = replace(claim, hit=hit, versions=told)

    def _is_counter(self, header: int, number: int) -> bool:
        """Tell whether an argument of a header is compared there."""
        argument = self.flow.blocks[header].args[number]
        return any(use.operation.name == "arith.cmpi" for use in argument.uses)

    def _nested(self, header: int, loops: Sequence[Loop], found: Sequence[tuple[Loop, Guess | None]]) -> LoopClaim:
        """Claim of one loop that it is a nest, or a loop."""
        loop, *rest = loops
        inner = self._nested(header, rest, found) if rest else None
        states, lower, upper = together(loop, found)
        around = [self.found[h] for h, region in self.flow.loops.items() if h != header and header in region.blocks]
        states = by_one_name(in_one_iteration(states, self.numbers), around)
        claim = LoopClaim(header, loop.variable, lower, upper, loop.step, (), inner=inner)
        claim = replace(claim, is_segment=is_segment(loop))
        claim = replace(claim, phis=self._phis(claim, states, rest))
        if begins_at_rest(loop):
            moves = [phi.by.constant_value for phi in claim.phis if isinstance(phi, Advance)]
            claim = replace(claim, lower=(), step=next((by for by in moves if by), 1))
        elif len(lower) > 1:
            claim = replace(claim, lower=())
        return self._with_states(claim, states)

    def _with_states(self, claim: LoopClaim, states: Effect) -> LoopClaim:
        """Add the states, with the values that they mean by names of numbers."""
        states = as_entered(states, {name: own for name, own in self.numbers.items() if own in claim.phis})
        read = {n for p in states.values() for _, term in p for n in self._numbers(term)} - {*claim.phis}
        local = {name: at for name in sorted(read) if (at := self._local(name, claim.header)) is not None}
        named = {*local, *states}
        expanded = {a: [(d, self._expanded(t, d, named)) for d, t in p] for a, p in states.items()}
        return replace(claim, states=expanded, locals=local)

    def _phis(self, claim: LoopClaim, states: Mapping[str, list[Piece]], inner: Sequence[Loop]) -> tuple[Phi, ...]:
        """Name what the header is given; numbers without the name of one that the loop changes are those, in order.

        Counters move on while all iterations of ``inner`` loops pass.
        """
        trips = prod((Polynomial.of(loop.upper[0] - loop.lower[0]) for loop in inner), start=ONE)
        arguments = self.flow.blocks[claim.header].args
        numbers = {a: dtype for a, p in states.items() if (dtype := self._number_type(a, p)) is not None}
        own = {argument.name_hint for argument in arguments}
        others = {a: dtype for a, dtype in numbers.items() if a not in own}
        phis = [self._phi(claim, a, numbers if a.name_hint in numbers else others) for a in arguments]
        left = {a: dtype for a, dtype in numbers.items() if a not in phis}
        for by_name in (True, False):
            for position, (phi, argument) in enumerate(zip(phis, arguments, strict=True)):
                if isinstance(phi, str) and phi not in states:
                    alike = (a for a in left if are_bits_of(element_type(argument.type), left[a]))
                    same = next((a for a in alike if not by_name or self._iscalled(a, phi)), None)
                    if same is not None:
                        del left[same]
                        phis[position] = same
        return tuple(replace(phi, by=phi.by * trips) if isinstance(phi, Advance) else phi for phi in phis)

    def _number_type(self, array: str, pieces: list[Piece]) -> DType | None:
        """Return the type of a number that a loop changes; None for an array."""
        info = self.summary.arrays.get(array)
        if info is not None:
            return None if info.shape else info.dtype
        (cell,) = formals(array, 1)
        is_array = any(cell in domain.variables() or cell in term.free for domain, term in pieces)
        return pieces[0][1].dtype if pieces and not is_array else None

    def _iscalled(self, array: str, name: str) -> bool:
        """Tell whether a number that the states have is a variable of the source."""
        info = self.summary.all_arrays().get(array)
        return name in stems(info.source_name if info is not None else array)

    def _ahead(self, item: KeptLoop, array: str, states: list[Piece], versions: Mapping[str, str]) -> Ahead | None:
        """Say of a loop that was split where its part with a closed form has been, if that comes first."""
        before = next((carried.before for carried in item.carried if carried.array == array), None)
        if before is None or before != versions.get(array):
            return None
        known = [array, *(d.name for d in self.summary.definitions() if d.array == array)]
        moved = [domain for domain, term in states if not (isinstance(term, Read) and term.array == array)]
        return Ahead(Domain.union(moved), known[known.index(before) - 1])

    def _numbers(self, term: Term) -> Iterator[str]:
        """Yield the scalars that a term reads, those among them that got a cell for each iteration of a loop."""
        for node in walk(term):
            if isinstance(node, Read):
                info = self.summary.arrays.get(node.array)
                if not node.indices or (info is not None and info.of is not None):
                    yield node.array

    def _local(self, name: str, header: int) -> tuple[int, int] | None:
        """Return the last value before a loop that has the name of a local, or the one that a temporary is."""
        known = self.temporaries.get(name)
        if known is not None and known[0] in self.flow.dominators(header) - {header}:
            return known
        origin, array, number = self.summary.values.get(name, (None, name, 0))
        found = self._value_from(origin, array, number, header) if origin is not None else None
        if found is not None:
            return found
        name = array or name
        info = self.summary.arrays.get(name)
        places: dict[str | None, tuple[int, int]] = {}
        for number in sorted(self.flow.dominators(header) - {header}):
            block = self.flow.blocks[number]
            values: list[tuple[int, SSAValue]] = [(-1 - k, argument) for k, argument in enumerate(block.args)]
            values += [(k, op.results[0]) for k, op in enumerate(block.ops) if op.results]
            places |= {v.name_hint: (number, k) for k, v in values if not isinstance(v.type, MemRefType)}
        names = stems(info.source_name if info is not None else name)
        return next((places[called] for called in names if called in places), None)

    def _value_from(self, origin: Location, array: str, number: int, header: int) -> tuple[int, int] | None:
        """Return what was loaded at a place, or one of the results of a branch there, before a loop."""
        place, blocks = (origin.line, origin.column), sorted(self.flow.dominators(header))
        if array:  # a bound is loaded in the header itself
            loads = [
                (block, position, op.operands[0].name_hint)
                for block in blocks
                for position, op in enumerate(self.flow.blocks[block].ops)
                if op.name == "memref.load" and is_at(location_of(op), place)
            ]
            info = self.summary.arrays.get(array)
            is_memory = info is None or info.is_parameter or bool(info.shape)  # else it may be a value alone
            of_array = [load for load in loads if load[2] == array] or (loads if is_memory else [])
            return of_array[min(number, len(of_array) - 1)][:2] if of_array else None
        for block in blocks:
            arguments = self.flow.blocks[block].args if block not in self.flow.loops else ()
            if len(arguments) > number and is_at(location_of(arguments[number]), place):
                return block, -1 - number
        return None

    def name_what_loops_leave(self) -> None:
        """Say which numbers that states read are what an earlier loop hands on when it has ended."""
        for header, claim in self.loops.items():
            read = {name for pieces in claim.states.values() for _, term in pieces for name in self._numbers(term)}
            read -= claim.locals.keys() | {*claim.phis}
            left = {name: place for name in sorted(read) if (place := self._left_by_loop(name, header)) is not None}
            if left:
                self.loops[header] = replace(claim, locals={**claim.locals, **left})

    def _left_by_loop(self, name: str, header: int) -> tuple[int, int] | None:
        array = self.defined.get(name, name)
        for earlier in sorted(self.flow.dominators(header) - {header}, reverse=True):
            claim = self.loops.get(earlier)
            if claim is not None and array in claim.phis:
                return earlier, -1 - claim.phis.index(array)
        return None

    def _expanded(self, term: Term, domain: Domain, named: Collection[str]) -> Term:
        """Say what a term reads that is no value of the IR by its only definition, or by the local array that it is."""

        def convert(read: Read, _: Domain) -> Term:
            local = self.spread.get(read.array)
            if local is not None:
                return cell(local.name, read.indices[-len(local.shape) :], read.dtype)
            once = self.once.get(read.array) if read.array not in named and not read.indices else None
            return read if once is None else self._expanded(once, domain, named)

        return term if term.reads.isdisjoint(self.once.keys() | self.spread) else map_reads(term, domain, convert)

    def _phi(self, claim: LoopClaim, argument: BlockArgument, numbers: Mapping[str, DType]) -> Phi:
        """Name what a header is given, one of the ``numbers`` that states tell of perhaps, or say how it moves."""
        position, header, name = argument.index, claim.header, argument.name_hint or f"phi{argument.index}"
        start = _entry(self.flow, header)[position]
        is_counted = claim.item is None or claim.item.goes_on is None
        is_counted = is_counted and (claim.is_segment or not self._is_data(start))
        alike = (n for n, dtype in numbers.items() if are_bits_of(element_type(argument.type), dtype))
        is_told = any(self._iscalled(number, name) for number in alike)
        is_counted = is_counted and not (is_told and self._may_be_data(start))
        for end in self._ends(argument) if is_counted else ():
            found = self._advance(claim, end, argument)
            if found is not None and not (is_told and found.turn):
                return found
        return name

    def _advance(self, claim: LoopClaim, value: SSAValue, argument: SSAValue) -> Advance | None:
        """Say how an integer moves by which value an iteration hands on; None where that is not known."""
        step = self._step(value, argument)
        if step is not None:
            return Advance(step, wraps=not isinstance(value, BlockArgument) and not never_wraps(value.owner))
        known = self._counters(claim)
        found = turn(self.flow, claim, value, lambda side: self._constant(side, known))
        match found and [self._advance(claim, one, argument) for one in found[1]]:
            case [Advance(before, first, None), Advance(then, second, None)] if found is not None:
                return Advance(before, first or second, (found[0], then))
        return None

    def _counters(self, claim: LoopClaim) -> dict[SSAValue, Polynomial]:
        """Return what arguments of a header are that go by steps, by the variable of a loop with the step one."""
        found: dict[SSAValue, Polynomial] = {}
        passed = Polynomial.of(affine(claim.variable) - claim.lower[0])
        for argument, first in zip(self.flow.blocks[claim.header].args, _entry(self.flow, claim.header), strict=False):
            start, steps = self._constant(first), {self._step(end, argument) for end in self._ends(argument)}
            if start is not None and len(steps) == 1 and (step := steps.pop()) is not None:
                found[argument] = start + step * passed
        return found

    def _ends(self, argument: BlockArgument) -> list[SSAValue]:
        """Return what iterations hand on to an argument of a header; nothing to one of another block."""
        header = self.flow.position[argument.block]
        inside = self.flow.loops[header].blocks if header in self.flow.loops else ()
        return [given[argument.index] for b in inside for target, given in self.flow.edges(b) if target == header]

    def _is_data(self, value: SSAValue) -> bool:
        """Tell whether an integer is a number of the data, which has no exact value."""
        if isinstance(value, BlockArgument):
            return self.arguments.get(value) in self.summary.scalars
        op: Any = value.owner
        return bool(op.name == "memref.load")

    def _may_be_data(self, value: SSAValue) -> bool:
        """Tell whether an integer is made of one that a loop around does not move by steps."""
        if not isinstance(value, BlockArgument):
            op: Any = value.owner
            return any(map(self._may_be_data, op.operands)) if op.name.startswith("arith.") else False
        ends = self._ends(value)
        return bool(ends) and all(self._step(end, value) is None for end in ends)

    def _step(self, value: SSAValue, start: SSAValue) -> Polynomial | None:
        """Return by how much a value is more than that of an argument, where the same in each iteration."""
        if value is start:
            return ZERO
        if isinstance(value, BlockArgument):
            header = self.flow.position[value.block]
            claim = self.loops.get(header)
            phi = claim.phis[value.index] if claim is not None else None
            if claim is None or not isinstance(phi, Advance) or len(claim.lower + claim.upper) > 2:  # noqa: PLR2004 - one of each
                return None
            entered = self._step(_entry(self.flow, header)[value.index], start)
            trips = Polynomial.of(claim.upper[0] - claim.lower[0])
            total, rest = (phi.by * trips).divide(Polynomial.of(affine(claim.step)))
            return None if entered is None or rest.terms else entered + total
        op: Any = value.owner
        if op.name in {"arith.addi", "arith.subi"}:
            left, right = self._step(op.operands[0], start), self._constant(op.operands[1])
            if left is not None and right is not None:
                return left + right if op.name == "arith.addi" else left - right
        return None

    def _constant(
        self, value: SSAValue, known: Mapping[SSAValue, Polynomial] = MappingProxyType({})
    ) -> Polynomial | None:
        """Return an integer that is a polynomial of sizes, and of what is ``known``."""
        if value in known:
            return known[value]
        if isinstance(value, BlockArgument):
            name = self.arguments.get(value, "")
            return Polynomial.variable(name) if name in self.sizes else None
        op: Any = value.owner
        if op.name == "arith.constant" and isinstance(value.type, IntegerType):
            return Polynomial.constant(op.properties["value"].value.data)
        operands = [found for v in op.operands if (found := self._constant(v, known)) is not None]
        if not operands or len(operands) < len(op.operands):
            return None
        if op.name in {"arith.extsi", "arith.extui", "arith.index_cast"}:
            return operands[0]
        combine = {"arith.addi": add, "arith.subi": sub, "arith.muli": mul}.get(op.name)
        return combine(*operands) if combine is not None else None


def _entry(flow: ControlFlow, header: int) -> Sequence[SSAValue]:
    """Return what a loop is entered with, where that is from one block."""
    outside = (block for block in range(len(flow.blocks)) if block not in flow.loops[header].blocks)
    return next((operands for block in outside for target, operands in flow.edges(block) if target == header), ())


def _kept(items: Iterable[Item]) -> Iterator[tuple[tuple[int, int], KeptLoop]]:
    for item in items:
        if isinstance(item, KeptLoop):
            if item.reason.location is not None:
                yield (item.reason.location.line, item.reason.location.column), item
            yield from _kept(item.body)


class Decided(NamedTuple):
    """The literal IR of a source, None where it has none, and why it is not shown to compute what its summary says."""

    literal: ModuleOp | None
    undecided: str = ""


def decide(literally: Callable[[], ModuleOp], view: FunctionView, summary: Summary) -> Decided:
    """Read a function literally, and decide whether it computes what its summary says."""
    try:
        literal = literally()
    except LiftError:
        return Decided(None, "there is no literal IR of this source")
    try:
        function = function_named(literal, view.name)
        check_source(
            function, summary, places_of(function, view, summary), claims_of(function, summary, view.literal_names)
        )
    except Undecided as answer:
        place = location_of(answer.at) if answer.at is not None else None
        return Decided(literal, f"{answer} ({place})" if place is not None else str(answer))
    except LiftError as failure:
        return Decided(literal, str(failure))
    except Exception as error:
        if "TENSORLIFT_DEBUG" in os.environ:
            raise
        return Decided(literal, f"the checker failed: {type(error).__name__}")
    return Decided(literal)
