"""The engine: every definition is covered by tactics, from its whole term down to what arrays of patterns stand for.

Reads of arrays, scalars, numbers, conversions of types and the pieces of a definition need no tactic: they are access
and structure, not computation.  A user's tactics are tried first, then patterns without groups, larger ones before
smaller ones, then in the order of the tactics.  The program is a candidate: whatever it is, the emitted text is proved
against the summary afterwards.

The steps of a tactic are taken on what the arrays of its pattern stand for.  Axes carry names, so a transposition or a
reshape only says which names come in which order; the axes move where an operation needs them in another order, and
joint axes are contracted together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import DefinitionError
from tensorlift.comprehension.notation import show
from tensorlift.comprehension.rewrite import flattened, substitute
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Scalar, Term
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ir.tensor_program import Literal
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Constraint, Domain
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.derive.contraction import contract, reduced
from tensorlift.synthesis.derive.elementwise import guarded_operands, select_pieces, select_value, value_of
from tensorlift.synthesis.derive.masks import constraint_mask
from tensorlift.synthesis.derive.reductions import as_triangle, evaluation, initial, masked
from tensorlift.synthesis.derive.scope import Scope, Span, Value, span_box
from tensorlift.synthesis.derive.splitting import at_only_point, over_parts, over_pieces, without_strides
from tensorlift.synthesis.simplify.arithmetic import size
from tensorlift.synthesis.tactics.chains import paired, reordered
from tensorlift.synthesis.tactics.matching import matches, moved_axes, opened
from tensorlift.synthesis.tactics.meaning import constraint_of, pattern_of
from tensorlift.synthesis.tactics.steps import PRODUCTS, REARRANGEMENTS, REDUCTIONS, Operand, Step, Tensor
from tensorlift.synthesis.tactics.syntax import Name, Number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.synthesis.derive import Select
    from tensorlift.synthesis.tactics.load import Tactic
    from tensorlift.synthesis.tactics.matching import Match, Pattern


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
            if term in scope.uncovered:
                raise scope.uncovered[term]
            try:
                found = scope.memo[term] = self._access(term, scope) or self._covered(term, scope)
            except LiftError as error:
                scope.uncovered[term] = error
                raise
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
            return scope.converted(scope.evaluate(inner, scope), term.dtype)
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


_MATRIX = 2


class NotApplicable(Exception):  # noqa: N818 - a way out, not a failure
    """Raised where a match has no program after all; another match or tactic may have one."""


def apply(tactic: Tactic, pattern: Pattern, match: Match, term: Term, scope: Scope, folded: set[str]) -> Value:  # noqa: PLR0913, PLR0917 - all that it is made of
    """Return the value that the steps of a tactic compute for a match of a term.

    ``folded`` collects the variables of the folds that are entered.

    Raises:
        NotApplicable: where the points of a fold are not those of the pattern, or an operation does not fit.
        LiftError: where what an array stands for has no program.

    """
    return _Application(pattern, match, term, scope, folded).run(tactic)


class _Application:
    def __init__(self, pattern: Pattern, match: Match, term: Term, scope: Scope, folded: set[str]) -> None:
        self.pattern = pattern
        self.match = match
        self.term = term
        self.scope = scope
        self.folded = folded
        self.inner = self._inside()
        self.folded |= self.match.bound
        self.made: dict[str, tuple[tuple[str, ...], Value | None]] = {}

    def _inside(self) -> Scope:
        """Return the scope with the axes of the folds."""
        spans: dict[str, Span] = {}
        for fold in self.match.folds:
            full = self.scope.domain & fold.term.domain
            if full.is_empty():
                raise NotApplicable
            try:
                inner, extra = evaluation(fold.term, full, self.scope)
            except LiftError as error:
                raise NotApplicable from error
            own = {v: inner.spans[v] for v in fold.term.bound}
            if any(spans.get(v, span) != span for v, span in own.items()):
                raise NotApplicable
            spans |= own
            if fold.conditions:
                self._check_points(full, own, fold.conditions)
            elif extra is not None:
                raise NotApplicable
        return self.scope.inner(self.scope.domain & span_box(spans), spans) if spans else self.scope

    def _check_points(self, full: Domain, spans: Mapping[str, Span], conditions: tuple[Constraint, ...]) -> None:
        """Demand that the points of a fold are those of its ranges that satisfy the pattern's conditions."""
        box = self.scope.domain & span_box(spans)
        if not full.is_equal(box & Domain.of(*map(self._named, conditions))):
            raise NotApplicable

    def _named(self, condition: Constraint) -> Constraint:
        """Return a condition of the pattern on the variables of the subject."""
        return condition.substitute({v: Affine.var(self.match.axes[v][0]) for v in condition.affine.variables})

    def run(self, tactic: Tactic) -> Value:
        """Take the steps and return the result."""
        for step in tactic.program.steps:
            self.made[step.target.array] = step.target.indices, self._step(step)
        value = self.made[tactic.result][1]
        if value is None or value.expression.dtype != self.term.dtype or not set(value.axes) <= set(self.scope.spans):
            raise NotApplicable
        return value

    # -- operands

    def _axes(self, indices: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(v for index in indices for v in self.match.axes.get(index, ()))

    def _value(self, operand: Operand) -> Value | None:
        if isinstance(operand, Number):
            return self.inner.number(operand.value, self.term.dtype)
        if isinstance(operand, Name):
            return self.scope.evaluate(self.match.scalars[operand.name], self.scope)
        if operand.array in self.made:
            return self._reindexed(operand)
        term = self._subject(operand)
        if term is None:
            return None
        is_inside = not self.match.bound.isdisjoint(term.free)
        return self.inner.evaluate(term, self.inner) if is_inside else self.scope.evaluate(term, self.scope)

    def _reindexed(self, operand: Tensor) -> Value | None:
        """Return an array that a step made, its axes named as the operand says."""
        indices, value = self.made[operand.array]
        if value is None or indices == operand.indices:
            return value
        names = dict(zip(self._axes(indices), self._axes(operand.indices), strict=True))
        return Value(value.expression, tuple(names[a] for a in value.axes))

    def _subject(self, operand: Tensor) -> Term | None:
        """Return what an array of the pattern stands for, at the indices of the operand."""
        bound = self.match.arrays.get(operand.array)
        if bound is None:
            return None
        read, term = bound
        first = [self.pattern.labels.get(index.variable or "") for index in read.indices]
        other = [s.only for s in operand.subscripts]
        if first == other or None in other:
            return term
        values = moved_axes(first, other, self.match)
        if values is None:
            raise NotApplicable
        return substitute(term, values)

    # -- steps

    def _step(self, step: Step) -> Value | None:
        if step.op == "select":
            return self._select(step)
        values = [self._value(operand) for operand in step.operands]
        if step.op in REARRANGEMENTS:
            return values[0]
        if None in values:
            return self._without(step.op, values)
        present = [v for v in values if v is not None]
        if step.op in PRODUCTS:
            return self._product(present, step)
        if step.op in REDUCTIONS:
            return self._reduction(present[0], step)
        if step.op == "triangle":
            return self._triangle(present[0], step)
        return self._elementwise(step.op, present)

    def _without(self, op: str, values: list[Value | None]) -> Value | None:
        """Combine with a value before that is left out: neutral for sums and extremes, absorbing for products."""
        present = [v for v in values if v is not None]
        if op == "mul" or not present:
            return None
        if op in ("add", "max", "min"):
            return present[0]
        if op == "sub" and values[0] is None:
            return self.inner.combined("neg", present[0])
        raise NotApplicable

    def _elementwise(self, op: str, values: list[Value]) -> Value:
        if len({v.expression.dtype for v in values}) > 1 and op != "pow":
            raise NotApplicable
        scope = self.inner
        if op == "mul" and isinstance(values[0].expression, Literal) and values[0].expression.value == -1:
            return scope.combined("neg", values[1])
        return scope.combined(op, *guarded_operands(op, values, scope))

    def _select(self, step: Step) -> Value:
        """Choose by a condition; an arm that may fail gets harmless operands where it does not count."""
        parts = []
        for operand in step.operands:
            if not isinstance(operand, Tensor) or operand.array in self.made:
                raise NotApplicable
            part = self._subject(operand)
            if part is None:
                raise NotApplicable
            parts.append(part)
        return select_value((parts[0], parts[1], parts[2]), self.term.dtype, self.scope)

    def _product(self, values: list[Value], step: Step) -> Value:
        if len({v.expression.dtype for v in values}) > 1 or any(not v.axes for v in values):
            raise NotApplicable
        axes = {a for v in values for a in v.axes}
        summed = axes - set(self._axes(step.target.indices))
        if not summed <= self.match.bound or not self._is_complete(step, axes):
            raise NotApplicable
        target = tuple(a for a in self._axes(step.target.indices) if a in axes)
        in_order = self.inner.ordered(target)
        shared = set(values[0].axes) & set(values[-1].axes)
        if len(values) != 2 or self._keeps_order(target, in_order) or not summed <= shared or values[0] == values[1]:  # noqa: PLR2004 - a pair
            return contract(values, in_order, self.inner)
        if not summed:
            return self.inner.combined("mul", *values)
        if len(target) > _MATRIX and shared == summed:  # rows, then columns: one product of matrices and no einsum
            target = tuple(a for v in values for a in v.axes if a not in summed)
        operands, labels = tuple(v.expression for v in values), tuple(v.axes for v in values)
        return Value(self.inner.build.contraction(operands, labels, target), target)

    def _keeps_order(self, target: tuple[str, ...], in_order: tuple[str, ...]) -> bool:
        """Tell whether a product has its axes in the order of the definition.

        A matrix product may as well be computed transposed; one that stands inside of another has the order that its
        tactic says, and so has one of joint axes, which are moved afterwards.
        """
        return len(target) <= _MATRIX and not any(a in self.folded for a in in_order)

    def _is_complete(self, step: Step, axes: set[str]) -> bool:
        """Tell whether every index that is summed over is an axis of an operand: else it would count more than once."""
        target = set(self._axes(step.target.indices))
        return all(a in axes for a in self._axes(step.indices) if a not in target)

    def _reduction(self, value: Value, step: Step) -> Value:
        kept = set(self._axes(step.target.indices))
        summed = [a for a in self._axes(step.indices) if a not in kept]
        if not set(summed) <= set(value.axes):
            raise NotApplicable
        fold = next(f.term for f in self.match.folds if set(summed) <= set(f.term.bound))
        start = None if fold.op == "sum" else initial(fold, self.inner, self.scope)
        return reduced(REDUCTIONS[step.op], value, summed, self.inner, start)

    def _triangle(self, value: Value, step: Step) -> Value:
        for condition in step.conditions:
            named = self._named(constraint_of(condition))
            kept = as_triangle([value], named, self.inner)
            if kept is None:
                kept = masked([value], constraint_mask(named, self.inner), self.term, self.inner)
            (value,) = kept
        return value
