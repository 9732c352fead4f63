"""Padding: arrays with a border, so that windows and shifted slices may reach beyond what the source reads.

``sum(k : 0 <= i + k - 1 < n) x(i + k - 1) * w(k)`` reads outside of ``x`` at the ends of the box of ``i`` and ``k``.
With ``x_padded(p) = { x(p - 1) if 1 <= p <= n; 0 elsewhere }`` it is ``sum(k) x_padded(i + k) * w(k)`` over the whole
box: the border adds nothing.  Maxima and minima have borders that they ignore.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import Definition
from tensorlift.comprehension.rewrite import flattened
from tensorlift.comprehension.terms import Piecewise, Read, Reduce, Term
from tensorlift.ops.dtypes import integer_range, is_float
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.domain import Domain, NotAffine, at_least, equal
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import extreme_of
from tensorlift.synthesis.derive.scope import Span, ends_over, ranges_of, span_box
from tensorlift.synthesis.simplify.arithmetic import factors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tensorlift.synthesis.derive.builder import Builder

_MOST_CELLS = 1 << 12  # of a border that does not depend on sizes
Border = tuple[tuple[Affine, Affine], ...]  # for each axis, by how much it grows before and after


@dataclass
class Padding:
    """Rewrites one definition; ``shapes`` are those of the versions, ``context`` is what is known of sizes.

    Where a program chooses by sizes what it computes, it does so rather than pad for a place that may not exist.
    """

    definition: Definition
    shapes: Mapping[str, tuple[Affine, ...]]
    context: Domain
    build: Builder
    arrays: dict[tuple[str, Border, Term], Definition] = field(default_factory=dict)

    def result(self) -> tuple[list[Definition], Definition] | None:
        """Return padded arrays, and the definition over them; None where nothing is padded or united."""
        spans = {i: (ZERO, extent) for i, extent in zip(self.definition.indices, self.definition.shape, strict=True)}
        pieces = [(d, self._padded(t, d & self.definition.domain, spans)) for d, t in united(self.definition.pieces)]
        if not self.arrays and len(pieces) == len(self.definition.pieces):
            return None
        return list(self.arrays.values()), replace(self.definition, pieces=tuple(self._without_border(pieces)))

    def _padded(self, term: Term, where: Domain, spans: Mapping[str, Span]) -> Term:
        if not term.reads:
            return term
        if isinstance(term, Read):
            return self._read(term, spans, terms.zero(term.dtype))
        if isinstance(term, Reduce):
            return self._reduced(term, where, spans)
        if isinstance(term, Piecewise):
            return terms.piecewise([(d, self._padded(t, where & d, spans)) for d, t in term.pieces])
        return rewrite.rebuild(term, lambda child: self._padded(child, where, spans))

    def _reduced(self, term: Reduce, where: Domain, spans: Mapping[str, Span]) -> Term:
        term = flattened(term)
        full = where & term.domain
        found = {name: _own_range(full, name, (*spans, *term.bound)) for name in term.bound}
        inner = dict(spans)
        for name, span in found.items():
            if span is None:
                return term
            inner[name] = span
        if isinstance(term.body, Read):
            body = self._read(term.body, inner, _neutral(term))
        else:
            body = self._padded(term.body, full, inner)
        bounds = {name: inner[name] for name in term.bound}
        outside = (where & span_box(bounds)) - full
        is_ignored = body is not term.body and self._is_border(body, outside, term.op)
        return terms.reduce(term.op, term.bound, span_box(bounds) if is_ignored else term.domain, body)

    def _is_border(self, body: Term, outside: Domain, op: str) -> bool:
        """Tell whether the body has the value that the reduction ignores at all points outside of its domain."""
        candidates = list(map(terms.unconverted, factors(body)[0])) if op == "sum" else [body]
        found = [self._inside(factor) for factor in candidates if isinstance(factor, Read)]
        return any((outside & inside).is_empty() for inside in found if inside is not None)

    def _inside(self, read: Read) -> Domain | None:
        """Return where a read of a padded array is inside of the border."""
        for (array, border, _), padded in self.arrays.items():
            if padded.name == read.array:
                return _within(read.indices, border, self.shapes[array])
        return None

    def _read(self, read: Read, spans: Mapping[str, Span], fill: Term) -> Term:
        missing = self._missing(read, spans) if self.build.chooses else None
        if missing is not None:
            return terms.piecewise([(missing, fill), (missing.complement(), read)])
        border: list[tuple[Affine, Affine]] = []
        for index, extent in zip(read.indices, self.shapes[read.array], strict=True):
            least, most = ends_over(index, spans)
            before, after = self._excess(-least), self._excess(most - extent + 1)
            if before is None or after is None:
                return read
            border.append((before, after))
        if all(before == after == ZERO for before, after in border):
            return read
        key = read.array, tuple(border), fill
        if key not in self.arrays:
            self.arrays[key] = self._array(*key, read)
        indices = tuple(index + before for index, (before, _) in zip(read.indices, border, strict=True))
        return terms.read(self.arrays[key].name, indices, read.dtype)

    def _missing(self, read: Read, spans: Mapping[str, Span]) -> Domain | None:
        """Return the sizes for which an array lacks the places of a read that no index moves, if any."""
        shape = self.shapes[read.array]
        fixed = {k: index for k, index in enumerate(read.indices) if not index.mentions(spans)}
        there = Domain.box(fixed.values(), [shape[k] for k in fixed])
        missing = self.context - there
        return missing if self.build.tells(missing, self.shapes.values()) and not missing.is_empty() else None

    def _excess(self, beyond: Affine) -> Affine | None:
        """Return by how much an axis must grow at one end: not at all, by an affine number, or by a constant."""
        amounts = [ZERO, beyond]
        least, most = (self._constant_end(beyond, maximum=maximum) for maximum in (False, True))
        amounts += [] if least is None else [beyond - least]
        amounts += [] if most is None else [most]
        amounts.append(
            Affine(max(beyond.constant, 0), {name: c for name, c in beyond.terms if c > 0})
        )  # more than enough
        enough = (a for a in amounts if self.context.implies(at_least(a, beyond), at_least(a, 0)))
        return next(enough, None)

    def _constant_end(self, value: Affine, *, maximum: bool) -> Affine | None:
        """Return the least or greatest value over all sizes, if it is a small number: no end of what a type holds."""
        name = fresh("end")
        reached = self.context & Domain.of(equal(value, name))
        try:
            ends = extreme_of(
                reached.project_out(*(v for v in reached.variables() if v != name)), name, maximum=maximum
            )
        except NotAffine:  # without bound
            return None
        end = ends[0][1] if len(ends) == 1 and ends[0][1].is_constant else None
        return None if end is None or abs(end.constant) > _MOST_CELLS else end

    def _array(self, name: str, border: Border, fill: Term, read: Read) -> Definition:
        shape = tuple(extent + b + a for extent, (b, a) in zip(self.shapes[name], border, strict=True))
        indices = tuple(fresh("p") for _ in shape)
        box = self.context & Domain.box(indices, shape)
        inside = box & _within(map(Affine.var, indices), border, self.shapes[name])
        cells = tuple(Affine.var(i) - before for i, (before, _) in zip(indices, border, strict=True))
        pieces = ((inside, terms.read(name, cells, read.dtype)), (box - inside, fill))
        padded = f"{name}_padded"
        while padded in self.shapes or any(d.name == padded for d in self.arrays.values()):
            padded += "_"
        return Definition(padded, padded, read.dtype, indices, shape, box, pieces, self.definition.location)

    def _without_border(self, pieces: list[tuple[Domain, Term]]) -> list[tuple[Domain, Term]]:
        """Let a piece that reads a padded array take over those that have the value of its border."""
        for position, (domain, term) in enumerate(pieces):
            inside = self._inside(term) if isinstance(term, Read) else None
            fill = next((key[2] for key, d in self.arrays.items() if d.name in term.reads), None)
            others = [d for k, (d, t) in enumerate(pieces) if k != position and t is fill]
            if inside is not None and others and all((d & inside).is_empty() for d in others):
                rest = [p for k, p in enumerate(pieces) if k != position and p[1] is not fill]
                return [(Domain.union([domain, *others]).coalesce(), term), *rest]
        return pieces


def united(pieces: tuple[tuple[Domain, Term], ...]) -> list[tuple[Domain, Term]]:
    """Unite pieces that are reductions of the same terms over other points."""
    result: list[tuple[Domain, Term]] = []
    for domain, term in pieces:
        for position, (other, earlier) in enumerate(result):
            joined = _joined(domain, term, other, earlier)
            if joined is not None:
                result[position] = joined
                break
        else:
            result.append((domain, term))
    return result


def _joined(domain: Domain, term: Term, other: Domain, earlier: Term) -> tuple[Domain, Term] | None:
    if not (isinstance(term, Reduce) and isinstance(earlier, Reduce)) or term.op != earlier.op:
        return None
    if len(term.bound) != 1 or len(earlier.bound) != 1:
        return None
    names = {term.bound[0]: Affine.var(earlier.bound[0])}
    if rewrite.substitute(term.body, names) is not earlier.body:
        return None
    points = (domain & term.domain).substitute(names) | (other & earlier.domain)
    return (domain | other).coalesce(), terms.reduce(term.op, earlier.bound, points.coalesce(), earlier.body)


def _neutral(term: Reduce) -> Term:
    """Return what a reduction ignores."""
    dtype = term.dtype
    if term.op not in {"max", "min"}:
        return terms.zero(dtype)
    if not is_float(dtype):
        return terms.constant(integer_range(dtype)[term.op == "min"], dtype)
    infinity = terms.cast(terms.apply("infinity"), dtype)
    return infinity if term.op == "min" else terms.apply("neg", infinity)


def _within(indices: Iterable[Affine], border: Border, shape: tuple[Affine, ...]) -> Domain:
    """Return where places of a padded array are none of the border."""
    return Domain.box([index - before for index, (before, _) in zip(indices, border, strict=True)], shape)


def _own_range(domain: Domain, name: str, others: tuple[str, ...]) -> Span | None:
    """Return a range of a variable that its domain states without the other variables."""
    ends: dict[int, Affine] = {}
    try:
        conjuncts = domain.conjuncts()[:1]
    except NotAffine:
        conjuncts = []  # the range may be known without its step
    for conjunct in conjuncts:
        for constraint in conjunct:
            factor = constraint.affine.coefficient(name)
            rest = constraint.affine - Affine.var(name, factor)
            if factor in {1, -1} and not constraint.is_equality and not rest.mentions(set(others) - {name}):
                ends.setdefault(factor, -rest if factor == 1 else rest + 1)
    if len(ends) == 2 and domain.is_subset(span_box({name: (ends[1], ends[-1])})):  # noqa: PLR2004 - both ends
        return ends[1], ends[-1]
    found = ranges_of(domain, (name,), others)
    return None if found is None else found[name]
