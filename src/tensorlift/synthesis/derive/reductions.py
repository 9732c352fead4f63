"""Reductions: sums of products are contractions, prefixes running folds, everything else a fold over axes.

The range of a bound variable is the box around the reduction's domain.  Where the domain is smaller, a triangle of an
operand is taken, or cells outside are replaced by the neutral element; they are never multiplied by zero.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import filterfalse
from typing import TYPE_CHECKING, TypeGuard

from tensorlift.comprehension.rewrite import flattened, place_of, summands, walk
from tensorlift.comprehension.terms import COMBINER, Apply, Read, Reduce, Term, applies, apply, cast, reduce
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ops import scalar_ops
from tensorlift.ops.conversions import is_exact
from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, equal
from tensorlift.synthesis.derive.contraction import contract, plan, reduced
from tensorlift.synthesis.derive.masks import constraint_mask, constraints_of, mask_of, transposed, triangle_of
from tensorlift.synthesis.derive.prefix import position_value, prefix_value
from tensorlift.synthesis.derive.reads import has_windows, readable
from tensorlift.synthesis.derive.scope import Scope, Span, SplitAxis, Value, ranges_between, ranges_of, span_box
from tensorlift.synthesis.derive.splitting import (
    at_only_point,
    over_parts,
    over_pieces,
    without_strides,
    written_out,
)
from tensorlift.synthesis.simplify.arithmetic import factors, product, total

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Expression
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Constraint

_FEW_POINTS = 4  # which cost less written out than as windows
_MOST_POINTS = 16


def reduction_value(term: Reduce, scope: Scope) -> Value:
    """Return the value of a reduction over the axes of the scope, perhaps with a point of it told apart."""
    try:
        return _whole_value(term, scope)
    except SplitAxis as split:
        apart = _told_apart(term, split) if term.bound == (split.axis,) else None
        if apart is None:
            raise
        return scope.evaluate(apart, scope)


def _told_apart(term: Reduce, split: SplitAxis) -> Term | None:
    """Return a reduction as that over one point and that over the others; None where there may be no such point."""
    there = Domain.of(equal(split.axis, split.position))
    point, others = term.domain & there, term.domain - there
    if point.is_empty() or others.is_empty():
        return None
    parts = (reduce(term.op, term.bound, domain.coalesce(), term.body) for domain in (point, others))
    return apply(COMBINER[term.op], *parts)


def _whole_value(term: Reduce, scope: Scope) -> Value:
    only = at_only_point(term, scope.domain)
    if only is not None:
        return scope.evaluate(only, scope)
    flat = flattened(term)
    term = without_strides(flat) or flat
    if term.op == "sum":
        parts = _split(term, scope)
        if parts:
            return scope.evaluate(_factored(parts, term), scope)
        term = _regrouped(_multiplied_wide(term, scope), scope)
    full = scope.domain & term.domain
    if full.is_empty():
        return neutral(term.op, term.dtype, scope)
    known = prefix_value(term, full, scope) or position_value(term, scope, evaluation)
    if known is None and flat is not term:
        known = prefix_value(flat, scope.domain & flat.domain, scope)
    if known is not None:
        return known
    try:
        inner, extra = evaluation(term, full, scope)
    except LiftError:
        simpler = over_parts(term, full, scope.domain) or over_pieces(term, full)
        if simpler is None:
            raise
        return scope.evaluate(simpler, scope)
    ungathered = _without_gathers(term, full, inner, scope) if _gathers(term, inner) else None
    if ungathered is not None:
        return ungathered
    return _sum(term, inner, extra, scope) if term.op == "sum" else _fold(term, inner, extra, scope)


def _gathers(term: Reduce, inner: Scope) -> bool:
    """Tell whether the body has windows whose ranges may be empty, which would have to be gathered."""
    return any(not has_windows(axes, inner) for axes in _windows(term, inner))


def _windows(term: Reduce, inner: Scope) -> list[tuple[str, ...]]:
    """Return the axes of each subscript of the body that has several."""
    reads = (node for node in walk(term.body) if isinstance(node, Read))
    return [axes for node in reads for axes in map(inner.axes_of_affine, node.indices) if len(axes) > 1]


def _without_gathers(term: Reduce, full: Domain, inner: Scope, scope: Scope) -> Value | None:
    """Return a reduction over a few points written out, else a contraction with windows where there are some."""
    explicit = written_out(term, full, scope.spans, _FEW_POINTS)
    windows = _where_filled(term, inner, scope) if explicit is None else None
    if windows is not None:
        return windows
    explicit = explicit or written_out(term, full, scope.spans, _MOST_POINTS)
    return None if explicit is None else scope.evaluate(explicit, scope)


def _where_filled(term: Reduce, inner: Scope, scope: Scope) -> Value | None:
    """Return a contraction with windows for sizes for which there are some, and zeros, or no cells, for others."""
    if term.op != "sum" or not scope.build.chooses or not _is_product(term.body, term.bound) or term.body.has_domains:
        return None
    filled = Domain.of(*(at_least(inner.extent(name), 1) for axes in _windows(term, inner) for name in axes))
    if scope.context.is_disjoint(filled) or not scope.is_of_sizes(filled):
        return None
    value = scope.evaluate(term, scope.within(scope.context & filled))
    shape = tuple(map(scope.extent, value.axes))
    nothing = neutral(term.op, term.dtype, scope)
    mask = mask_of(filled, replace(scope, spans={}, domain=UNIVERSE))
    assert mask is not None
    cases = (scope.filled(case, value.axes, shape) for case in (value, nothing))
    return Value(scope.build.conditional(mask.expression, *cases), value.axes)


# -- the box


def evaluation(term: Reduce, full: Domain, scope: Scope) -> tuple[Scope, Domain | None]:
    """Return the scope of the body, and the domain where it is smaller than the box."""
    natural = {v: _natural(term.body, v, scope) for v in term.bound}
    spans = ranges_of(full, term.bound, (*scope.spans, *term.bound))
    if spans is not None:
        box = scope.domain & span_box(spans)
        if box.is_subset(full):
            inner = scope.inner(full, spans)
            if readable(term.body, full, inner.box, scope):
                return inner, None
            raise _no_box()
    between = ranges_between(full, term.bound, scope) if spans is None else None
    if between is not None:
        inner = replace(scope.inner(full, between[0]), context=scope.context & between[1])
        if (scope.domain & between[1] & span_box(between[0])).is_subset(full) and readable(
            term.body, full, inner.box, inner
        ):
            return inner, None
    chosen = {v: _wider(natural[v], (spans or {}).get(v)) for v in term.bound}
    is_masked = any(map(term.domain.mentions, scope.spans))  # a domain that depends on axes has no other way
    for candidate in (chosen, spans or {}):
        known = {v: span for v, span in candidate.items() if span is not None}
        if len(known) < len(term.bound) or (spans is None and not is_masked):
            continue
        inner = scope.inner(full, known)
        if full.is_subset(span_box(known)) and readable(term.body, full, inner.box, scope):
            return inner, full
    raise _no_box()


def _wider(whole: Span | None, span: Span | None) -> Span | None:
    """Return the whole axis, which needs no slice, unless the range of a sum is another part of it than most."""
    if whole is None or span is None:
        return whole or span
    return whole if ((whole[1] - whole[0]) - (span[1] - span[0])).is_constant else span


def _no_box() -> LiftError:
    message = "no box around the points of a sum, product or extreme stays inside the arrays that it reads"
    return refuse("TL301", message, remedy="give the loop one plain range with step 1, or split it")


def _natural(body: Term, name: str, scope: Scope) -> Span | None:
    """Return the whole axis where every array is read at the plain variable, so that no slice is needed."""
    extents = set()
    for node in walk(body):
        if isinstance(node, Read):
            extents |= {
                extent if index.variable == name else None
                for index, extent in zip(node.indices, scope.shapes[node.array], strict=True)
                if index.coefficient(name)
            }
    extent = extents.pop() if len(extents) == 1 else None
    return None if extent is None else (ZERO, extent)


# -- sums


def _split(term: Reduce, scope: Scope) -> list[tuple[int, Term]]:
    """Split a sum of summands where each alone needs fewer axes at a time, or is a product by itself."""
    parts = summands(term.body)
    if len(parts) == 1 and parts[0][0] > 0:
        return []
    if len(parts) > 1:
        together = len(scope.axes_of(term.body)) + sum(v in term.body.free for v in term.bound)
        reads = [node.free for node in walk(term.body) if isinstance(node, Read)]
        most = max((len(scope.ordered(free)) + sum(v in free for v in term.bound) for free in reads), default=0)
        if together <= most and not all(_is_product(part, term.bound) for _, part in parts):
            return []
    return parts


def _is_product(term: Term, bound: tuple[str, ...]) -> bool:
    above, below = factors(term)
    return not below and sum(not f.free.isdisjoint(bound) for f in above) > 1


def _factored(parts: list[tuple[int, Term]], term: Reduce) -> Term:
    """Return signed summands as sums of their own, with what they all are multiplied by in front."""
    bound = set(term.bound)
    above = [factors(part)[0] for _, part in parts]
    outside = [[f for f in listed if f.free.isdisjoint(bound)] for listed in above]
    common = outside[0] if all(set(o) == set(outside[0]) and len(o) == len(outside[0]) for o in outside) else []
    sums = []
    for sign, part in parts:
        numerators, denominators = factors(part)
        body = product([f for f in numerators if f not in common], denominators, part)
        sums.append((sign, reduce("sum", term.bound, term.domain, body)))
    return product([*common, total(sums, term)], [], term)


def _multiplied_wide(term: Reduce, scope: Scope) -> Reduce:
    """Multiply in the type of the sum where products in a narrower one would have more axes than factors in memory."""
    above, below = factors(term.body)
    axes = frozenset(scope.spans) | set(term.bound)
    wide: list[Term] = []
    for factor in above:
        narrow, divided = factors(factor.args[0]) if _is_widened(factor) else ([], [])
        most = factor.free & axes
        is_larger = not divided and len(narrow) > 1 and all(_axes_of(f, axes) < len(most) for f in narrow)
        wide += [cast(f, term.dtype) for f in narrow] if is_larger else [factor]
    if len(wide) == len(above):
        return term
    whole = reduce("sum", term.bound, term.domain, product(wide, below, term.body))
    assert isinstance(whole, Reduce)
    return whole


def _axes_of(factor: Term, axes: frozenset[str]) -> int:
    """Count the axes that a factor has in memory, where windows lie over each other."""
    return len(factor.indices) if isinstance(factor, Read) else len(factor.free & axes)


def _is_widened(term: Term) -> TypeGuard[Apply]:
    """Tell whether a term is a float that was a narrower one before."""
    return applies(term, "cast") and is_float(term.args[0].dtype) and is_exact(term.args[0].dtype, term.dtype)


def _regrouped(term: Reduce, scope: Scope) -> Reduce:
    """Flatten a sum inside a product where another grouping needs fewer nested loops: ``A @ (B @ x)``."""
    above, below = factors(term.body)
    sums = [f for f in above if isinstance(f, Reduce) and f.op == "sum" and f.dtype == term.dtype]
    nested = [f for f in sums if place_of(f) is None]
    if len(nested) != 1 or below:
        return term
    inner = nested[0]
    inner_above, inner_below = factors(inner.body)
    if inner_below or set(inner.bound) & set(term.bound):
        return term
    axes = set(scope.spans) | set(term.bound) | set(inner.bound)
    labels = [frozenset(f.free & axes) for f in inner_above]
    outer = [frozenset(f.free & axes) for f in above if f is not inner]
    result = frozenset().union(*labels) - set(inner.bound)
    output = frozenset().union(*labels, *outer) - set(inner.bound) - set(term.bound)
    as_written = sorted((*plan(labels, result)[0], *plan([*outer, result], output)[0]), reverse=True)
    if plan([*outer, *labels], output)[0] >= tuple(as_written):
        return term
    flat = [x for f in above for x in (inner_above if f is inner else [f])]
    body = product(flat, [], term.body)
    regrouped = reduce("sum", (*term.bound, *inner.bound), term.domain & inner.domain, body)
    assert isinstance(regrouped, Reduce)
    return regrouped


def _sum(term: Reduce, inner: Scope, extra: Domain | None, scope: Scope) -> Value:
    above, below = factors(term.body)
    bound = set(term.bound)

    def moves(factor: Term) -> bool:
        return not factor.free.isdisjoint(bound)

    if any(map(moves, below)):
        quotient = product(filter(moves, above), filter(moves, below), term.body)
        above, below = [*filterfalse(moves, above), quotient], list(filterfalse(moves, below))
    within = _where_it_counts(term, inner, extra)
    operands = [within.evaluate(f, within) for f in above if moves(f)]
    factors_outside = [scope.evaluate(f, scope) for f in above if not moves(f)]
    operands = _restricted(operands, term, inner, extra)
    covered = {a for value in operands for a in value.axes}
    factors_outside += [_count(inner, name, term) for name in term.bound if name not in covered]
    if operands:
        output = tuple(a for a in inner.spans if a in covered and a not in bound)
        factors_outside.append(contract(operands, output, inner))
    result = factors_outside[0]
    for factor in factors_outside[1:]:
        result = scope.combined("mul", result, factor)
    for divisor in below:
        result = scope.combined("div", result, scope.evaluate(divisor, scope))
    return result


def _count(inner: Scope, name: str, term: Reduce) -> Value:
    extent = inner.extent(name)
    size = inner.build.size(extent, term.dtype)
    if not inner.context.implies(at_least(extent, 0)):
        size = inner.build.elementwise("max", size, inner.build.literal(0, term.dtype))
    return Value(size, ())


def _restricted(operands: list[Value], term: Reduce, inner: Scope, extra: Domain | None) -> list[Value]:
    """Make the operands zero outside the domain: one operand for each constraint is enough."""
    if extra is None:
        return operands
    within = inner.domain.gist(_outer_box(inner, term))
    parts = constraints_of(within)
    wide = inner.inner(_outer_box(inner, term))
    if len(parts) > 1:
        mask = mask_of(within, wide)
        return operands if mask is None else masked(operands, mask, term, inner)
    for constraint in parts[0]:
        operands = as_triangle(operands, constraint, inner) or masked(
            operands, constraint_mask(constraint, wide), term, inner
        )
    return operands


def _where_it_counts(term: Reduce, inner: Scope, extra: Domain | None) -> Scope:
    """Return the scope of the body, which reads at places that depend on data only where its domain holds."""
    reads = (node for node in walk(term.body) if isinstance(node, Reduce))
    if extra is None or all(place_of(node) is None for node in reads):
        return inner
    box = _outer_box(inner, term)
    mask = mask_of(inner.domain.gist(box), inner.inner(box))
    return inner if mask is None else inner.guarded(mask)


def _outer_box(inner: Scope, term: Reduce) -> Domain:
    """Return the points of the surrounding domain with every bound variable in its whole range."""
    return inner.domain.project_out(*term.bound) & inner.box


def as_triangle(operands: list[Value], constraint: Constraint, inner: Scope) -> list[Value] | None:
    """Return the operands, one of them a triangle by a constraint and zero elsewhere; None where none has both axes."""
    shape = triangle_of(constraint, inner)
    if shape is None:
        return None
    for position, value in enumerate(operands):
        for turned in (shape, transposed(shape)):
            if value.axes[-2:] == (turned.row, turned.column):
                matrix = inner.build.triangle(value.expression, is_upper=turned.is_upper, offset=turned.offset)
                return [*operands[:position], Value(matrix, value.axes), *operands[position + 1 :]]
    return None


def masked(operands: list[Value], mask: Value, term: Term, inner: Scope) -> list[Value]:
    """Return the operands, one of them zero where the mask does not hold."""
    if not operands:
        return [inner.converted(mask, term.dtype)]
    best = max(range(len(operands)), key=lambda k: (len(set(operands[k].axes) & set(mask.axes)), -k))
    chosen = inner.combined("select", mask, operands[best], inner.number(0, term.dtype))
    return [*operands[:best], chosen, *operands[best + 1 :]]


# -- other folds


def _fold(term: Reduce, inner: Scope, extra: Domain | None, scope: Scope) -> Value:
    within = _where_it_counts(term, inner, extra)
    value = within.evaluate(term.body, within)
    if extra is not None:
        wide = inner.inner(_outer_box(inner, term))
        mask = mask_of(inner.domain.gist(wide.domain), wide)
        if mask is not None:
            value = inner.combined("select", mask, value, neutral(term.op, term.dtype, inner))
    missing = [name for name in term.bound if name not in value.axes]
    if missing and term.op == "prod":
        size = Value(inner.build.size(_product_extent(inner, missing, term), "i64"), ())
        value = inner.combined("pow", value, size)
    folded = [name for name in value.axes if name in term.bound]
    value = reduced(term.op, value, folded, inner, initial(term, inner, scope))
    return value if term.op == "prod" else _unless_empty(value, missing, term, inner)


def _unless_empty(value: Value, missing: list[str], term: Reduce, inner: Scope) -> Value:
    """Return the neutral element where there is no element, for variables that the value does not depend on."""
    for name in missing:
        if inner.context.implies(at_least(inner.extent(name), 1)):
            continue
        size, least = inner.build.size(inner.extent(name)), inner.build.literal(1, "i64")
        is_some = Value(inner.build.elementwise("ge", size, least), ())
        value = inner.combined("select", is_some, value, neutral(term.op, term.dtype, inner))
    return value


def _product_extent(inner: Scope, names: list[str], term: Reduce) -> Affine:
    if len(names) > 1 or not inner.context.implies(at_least(inner.extent(names[0]), 0)) or not is_float(term.dtype):
        raise refuse("TL303", "a product repeats a factor that does not depend on its loop", remedy="use pow")
    return inner.extent(names[0])


def initial(term: Reduce, inner: Scope, scope: Scope) -> Expression | None:
    """Return the value for an empty axis where one may be empty and the fold has none of its own."""
    return start_of(term.op, term.dtype, map(inner.extent, term.bound), scope)


def start_of(op: Reducer, dtype: DType, extents: Iterable[Affine], scope: Scope) -> Expression | None:
    """Return the value for an empty axis where one of some extents may be empty and the fold has none of its own."""
    if op in ("prod", "any", "all") or all(scope.context.implies(at_least(extent, 1)) for extent in extents):
        return None
    return neutral(op, dtype, scope).expression


def neutral(op: Reducer, dtype: DType, scope: Scope) -> Value:
    """Return the value that a fold leaves as it is."""
    return scope.number(scalar_ops.neutral(op.removeprefix("f"), dtype), dtype)
