"""Parallel loops: a program that runs them in order is only right where no iteration depends on another one.

Two iterations race where one stores to a cell that the other stores to or reads.  What an iteration allocates is its
own, and so is what a loop carries, which a reduction combines.  Of cells at places that data say nothing is known: they
are taken in order, which is one of the orders that a parallel loop allows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.diagnostics import Note, refuse
from tensorlift.summarize.dependence import Conflict, accesses, conflicting, has_many_accesses
from tensorlift.summarize.indices import is_access
from tensorlift.summarize.statements import Allocate, Branch, Loop, walk

if TYPE_CHECKING:
    from tensorlift.diagnostics import LiftError
    from tensorlift.poly.domain import Domain
    from tensorlift.summarize.dependence import Access
    from tensorlift.summarize.program import Program
from tensorlift.summarize.statements import Block, Statement


def require_independent(program: Program, context: Domain) -> None:
    """Refuse parallel loops whose iterations race.

    Raises:
        LiftError: TL223, at the first of them.

    """
    if any(isinstance(s, Loop) and s.is_parallel for s in walk(program.body)):
        _check(program, program.body, context, frozenset({*program.sizes, *(size.name for size in program.derived)}))


def _check(program: Program, block: Block, context: Domain, known: frozenset[str]) -> None:
    for s in block:
        if isinstance(s, Branch):
            _check(program, s.then, s.then_domain(context), known)
            _check(program, s.otherwise, s.otherwise_domain(context), known)
        elif isinstance(s, Loop):
            inside = context & s.domain()
            if s.is_parallel and not has_many_accesses(s):
                _check_loop(program, s, inside, known)
            _check(program, s.body, inside, known | {s.variable})


def _check_loop(program: Program, loop: Loop, context: Domain, known: frozenset[str]) -> None:
    kept = {s.array for s in walk(program.body) if isinstance(s, Allocate) and s.location != loop.location}
    kept -= {s.array for s in walk(loop.body) if isinstance(s, Allocate)}
    kept |= {name for name, info in program.arrays.items() if info.is_parameter}
    found = [
        access
        for access in accesses(_told(loop.body), context, (loop.variable,))
        if access.array in kept and _is_told(access, known)
    ]
    for first in found:
        for second in found:
            if conflicting(first, second) and Conflict(first, second, loop.variable).forward():
                raise _race(program, loop, first, second)


def _told(block: Block) -> Block:
    """Leave out accesses at places that data say."""
    return tuple(_inside(s) for s in block if not (isinstance(s, Loop) and is_access(s)))


def _inside(s: Statement) -> Statement:
    if isinstance(s, Branch):
        return replace(s, then=_told(s.then), otherwise=_told(s.otherwise))
    return replace(s, body=_told(s.body)) if isinstance(s, Loop) else s


def _is_told(access: Access, known: frozenset[str]) -> bool:
    """Tell whether loops and sizes alone say where an access goes."""
    return all(known.union(access.variables).issuperset(index.variables) for index in access.indices)


def _race(program: Program, loop: Loop, first: Access, second: Access) -> LiftError:
    array = program.arrays[first.array].source_name
    deeds = [f"{array} is {'written' if access.writes else 'read'} here" for access in (first, second)]
    places = dict(zip((access.location for access in (first, second)), deeds, strict=True))
    return refuse(
        "TL223",
        f"iterations of this parallel loop race: one writes a cell of {array} that another one uses",
        loop.location,
        "let each iteration write cells of its own, and reduce by the loop itself",
        notes=tuple(Note(text, place) for place, text in places.items() if place is not None),
    )
