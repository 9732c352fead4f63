"""Terms as sums: which of them are folds with a coefficient, and whether a fold strides through memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product as every
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.matching import alike
from tensorlift.comprehension.places import gathered
from tensorlift.comprehension.rewrite import exchanged, flattened, multiplied, renewed, walk
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term
from tensorlift.ops.dtypes import is_float, is_integer
from tensorlift.poly.domain import UNIVERSE
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Domain
    from tensorlift.targets.c.storage import Memory


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """An addend: ``coefficient * fold`` where it is a sum, else just a term; no coefficient is one."""

    term: Term
    fold: Reduce | None = None
    coefficient: Term | None = None


def addends(term: Term) -> list[Part]:
    """Split a term into the addends that together are its value."""
    if term.dtype == "bool" or not (is_float(term.dtype) or is_integer(term.dtype)):
        return [Part(term)]
    return [_part(one) for one in _flattened(term)]


def joined(parts: Sequence[Part], dtype: DType) -> Term | None:
    """Add parts up; None without any."""
    total: Term | None = None
    for part in parts:
        total = part.term if total is None else terms.apply("add", total, part.term, dtype=dtype)
    return total


def product(parts: Sequence[Term]) -> Term | None:
    """Multiply; None without any factor."""
    total: Term | None = None
    for part in parts:
        total = part if total is None else terms.apply("mul", total, part)
    return total


class SumOfProducts(NamedTuple):
    """A sum over variables, of products of two reads that vary; the ``scale`` does not."""

    summed: tuple[str, ...]
    domain: Domain
    reads: tuple[Read, Read]
    scale: Term | None


def sum_of_products(part: Part, variables: Sequence[str], dtype: DType) -> SumOfProducts | None:
    """Read an addend, of which cells vary along variables, as such a sum in a type; None where it is none."""
    summed: tuple[str, ...] = ()
    domain, body = UNIVERSE, part.term
    if part.fold is not None:
        fold = opened_fold(part.fold)
        summed, domain, body = fold.bound, fold.domain, fold.body
    varying = {*variables, *summed}
    listed = multiplied(body) + ([] if part.coefficient is None else [part.coefficient])
    reads = [f for f in listed if isinstance(f, Read) and not f.free.isdisjoint(varying)]
    others = [f for f in listed if f not in reads]
    if len(reads) != 2 or any(f.dtype != dtype for f in listed):  # noqa: PLR2004 - a product of two
        return None
    if any(not f.free.isdisjoint(varying) or has_fold(f) for f in others):
        return None
    return SumOfProducts(summed, domain, (reads[0], reads[1]), product(others))


def opened_fold(fold: Reduce) -> Reduce:
    """Return a fold whose variables have names of their own, with the folds directly inside as one."""
    whole = terms.reduce(fold.op, *renewed(fold, fresh))
    assert isinstance(whole, Reduce)
    return flattened(whole)


def is_fold(term: Term) -> bool:
    """Tell whether a term folds values; a read at a place that depends on data, which is written so, does not."""
    return isinstance(term, Reduce) and gathered(term) is None


def folds_of(term: Term) -> list[Reduce]:
    """Return the folds of a term that are in no other fold."""
    if isinstance(term, Reduce) and is_fold(term):
        return [term]
    found = [fold for child in term.children for fold in folds_of(child)] if has_fold(term) else []
    return list(dict.fromkeys(found))


def replaced(term: Term, old: Term, new: Term) -> Term:
    """Put one term in the place of another, and of folds that are the same but for the names that they bind."""
    return exchanged(term, lambda node: new if alike(node, old) else None)


def strides_through(part: Part, variables: Sequence[str], memory: Memory) -> bool:
    """Tell whether folding cell by cell strides through memory, more than adding up along the array's last axis."""
    fold = part.fold
    if fold is None or not variables or any(isinstance(node, Reduce) for node in walk(fold.body)):
        return False
    reads = [node for node in walk(fold.body) if isinstance(node, Read) and node.indices]
    by_fold = sum(_jumps(read, fold.bound[-1], memory) for read in reads)
    by_cell = sum(_jumps(read, variables[-1], memory) for read in reads)
    return by_fold > by_cell


def _jumps(read: Read, variable: str, memory: Memory) -> bool:
    """Tell whether neighbouring values of a variable read cells that are no neighbours."""
    slot = memory.place[read.array]
    *outer, last = read.indices
    if any(index.coefficient(variable) for index in outer):
        return True
    return abs(last.coefficient(variable)) > 1 or (
        bool(last.coefficient(variable)) and slot.stride(slot.rank - 1) != "1"
    )


def _flattened(term: Term) -> Iterator[Term]:
    """Yield the addends of sums, of products of a sum with folds, and of folds of sums of contractions."""
    if isinstance(term, Apply) and all(a.dtype == term.dtype for a in term.args):
        yield from _of_operation(term)
    elif isinstance(term, Reduce) and term.op == "sum":
        parts = list(_multiplied_out(term.body))
        if len(parts) > 1 and all(map(_is_product_of_two, parts)):
            yield from (terms.reduce("sum", term.bound, term.domain, part) for part in parts)
        else:
            yield term
    else:
        yield term


def _of_operation(term: Apply) -> Iterator[Term]:
    if term.op in ("add", "sub"):
        left, right = term.args
        yield from _flattened(left)
        yield from (part if term.op == "add" else terms.apply("neg", part) for part in _flattened(right))
        return
    if term.op == "mul":
        for total, factor in (term.args, term.args[::-1]):
            if isinstance(total, Apply) and total.op in ("add", "sub") and has_fold(total) and not has_fold(factor):
                yield from (terms.apply("mul", factor, part) for part in _flattened(total))
                return
    yield term


def _multiplied_out(term: Term) -> Iterator[Term]:
    """Yield the addends of a term in which sums are multiplied by scalars.

    Differences of cells stay factors: ``(a - b) * (a - b)`` multiplied out cancels where ``a`` is near ``b``.
    """
    if not isinstance(term, Apply) or any(a.dtype != term.dtype for a in term.args):
        yield term
    elif term.op in ("add", "sub"):
        left, right = term.args
        yield from _multiplied_out(left)
        yield from (part if term.op == "add" else terms.apply("neg", part) for part in _multiplied_out(right))
    elif term.op == "neg" or (term.op == "mul" and any(not _reads_cells(a) for a in term.args)):
        yield from (terms.apply(term.op, *parts) for parts in every(*(list(_multiplied_out(a)) for a in term.args)))
    else:
        yield term


def _reads_cells(term: Term) -> bool:
    return any(isinstance(node, Read) and node.indices for node in walk(term))


def _is_product_of_two(term: Term) -> bool:
    reads = [factor for factor in multiplied(term) if isinstance(factor, Read) and factor.indices]
    return len(reads) == 2  # noqa: PLR2004 - as it says


def has_fold(term: Term) -> bool:
    """Tell whether a fold occurs."""
    return term.has_domains and any(map(is_fold, walk(term)))


def _part(term: Term) -> Part:
    listed = multiplied(term)
    folds = [factor for factor in listed if isinstance(factor, Reduce) and factor.op == "sum" and is_fold(factor)]
    others = [factor for factor in listed if factor not in folds]
    if len(folds) != 1 or any(has_fold(other) for other in others) or folds[0].dtype != term.dtype:
        return Part(term)
    return Part(term, folds[0], product(others))
