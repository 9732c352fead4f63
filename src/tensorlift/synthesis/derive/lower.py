"""Lowering a summary: definitions and kept loops in order become statements, each version a variable of its own.

An update of a few cells happens in place where nobody needs the version before: it is read by nothing later and owns
its memory.  A kept loop that updates an array in place starts from a copy, so that no input is ever changed.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import (
    Carried,
    Definition,
    DefinitionError,
    Item,
    KeptLoop,
    Summary,
    loops_of,
    reads_of,
)
from tensorlift.comprehension.older import older_first
from tensorlift.comprehension.terms import Constant
from tensorlift.diagnostics import LiftError
from tensorlift.ir.rewriting import affines_in
from tensorlift.ir.tensor_program import (
    Assign,
    Conditional,
    Copy,
    Expression,
    For,
    Literal,
    Return,
    SetSlice,
    Statement,
    Variable,
    nodes_of,
    roots_of,
    variables_in,
)
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.synthesis.derive.borders import Borders
from tensorlift.synthesis.derive.builder import Builder, owns_memory
from tensorlift.synthesis.derive.elementwise import value_of
from tensorlift.synthesis.derive.order import arranged
from tensorlift.synthesis.derive.padding import Padding
from tensorlift.synthesis.derive.pieces import PieceLowering
from tensorlift.synthesis.derive.scatter import by_latest
from tensorlift.synthesis.derive.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.affine import Affine
    from tensorlift.synthesis.derive.scope import Value

    Evaluate = Callable[[Term, Scope], Value]

DiesHere = Callable[[str], bool]  # of a version: may it be overwritten?
Cover = Callable[[Definition, Scope, DiesHere], "list[Statement]"]  # an engine: what computes a definition
Typed = tuple["DType", tuple["Affine", ...]]


class Lowering:
    """Lowers the items of one summary; ``evaluate`` finds the expression of each term."""

    def __init__(
        self, summary: Summary, build: Builder, cover: Cover | None = None, evaluate: Evaluate = value_of
    ) -> None:
        self.summary = summary
        self.cover = cover
        self.evaluate = evaluate
        self.build = build
        build.sizes = summary.sizes
        build.taken = {*summary.sizes, *summary.scalars, *summary.arrays, *(d.name for d in summary.derived)}
        build.taken |= {summary.name, *(loop.variable for loop in loops_of(summary.items))}
        self.types: dict[str, Typed] = {info.name: (info.dtype, info.shape) for info in summary.arrays.values()}
        self.types |= _item_types(summary.items, summary)
        self.shapes = {name: shape for name, (_, shape) in self.types.items()}
        self.failing: dict[Term, bool] = {}
        self.views: dict[str, list[str]] = {}  # versions that are views of a version's memory
        # What these loops hand on is no number of Python's, so that what they ask is no truth value of Python's.
        running = (loop for loop in loops_of(summary.items) if loop.goes_on is not None)
        self.asked = {name for loop in running for one in loop.carried for name in (one.before, one.after)}

    def body(self) -> tuple[Statement, ...]:
        """Return all statements, the return last."""
        results = [name for _, name in self.summary.outputs]
        if self.summary.result is not None:
            results.append(self.summary.result)
        block = _Block(self, self.summary.context, set())
        statements = block.lower(arranged(self.summary.items), set(results))
        uses = Counter(name for root in roots_of(tuple(statements)) for name in variables_in(root))
        statements = _copied(statements, self.build, uses)
        return (*statements, Return(tuple(block.handed_over(name) for name in results)))

    def look_through(self, name: str, value: Expression) -> None:
        """Remember that a version is a view of what its value reads."""
        for source in sorted(variables_in(value)):
            self.views.setdefault(source, []).append(name)

    def add(self, arrays: Iterable[Definition]) -> None:
        """Add arrays that the summary does not define."""
        for array in arrays:
            self.types[array.name] = array.dtype, array.shape
            self.shapes[array.name] = array.shape

    def variable(self, name: str) -> Variable:
        """Return the variable of a version."""
        dtype, shape = self.types[name]
        return self.build.variable(name, dtype, shape)


class _Block:
    """The statements of one level, function or loop; ``owned`` are the versions with memory of their own."""

    def __init__(self, lowering: Lowering, context: Domain, owned: set[str]) -> None:
        self.lowering = lowering
        self.build = lowering.build
        self.context = context
        self.owned = owned
        self.updated: set[str] = set()
        self.needed_later: set[str] = set()
        self.results: set[str] = set()
        self.copied: set[str] = set()  # versions that share no memory, though they are parts of others

    def lower(self, items: tuple[Item, ...], results: set[str]) -> list[Statement]:
        """Return the statements of the items in order; ``results`` are the versions that outlive them.

        Of a definition that fails it is told which others do so.
        """
        self.results = results
        needed = [results]
        for item in reversed(items[1:]):
            needed.append(needed[-1] | reads_of([item]))
        statements: list[Statement] = []
        failed: list[DefinitionError] = []
        for item, later in zip(items, reversed(needed), strict=False):
            self.needed_later = later
            try:
                statements += self._definition(item) if isinstance(item, Definition) else self._loop(item)
            except DefinitionError as error:
                failed.append(error)
        if failed:
            first, *rest = failed
            first.others += [one for error in rest if error.is_like(first) for one in (error.definition, *error.others)]
            raise first
        return statements

    def handed_over(self, name: str) -> Expression:
        """Return a version as a value that shares no memory; each owner gives its memory away once."""
        variable = self.lowering.variable(name)
        if name in self.owned or not variable.shape:
            self._use_up(name)
            return variable
        return self.build.copy(variable)

    def _use_up(self, name: str) -> None:
        self.owned.discard(name)
        self.updated.add(name)

    def _definition(self, definition: Definition, *, is_padded: bool = False) -> list[Statement]:
        spans = {name: (extent * 0, extent) for name, extent in zip(definition.indices, definition.shape, strict=True)}
        scope = Scope(
            self.build,
            spans,
            definition.domain,
            self.context,
            self.lowering.shapes,
            self.lowering.evaluate,
            self.lowering.failing,
            ranges=self.lowering.summary.ranges,
        )
        cover = self.lowering.cover or _derived
        try:
            latest = by_latest(definition, scope) if self.lowering.cover is None else None
            if latest is not None:
                return self._over_arrays(*latest, is_padded=is_padded)
            statements = cover(definition, scope, self._dies_here)
        except LiftError as error:
            if is_padded or error.diagnostics[0].code == "TL312":
                raise
            try:
                return self._with_padding(definition, error)
            except LiftError:
                if self.lowering.cover is not None or not self.build.chooses:
                    raise
                with suppress(LiftError):
                    chosen = _derived(definition, replace(scope, by_sizes=True, memo={}), self._dies_here)
                    return [*self._ends(chosen), *self._marked(definition, chosen)]
                raise
        return [*self._ends(statements), *self._marked(definition, statements)]

    def _ends(self, statements: list[Statement]) -> list[Statement]:
        """Compute the ends of slices that are the greatest or the least of several."""
        if not self.build.ends:
            return []
        stores = (s for s in statements if isinstance(s, SetSlice))
        nodes = itertools.chain[Expression | SetSlice](nodes_of(tuple(statements)), stores)
        mentioned = {name for node in nodes for value in affines_in(node) for name in value.variables}
        return [Assign(name, value) for name, value in self.build.ends.items() if name in mentioned]

    def _marked(self, definition: Definition, statements: list[Statement]) -> list[Statement]:
        """Keep account of whose memory a definition has, and copy where its value must not be shared."""
        first = statements[0]
        assert isinstance(first, Assign)
        is_whole = len(statements) == 1
        if is_whole and isinstance(first.value, Variable) and self._dies_here(first.value.name) and first.value.shape:
            self._use_up(first.value.name)
            self.owned.add(definition.name)
            return statements
        if is_whole and definition.name in self.results | self.copied and not self._is_owned(first.value):
            first = replace(first, value=self.build.copy(first.value))
            statements = [first]
        if isinstance(first.value, Variable) and len(statements) > 1:  # in place
            self._use_up(first.value.name)
            self.owned.add(definition.name)
        elif self._is_owned(first.value):
            self.owned.add(definition.name)
        else:
            self.lowering.look_through(definition.name, first.value)
        is_plain = isinstance(first.value, Literal) and first.value.dtype == "f64"
        if is_whole and first.value.is_weak and (definition.name in self.lowering.asked or not is_plain):
            return [replace(first, value=self.build.copy(first.value))]  # a NumPy scalar, with its type
        return statements

    def _with_padding(self, definition: Definition, error: LiftError) -> list[Statement]:
        """Lower a definition that reads outside of its arrays over arrays with a border.

        A definition that an engine does not cover is refused as that does; of others the loops may be kept.
        """
        failure = DefinitionError(error, definition) if self.lowering.cover is None else error
        if not self.lowering.shapes.keys() >= definition.reads:
            raise failure  # what it reads of is no array of the program
        held = Borders(definition, self.lowering.shapes, self.context).result()
        if held is not None:  # where that fails for arrays that are empty, it may do for others
            if any(len(array.shape) > 1 and self._may_be_of_none(array) for array in held[0]):
                raise failure
            try:
                return self._over_arrays(*held, is_padded=False)
            except LiftError:
                raise failure from None
        found = Padding(definition, self.lowering.shapes, self.context, self.build).result()
        if found is None:
            raise failure from None
        try:
            return self._over_arrays(*found, is_padded=True)
        except LiftError:
            raise failure from None

    def _may_be_of_none(self, array: Definition) -> bool:
        """Tell whether cells are filled because an array whose cells they would be may have none."""
        extents = (extent for name in array.reads for extent in self.lowering.shapes[name])
        some = Domain.of(*(at_least(extent, 1) for extent in extents))
        return any(isinstance(term, Constant) and not domain.is_subset(some) for domain, term in array.pieces)

    def _over_arrays(self, arrays: list[Definition], definition: Definition, *, is_padded: bool) -> list[Statement]:
        """Lower new arrays and the definition over them."""
        self.lowering.add(arrays)
        return [s for d in (*arrays, definition) for s in self._definition(d, is_padded=is_padded)]

    def _is_owned(self, value: Expression) -> bool:
        """Tell whether nothing else refers to the value's memory; NumPy's scalars cannot change and count as owned."""
        if isinstance(value, Variable):
            return not value.shape and (value.is_weak or value.name in self.owned)
        return not value.shape or owns_memory(value)

    def _dies_here(self, version: str) -> bool:
        return version in self.owned and not self._is_seen_later(version)

    def _is_seen_later(self, version: str) -> bool:
        """Tell whether later items read a version or a view of its memory."""
        return any(name in self.needed_later for name in self._names_of(version))

    def _names_of(self, version: str) -> list[str]:
        """Return a version and those that are views of its memory."""
        found = [version]
        for name in found:
            found += self.lowering.views.get(name, [])
        return found

    def _loop(self, loop: KeptLoop) -> list[Statement]:
        changed = [c for c in loop.carried if c.after != c.name]
        body = _Block(self.lowering, self.context & loop.domain, {c.name for c in loop.carried})
        items, parts, body.copied = older_first(
            replace(loop, body=arranged(loop.body)), self.lowering.shapes, self.context
        )
        self.lowering.add(parts)
        self.build.around.add(loop.variable)
        statements = body.lower(items, {c.after for c in loop.carried})
        self.build.around.discard(loop.variable)
        after = {c.name: body.handed_over(c.after) for c in changed}
        body.updated |= {c.name for c in changed if _may_keep(c.name, c.after, statements)}
        entry = [self._entry(carried, loop, body, set(after)) for carried in loop.carried]
        statements += [Assign(name, value, name) for name, value in after.items()]
        pairs = tuple((c.name, c.name) for c in loop.carried)
        goes_on = None if loop.goes_on is None else self.lowering.variable(loop.goes_on)
        return [*entry, For(loop.variable, loop.lower, loop.upper, loop.step, tuple(statements), pairs, goes_on)]

    def _entry(self, carried: Carried, loop: KeptLoop, body: _Block, owned: set[str]) -> Statement:
        """Start a carried array from the version before, a copy where the loop updates it and others need it."""
        before: Expression = self.lowering.variable(carried.before)
        takes_over = carried.before in self.owned and self._dies(carried.before, loop)
        if takes_over:
            before = self.handed_over(carried.before)
        elif carried.name in body.updated:
            before = self.build.copy(before)
        nonempty = Domain.of(*(at_least(extent, 1) for extent in before.shape))
        runs = (self.context & nonempty).implies(less(loop.lower, loop.upper))
        if carried.name in body.updated or (carried.name in owned and (takes_over or runs)):
            self.owned.add(carried.name)
        else:
            self.lowering.look_through(carried.name, before)
        return Assign(carried.name, before, carried.name)

    def _dies(self, name: str, loop: KeptLoop) -> bool:
        names = set(self._names_of(name))
        starts = sum(c.before in names for c in loop.carried)
        return not self._is_seen_later(name) and names.isdisjoint(reads_of(loop.body)) and starts == 1


def _may_keep(before: str, after: str, statements: Sequence[Statement]) -> bool:
    """Tell whether an iteration may leave a number as it was, in the memory that it was in."""
    values = (s.value for s in statements if isinstance(s, Assign) and s.name == after)
    arms = ((value.chosen, value.other) for value in values if isinstance(value, Conditional))
    return any(isinstance(arm, Variable) and arm.name == before for arm in itertools.chain.from_iterable(arms))


def _derived(definition: Definition, scope: Scope, dies_here: DiesHere) -> list[Statement]:
    return PieceLowering(definition, scope, dies_here).statements()


def _copied(statements: Sequence[Statement], build: Builder, uses: Counter[str]) -> list[Statement]:
    """Copy a view where it is made if a copy is all that becomes of it: ``t = b; x = t.copy()``."""
    copied = {
        s.value.argument.name
        for s in statements
        if isinstance(s, Assign) and isinstance(s.value, Copy) and isinstance(s.value.argument, Variable)
    }
    once = {name for name in copied if uses[name] == 1}
    result: list[Statement] = []
    made: set[str] = set()
    for statement in statements:
        if isinstance(statement, For):
            statement = replace(statement, body=tuple(_copied(statement.body, build, uses)))  # noqa: PLW2901 - rewritten
        elif isinstance(statement, Assign) and statement.name in once and not owns_memory(statement.value):
            made.add(statement.name)
            statement = replace(statement, value=build.copy(statement.value))  # noqa: PLW2901 - rewritten
        elif isinstance(statement, Assign) and isinstance(statement.value, Copy):
            inner = statement.value.argument
            if isinstance(inner, Variable) and inner.name in made:
                statement = replace(statement, value=inner)  # noqa: PLW2901 - rewritten
        result.append(statement)
    return result


def _item_types(items: Iterable[Item], summary: Summary) -> Iterable[tuple[str, Typed]]:
    for item in items:
        if isinstance(item, Definition):
            yield item.name, (item.dtype, item.shape)
            continue
        for carried in item.carried:
            info = summary.arrays[carried.array]
            yield carried.name, (info.dtype, info.shape)
        yield from _item_types(item.body, summary)
