"""Summarises a function: reads it, finds the sizes for which it is defined, and lifts its statements.

The steps, each in a file of its own: `reader` turns the loop IR into statements over affine subscripts; `bounds` finds
the sizes for which no access leaves its array; `lifting` goes through the statements, with `block` for straight-line
code, `block`, `phases`, `accumulate` and `scan` for closed forms, `induction` for their proof, and `distribute` and
`kept` where there is none.

Refuses programs that read a local variable before anything was written to it.

The statements are followed along the control flow with the locals that no statement before has written, on any path.
What a loop's body runs in each iteration reads them in the first one.  Under a condition inside, a local counts as
written that any other statement of the loop writes: an earlier iteration may have been there.

Which arrays may share memory: where a written array is also read under another name, and that changes nothing.

C gives no word that two pointers differ.  If ``c`` and ``a`` are the same elements, address for address, then a read
of ``a`` sees what was written to ``c`` before, which the definitions do not.  It changes nothing where no iteration
reads a cell of ``a`` after a cell of ``c`` at the same place was written: then every read sees what was there at the
beginning.  Where all reads of ``a`` come before all writes of ``c``, the two may even overlap at will.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.definition import Definition, Item, KeptLoop, LoopPlace, Summary
from tensorlift.comprehension.places import cells_plus, places_read
from tensorlift.diagnostics import refuse
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, equal, less
from tensorlift.summarize.block import Forms
from tensorlift.summarize.bounds import Bounds, bounds_of
from tensorlift.summarize.distribute import Splits
from tensorlift.summarize.lifting import Lifting
from tensorlift.summarize.races import require_independent
from tensorlift.summarize.reader import read_function
from tensorlift.summarize.statements import Allocate, Block, Branch, Load, Loop, Store, blocks_of, values_of, walk
from tensorlift.summarize.unwritten import without_unwritten

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    from xdsl.ir import Operation

    from tensorlift.diagnostics import Diagnostic, LiftError, Location
    from tensorlift.ir.function import FunctionView
    from tensorlift.summarize.program import Program


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

    for written, other in product(program.written, read):
        pairs = list(product(stores[written], loads[other]))
        if any(_of_one_loop(*pair) for pair in pairs):
            continue
        if not any(may_follow(s, o, at_one_place=False) for s, o in pairs):
            overlap.append((written, other))
        elif _alike(program, written, other) and not any(may_follow(s, o, at_one_place=True) for s, o in pairs):
            same.append((written, other))
    return HarmlessPairs(tuple(overlap), tuple(same))


def _of_one_loop(store: _Access, load: _Access) -> bool:
    """Tell whether accesses are in several loops that stand for one, which the source leaves early."""
    apart = next(((a, b) for a, b in zip(store.loops, load.loops, strict=False) if a is not b), None)
    return apart is not None and all(loop.left_early for loop in apart) and apart[0].location == apart[1].location


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


def require_initialised(program: Program) -> None:
    """Check every load of a local.

    Raises:
        LiftError: TL204 where one reads a local that nothing has written yet.

    """
    if any(not info.is_parameter for info in program.arrays.values()):
        _block(program.body, frozenset(), frozenset())


def _block(block: Block, unwritten: frozenset[str], by_others: frozenset[str]) -> frozenset[str]:
    """Return the locals still unwritten after a block; ``by_others`` are those that iterations before may write."""
    for statement in block:
        if isinstance(statement, Allocate):
            unwritten |= {statement.array}
        elif isinstance(statement, Store):
            unwritten -= {statement.array}
        elif isinstance(statement, Load) and statement.array in unwritten:
            message = f"`{statement.array}` is read here before anything is written to it"
            raise refuse("TL204", message, statement.location, f"write `{statement.array}` before it is read")
        elif isinstance(statement, Branch):
            inside = unwritten - by_others
            arms = [_block(arm, inside, by_others) for arm in (statement.then, statement.otherwise)]
            written = frozenset().union(*(_written(arm) for arm in (statement.then, statement.otherwise)))
            unwritten = (unwritten - written) | (arms[0] & arms[1])
        elif isinstance(statement, Loop):
            unwritten = _block(statement.body, unwritten, by_others | _written(statement.body))
    return unwritten


def _written(block: Block) -> frozenset[str]:
    return frozenset(s.array for s in walk(block) if isinstance(s, Store))


RECURSION_LIMIT = 8000  # nested terms are visited recursively; about three frames for each level


def summarise(  # noqa: PLR0913 - what is asked of a summary
    function: Operation | FunctionView,
    *,
    within: Domain | None = None,
    nonempty: bool = False,
    kept: Mapping[LoopPlace, str] = MappingProxyType({}),
    distribute: bool = True,
    for_loops: bool = False,
    places: bool = False,
    staying: Callable[[Diagnostic], LiftError] | None = None,
) -> Summary:
    """Return the meaning of a function for every size from 0 on.

    Where that is asked for ``within`` some sizes, nothing else is assumed of them; where for ``nonempty`` arrays and
    loops, that all sizes that count something are at least 1.  ``kept`` says which loops are to
    stay for the sake of which array, and why, though they have a closed form.  Without ``distribute`` a loop that has
    no closed form stays one loop; ``for_loops``, for a target that is made of loops, it does too where locals of its
    iterations would need arrays, unless most of what it reads and writes are neighbours from iteration to iteration,
    and where a closed form computes again what earlier iterations did.  Only where ``places`` are asked for may arrays
    be read at places that depend on data: whoever asks must see to it that what is made of the summary reads nowhere
    else.  ``staying`` makes of the reason why a loop stays what refuses the function then; without, it may have such.

    Raises:
        LiftError: TL2xx, where a part of the function has no meaning here, or no form that can be lifted.

    """
    program = read_function(function, places=places)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        splits = (Splits.WORTH_IT if for_loops else Splits.ALL) if distribute else Splits.NONE
        require_initialised(program)
        bounds = bounds_of(program, within, nonempty=nonempty)
        require_independent(program, bounds.context)
        forms = Forms(unfold=not for_loops, gather=places and not for_loops)
        return _summarise(Lifting(program, kept, splits, forms, staying), bounds)
    except RecursionError:
        message = f"the expressions of {program.name} are nested too deeply"
        raise refuse("TL290", message, program.location, "store intermediate results in arrays") from None
    finally:
        sys.setrecursionlimit(limit)


def _require_cells(summary: Summary, place: Location | None) -> None:
    """Refuse loops between bounds that are no cells of arrays of the caller, so that no precondition says of them."""
    definitions = {definition.name: definition for definition in summary.definitions()}
    for definition in definitions.values():
        for piece, term in definition.pieces:
            for read in places_read(term, definition.domain & piece, definition.indices):
                found = cells_plus(read.place, definitions) if read.is_any else None
                info = summary.arrays.get(found[0].array) if found is not None else None
                is_fold = read.value is None and read.extent is None and read.hit not in definition.indices
                if is_fold or (read.is_any and (info is None or not info.is_parameter)):
                    message = "the bounds of a loop, or places that it reads, are computed from data"
                    raise refuse("TL208", message, place, "pass them as parameters")


def _summarise(lifting: Lifting, bounds: Bounds) -> Summary:
    program = lifting.program
    versions = {name: name for name, info in program.arrays.items() if info.is_parameter}
    items = lifting.block(program.body, bounds.context, versions)
    result = lifting.result(bounds.context, versions)
    if result is not None:
        items.append(result)
    items = without_unwritten(items, lifting.arrays)
    used = set(_arrays_of(items))
    harmless = harmless_pairs(program, bounds.context)
    summary = Summary(
        name=program.name,
        sizes=program.sizes,
        scalars=program.scalars,
        arrays={name: info for name, info in lifting.arrays.items() if info.is_parameter or name in used},
        context=bounds.context,
        items=tuple(items),
        outputs=tuple((name, versions[name]) for name in program.written),
        result=result.name if result is not None else None,
        derived=program.derived,
        assumed=bounds.assumed,
        nonempty=bounds.nonempty,
        versions=versions,
        parameters=program.parameters,
        may_overlap=harmless.may_overlap,
        may_be_same=harmless.may_be_same,
        ranges=program.ranges,
        guesses=tuple(lifting.evaluator.guesses),
        values=values_of(program.body),
        memories={n: i for n, i in lifting.arrays.items() if not i.is_parameter and n not in used},
    )
    _require_cells(summary, program.location)
    return summary


def _arrays_of(items: Iterable[Item]) -> Iterable[str]:
    for item in items:
        if isinstance(item, Definition):
            yield item.array
        elif isinstance(item, KeptLoop):
            yield from (c.array for c in item.carried)
            yield from _arrays_of(item.body)
