"""Pushes the condition of a branch into the loops of its arms, so that a loop may stay a loop outside of branches.

``if (c) { S; for (..) T; }`` becomes ``if (c) S; for (..) if (c) T;``.  A condition on data is evaluated once, before
the arms change what it reads; so are the conditions of branches inside, into local truth values.  A loop that runs as
long as a truth value holds does so where the condition does; elsewhere that is false from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rules import FALSE
from tensorlift.poly.domain import UNIVERSE, Domain
from tensorlift.summarize.statements import (
    Block,
    Branch,
    Condition,
    Load,
    Loop,
    Statement,
    Store,
    guarded,
    terms_of,
    value_read,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tensorlift.comprehension.terms import Term


@dataclass(frozen=True)
class _Test:
    """A condition that is evaluated already, at points of ``within`` only."""

    condition: Condition
    within: Domain = UNIVERSE

    def and_then(self, condition: Condition, within: Domain) -> _Test:
        if isinstance(condition, Domain) and isinstance(self.condition, Domain):
            return _Test(self.condition & condition)
        if isinstance(condition, Domain):
            return _Test(self.condition, self.within & condition)
        if isinstance(self.condition, Domain):
            return _Test(condition, self.condition & within)
        return _Test(terms.apply("and", self.condition, condition), self.within & within)

    def guard(self, block: Block, origin: Branch) -> Block:
        """Run a block under the test; a condition on data counts at its points only."""
        if isinstance(self.condition, Domain):
            return guarded(self.condition, block, origin.location)
        inner = guarded(self.condition, block, origin.location, self.within)
        return inner if self.within is UNIVERSE else guarded(self.within, inner, origin.location)


class Pusher:
    """Pushes one branch; ``new_flag`` declares a local truth value and gives its array and value names."""

    def __init__(self, new_flag: Callable[[], tuple[str, str]]) -> None:
        self.new_flag = new_flag

    def push(self, s: Branch) -> Block:
        """Return statements that mean what the branch means, with every loop outside of branches."""
        asked = dict.fromkeys(one.goes_on for one in walk((s,)) if isinstance(one, Loop) and one.goes_on is not None)
        never = (Store(name, (), FALSE, s.location) for name in asked)
        return (*never, *self._branch(s, _Test(UNIVERSE), set(s.values)))

    def _branch(self, s: Branch, outer: _Test, used: set[str]) -> list[Statement]:
        condition, block = s.condition, list[Statement]()
        tests: list[Condition]
        if isinstance(condition, Domain):
            tests = [condition, condition.complement()]
        else:
            flag, value = self.new_flag()
            now = (Store(flag, (), condition, s.location),)
            block += outer.guard(now, s) if outer.condition is UNIVERSE else self._either(outer, now, flag, s)
            block.append(Load(value, flag, (), "bool", s.location))
            chosen = value_read(value, "bool")
            tests = [chosen, terms.apply("not", chosen)]
        ends = {name for t in (*s.then_terms, *s.otherwise_terms) for name in t.reads}
        then, otherwise = outer.and_then(tests[0], s.then_within), outer.and_then(tests[1], s.otherwise_within)
        block += self._arm(s.then, then, s, ends | used)
        block += self._arm(s.otherwise, otherwise, s, ends | used)
        if s.values:
            block.append(replace(s, condition=tests[0], then=(), otherwise=()))
        return block

    @staticmethod
    def _either(outer: _Test, now: Block, flag: str, s: Branch) -> Block:
        return (Store(flag, (), FALSE, s.location), *outer.guard(now, s))

    def _arm(self, arm: Block, test: _Test, origin: Branch, used: set[str]) -> list[Statement]:
        block: list[Statement] = []
        for position, run in _runs(arm):
            first = run[0]
            later = used | _values_read(arm[position + len(run) :])
            if isinstance(first, Loop) and first.goes_on is not None:
                block.append(first)
            elif isinstance(first, Loop):
                block.append(replace(first, body=test.guard(first.body, origin)))
            elif isinstance(first, Branch) and _has_loop(first):
                block += self._branch(first, test, later)
            else:
                block += _yielding(test.guard(tuple(run), origin), run, later)
        return block


def _runs(block: Block) -> list[tuple[int, list[Statement]]]:
    """Cut a block at its loops; give each part with its position."""
    runs: list[tuple[int, list[Statement]]] = []
    joins = False
    for position, statement in enumerate(block):
        if _has_loop(statement) or not joins:
            runs.append((position, [statement]))
        else:
            runs[-1][1].append(statement)
        joins = not _has_loop(statement)
    return runs


def _has_loop(statement: Statement) -> bool:
    return any(isinstance(s, Loop) for s in walk((statement,)))


def _values_read(block: Iterable[Statement]) -> set[str]:
    return {name for s in walk(tuple(block)) for term in terms_of(s) for name in term.reads if name.startswith("%")}


def _yielding(guard: Block, run: list[Statement], later: set[str]) -> Block:
    """Let a guard yield the values that its block makes for later statements."""
    made: dict[str, Term] = {}
    for s in run:
        if isinstance(s, Load):
            made[s.value] = value_read(s.value, s.dtype)
        elif isinstance(s, Branch):
            made.update(
                zip(
                    s.values, (value_read(v, t.dtype) for v, t in zip(s.values, s.then_terms, strict=True)), strict=True
                )
            )
    needed = [name for name in made if name in later]
    if not needed or not guard or not isinstance(guard[0], Branch):
        return guard
    outer = guard[0]
    inner = (
        outer.then[0]
        if len(outer.then) == 1 and isinstance(outer.then[0], Branch) and outer.then != tuple(run)
        else None
    )
    chosen = tuple(made[name] for name in needed)
    nothing = tuple(terms.zero(t.dtype) for t in chosen)
    if inner is not None:
        inner = replace(inner, values=tuple(needed), then_terms=chosen, otherwise_terms=nothing)
        outer = replace(outer, then=(inner,))
    return (replace(outer, values=tuple(needed), then_terms=chosen, otherwise_terms=nothing),)
