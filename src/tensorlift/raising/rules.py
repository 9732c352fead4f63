"""Tactics for modules as rules: patterns with what they build, and what became of them in the module at hand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tensorlift.raising.passes import NESTS
from tensorlift.synthesis.tactics.built import built_from
from tensorlift.synthesis.tactics.meaning import pattern_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from xdsl.context import Context
    from xdsl.ir import Operation

    from tensorlift.raising.routines import Callee
    from tensorlift.raising.standins import StandIn
    from tensorlift.synthesis.tactics.built import Built
    from tensorlift.synthesis.tactics.load import Tactic
    from tensorlift.synthesis.tactics.matching import Pattern


@dataclass(frozen=True)
class Rule:
    """A tactic, its pattern, and what it builds."""

    tactic: Tactic
    pattern: Pattern
    built: tuple[Built, ...]

    def fires_on(self, operation: str) -> bool:
        """Tell whether the tactic is for an operation of a module; without a word of its own it is for loops."""
        levels = [level.operation for level in self.tactic.program.levels]
        return operation in (levels or NESTS)

    @staticmethod
    def of(tactic: Tactic) -> Rule:
        """Return the rule of a tactic."""
        return Rule(tactic, pattern_of(tactic.pattern), tuple(built_from(tactic.program.steps)))


@dataclass(frozen=True)
class Attempt:
    """A match of a tactic, by the number of the tactic and of the match."""

    rule: int
    match: int


@dataclass
class Given:
    """What tactics may use, and what became of them.

    ``functions`` are those of the module, by name: the types that they take, None where they give values, and their
    text where they have a body; ``failed`` are attempts that are not made again, and why.
    """

    rules: Sequence[Rule]
    functions: Mapping[str, tuple[Sequence[str] | None, str]]
    context: Context
    lowerings: Sequence[Operation] = ()
    taken: Collection[str] = ()  # names of the module's functions
    level: str = ""  # the name of the operation at hand
    failed: dict[Attempt, str] = field(default_factory=dict)
    fired: list[Attempt] = field(default_factory=list)
    missed: dict[tuple[str, str], str] = field(default_factory=dict)  # why, by the array and the tactic
    explained: list[Operation] = field(default_factory=list)  # nests, those inside of them included
    stand_ins: dict[str, StandIn] = field(default_factory=dict)
    routines: dict[str, Callee] = field(default_factory=dict)  # of BLAS, in the module

    def name(self, attempt: Attempt) -> str:
        """Return the name of the tactic of an attempt."""
        return self.rules[attempt.rule].tactic.name

    def stand_in(self, wanted: StandIn) -> StandIn:
        """Return a stand-in under a name that no other one has, and no function of the module that is another one."""
        stem, number = wanted.name, 2
        while (wanted.name in self.taken and not wanted.is_call) or (
            self.stand_ins.setdefault(wanted.name, wanted) != wanted
        ):
            wanted, number = replace(wanted, name=f"{stem}_{number}"), number + 1
        return wanted
