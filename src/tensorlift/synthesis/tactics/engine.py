"""The engine: every definition is covered by tactics, from its whole term down to what arrays of patterns stand for.

Reads of arrays, scalars, numbers, conversions of types and the pieces of a definition need no tactic: they are access
and structure, not computation.  A user's tactics are tried first, then patterns without groups, larger ones before
smaller ones, then in the order of the tactics.  The program is a candidate: whatever it is, the emitted text is proved
against the summary afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import DefinitionError
from tensorlift.comprehension.notation import show
from tensorlift.comprehension.rewrite import flattened
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Scalar, Term
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.derive.elementwise import select_pieces, value_of
from tensorlift.synthesis.derive.scope import Scope, Value
from tensorlift.synthesis.derive.splitting import at_only_point, over_parts, over_pieces, without_strides
from tensorlift.synthesis.simplify.arithmetic import size
from tensorlift.synthesis.tactics.apply import NotApplicable, apply
from tensorlift.synthesis.tactics.chains import paired, reordered
from tensorlift.synthesis.tactics.match import opened
from tensorlift.synthesis.tactics.matching import matches
from tensorlift.synthesis.tactics.meaning import pattern_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.synthesis.derive import Select
    from tensorlift.synthesis.tactics.load import Tactic
    from tensorlift.synthesis.tactics.match import Match, Pattern

_MOST_MATCHES = 24  # of one tactic and one term
_LONGEST = 120  # characters of a term in a message


@dataclass
class Engine:
    """Covers definitions with tactics, ``own`` ones before all others; ``applied`` names those of the last program."""

    tactics: Sequence[Tactic]
    own: Sequence[Tactic] = ()
    applied: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Order the tactics: own ones, then those without groups, larger patterns first."""
        self._sizes: dict[Term, int] = {}
        self._folded: set[str] = set()
        patterns = [(tactic, pattern_of(tactic.pattern)) for tactic in (*self.own, *self.tactics)]
        own = set(map(id, self.own))
        self._rules = sorted(patterns, key=lambda r: (id(r[0]) not in own, bool(r[1].groups), -size(r[1].term)))

    def program(self, summary: Summary, select: Select | None = None) -> TensorProgram:
        """Return a program that computes what the summary says, made by tactics alone.

        ``select`` says what becomes of it in the operations of an imported dialect.

        Raises:
            LiftError: TL320, where no tactic covers a definition.

        """
        self.applied.clear()
        self._sizes.clear()
        self._folded.clear()
        try:
            return derive(reordered(summary), self.value_of, select)
        except DefinitionError as error:
            reason = error.diagnostics[0]
            message = f"no tactic covers the definition of `{error.definition.array}`: {reason.message}"
            remedy = "add one with --tactics FILE, or lift with --engine derive"
            raise refuse("TL320", message, error.definition.location or reason.location, remedy) from None

    def value_of(self, term: Term, scope: Scope) -> Value:
        """Return the value of a term at every point of the scope's box; only points of its domain need be right."""
        found = scope.memo.get(term)
        if found is None:
            found = scope.memo[term] = self._access(term, scope) or self._covered(term, scope)
        return found

    def _access(self, term: Term, scope: Scope) -> Value | None:
        """Return the value of what needs no tactic."""
        if isinstance(term, Constant | Scalar | Index | Read):
            return value_of(term, scope)
        if isinstance(term, Piecewise):
            return select_pieces(list(term.pieces), scope)
        if isinstance(term, Apply) and term.op == "cast":
            inner = term.args[0]
            if isinstance(inner, Index):
                return value_of(term, scope)
            value = scope.evaluate(inner, scope)
            return Value(scope.build.cast(value.expression, term.dtype), value.axes)
        if isinstance(term, Apply) and not term.args:
            return value_of(term, scope)
        return None

    def _covered(self, term: Term, scope: Scope) -> Value:
        simpler = _simpler(term, scope)
        if simpler is not None:
            return scope.evaluate(simpler, scope)
        failures: list[LiftError] = []
        for in_order in (True, False):  # rather compute a product than its transpose
            for tactic, pattern in self._rules:
                for match in islice(matches(pattern, term, scope.spans, self._sizes), _MOST_MATCHES):
                    if self._is_in_order(tactic, match, scope) == in_order:
                        value = self._applied(tactic, pattern, match, term, scope, failures)
                        if value is not None:
                            return value
        parts = _parts(term, scope)
        if parts is not None:
            return scope.evaluate(parts, scope)
        raise failures[0] if failures else _uncovered(term)

    def _is_in_order(self, tactic: Tactic, match: Match, scope: Scope) -> bool:
        """Tell whether the axes of the result come in the order of the definition; inside of a fold any order does."""
        axes = tuple(v for index in tactic.indices for v in match.axes.get(index, ()))
        return axes == scope.ordered(axes) or not self._folded.isdisjoint(axes)

    def _applied(  # noqa: PLR0913, PLR0917 - a match of a tactic, and what went wrong before
        self, tactic: Tactic, pattern: Pattern, match: Match, term: Term, scope: Scope, failures: list[LiftError]
    ) -> Value | None:
        before = len(self.applied)
        try:
            value = apply(tactic, pattern, match, term, scope, self._folded)
        except NotApplicable:
            return None
        except LiftError as error:
            del self.applied[before:]
            failures.append(error)
            return None
        self.applied.append(tactic.name)
        return value


def _simpler(term: Term, scope: Scope) -> Term | None:
    """Return the same sum over fewer points or as products of two factors, None where it is simple already."""
    if not isinstance(term, Reduce):
        return None
    only = at_only_point(term, scope.domain)
    if only is not None:
        return only
    flat = flattened(term)
    flat = without_strides(flat) or flat
    if flat is not term:
        return flat
    return paired(term, scope.domain, tuple(a for a in scope.spans if a in term.free)) if term.op == "sum" else None


def _parts(term: Term, scope: Scope) -> Term | None:
    """Return a fold that no tactic covers as a combination of simpler folds; None where it is simple."""
    if not isinstance(term, Reduce):
        return None
    split = opened(term)
    if split is not term:
        return split
    full = scope.domain & term.domain
    return over_parts(term, full, scope.domain) or over_pieces(term, full)


def _uncovered(term: Term) -> LiftError:
    text = show(term, term.dtype)
    shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    return refuse("TL320", f"nothing computes `{shown}`", remedy="add a tactic that does")
