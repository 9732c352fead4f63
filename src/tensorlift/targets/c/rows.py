"""What all cells of a row share: it is computed once, at the start of the row, not in each cell and not in an array.

Compilers take what does not vary out of loops, but no functions that may set ``errno``, and no loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import substitute, visit_reads, walk
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term, applies, zero
from tensorlift.ops.scalar_ops import FUNCTIONS
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import equal
from tensorlift.poly.variables import is_single_valued
from tensorlift.targets.c.sums import addends, folds_of, has_fold, replaced, strides_through, sum_of_products

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tensorlift.poly.domain import Domain
    from tensorlift.targets.c.storage import Memory, Piece

_LONG = (*FUNCTIONS, "div")


def depth_of_rows(piece: Piece) -> int | None:
    """Return how many loops are around the longest rows whose cells share what takes long; None where none do."""
    if not _has_rows(piece):
        return None
    for depth in range(len(piece.variables)):
        inner = piece.variables[depth:]
        if all(is_single_valued(piece.where, variable) for variable in inner):
            return None
        if shared_in_rows(piece.term, inner) is not None:
            return depth
    return None


def _has_rows(piece: Piece) -> bool:
    return piece.domain.size == 1 and not piece.domain.has_divisions


def shared_in_rows(term: Term, inner: Sequence[str]) -> Term | None:
    """Return what takes long to compute and depends on no inner variable; folds first, as others may hold them."""
    folds = [fold for fold in folds_of(term) if fold.free.isdisjoint(inner)]
    return min(folds, key=nesting, default=None) or next(iter(long_and_steady(term, frozenset(inner))), None)


def nesting(fold: Reduce) -> int:
    """Count how deep folds are nested."""
    return 1 + max(map(nesting, folds_of(fold.body)), default=0)


def long_and_steady(term: Term, inner: Collection[str]) -> list[Term]:
    """Return what takes long, is computed at all points, and depends on no inner variable; the largest such terms."""
    return [one for one in _steady(term, inner) if any(applies(node, _LONG) for node in walk(one))]


def _steady(term: Term, inner: Collection[str]) -> Iterator[Term]:
    seen, stack = set[Term](), [term]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.free.isdisjoint(inner):
            yield node
        elif isinstance(node, Apply):
            stack += reversed(node.args[:1] if node.op in ("select", "and", "or") else node.args)


def folds_by_rows(piece: Piece, memory: Memory, *, blas: bool) -> bool:
    """Tell whether all folds of a piece are best computed at the start of the rows whose cells share them.

    Others are computed before, into an array: by BLAS, along the axes of what they fold, or as running ones.
    """
    folds = folds_of(piece.term)
    return bool(folds) and _has_rows(piece) and all(_is_of_rows(fold, piece, memory, blas=blas) for fold in folds)


def _is_of_rows(fold: Reduce, piece: Piece, memory: Memory, *, blas: bool) -> bool:
    own = [variable for variable in piece.variables if variable in fold.free]
    depth, inner = len(own), piece.variables[len(own) :]
    if own != [*piece.variables[:depth]] or all(is_single_valued(piece.where, v) for v in inner):
        return False
    inside = (node for node in walk(fold) if isinstance(node, Reduce))
    return all(_is_simple(node, own, memory, blas=blas) for node in inside) and _reads_own_row(
        fold, piece, memory, depth
    )


def _is_simple(fold: Reduce, own: Sequence[str], memory: Memory, *, blas: bool) -> bool:
    """Tell whether a fold, which depends on some variables, is best computed at one of their points at a time."""
    if any(fold.domain.mentions(variable) and variable not in fold.body.free for variable in own):
        return False  # it may be a running one
    for part in addends(fold):
        found = sum_of_products(part, own, fold.dtype) if blas else None
        if found is not None and any(read.free.isdisjoint(own) for read in found.reads):
            return False
        if strides_through(part, own, memory):
            return False
    return True


def _reads_own_row(fold: Reduce, piece: Piece, memory: Memory, depth: int) -> bool:
    """Tell whether a fold reads nothing of what is written, or, where nothing else is written there, its own row."""
    inside, found = memory.inside(piece.slot), list[bool]()

    def visit(read: Read, points: Domain) -> None:
        if read.array in inside:
            ends = zip(read.indices[:depth], piece.own.indices, strict=False)
            found.append(piece.is_alone and all(points.implies(equal(*pair)) for pair in ends))

    visit_reads(fold, piece.where, visit)
    own = [str(index) for index in piece.own.indices[:depth]]
    return not found or (all(found) and own == list(piece.variables[:depth]))


def read_before(piece: Piece) -> Term:
    """Return what is read at the cells of rows, without the folds, which are computed before."""
    term = piece.term
    for fold in sorted(folds_of(term), key=nesting, reverse=True):  # some hold others
        term = replaced(term, fold, zero(fold.dtype))
    return term


def computed_twice(piece: Piece) -> tuple[Term, list[str]] | None:
    """Return what takes long in each cell of a row, and again in folds over these cells, with their variables.

    It may be stored in the cells first, where both find it.
    """
    folds = [fold for fold in folds_of(piece.term) if len(fold.bound) == 1]
    if len(piece.variables) != 1 or piece.domain.size != 1 or not folds:
        return None
    (variable,) = piece.variables
    for term in walk(piece.term):
        if (
            term.dtype != piece.slot.dtype
            or variable not in term.free
            or not applies(term, FUNCTIONS)
            or has_fold(term)
        ):
            continue
        bounds = list[str]()
        for fold in folds:
            there = {variable: Affine.var(fold.bound[0])}
            if substitute(term, there) in walk(fold.body):
                is_of_cells = (fold.domain & piece.context).is_subset(piece.domain.substitute(there))
                bounds += fold.bound if is_of_cells else ("",)
        if bounds and "" not in bounds:
            return term, bounds
    return None
