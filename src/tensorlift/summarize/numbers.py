"""Numbers of a source: what definitions call them, and which values of its literal IR they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import map_reads, substitute
from tensorlift.comprehension.terms import read
from tensorlift.ir.location import location_of
from tensorlift.poly.affine import solved
from tensorlift.poly.names import formals
from tensorlift.summarize.hits import stems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xdsl.dialects.func import FuncOp

    from tensorlift.comprehension.definition import Definition, Summary
    from tensorlift.comprehension.state import Effect
    from tensorlift.comprehension.terms import Term
    from tensorlift.diagnostics import Location
    from tensorlift.ir.regions import ControlFlow
    from tensorlift.poly.domain import Domain
    from tensorlift.proofs.source.claims import Phi


def in_one_iteration(states: Effect, numbers: Mapping[str, str]) -> Effect:
    """Say what ``numbers`` with a cell for each iteration of a loop around are in one of these, by their own names."""
    found: Effect = {}
    for array, pieces in states.items():
        name, (cell,) = numbers.get(array, array), formals(array, 1)
        here = [{cell: at} for domain, _ in pieces if (at := solved(domain.equalities()).get(cell)) is not None]
        if name == array or name in states or len(here) < len(pieces):
            found[array] = pieces
        else:
            found[name] = [
                (domain.substitute(at), _named(substitute(term, at), domain, {array: name}))
                for (domain, term), at in zip(pieces, here, strict=True)
            ]
    return found


def as_entered(states: Effect, numbers: Mapping[str, str]) -> Effect:
    """Read ``numbers`` with a cell for each iteration of a loop around by their own names: what a loop starts from."""
    return {array: [(d, _named(term, d, numbers)) for d, term in pieces] for array, pieces in states.items()}


def _named(term: Term, domain: Domain, numbers: Mapping[str, str]) -> Term:
    """Read numbers in place of the cells of arrays."""
    if term.reads.isdisjoint(numbers):
        return term
    return map_reads(term, domain, lambda r, _: read(numbers[r.array], (), r.dtype) if r.array in numbers else r)


def with_count(phi: Phi, names: Sequence[str]) -> Phi:
    """Return the name among some that is that of a number with a count, if there is one."""
    found = (name for name in names if isinstance(phi, str) and name.removeprefix(phi).isdigit())
    return phi if any(phi == name for name in names) else next(found, phi)


def defined_once(summary: Summary) -> dict[str, Term]:
    """Return the numbers that have one definition, with that."""
    found: dict[str, list[Definition]] = {}
    for definition in summary.definitions():
        info = summary.arrays.get(definition.array)
        if info is not None and not info.is_parameter:
            found.setdefault(definition.array, []).append(definition)
    return {
        array: several[0].pieces[0][1]
        for array, several in found.items()
        if len(several) == 1 and not several[0].shape and len(several[0].pieces) == 1
    }


def temporaries(flow: ControlFlow, summary: Summary) -> dict[str, tuple[int, int]]:
    """Match numbers that have a name and a count, ``t1``, with the values that have this name, where they are as many.

    The first may have the name alone.  Each is told by its block and the position of its operation.
    """
    numbered: dict[str, dict[int, str]] = {}
    for name, info in summary.arrays.items():
        stem = name.rstrip("0123456789")
        if not info.shape and not info.is_parameter:
            numbered.setdefault(stem, {})[int(name.removeprefix(stem) or 1)] = name
    numbered = {stem: names for stem, names in numbered.items() if [*names.values()] != [stem]}
    values: dict[str, list[tuple[int, int]]] = {}
    for number, block in enumerate(flow.blocks if numbered else ()):
        for position, op in enumerate(block.ops):
            hint = op.results[0].name_hint if op.results else None
            if hint in numbered:
                values.setdefault(hint, []).append((number, position))
    return {
        names[count]: place
        for stem, names in numbered.items()
        if len(names) == len(values.get(stem, ()))
        for count, place in zip(sorted(names), values[stem], strict=True)
    }


def memories_of(function: FuncOp, summary: Summary) -> dict[int, str]:
    """Match the memories that a function makes with local arrays, by their names and places."""
    found: dict[int, str] = {}
    infos = {name: info for name, info in summary.all_arrays().items() if not info.is_parameter and info.shape}
    made = [op for op in function.walk() if op.name in {"memref.alloca", "memref.alloc"}]
    for number, op in enumerate(made):
        hint, place = op.results[0].name_hint or "", location_of(op)
        at = (place.line, place.column) if place is not None else None
        alike = [n for n, i in infos.items() if hint in stems(i.source_name) and is_at(i.location, at)]
        left = sorted((name for name in alike if name not in found.values()), key=lambda n: infos[n].of is not None)
        if left:
            found[number] = left[0]
    return found


def is_at(location: Location | None, place: tuple[int, int] | None) -> bool:
    """Tell whether a location is at a line and column."""
    return location is not None and place == (location.line, location.column)


def place_of(flow: ControlFlow, header: int) -> tuple[int, int] | None:
    """Return where the loop stands in the source: where it is entered from outside."""
    for block, targets in enumerate(flow.successors):
        if header in targets and block not in flow.loops[header].blocks:
            last = flow.blocks[block].last_op
            found = location_of(last) if last is not None else None
            return (found.line, found.column) if found is not None else None
    return None
