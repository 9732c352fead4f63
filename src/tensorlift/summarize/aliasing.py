"""Which arrays may share memory: where a written array is also read under another name, and that changes nothing.

C gives no word that two pointers differ.  If ``c`` and ``a`` are the same elements, address for address, then a read
of ``a`` sees what was written to ``c`` before, which the definitions do not.  It changes nothing where no iteration
reads a cell of ``a`` after a cell of ``c`` at the same place was written: then every read sees what was there at the
beginning.  Where all reads of ``a`` come before all writes of ``c``, the two may even overlap at will.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import UNIVERSE, Domain, equal, less
from tensorlift.summarize.statements import Load, Loop, Store, blocks_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from tensorlift.summarize.program import Program
    from tensorlift.summarize.statements import Block

_LATER = "later__"  # before the loop variables of a read, to tell them from those of the write


@dataclass(frozen=True)
class _Access:
    """A load or store, the loops around it, and its place in the text of the function."""

    array: str
    indices: tuple[Affine, ...]
    loops: tuple[Loop, ...]
    position: int

    @cached_property
    def iterations(self) -> Domain:
        """The iterations of the loops around it."""
        domain = UNIVERSE
        for loop in self.loops:
            domain = domain & loop.domain()
        return domain

    @cached_property
    def form(self) -> Hashable:
        """The indices and the bounds of the loops, with the loop variables by their depth."""
        names = {loop.variable: Affine.var(f"{_LATER}{depth}") for depth, loop in enumerate(self.loops)}
        bounds = [
            (tuple(low.substitute(names) for low in loop.lower), tuple(high.substitute(names) for high in loop.upper))
            for loop in self.loops
        ]
        steps = tuple(loop.step for loop in self.loops)
        return tuple(index.substitute(names) for index in self.indices), tuple(bounds), steps

    @cached_property
    def later(self) -> dict[str, Affine]:
        """The names of the loop variables for an access that may come later."""
        return {loop.variable: Affine.var(_LATER + loop.variable) for loop in self.loops}

    @cached_property
    def later_iterations(self) -> Domain:
        """The iterations under those names."""
        return self.iterations.substitute(self.later)


class HarmlessPairs(NamedTuple):
    """Pairs of a written array and one that is only read: those that may overlap at will, and those that may be one."""

    may_overlap: tuple[tuple[str, str], ...]
    may_be_same: tuple[tuple[str, str], ...]


def harmless_pairs(program: Program, context: Domain) -> HarmlessPairs:
    """Find the pairs in a context of sizes; those that may be the same have one element type and one rank.

    Arrays with the same address and the same strides have the same element at each index, whatever their extents.
    """
    accesses = list(_accesses(program.body, (), [0]))
    stores, loads = defaultdict[str, list[_Access]](list), defaultdict[str, list[_Access]](list)
    for access, is_store in accesses:
        (stores if is_store else loads)[access.array].append(access)
    read = [a for a in program.arrays if program.arrays[a].is_parameter and a not in program.written]
    overlap, same = [], []
    apart: dict[tuple[Hashable, Hashable, bool], bool] = {}  # answers for accesses that no loop is around both of

    def may_follow(store: _Access, load: _Access, *, at_one_place: bool) -> bool:
        is_around_both = bool(store.loops and load.loops) and store.loops[0] is load.loops[0]
        if not is_around_both and store.position > load.position:
            return False
        question = (store.form, load.form, at_one_place)
        found = None if is_around_both else apart.get(question)
        if found is None:
            found = _may_follow(store, load, context, _same_place(store, load) if at_one_place else UNIVERSE)
            if not is_around_both:
                apart[question] = found
        return found

    for written in program.written:
        for other in read:
            pairs = list(product(stores[written], loads[other]))
            if not any(may_follow(s, o, at_one_place=False) for s, o in pairs):
                overlap.append((written, other))
            elif _alike(program, written, other) and not any(may_follow(s, o, at_one_place=True) for s, o in pairs):
                same.append((written, other))
    return HarmlessPairs(tuple(overlap), tuple(same))


def _alike(program: Program, one: str, other: str) -> bool:
    a, b = program.arrays[one], program.arrays[other]
    return a.dtype == b.dtype and len(a.shape) == len(b.shape)


def _accesses(block: Block, loops: tuple[Loop, ...], count: list[int]) -> Iterator[tuple[_Access, bool]]:
    """Yield loads and stores in the order of the text, which is that of execution within an iteration."""
    for statement in block:
        count[0] += 1
        if isinstance(statement, Load | Store):
            yield _Access(statement.array, statement.indices, loops, count[0]), isinstance(statement, Store)
        inner = (*loops, statement) if isinstance(statement, Loop) else loops
        for body in blocks_of(statement):
            yield from _accesses(body, inner, count)


def _same_place(store: _Access, load: _Access) -> Domain:
    """Return the iterations of a store and of a load, the latter's variables renamed, that touch the same cell."""
    places = zip(store.indices, load.indices, strict=True)
    return Domain.of(*(equal(a, b.substitute(load.later)) for a, b in places))


def _may_follow(store: _Access, load: _Access, context: Domain, together: Domain) -> bool:
    """Tell whether a load can come after a store in such iterations; conditions around them are not looked at."""
    later = load.later
    both = context & store.iterations & load.later_iterations & together
    shared = [a.variable for a, b in zip(store.loops, load.loops, strict=False) if a is b]
    for depth, variable in enumerate(shared):
        outer = [equal(name, later[name]) for name in shared[:depth]]
        if not (both & Domain.of(*outer, less(variable, later[variable]))).is_empty():
            return True
    within = Domain.of(*(equal(name, later[name]) for name in shared))
    return store.position < load.position and not (both & within).is_empty()
