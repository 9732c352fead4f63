"""Claims about the literal IR of a function, from how its loops were summarised; its checker decides them."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from operator import add, mul, sub
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import IntegerType, MemRefType
from xdsl.ir import BlockArgument

from tensorlift.comprehension.definition import KeptLoop
from tensorlift.comprehension.domain import Domain
from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Read, Term
from tensorlift.ir.location import location_of
from tensorlift.ir.regions import ControlFlow
from tensorlift.proofs.source.claims import Advance, Ahead, Claims, LoopClaim, Phi
from tensorlift.proofs.source.integers import polynomial
from tensorlift.proofs.source.operations import never_wraps
from tensorlift.summarize.statements import Loop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import SSAValue

    from tensorlift.comprehension.affine import Affine
    from tensorlift.comprehension.definition import Item, Summary
    from tensorlift.comprehension.state import Piece
    from tensorlift.diagnostics import Location
    from tensorlift.proofs.source.induction import Guess


def claims_of(function: FuncOp, summary: Summary, names: Mapping[str, str] = MappingProxyType({})) -> Claims:
    """Match the loops of literal IR with those that were summarised, by their places in the source.

    ``names`` are the parameters of the summary by what literal IR calls them.
    """
    flow = ControlFlow(function)
    finding = _Finding(flow, summary, names)
    for header in finding.headers:
        finding.add(header)
    return Claims(finding.loops, _memories(function, summary))


def _memories(function: FuncOp, summary: Summary) -> dict[int, str]:
    """Match the memories that a function makes with local arrays, by their names and places."""
    found: dict[int, str] = {}
    infos = {
        name: info
        for name, info in {**summary.arrays, **summary.temporaries}.items()
        if not info.is_parameter and info.shape
    }
    made = [op for op in function.walk() if op.name in {"memref.alloca", "memref.alloc"}]
    for number, op in enumerate(made):
        hint, place = op.results[0].name_hint or "", location_of(op)
        at = (place.line, place.column) if place is not None else None
        alike = [
            n for n, i in infos.items() if hint in {n, i.source_name, n.rstrip("0123456789")} and _at(i.location, at)
        ]
        left = [name for name in alike if name not in found.values()]
        if left:
            found[number] = left[0]
    return found


class _Finding:
    """The claims found so far, those of inner loops first."""

    def __init__(self, flow: ControlFlow, summary: Summary, names: Mapping[str, str]) -> None:
        self.flow, self.summary = flow, summary
        self.headers = sorted(flow.loops, key=lambda h: (len(flow.loops[h].blocks), h))
        self.kept = list(_kept(summary.items))
        self.loops: dict[int, LoopClaim] = {}
        self.sizes = {*summary.sizes}
        marks: Any = flow.function.arg_attrs or ()
        called = [mark.data["tl.name"].data for mark in marks]
        self.arguments = {a: names.get(name, name) for a, name in zip(flow.blocks[0].args, called, strict=True)}
        self.found: dict[int, list[tuple[Loop, Guess | None]]] = {}
        self.items: dict[int, list[KeptLoop]] = {}
        self.versions: dict[int, dict[str, str]] = {}
        places = {header: _place(flow, header) for header in flow.loops}
        for place in {*places.values()}:
            self._match(place, [header for header in flow.loops if places[header] == place])

    def _match(self, place: tuple[int, int] | None, headers: list[int]) -> None:
        """Match the loops at one place with the summaries of them, one after the other where there are as many."""
        loops, headers = self.flow.loops, sorted(headers, key=lambda h: max(self.flow.loops[h].blocks))
        found = [(loop, guess) for loop, guess in self.summary.guesses if _at(loop.location, place)]
        versions = [d for d in self.summary.definitions() if _at(d.location, place)]
        items = [item for where, item in self.kept if where == place]
        kept = [item.variable for item in reversed(items)]  # inner ones first
        variables = [
            *dict.fromkeys(loop.variable for loop, _ in found if loop.variable not in kept),
            *dict.fromkeys(kept),
        ]
        for header, variable in zip(headers, variables, strict=False):
            is_told = len(variables) == len(headers)
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
        found, items = self.found[header], self.items[header]
        item = items[-1] if items else None
        nest = _nest(found[-1][0], {loop.variable for loop, _ in found}) if found else ()
        if item is not None:
            claim = LoopClaim(header, item.variable, (item.lower,), (item.upper,), item.step, ())
            claim = replace(claim, item=item, phis=self._phis(claim, ()))
        elif nest:
            claim = self._nested(header, nest, found)
        else:
            return
        versions = self.versions[header]
        states = _states(guess for _, guess in found)
        if item is not None:
            # Inside of it an array is not yet what definitions of inner loops name.
            for inner in self.flow.loops[header].blocks & self.loops.keys():
                named = {a: v for a, v in self.loops[inner].versions.items() if a not in states}
                self.loops[inner] = replace(self.loops[inner], versions=named)
            ahead = {a: one for a in states if (one := self._ahead(item, a, states[a], versions)) is not None}
            carried = {one.array for one in item.carried}
            beside = {a: p for a, p in states.items() if a not in carried}
            self.loops[header] = replace(claim, states=beside, locals=self._locals(claim, states), ahead=ahead)
        else:
            self.loops[header] = replace(claim, versions=versions)

    def _nested(self, header: int, nest: Sequence[Loop], found: Sequence[tuple[Loop, Guess | None]]) -> LoopClaim:
        """Claim of one loop that it is a nest, or a loop."""
        loop, *rest = nest
        inner = self._nested(header, rest, found) if rest else None
        states = _states(guess for one, guess in found if one.variable == loop.variable)
        claim = LoopClaim(header, loop.variable, loop.lower, loop.upper, loop.step, (), states=states, inner=inner)
        claim = replace(claim, phis=self._named(self._phis(claim, rest), states))
        return replace(claim, locals=self._locals(claim, states))

    def _phis(self, claim: LoopClaim, inner: Sequence[Loop]) -> tuple[Phi, ...]:
        """Claim of each argument of a header how it moves, while all iterations of ``inner`` loops pass."""
        trips = prod((polynomial(loop.upper[0] - loop.lower[0]) for loop in inner), start=ONE)
        phis = (self._phi(claim, argument) for argument in self.flow.blocks[claim.header].args)
        return tuple(replace(phi, by=phi.by * trips) if isinstance(phi, Advance) else phi for phi in phis)

    def _locals(self, claim: LoopClaim, states: Mapping[str, list[Piece]]) -> dict[str, tuple[int, int]]:
        """Find the values that states mean by names of numbers."""
        read = {n for p in states.values() for _, term in p for n in self._numbers(term)} - {*claim.phis}
        return {name: at for name in sorted(read) if (at := self._local(name, claim.header)) is not None}

    def _named(self, found: Sequence[Phi], states: Mapping[str, object]) -> tuple[Phi, ...]:
        """Give numbers the names that the states have for them: those of their variables, or the one that is left."""
        phis = list(found)
        left = [a for a in states if a not in phis and not self._shape(a)]
        for number, phi in enumerate(phis):
            if isinstance(phi, str) and phi not in states:
                alike = [a for a in left if phi in {a.rstrip("0123456789"), self._source_name(a)}]
                others = sum(isinstance(one, str) and one not in states for one in phis)
                if alike or len(left) == others == 1:
                    phis[number] = (alike or left)[0]
                    left.remove((alike or left)[0])
        return tuple(phis)

    def _shape(self, array: str) -> tuple[Affine, ...]:
        info = self.summary.arrays.get(array, self.summary.temporaries.get(array))
        return info.shape if info is not None else ()

    def _source_name(self, array: str) -> str:
        info = self.summary.arrays.get(array, self.summary.temporaries.get(array))
        return info.source_name if info is not None else array

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
        """Return the last value before a loop that has the name of a local."""
        origin, array, number = self.summary.values.get(name, (None, name, 0))
        found = self._value_from(origin, number, header) if origin is not None else None
        if found is not None:
            return found
        name = array or name
        info = self.summary.arrays.get(name)
        names, best = {info.source_name if info is not None else name, name.rstrip("0123456789")}, None
        for number in sorted(self.flow.dominators(header) - {header}):
            block = self.flow.blocks[number]
            values: list[tuple[int, SSAValue]] = [(-1 - k, argument) for k, argument in enumerate(block.args)]
            values += [(k, op.results[0]) for k, op in enumerate(block.ops) if op.results]
            named = [k for k, v in values if v.name_hint in names and not isinstance(v.type, MemRefType)]
            best = (number, named[-1]) if named else best
        return best

    def _value_from(self, origin: Location, number: int, header: int) -> tuple[int, int] | None:
        """Return what was loaded at a place, or one of the results of a branch there, before a loop."""
        place = origin.line, origin.column
        for block in sorted(self.flow.dominators(header) - {header}):
            for position, op in enumerate(self.flow.blocks[block].ops):
                if op.name == "memref.load" and _at(location_of(op), place):
                    return block, position
            arguments = self.flow.blocks[block].args if block not in self.flow.loops else ()
            if len(arguments) > number and _at(location_of(arguments[number]), place):
                return block, -1 - number
        return None

    def _phi(self, claim: LoopClaim, argument: BlockArgument) -> Phi:
        position, header = argument.index, claim.header
        for latch in self.flow.loops[header].blocks:
            for target, operands in self.flow.edges(latch):
                step = self._step(operands[position], argument) if target == header else None
                if step is not None:
                    value = operands[position]
                    return Advance(step, wraps=not isinstance(value, BlockArgument) and not never_wraps(value.owner))
        return argument.name_hint or f"phi{position}"

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
            trips = polynomial(claim.upper[0] - claim.lower[0])
            total, rest = (phi.by * trips).divide(Polynomial.constant(claim.step))
            return None if entered is None or rest.terms else entered + total
        op: Any = value.owner
        if op.name in {"arith.addi", "arith.subi"}:
            left, right = self._step(op.operands[0], start), self._constant(op.operands[1])
            if left is not None and right is not None:
                return left + right if op.name == "arith.addi" else left - right
        return None

    def _constant(self, value: SSAValue) -> Polynomial | None:
        """Return an integer that is a polynomial of sizes."""
        if isinstance(value, BlockArgument):
            name = self.arguments.get(value, "")
            return Polynomial.variable(name) if name in self.sizes else None
        op: Any = value.owner
        if op.name == "arith.constant" and isinstance(value.type, IntegerType):
            return Polynomial.constant(op.properties["value"].value.data)
        operands = [found for v in op.operands if (found := self._constant(v)) is not None]
        if not operands or len(operands) < len(op.operands):
            return None
        if op.name in {"arith.extsi", "arith.extui", "arith.index_cast"}:
            return operands[0]
        combine = {"arith.addi": add, "arith.subi": sub, "arith.muli": mul}.get(op.name)
        return combine(*operands) if combine is not None else None


def _nest(loop: Loop, variables: AbstractSet[str]) -> list[Loop]:
    """Return a loop, and those inside of it that stand at its place: the nest that one loop of the source became."""
    inner = [one for one in loop.body if isinstance(one, Loop) and one.location == loop.location]
    return [loop, *(_nest(inner[0], variables) if inner and inner[0].variable in variables else ())]


def _states(guesses: Iterable[Guess | None]) -> dict[str, list[Piece]]:
    return {a: p for guess in guesses if guess is not None for a, p in guess.states.items()}


def _entry(flow: ControlFlow, header: int) -> Sequence[SSAValue]:
    """Return what a loop is entered with, where that is from one block."""
    outside = (block for block in range(len(flow.blocks)) if block not in flow.loops[header].blocks)
    return next((operands for block in outside for target, operands in flow.edges(block) if target == header), ())


def _place(flow: ControlFlow, header: int) -> tuple[int, int] | None:
    """Return where the loop stands in the source: where it is entered from outside."""
    for block, targets in enumerate(flow.successors):
        if header in targets and block not in flow.loops[header].blocks:
            last = flow.blocks[block].last_op
            found = location_of(last) if last is not None else None
            return (found.line, found.column) if found is not None else None
    return None


def _at(location: Location | None, place: tuple[int, int] | None) -> bool:
    return location is not None and place == (location.line, location.column)


def _kept(items: Iterable[Item]) -> Iterator[tuple[tuple[int, int], KeptLoop]]:
    for item in items:
        if isinstance(item, KeptLoop):
            if item.reason.location is not None:
                yield (item.reason.location.line, item.reason.location.column), item
            yield from _kept(item.body)
