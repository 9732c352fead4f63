"""Distribution and interchange: smaller loops with the same meaning, where one without a closed form is split.

The statements of the body are joined to units by the values that they share; units that depend on each other in a
cycle stay together, the others become loops of their own in the order of the dependences.  Scalars and arrays that an
iteration writes before it reads them get one cell for each iteration first, so that they tie nothing together.  A loop
whose iterations are independent is moved inside the only loop of its body.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from heapq import heapify, heappop, heappush
from itertools import chain, product
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.poly.names import unused
from tensorlift.summarize.dependence import (
    Access,
    Conflict,
    Liveness,
    accesses_of,
    conflicting,
    has_many_accesses,
    is_parallel,
)
from tensorlift.summarize.statements import (
    Allocate,
    Block,
    Branch,
    Load,
    Loop,
    Statement,
    Store,
    blocks_of,
    guarded,
    runs_on,
    terms_of,
    walk,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import ArrayInfo


class Splits(Enum):
    """Which loops without a closed form are split.

    For a target that is made of loops, not all that can be is worth it: a loop that does not go along rows of memory
    stays where its iterations have locals or are independent, as arrays for the locals cost more than the loop and a
    recurrence is followed best within its row; and steps that all wait for the step before run in one loop.
    """

    NONE = auto()
    WORTH_IT = auto()
    ALL = auto()


class Distributor:
    """Splits loops; adds the arrays that expansion makes to ``arrays``."""

    def __init__(
        self, splits: Splits, arrays: dict[str, ArrayInfo], sizes: set[str], names: set[str], liveness: Liveness
    ) -> None:
        self.splits = splits
        self.arrays = arrays
        self.sizes = sizes
        self.names = names
        self.liveness = liveness
        self.renamed: dict[str, str] = {}  # by the last split, arrays that got a cell for each iteration

    def split(self, loop: Loop, context: Domain) -> Block | None:
        """Return statements that mean what the loop means, or None where it cannot be split, or is not to be."""
        self.renamed = {}
        if runs_on((loop,)):
            return None
        if self.splits is Splits.NONE or (self.splits is Splits.WORTH_IT and self._is_best_whole(loop, context)):
            return None
        expanded, after = self._expanded(loop, context)
        result = self._distributed(expanded, context) or _moved_in(expanded, context)
        if result is None and self.splits is Splits.WORTH_IT:
            result = _moved_out(expanded, context)
        if result is None:
            return None
        block = (*result, *after)
        self.liveness.extend(block, self.liveness.after[loop])
        return block

    def _is_best_whole(self, loop: Loop, context: Domain) -> bool:
        """Tell whether a loop is worth more in the order in which it is written than what it could be split into."""
        if _goes_along_rows(loop):
            return False
        has_locals = any(not self.arrays[array].is_parameter for array in written(loop.body))
        return has_locals or is_parallel(loop, context)

    # -- expansion

    def _expanded(self, loop: Loop, context: Domain) -> tuple[Loop, Block]:
        """Give private arrays a cell for each iteration; return what restores the last values as well."""
        last = _last(loop)
        if last is None or not all(v in self.sizes for v in loop.upper[0].variables):
            return loop, ()
        if not context.implies(*(at_least(low, 0) for low in loop.lower[:1])):
            return loop, ()
        exposed = self.liveness.exposed(loop)
        local = {s.array for s in loop.body if isinstance(s, Allocate)}
        private = {a for a in written(loop.body) if not self.arrays[a].is_parameter and a not in exposed}
        private = {a for a in private if a in local or not self.arrays[a].shape}
        if not private:
            return loop, ()
        self.renamed = renamed = {array: self._expand(array, loop) for array in sorted(private)}
        body = tuple(_redirected(s, renamed, affine(loop.variable)) for s in loop.body)
        body = tuple(s for s in body if not (isinstance(s, Allocate) and s.array in private))
        live = sorted(private & self.liveness.after[loop])
        restored = [s for array in live for s in self._restored(array, renamed[array], last, loop)]
        some = Domain.of(*(less(low, loop.upper[0]) for low in loop.lower))
        return replace(loop, body=body), guarded(some, tuple(restored), loop.location)

    def _expand(self, array: str, loop: Loop) -> str:
        info = self.arrays[array]
        name = unused(f"{array}_by_{loop.variable}", self.names)
        self.arrays[name] = replace(info, name=name, shape=(loop.upper[0], *info.shape), of=info.source_name)
        return name

    def _restored(self, array: str, expanded: str, last: Affine, loop: Loop) -> Block:
        value = unused(f"%{array}", self.names)
        dtype = self.arrays[array].dtype
        read = terms.read(value, (), dtype)
        return Load(value, expanded, (last,), dtype, loop.location), Store(array, (), read, loop.location)

    # -- distribution

    def _distributed(self, loop: Loop, context: Domain) -> Block | None:
        units = _units(loop.body)
        if len(units) == 1:
            return None
        if has_many_accesses(loop):
            return None
        edges = _edges(units, loop, context)
        groups = _components(len(units), edges)
        if len(groups) == 1:
            return None
        ties = {(b, a) for a, b in edges if self._are_one(units[a], units[b])}
        tied = [group for group in groups if any(not {*tie}.isdisjoint(group) for tie in ties)]
        waiting = {i for group in tied if not is_parallel(_of(group, units, loop), context) for i in group}
        ties = {tie for tie in ties if not waiting.isdisjoint(tie)}
        groups = _components(len(units), edges | ties) if ties else groups
        if len(groups) == 1:
            return None
        parts = tuple(_of(group, units, loop) for group in groups)
        return None if self.splits is Splits.WORTH_IT and _all_wait(parts, context) else parts

    def _are_one(self, unit: Unit, later: Unit) -> bool:
        """Tell whether two units are not worth two loops: one only says what a number is at first, or copies one."""
        numbers = {array for array in self.renamed.values() if len(self.arrays[array].shape) == 1}
        first, second = (tuple(s for _, s in one) for one in (unit, later))
        if all(isinstance(s, Store) and s.array in numbers and not s.term.reads for s in first):
            return not written(first).isdisjoint(written(second))
        loaded = {s.value for s in second if isinstance(s, Load) and s.array in numbers & written(first)}
        others = [s for s in second if not (isinstance(s, Load) and s.value in loaded)]
        return all(isinstance(s, Store) and _is_copy(s.term) and s.term.reads <= loaded for s in others)


def _is_copy(term: terms.Term) -> bool:
    """Tell whether a term is a number that is read, or that converted."""
    return isinstance(term, terms.Read) or (terms.applies(term, "cast") and _is_copy(term.children[0]))


def _last(loop: Loop) -> Affine | None:
    """Return the variable of a loop in its last iteration, where it has one; None where no subtraction tells."""
    if len(loop.upper) != 1 or not isinstance(loop.step, int):
        return None
    meets_end = loop.step == 1 or (len(loop.lower) == 1 and (loop.upper[0] - loop.lower[0]).divided(loop.step))
    return loop.upper[0] - loop.step if meets_end else None


def _goes_along_rows(loop: Loop) -> bool:
    """Tell whether most reads and writes that move with a loop go to the next cell in memory at each iteration."""
    accesses = (s for s in walk(loop.body) if isinstance(s, Load | Store) and s.indices)
    moving = [s.indices for s in accesses if any(index.coefficient(loop.variable) for index in s.indices)]
    along = [i for i in moving if abs(i[-1].coefficient(loop.variable)) == 1 and not _moves(i[:-1], loop.variable)]
    return 2 * len(along) >= len(moving)


def _moves(indices: Sequence[Affine], variable: str) -> bool:
    return any(index.coefficient(variable) for index in indices)


def _all_wait(parts: Sequence[Loop], context: Domain) -> bool:
    """Tell whether each of several innermost loops has steps that wait for the step before."""
    inside = (s for part in parts for s in walk(part.body))
    return not any(isinstance(s, Loop) for s in inside) and not any(is_parallel(part, context) for part in parts)


def _redirected(s: Statement, renamed: Mapping[str, str], index: Affine) -> Statement:
    """Let a statement use the expanded arrays."""
    if isinstance(s, Load | Store) and s.array in renamed:
        return replace(s, array=renamed[s.array], indices=(index, *s.indices))
    if isinstance(s, Loop):
        return replace(s, body=tuple(_redirected(t, renamed, index) for t in s.body))
    if isinstance(s, Branch):
        arms = (tuple(_redirected(t, renamed, index) for t in block) for block in blocks_of(s))
        then, otherwise = arms
        return replace(s, then=then, otherwise=otherwise)
    return s


Unit = list[tuple[int, Statement]]  # statements with their positions in the body


def _units(body: Block) -> list[Unit]:
    """Join statements that share values."""
    owner = list(range(len(body)))

    def root(position: int) -> int:
        while owner[position] != position:
            position = owner[position]
        return position

    defined: dict[str, int] = {}
    for position, statement in enumerate(body):
        for value in _values_used(statement) & defined.keys():
            first, second = sorted((root(defined[value]), root(position)))
            owner[second] = first
        for value in _values_made(statement):
            defined[value] = position
    units: dict[int, Unit] = {}
    for position, statement in enumerate(body):
        units.setdefault(root(position), []).append((position, statement))
    return [unit for unit in units.values() if any(not isinstance(s, Load | Allocate) for _, s in unit)]


def _values_used(statement: Statement) -> set[str]:
    return {name for s in walk((statement,)) for term in terms_of(s) for name in term.reads if name.startswith("%")}


def _values_made(statement: Statement) -> tuple[str, ...]:
    if isinstance(statement, Load):
        return (statement.value,)
    return statement.values if isinstance(statement, Branch) else ()


def _edges(units: list[Unit], loop: Loop, context: Domain) -> set[tuple[int, int]]:
    """Return the pairs of units of which the first must run before the second."""
    iterations = context & loop.domain()
    found: list[tuple[int, int, Access]] = []
    for number, unit in enumerate(units):
        for position, statement in unit:
            found += [(number, position, a) for a in accesses_of(statement, iterations, (loop.variable,))]
    by_array: dict[str, list[tuple[int, int, Access]]] = {}
    for one in found:
        by_array.setdefault(one[2].array, []).append(one)
    edges: set[tuple[int, int]] = set()
    written = [group for group in by_array.values() if any(access.writes for _, _, access in group)]
    pairs = chain.from_iterable(product(group, repeat=2) for group in written)
    for (first, earlier, access), (second, later, other) in pairs:
        if first == second or (first, second) in edges or not conflicting(access, other):
            continue
        conflict = Conflict(access, other, loop.variable)
        if conflict.forward() or (earlier < later and conflict.within()):
            edges.add((first, second))
    return edges


def _components(count: int, edges: set[tuple[int, int]]) -> list[list[int]]:
    """Return the cycles of a graph, and what is in none, in an order that respects the edges, else by their first."""
    targets: dict[int, list[int]] = {}
    for source, target in sorted(edges):
        targets.setdefault(source, []).append(target)
    reach = [_reachable(i, targets) for i in range(count)]
    first: dict[int, int] = {}  # of its group, for each node
    groups: dict[int, list[int]] = {}
    for i in range(count):
        if i not in first:
            groups[i] = [i, *(j for j in sorted(reach[i]) if j != i and i in reach[j])]
            first.update(dict.fromkeys(groups[i], i))
    needed: dict[int, set[int]] = {i: set() for i in groups}
    for source, target in edges:
        if first[source] != first[target]:
            needed[first[target]].add(first[source])
    return [groups[i] for i in _in_order(needed)]


def _in_order(needed: dict[int, set[int]]) -> Iterator[int]:
    """Yield nodes after those that each needs, the least one first of those that may come."""
    users: dict[int, list[int]] = {}
    for node, before in needed.items():
        for one in before:
            users.setdefault(one, []).append(node)
    missing = {node: len(before) for node, before in needed.items()}
    ready = [node for node, count in missing.items() if not count]
    heapify(ready)
    while ready:
        yield (node := heappop(ready))
        for user in users.get(node, []):
            missing[user] -= 1
            if not missing[user]:
                heappush(ready, user)


def _reachable(start: int, targets: Mapping[int, Sequence[int]]) -> set[int]:
    seen: set[int] = set()
    stack = [start]
    while stack:
        for target in targets.get(stack.pop(), ()):
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


def _of(group: Sequence[int], units: Sequence[Unit], loop: Loop) -> Loop:
    """Return a loop of some units of the body of another."""
    statements = sorted((pair for number in group for pair in units[number]), key=lambda pair: pair[0])
    body = tuple(s for _, s in statements)
    first = next((s.location for s in body if isinstance(s, Store | Loop) and s.location), None)
    return replace(loop, body=body, location=loop.location or first)


def _swapped(loop: Loop) -> Loop | None:
    """Return a loop and the only loop of its body in the other order; None where the inner bounds forbid that."""
    nested = _only_loop(loop)
    if nested is None or any(loop.variable in bound.variables for bound in (*nested.lower, *nested.upper)):
        return None
    return replace(nested, body=(replace(loop, body=nested.body),))


def _only_loop(loop: Loop) -> Loop | None:
    """Return the loop that is all of the body of another, but for memory."""
    inner = [s for s in loop.body if not isinstance(s, Allocate)]
    nested = inner[0] if len(inner) == 1 else None
    return nested if isinstance(nested, Loop) else None


def _moved_in(loop: Loop, context: Domain) -> Block | None:
    """Move a loop of independent iterations inside the only loop of its body, where that is not one itself."""
    nested, swapped = _only_loop(loop), _swapped(loop)
    if nested is None or swapped is None or not is_parallel(loop, context):
        return None
    return None if is_parallel(nested, context & loop.domain()) else (swapped,)


def _moved_out(loop: Loop, context: Domain) -> Block | None:
    """Move a loop around the only loop of its body inside of it, where that has independent iterations across rows."""
    swapped = _swapped(loop)
    if swapped is None or _goes_along_rows(swapped) or not is_parallel(swapped, context):
        return None
    return (swapped,)
