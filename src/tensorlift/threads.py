"""C programs on several threads: which loops have independent iterations, found in the text and checked in the text.

Of loops for threads compilers make functions, in which no array is known to lie apart from the others.  That their
innermost loops may run in vectors is therefore said too, unless they add up floats, whose sum would be another.

The text tells what iterations share of variables, the statements that a program is read back as tell what they
share of arrays.  Both must see the same loops: what is read otherwise than it is written runs on one thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.frontends.c.plain_loops import PlainLoop, plain_loops
from tensorlift.poly.affine import ONE, Affine
from tensorlift.poly.domain import Domain, NotAffine
from tensorlift.poly.variables import extreme_of
from tensorlift.proofs.failure import MEMORY, UNREADABLE, CheckFailure
from tensorlift.summarize.dependence import is_parallel
from tensorlift.summarize.reader import read_function
from tensorlift.summarize.statements import Block, Branch, Load, Loop, Store, allocated, blocks_of, walk
from tensorlift.targets.c.pragmas import PragmaError, loops_with_pragmas, pragma, vectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.dialects.func import FuncOp

    from tensorlift.frontends.c.reader import ParsedFile
    from tensorlift.ir.function import FunctionView

FILE = "program.c"  # as which programs are read


@dataclass(frozen=True)
class Program:
    """A program: its function as it is parsed, in literal IR, and as what it is read."""

    parsed: ParsedFile
    view: FunctionView
    literal: FuncOp


def pragmas_for(program: Program) -> dict[int, str]:
    """Return pragmas by the lines on which loops start: those that several threads are worth, and loops in these."""
    found: dict[int, str] = {}
    for loop, text in _worth_threads(_loops_of(program)):
        found |= {one.plain.line: vectors(one.plain.reductions or {}) for one in loop.all() if one.is_for_vectors}
        found[loop.plain.line] = text
    return found


def marked_loops(text: str) -> dict[int, dict[str, str]]:
    """Return the lines on which loops with a pragma start, with the reductions of each.

    Raises:
        CheckFailure: for pragmas and other directives that are none of ours.

    """
    try:
        return loops_with_pragmas(text)
    except PragmaError as error:
        raise CheckFailure(UNREADABLE, str(error), error.line) from None


def check_independent(marked: Mapping[int, Mapping[str, str]], program: Program) -> None:
    """Demand that loops that are marked have independent iterations.

    Raises:
        CheckFailure: where iterations share what one of them writes.

    """
    loops = [loop for outer in _loops_of(program) for loop in outer.all()] if marked else []
    for line, reductions in marked.items():
        here = [loop for loop in loops if loop.plain.line == line]
        if len(here) != 1 or not here[0].is_independent or here[0].plain.reductions != reductions:
            raise CheckFailure(MEMORY, "the iterations of this loop are not proved independent", line)


class _Names(NamedTuple):
    """The variables of a program that are no arrays, and its sizes, with quotients that the text has by their names."""

    variables: frozenset[str]
    sizes: tuple[str, ...]


@dataclass(frozen=True)
class _Loop:
    """A loop as it is written and as it is read, with the points at which it runs."""

    plain: PlainLoop
    read: Loop
    context: Domain
    names: _Names

    @cached_property
    def inner(self) -> tuple[_Loop, ...]:
        """The loops right inside."""
        return _paired(self.plain.inner, self.read.body, self.points, self.names)

    @property
    def points(self) -> Domain:
        """The iterations."""
        return self.context & self.read.domain()

    def all(self) -> Iterator[_Loop]:
        """Yield this loop and those inside."""
        yield self
        for loop in self.inner:
            yield from loop.all()

    @cached_property
    def is_independent(self) -> bool:
        """Tell whether the iterations may run in any order, but for what they add up."""
        if self.plain.reductions is None or not self._is_as_written:
            return False
        return is_parallel(self.read, self.context, self.names.variables | allocated(self.read.body))

    @property
    def _is_as_written(self) -> bool:
        """Tell whether the loops inside are read as they are written, each one as one."""
        loops = [s for s in walk(self.read.body) if isinstance(s, Loop)]
        return len(loops) == sum(1 for _ in self.all()) - 1

    @cached_property
    def extents(self) -> tuple[Affine, ...]:
        """The numbers of iterations of the loop and of those in it, along the deepest nest."""
        deeper = max((loop.extents for loop in self.inner), key=len, default=())
        sizes = _sizes_of(self.read)
        is_even = len(sizes) == 1 and set(sizes[0].variables) <= set(self.names.sizes)
        return (sizes[0] if is_even else _extent(self.read.variable, self.points, self.names.sizes), *deeper)

    @property
    def is_uneven(self) -> bool:
        """Tell whether some iterations have more to do than others."""
        loops = (s for s in walk(self.read.body) if isinstance(s, Loop))
        return any(size.coefficient(self.read.variable) for loop in loops for size in _sizes_of(loop))

    @property
    def degree(self) -> int:
        """Return how many loops over sizes are nested."""
        return sum(not extent.is_constant for extent in self.extents)

    @cached_property
    def is_for_vectors(self) -> bool:
        """Tell whether neighbouring iterations reach neighbouring cells, and nothing is added up."""
        if self.inner or not self.is_independent or not {*(self.plain.reductions or {}).values()} <= {"min", "max"}:
            return False
        known = {*self.names.sizes, *self.points.variables()}
        for indices in (s.indices for s in walk(self.read.body) if isinstance(s, Load | Store)):
            *outer, steps = [0, *(index.coefficient(self.read.variable) for index in indices)]
            if any(outer) or abs(steps) > 1 or not all(known.issuperset(index.variables) for index in indices):
                return False
        return True

    @property
    def repeats(self) -> bool:
        """Tell whether each iteration reads and writes the same cells as the one before, as a time step does."""
        accesses = [s for s in walk(self.read.body) if isinstance(s, Load | Store)]
        return not any(index.coefficient(self.read.variable) for access in accesses for index in access.indices)


def _loops_of(program: Program) -> tuple[_Loop, ...]:
    read = read_function(program.view)
    variables = (name for name, info in read.arrays.items() if not info.shape and not info.is_parameter)
    quotients = (size.name for size in read.derived if f" {size.name} = " in program.parsed.text)
    names = _Names(frozenset(variables), (*read.sizes, *quotients))
    return _paired(plain_loops(program.parsed, program.view.name), read.body, read.requires, names)


def _paired(plain: Sequence[PlainLoop], block: Block, context: Domain, names: _Names) -> tuple[_Loop, ...]:
    """Pair loops as they are written with those that are read; calls of BLAS are read as loops too."""
    lines = {loop.line for loop in plain}
    found = [(loop, where) for loop, where in _loops_in(block, context) if _line(loop) in lines]
    if [loop.line for loop in plain] != [_line(loop) for loop, _ in found]:
        return ()
    return tuple(_Loop(written, loop, where, names) for written, (loop, where) in zip(plain, found, strict=True))


def _loops_in(block: Block, context: Domain) -> Iterator[tuple[Loop, Domain]]:
    """Yield the outermost loops of a block, with the points at which they run."""
    for statement in block:
        if isinstance(statement, Loop):
            yield statement, context
        elif isinstance(statement, Branch):
            domains = (statement.then_domain(context), statement.otherwise_domain(context))
            for inner, where in zip(blocks_of(statement), domains, strict=True):
                yield from _loops_in(inner, where)


def _line(loop: Loop) -> int | None:
    """Return the line of a loop of the program, None of one in a function of BLAS."""
    return loop.location.line if loop.location is not None and loop.location.file == FILE else None


def _sizes_of(loop: Loop) -> tuple[Affine, ...]:
    """Return the number of iterations of a loop where it is one expression, else the bounds."""
    if loop.step == 1 and len(loop.lower) == len(loop.upper) == 1:
        return (loop.upper[0] - loop.lower[0],)
    return (*loop.lower, *loop.upper)


def _extent(variable: str, points: Domain, sizes: Sequence[str]) -> Affine:
    """Return the number of values of a variable over all points, as an expression of sizes; one where it is none."""
    mine = points.project_out(*(name for name in points.variables() if name not in (variable, *sizes)))
    try:
        least, most = (extreme_of(mine, variable, maximum=maximum) for maximum in (False, True))
    except NotAffine:
        return ONE
    return most[0][1] - least[0][1] + 1 if least and most else ONE


def _worth_threads(loops: Sequence[_Loop], around: _Loop | None = None) -> Iterator[tuple[_Loop, str]]:
    """Yield with their pragmas the outermost independent loops, of those beside each other where most is to do.

    Inside of a loop that is not independent, one loop alone is worth threads only if it sweeps over all there is.
    """
    most = max((loop.degree for loop in loops), default=0)
    for loop in (loop for loop in loops if loop.degree == most):
        if not loop.is_independent:
            yield from _worth_threads(loop.inner, loop)
        elif around is None or most > 1 or around.repeats:
            assert loop.plain.reductions is not None
            reductions, side_by_side = loop.plain.reductions, loop.is_for_vectors
            found = pragma(loop.extents, reductions, uneven=loop.is_uneven, vectors=side_by_side)
            if found is not None:
                yield loop, found
