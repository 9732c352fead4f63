"""Lowering a summary: definitions and kept loops in order become statements, each version a variable of its own.

An update of a few cells happens in place where nobody needs the version before: it is read by nothing later and owns
its memory.  A kept loop that updates an array in place starts from a copy, so that no input is ever changed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, Item, KeptLoop, Summary
from tensorlift.comprehension.domain import less
from tensorlift.ir.tensor_program import Assign, Expression, For, Return, Statement, Variable
from tensorlift.synthesis.derive.elementwise import value_of
from tensorlift.synthesis.derive.pieces import PieceLowering, owns_memory
from tensorlift.synthesis.derive.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.comprehension.affine import Affine
    from tensorlift.comprehension.domain import Domain
    from tensorlift.comprehension.dtypes import DType
    from tensorlift.comprehension.terms import Term
    from tensorlift.synthesis.derive.builder import Builder

Typed = tuple["DType", tuple["Affine", ...]]


class Lowering:
    """Lowers the items of one summary."""

    def __init__(self, summary: Summary, build: Builder) -> None:
        self.summary = summary
        self.build = build
        self.types: dict[str, Typed] = dict(_types(summary))
        self.shapes = {name: shape for name, (_, shape) in self.types.items()}
        self.failing: dict[Term, bool] = {}

    def body(self) -> tuple[Statement, ...]:
        """Return all statements, the return last."""
        results = [name for _, name in self.summary.outputs]
        if self.summary.result is not None:
            results.append(self.summary.result)
        block = _Block(self, self.summary.context, set())
        statements = block.lower(self.summary.items, set(results))
        return (*statements, Return(tuple(block.handed_over(name) for name in results)))

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

    def lower(self, items: tuple[Item, ...], results: set[str]) -> list[Statement]:
        """Return the statements of the items; ``results`` are the versions that outlive them."""
        self.results = results
        needed = [results]
        for item in reversed(items[1:]):
            needed.append(needed[-1] | reads_of(item))
        statements: list[Statement] = []
        for item, later in zip(items, reversed(needed), strict=False):
            self.needed_later = later
            statements += self._definition(item) if isinstance(item, Definition) else self._loop(item)
        return statements

    def handed_over(self, name: str) -> Expression:
        """Return a version as a value that shares no memory; each owner gives its memory away once."""
        variable = self.lowering.variable(name)
        if name in self.owned:
            self.owned.discard(name)
            return variable
        return self.build.copy(variable)

    def _definition(self, definition: Definition) -> list[Statement]:
        spans = {name: (extent * 0, extent) for name, extent in zip(definition.indices, definition.shape, strict=True)}
        scope = Scope(
            self.build,
            spans,
            definition.domain,
            self.context,
            self.lowering.shapes,
            value_of,
            self.lowering.failing,
        )
        statements = PieceLowering(definition, scope, self._dies_here).statements()
        first = statements[0]
        assert isinstance(first, Assign)
        if definition.name in self.results and len(statements) == 1 and not owns_memory(first.value):
            first = replace(first, value=self.build.copy(first.value))
            statements = [first]
        if isinstance(first.value, Variable) and len(statements) > 1:  # in place
            self.owned.discard(first.value.name)
            self.updated.add(first.value.name)
            self.owned.add(definition.name)
        elif owns_memory(first.value):
            self.owned.add(definition.name)
        return statements

    def _dies_here(self, version: str) -> bool:
        return version in self.owned and version not in self.needed_later

    def _loop(self, loop: KeptLoop) -> list[Statement]:
        body = _Block(self.lowering, self.context & loop.domain, {c.name for c in loop.carried})
        statements = body.lower(loop.body, {c.after for c in loop.carried})
        entry: list[Statement] = []
        for carried in loop.carried:
            before: Expression = self.lowering.variable(carried.before)
            if carried.name in body.updated:
                dies = self._dies(carried.before, loop)
                before = self.handed_over(carried.before) if dies else self.build.copy(before)
            entry.append(Assign(carried.name, before, carried.name))
        runs = self.context.implies(less(loop.lower, loop.upper))
        for carried in loop.carried:
            after: Expression = self.lowering.variable(carried.after)
            if carried.name in body.updated or (runs and carried.after in body.owned):
                after = body.handed_over(carried.after)
                self.owned.add(carried.name)
            statements.append(Assign(carried.name, after, carried.name))
        pairs = tuple((c.name, c.name) for c in loop.carried)
        kept = For(loop.variable, loop.lower, loop.upper, loop.step, tuple(statements), pairs)
        return [*entry, kept]

    def _dies(self, name: str, loop: KeptLoop) -> bool:
        read_inside = set().union(*(reads_of(item) for item in loop.body)) if loop.body else set()
        starts = sum(c.before == name for c in loop.carried)
        return name not in self.needed_later and name not in read_inside and starts == 1


def reads_of(item: Item) -> set[str]:
    """Return the versions that an item reads."""
    if isinstance(item, Definition):
        return set().union(*(term.reads for _, term in item.pieces))
    names = {name for c in item.carried for name in (c.before, c.after)}
    return names.union(*(reads_of(inner) for inner in item.body))


def _types(summary: Summary) -> Iterable[tuple[str, Typed]]:
    for info in summary.arrays.values():
        yield info.name, (info.dtype, info.shape)
    yield from _item_types(summary.items, summary)


def _item_types(items: Iterable[Item], summary: Summary) -> Iterable[tuple[str, Typed]]:
    for item in items:
        if isinstance(item, Definition):
            yield item.name, (item.dtype, item.shape)
            continue
        for carried in item.carried:
            info = summary.arrays[carried.array]
            yield carried.name, (info.dtype, info.shape)
        yield from _item_types(item.body, summary)
