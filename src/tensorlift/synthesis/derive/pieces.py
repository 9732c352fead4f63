"""Definitions as statements: one expression for the whole array, or a base that slices are assigned into.

A definition in one piece is an expression.  Otherwise pieces that are boxes are assigned as slices into a base: the
version before, where cells keep their value, or the one piece that is no box.  Pieces of any other shape, triangles
above all, are selected by masks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import Descend, reads_in, rebuild_inside, simplified, substitute, transform
from tensorlift.comprehension.terms import Constant, Read, Reduce, Term, applies, zero
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    Expression,
    Range,
    Reduction,
    SetSlice,
    Statement,
    SubscriptItem,
    walk_expressions,
)
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import disjoint_parts, stride_of, strided
from tensorlift.synthesis.derive.builder import owned
from tensorlift.synthesis.derive.diagonals import diagonal
from tensorlift.synthesis.derive.elementwise import are_of_sizes, choose, select_pieces, value_of
from tensorlift.synthesis.derive.masks import mask_of
from tensorlift.synthesis.derive.reads import readable
from tensorlift.synthesis.derive.scatter import scattered
from tensorlift.synthesis.derive.scope import Scope, Span, SplitAxis, Value, ranges_between, ranges_of, span_box
from tensorlift.synthesis.derive.splitting import expanded_pieces, merged_sums

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.definition import Definition
    from tensorlift.ir.tensor_program import Shape

_MOST_PARTS = 4
_MOST_SPLITS = 4
_FAR = 1 << 30

Pieces = tuple[tuple[Domain, Term], ...]


@dataclass(frozen=True)
class Piece:
    """A piece of a definition with the box around it; ``is_box`` where it fills that box.

    ``steps`` has offset and step of indices that take every ``step``-th value; their spans count steps, or positions
    where the value is one for all cells, so that their number does not matter.  ``facts`` say what ends of spans are.
    """

    domain: Domain
    term: Term
    spans: dict[str, Span] | None
    is_box: bool
    steps: dict[str, tuple[Affine, int]] = field(default_factory=dict)
    counts_steps: bool = True
    facts: Domain = UNIVERSE


class PieceLowering:
    """Lowers one definition; ``scope`` has its indices as axes, ``dies_here`` tells which versions it may overwrite."""

    def __init__(self, definition: Definition, scope: Scope, dies_here: Callable[[str], bool]) -> None:
        self.definition = definition
        self.scope = scope
        self.build = scope.build
        self.dies_here = dies_here
        self.was_split = False

    @property
    def is_in_boxes(self) -> bool:
        """Whether there are several pieces, and all but the cells that keep their value are boxes."""
        pieces = self.definition.pieces
        kept = self._kept_version(pieces)
        return len(pieces) > 1 and all(p.is_box for d, t in pieces if t is not kept for p in self._parts(d, t))

    def statements(self) -> list[Statement]:
        """Return the statements after which the variable of the definition's name holds its value.

        Where one term reads outside an array beyond its piece, the pieces are split further.  Where folds that may be
        of nothing are in pieces of no simple shape, these folds begin with what they ignore.
        """
        try:
            found = scattered(self.definition, self.scope, self.dies_here, _before)
        except SplitAxis:  # what is stored has no parts of its own
            found = scattered(self.definition, replace(self.scope, fills=True, memo={}), self.dies_here, _before)
        found = found or diagonal(self.definition, self.scope, self.dies_here)
        if found is not None:
            return self._marked(found)
        pieces = self.definition.pieces
        if self.scope.evaluate is value_of:  # other engines see the sums of the source
            pieces = tuple((domain, merged_sums(term, domain)) for domain, term in pieces)
        try:
            return self._in_parts(pieces)
        except LiftError as error:
            if not self.was_split:
                raise
            self.scope = replace(self.scope, fills=True, memo={})
            try:
                return self._in_parts(pieces)
            except LiftError:
                raise error from None

    def _in_parts(self, pieces: Pieces) -> list[Statement]:
        """Return the statements for pieces, which are split further where they must."""
        for _ in range(_MOST_SPLITS):
            try:
                return self._statements(pieces)
            except SplitAxis as split:
                self.was_split = True
                pieces = self._split(pieces, split)
            except LiftError:
                expanded = tuple(part for domain, term in pieces for part in expanded_pieces(domain, term))
                if len(expanded) == len(pieces):
                    raise
                pieces = expanded
        raise self._refuse("its cells fall into too many different parts")

    def _split(self, pieces: Pieces, split: SplitAxis) -> Pieces:
        """Tell one position of an axis apart from the rest."""
        there = Domain.of(equal(split.axis, split.position))
        parts = [
            part
            for domain, term in pieces
            for part in ((domain & there, _alone(term, domain & there)), (domain - there, term))
            if not part[0].is_empty()
        ]
        if split.axis not in self.definition.indices or len(parts) == len(pieces):
            raise self._refuse("a running fold starts with no element")
        return tuple(parts)

    def _statements(self, pieces: Pieces) -> list[Statement]:
        if not pieces:
            raise self._refuse("no value is known for any of its cells")
        if len(pieces) == 1:
            return [self._assign(self._whole(self.scope.evaluate(pieces[0][1], self.scope)))]
        if not self.definition.shape or (self.build.chooses and are_of_sizes(pieces, self.scope)):
            return [self._assign(self._whole(select_pieces(list(pieces), self.scope)))]
        kept = self._kept_version(pieces)
        previous = [Piece(d, t, None, is_box=False) for d, t in pieces if t is kept]
        listed = [part for domain, term in pieces if term is not kept for part in self._parts(domain, term)]
        boxes = sorted((p for p in listed if p.is_box), key=_first_cell)
        odd = [p for p in listed if not p.is_box]
        return self._with_masks(odd, boxes, previous) if odd else self._with_slices(boxes, previous)

    # -- the two forms

    def _with_slices(self, boxes: list[Piece], previous: list[Piece]) -> list[Statement]:
        if previous:
            name = _version(previous[0])
            late = _reading_late(name, boxes, self.definition.indices) if self.dies_here(name) else []
            if late:
                return self._after_reading(name, boxes, late)
            return self._into(self._before(boxes, previous[0]), boxes)
        reused = self._reused(boxes)
        if reused is not None:
            return self._into(*reused)
        constants = [p for p in boxes if not p.term.reads and not p.term.free and not p.term.has_domains]
        if constants:
            value = self._whole(self.scope.evaluate(constants[0].term, self.scope))
            rest = [p for p in boxes if p.term is not constants[0].term]
            return self._into(self._start(value), rest)
        return self._into(self._start(self.build.empty(self.definition.shape, self.definition.dtype)), boxes)

    def _after_reading(self, name: str, boxes: list[Piece], late: list[Piece]) -> list[Statement]:
        """Update in place where some values need cells that are overwritten before: these values come first."""
        slices = {id(piece): self._slice(piece) for piece in boxes}
        values: list[Statement] = []
        for piece in late:
            store = slices[id(piece)]
            value = owned(store.value, self.build)
            variable = self.build.variable(self.build.temporary("old"), value.dtype, value.shape)
            values.append(Assign(variable.name, value))
            slices[id(piece)] = replace(store, value=variable)
        base = Assign(self.definition.name, self._version(name), is_update=True)
        return self._marked([base, *values, *slices.values()])

    def _before(self, pieces: list[Piece], previous: Piece) -> Assign:
        """Start from the version before, itself where it may be updated in place, else a copy."""
        name = _version(previous)
        before = self._version(name)
        if _reading_late(name, pieces, self.definition.indices):
            return self._start(self.build.copy(before))
        return Assign(self.definition.name, before if self.dies_here(name) else self.build.copy(before), is_update=True)

    def _start(self, value: Expression) -> Assign:
        return Assign(self.definition.name, value)

    def _reused(self, boxes: list[Piece]) -> tuple[Assign, list[Piece]] | None:
        """Start from a version of the array that dies here, if every cell is overwritten after it is read."""
        names = sorted(set().union(*(p.term.reads for p in boxes)))
        for name in names:
            if name.rsplit("_", 1)[0] != self.definition.array or not self.dies_here(name):
                continue
            if self.scope.shapes[name] != self.definition.shape:
                continue
            for order in (boxes, boxes[::-1]):
                if not _reading_late(name, order, self.definition.indices):
                    return Assign(self.definition.name, self._version(name), is_update=True), order
        return None

    def _with_masks(self, odd: list[Piece], boxes: list[Piece], previous: list[Piece]) -> list[Statement]:
        masked = [*odd, *previous]
        if any(_is_small(p) for p in odd) or not all(
            readable(p.term, p.domain, self.scope.box, self.scope) for p in masked
        ):
            return self._patched(odd, boxes, previous)
        pieces = [(p.domain, p.term) for p in masked]
        around = self._piece(Domain.union(p.domain for p in odd).coalesce(), odd[0].term)
        if previous and not boxes and _is_shorter(around, self.definition.shape):
            return self._with_masks_in(around, pieces, previous[0], boxes)
        covered = self.scope.domain - Domain.union(box.domain for box in boxes) if boxes else self.scope.domain
        try:
            value = self._whole(select_pieces(pieces, self.scope.inner(covered)))
        except LiftError:
            if not previous or around.spans is None:
                raise
            return self._with_masks_in(around, pieces, previous[0], boxes)
        is_folded = [p.term.has_domains for p in boxes]  # by less: few cells of the plane may be needed
        if any(p.spans is None and p.term.has_domains for p in odd) and any(is_folded) and self._folds_planes(value):
            raise self._refuse("a piece has no box around it")
        if not boxes:
            return [self._assign(value)]
        return self._into(self._start(owned(value, self.build)), boxes)

    def _folds_planes(self, value: Expression) -> bool:
        """Tell whether a value is folded from more axes than it has."""
        folds = (node for node in walk_expressions(value) if isinstance(node, Reduction))
        return any(fold.argument.rank > len(self.definition.shape) for fold in folds)

    def _with_masks_in(
        self, box: Piece, pieces: list[tuple[Domain, Term]], previous: Piece, boxes: list[Piece]
    ) -> list[Statement]:
        """Assign a box whose cells are of several pieces, then other boxes, and leave the rest as it is."""
        items, _, scope = self._inside(box)
        value = select_pieces(pieces, scope.inner(scope.box))
        store = self._stored(items, value, scope)
        return self._marked([self._before([box, *boxes], previous), store, *map(self._slice, boxes)])

    def _patched(self, odd: list[Piece], boxes: list[Piece], previous: list[Piece]) -> list[Statement]:
        """Assign pieces of no simple shape into their boxes, keeping what is there where they do not apply."""
        if previous:
            base = self._before([*boxes, *odd], previous[0])
        else:  # what is kept must have a value
            constants = [p.term for p in odd if not p.term.reads and not p.term.free and not p.term.has_domains]
            start = constants[0] if constants else zero(self.definition.dtype)
            base = self._start(self._whole(self.scope.evaluate(start, self.scope)))
            odd = [p for p in odd if p.term is not start]
        return self._marked([base, *map(self._slice, boxes), *map(self._masked_slice, odd)])

    # -- statements

    def _into(self, base: Assign, boxes: list[Piece]) -> list[Statement]:
        return self._marked([base, *map(self._slice, boxes)])

    def _marked(self, statements: list[Statement]) -> list[Statement]:
        """Mark the last statement as the one after which the variable holds the definition."""
        last = statements[-1]
        if isinstance(last, Assign | SetSlice):
            statements[-1] = replace(last, definition=self.definition.name)
        return statements

    def _assign(self, value: Expression) -> Statement:
        return Assign(self.definition.name, value, self.definition.name)

    def _stored(self, items: tuple[SubscriptItem, ...], value: Value, scope: Scope) -> SetSlice:
        aligned = scope.aligned(value, tuple(scope.spans))
        return SetSlice(self.definition.name, self.definition.shape, items, aligned)

    def _slice(self, piece: Piece) -> SetSlice:
        items, points, scope = self._inside(piece)
        value = scope.evaluate(substitute(piece.term, points), scope)
        return self._stored(items, value, scope)

    def _masked_slice(self, piece: Piece) -> SetSlice:
        items, points, scope = self._inside(piece)
        term = substitute(piece.term, points)
        is_readable = readable(term, scope.domain, scope.box, scope)
        if term.has_domains or not is_readable:  # parts of it, too, may count at these sizes alone
            chosen = self._chosen_by_sizes(items, term, scope)
            if chosen is not None:
                return chosen
        if not is_readable:
            raise self._refuse("a piece reads outside an array in the box around it")
        kept = Value(self.build.subscript(self._version(self.definition.name), items), tuple(scope.spans))
        value = choose(scope.domain, term, kept, scope.inner(scope.box))
        return self._stored(items, value, scope)

    def _chosen_by_sizes(self, items: tuple[SubscriptItem, ...], term: Term, scope: Scope) -> SetSlice | None:
        """Assign a box at the sizes at which its piece applies, and what is there at others; None for other pieces."""
        sizes = scope.domain.gist(scope.box)
        is_apt = self.build.chooses and (scope.by_sizes or self.build.around)
        if not is_apt or not scope.is_of_sizes(sizes):
            return None
        axes, inner = tuple(scope.spans), scope.inner(scope.domain).within(scope.context & sizes)
        value = scope.filled(scope.evaluate(term, inner), axes, tuple(map(scope.extent, axes)))
        kept, mask = (
            self.build.subscript(self._version(self.definition.name), items),
            mask_of(sizes, scope.inner(scope.box)),
        )
        if mask is not None:
            arms = (owned(arm, self.build) if arm.shape else arm for arm in (value, kept))  # apart from where it goes
            value = self.build.conditional(mask.expression, *arms)
        return SetSlice(self.definition.name, self.definition.shape, items, value)

    def _inside(self, piece: Piece) -> tuple[tuple[SubscriptItem, ...], dict[str, Affine], Scope]:
        """Return the box of a piece as subscripts, its single positions, and the scope of its other axes."""
        if piece.spans is None:
            raise self._refuse("a piece has no box around it")
        items: list[SubscriptItem] = []
        points: dict[str, Affine] = {}
        spans: dict[str, Span] = {}
        known = self.scope.within(self.scope.context & piece.facts)
        for (name, (first, after)), extent in zip(piece.spans.items(), self.definition.shape, strict=True):
            if name in piece.steps and not piece.counts_steps:
                items.append(Range(first, after, piece.steps[name][1]))
            elif name in piece.steps:
                offset, step = piece.steps[name]
                points[name] = offset + Affine.var(name, step)
                items.append(self.scope.stepped(offset + first * step, offset + (after - 1) * step, step, extent))
                spans[name] = (first, after)
            elif after - first == 1 and self.scope.context.implies(at_least(first, 0), less(first, extent)):
                items.append(At(first))
                points[name] = first
            else:
                items.append(known.range(first, after, extent))
                spans[name] = (first, after)
        domain = piece.domain.substitute(points).project_out(*(n for n in piece.spans if n not in spans))
        return tuple(items), points, replace(known, spans=spans, domain=domain, memo={})

    # -- shapes

    def _parts(self, domain: Domain, term: Term) -> list[Piece]:
        """Return a piece as boxes where it is a few of them, else as it is."""
        domain = self.scope.domain & domain
        whole = self._strided(domain, term) or self._piece(domain, term)
        if whole.is_box:
            return [whole]
        convex = disjoint_parts(domain).parts()
        if 1 < len(convex) <= _MOST_PARTS:
            parts = [self._piece(part, term) for part in convex]
            if all(part.is_box for part in parts) or (whole.spans is None and all(part.spans for part in parts)):
                return parts
        return [whole]

    def _piece(self, domain: Domain, term: Term) -> Piece:
        spans = ranges_of(domain, self.definition.indices, self.definition.indices)
        facts = UNIVERSE
        if spans is None:
            spans, facts = ranges_between(domain, self.definition.indices, self.scope) or (None, facts)
        if spans is None:
            return Piece(domain, term, None, is_box=False)
        is_box = (self.scope.domain & facts & span_box(spans)).is_subset(domain)
        return Piece(domain, term, spans, is_box, facts=facts)

    def _strided(self, domain: Domain, term: Term) -> Piece | None:
        """Return a piece with every second, third, ... position of an index as a box; None where it is none."""
        steps = {name: found for name in self.definition.indices if (found := stride_of(domain, name))}
        if not steps:
            return None
        counted = {name: offset + Affine.var(name, step) for name, (offset, step) in steps.items()}
        inside, everything = domain.substitute(counted), self.scope.domain.substitute(counted)
        spans = ranges_of(inside, self.definition.indices, self.definition.indices)
        if spans is not None and (everything & span_box(spans)).is_subset(inside):
            return Piece(domain, term, spans, is_box=True, steps=steps)
        return None if term.free & set(self.definition.indices) else self._strided_constant(domain, term, steps)

    def _strided_constant(self, domain: Domain, term: Term, steps: dict[str, tuple[Affine, int]]) -> Piece | None:
        """Return a piece with one value in every ``step``-th position, from a first one that is known."""
        spans = ranges_of(domain, self.definition.indices, self.definition.indices)
        if spans is None:
            return None
        grid = self.scope.domain & span_box(spans)
        for name, (offset, step) in steps.items():
            distance = spans[name][0] - offset
            if not distance.is_constant or distance.constant % step:
                return None
            grid = grid & strided(name, offset, step)
        if not grid.is_subset(domain):
            return None
        return Piece(domain, term, spans, is_box=True, steps=steps, counts_steps=False)

    def _kept_version(self, pieces: Pieces) -> Term | None:
        """Return the read of the version whose cells stay: rather one of the same array, and one that dies here."""
        found = [
            term
            for _, term in pieces
            if isinstance(term, Read)
            and term.dtype == self.definition.dtype
            and self.definition.is_own_cell(term)
            and self.scope.shapes[term.array] == self.definition.shape
        ]
        found.sort(key=lambda t: (t.array.rsplit("_", 1)[0] != self.definition.array, not self.dies_here(t.array)))
        return found[0] if found else None

    def _whole(self, value: Value) -> Expression:
        return whole_value(value, self.definition, self.scope)

    def _version(self, name: str) -> Expression:
        """Return the variable of a version of the array."""
        return self.build.variable(name, self.definition.dtype, self.definition.shape)

    def _refuse(self, message: str) -> LiftError:
        remedy = "split the loop where the conditions change"
        return refuse("TL302", f"{self.definition.array}: {message}", self.definition.location, remedy)


def _is_shorter(box: Piece, shape: Shape) -> bool:
    """Tell whether an array is longer by more than a number than a box."""
    ends = zip((box.spans or {}).values(), shape, strict=True) if box.spans else ()
    return any(not (after - first - extent).is_constant for (first, after), extent in ends)


def _is_small(piece: Piece) -> bool:
    """Tell whether the box around a piece is a row, a cell or the like: a mask of all cells would be a waste."""
    return piece.spans is not None and any(after - first == 1 for first, after in piece.spans.values())


def _before(definition: Definition, scope: Scope, dies_here: Callable[[str], bool]) -> list[Statement]:
    """Return statements after which the variable of a definition holds its value, in memory of its own."""
    start = PieceLowering(definition, scope, dies_here).statements()
    first = start[0]
    if len(start) == 1 and isinstance(first, Assign):
        start = [replace(first, value=owned(first.value, scope.build))]
    return [replace(s, definition=None) if isinstance(s, Assign | SetSlice) else s for s in start]


def _alone(term: Term, domain: Domain) -> Term:
    """Return a term for a part of its cells without folds of nothing, unless it is a number, which would fill all."""
    found = transform(term, domain, _without_empty_folds)
    return term if isinstance(found, Constant) else found


def _without_empty_folds(term: Term, domain: Domain, descend: Descend) -> Term:
    if isinstance(term, Reduce) and term.op in ("sum", "any") and term.domain.is_disjoint(domain):
        return zero(term.dtype)
    rebuilt = rebuild_inside(term, domain, descend) if term.has_domains else term
    return simplified("select", rebuilt.args) if applies(rebuilt, "select") else rebuilt


def _first_cell(piece: Piece) -> tuple[int, ...]:
    """Order pieces as their cells lie in memory, as far as constants tell."""
    firsts = (first for first, _ in (piece.spans or {}).values())
    return tuple(first.constant if first.is_constant else _FAR for first in firsts)


def whole_value(value: Value, definition: Definition, scope: Scope) -> Expression:
    """Give a value the type and the whole shape of a definition."""
    expression = scope.build.cast(scope.aligned(value, definition.indices), definition.dtype)
    if definition.shape and not value.axes:
        return scope.build.full(expression, definition.shape, definition.dtype)
    return scope.build.broadcast(expression, definition.shape)


def _version(kept: Piece) -> str:
    """Return the version that a piece keeps."""
    assert isinstance(kept.term, Read)
    return kept.term.array


def _reading_late(previous: str, pieces: list[Piece], indices: tuple[str, ...]) -> list[Piece]:
    """Return the pieces that read cells of the version before which an earlier piece has overwritten."""
    return [
        piece
        for position, piece in enumerate(pieces)
        if previous in piece.term.reads
        and not all(_apart(previous, piece, earlier.domain, indices) for earlier in pieces[:position])
    ]


def _apart(previous: str, piece: Piece, written: Domain, indices: tuple[str, ...]) -> bool:
    for read, where in reads_in(piece.term, piece.domain):
        if read.array == previous:
            cells = {index: fresh("cell") for index in indices}
            touched = where & Domain.of(*(equal(c, a) for c, a in zip(cells.values(), read.indices, strict=True)))
            if not touched.is_disjoint(written.rename(cells)):
                return False
    return True
