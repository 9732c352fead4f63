"""Linalg's operations: an iteration space that the operands span, and what is computed at each of its points.

The extents of the space are those of the axes that a dimension walks by itself; all such axes must agree, and every
other subscript must stay in range.  Each point computes a value; along reduction dimensions it is folded into what the
result is written over, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Indices, Obligations, Strength, SymbolicTensor, convert
from tensorlift.comprehension.terms import COMBINER, Apply, Constant, Read, Reducer
from tensorlift.ops.dtypes import is_integer, signed
from tensorlift.ops.scalar_ops import neutral
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.arithmetic import cell as arithmetic_cell
from tensorlift.targets.arrays.logic import conjunction, disjunction
from tensorlift.targets.mlir_text.rows import Body, Extents, Inputs, Ints, Map, Maps, Outs, Texts, is_index

if TYPE_CHECKING:
    from tensorlift.comprehension.tensor import Shape
    from tensorlift.comprehension.terms import Term

Access = Callable[[Indices], Indices]  # the index of an operand for a point of the space

_REDUCERS: dict[str, Reducer] = {
    "add": "sum", "mul": "prod", "max": "max", "min": "min", "fmax": "fmax", "fmin": "fmin", "or": "any", "and": "all",
}  # fmt: skip
_OF_NONE = ("sum", "prod", "any", "all")  # folds of no cells have a value
_COMBINE: dict[str, Callable[[Term, Term], Term]] = {"or": disjunction, "and": conjunction}


@dataclass(frozen=True)
class Space:
    """An iteration space: the extent of each dimension."""

    extents: Shape

    @staticmethod
    def of(o: Obligations, dimensions: int, operands: Sequence[tuple[SymbolicTensor, Access]]) -> Space:
        """Return the space that operands span, each with its access."""
        names = tuple(fresh("d") for _ in range(dimensions))
        point = tuple(map(Affine.var, names))
        walked = [(tensor, access(point)) for tensor, access in operands]
        extents: dict[str, Affine] = {}
        for tensor, indices in walked:
            if len(indices) != tensor.rank:
                o.refuse("a map of another rank than its operand")
            for index, extent in zip(indices, tensor.shape, strict=True):
                if index.variable in names and index.variable is not None:
                    known = extents.setdefault(index.variable, extent)
                    if known != extent:
                        o.require("operands agree on the extent of a dimension", equal(known, extent))
        if len(extents) != dimensions:
            o.refuse("no operand says how far a dimension goes")
        shape = tuple(extents[name] for name in names)
        box = Domain.box(names, shape)
        for tensor, indices in walked:
            for index, extent in zip(indices, tensor.shape, strict=True):
                if index.variable not in names:
                    o.require("a subscript is in range", at_least(index, 0), less(index, extent), over=box)
        return Space(shape)

    def read(self, tensor: SymbolicTensor, access: Access) -> SymbolicTensor:
        """Return the cells of an operand at the points of the space."""
        return SymbolicTensor(self.extents, tensor.dtype, lambda point: tensor.at(access(point)))


def compute(  # noqa: PLR0913 - the parts of a structured operation
    o: Obligations,
    inputs: Sequence[tuple[SymbolicTensor, Access]],
    out: tuple[SymbolicTensor, Access],
    *,
    dimensions: int,
    folded: Sequence[int],
    apply: Callable[..., tuple[SymbolicTensor, ...]],
) -> SymbolicTensor:
    """Return the result of an operation that writes over ``out``, folding along some of the dimensions."""
    space = Space.of(o, dimensions, [*inputs, out])
    tensor, access = out
    walked = _walked(access, dimensions)
    if sorted(walked) != [k for k in range(dimensions) if k not in folded]:
        o.refuse("the result's map does not walk each parallel dimension once")
    place = {dimension: axis for axis, dimension in enumerate(walked)}
    cells = [space.read(*operand) for operand in inputs]
    if not folded:
        before = space.read(*out)
        (value,) = apply(*cells, before)
        _require_type(o, value, tensor)
        return tensor.with_cells(tensor.shape, lambda at: _at(value, tuple(at[place[k]] for k in range(dimensions))))
    name = f"accumulated {fresh('cells')}"
    names = tuple(fresh("r") for _ in range(dimensions))
    running = SymbolicTensor(space.extents, tensor.dtype, lambda point: terms.read(name, access(point), tensor.dtype))
    (value,) = apply(*cells, running)
    _require_type(o, value, tensor)
    bound = tuple(names[k] for k in folded)
    extents = [space.extents[k] for k in folded]
    filled = [at_least(extent, 1) for extent in extents]

    def cell(at: Indices) -> Term:
        point = tuple(Affine.var(names[k]) if k in folded else at[place[k]] for k in range(dimensions))
        found = _folded(o, _at(value, point), name)
        if found is None:
            return tensor.at(at)
        op, body = found
        start = convert(tensor.at(at), body.dtype)
        return convert(result(op, body, start), tensor.dtype)

    def result(op: Reducer, body: Term, start: Term) -> Term:
        total = terms.reduce(op, bound, Domain.box(bound, extents), body)
        if is_neutral(start, op) and (op in _OF_NONE or o.holds(*filled)):
            return total
        combined = total if is_neutral(start, op) else _combined(COMBINER[op], start, total)
        if op in _OF_NONE or o.holds(*filled):
            return combined
        some = Domain.of(*filled)
        return terms.piecewise(((some, combined), (some.complement(), start)))

    return tensor.with_cells(tensor.shape, cell)


def _at(value: SymbolicTensor, point: Indices) -> Term:
    """Return the value at a point; one that is the same everywhere has no axes."""
    return value.at(point) if value.rank else value.value()


def _walked(access: Access, dimensions: int) -> list[int]:
    """Return the dimension that each axis of an operand walks by itself; -1 where it walks none so."""
    place = {fresh("d"): k for k in range(dimensions)}
    return [place.get(index.variable or "", -1) for index in access(tuple(map(Affine.var, place)))]


def _require_type(o: Obligations, value: SymbolicTensor, out: SymbolicTensor) -> None:
    if value.dtype != out.dtype or is_index(value):
        o.refuse(f"a value of type {value.dtype} is written into a tensor of {out.dtype}")


def _folded(o: Obligations, term: Term, name: str) -> tuple[Reducer, Term] | None:
    """Return how a value folds something into what is accumulated, and what; None where nothing is.

    What is folded may be an unsigned integer, where the value and what is accumulated have its bits.
    """
    if isinstance(term, Read) and term.array == name:
        return None
    term = _of_same_bits(term)
    if isinstance(term, Apply) and term.op in _REDUCERS and len(term.args) == 2:  # noqa: PLR2004 - a fold is binary
        for running, other in (term.args, term.args[::-1]):
            accumulated = _of_same_bits(running)
            if isinstance(accumulated, Read) and accumulated.array == name and name not in other.reads:
                return _REDUCERS[term.op], other
    return o.refuse("a reduction that is no fold of an associative operation")


def _of_same_bits(term: Term) -> Term:
    """Return the integer of which a term is the same bits with another sign, the term itself where it is none."""
    if not isinstance(term, Apply) or term.op != "cast" or not is_integer(term.dtype):
        return term
    return term.args[0] if signed(term.args[0].dtype) == signed(term.dtype) else term


def _combined(op: str, start: Term, total: Term) -> Term:
    combine = _COMBINE.get(op)
    return arithmetic_cell(op, start, total) if combine is None else combine(start, total)


def is_neutral(term: Term, op: Reducer) -> bool:
    """Tell whether a start changes nothing."""
    value = neutral(op, term.dtype)
    if isinstance(value, int):
        return isinstance(term, Constant) and term.value == value
    while isinstance(term, Apply) and term.op == "cast":
        (term,) = term.args
    if value == "nan":
        return isinstance(term, Apply) and term.op == "nan"
    sign = isinstance(term, Apply) and term.op == "neg"
    inner = term.args[0] if isinstance(term, Apply) and sign else term
    while isinstance(inner, Apply) and inner.op == "cast":
        (inner,) = inner.args
    return isinstance(inner, Apply) and inner.op == "infinity" and sign == (op == "max")


# -- the generic, and what is short for one


def _only(o: Obligations, outs: Outs) -> SymbolicTensor:
    if len(outs) != 1:
        o.refuse("another number of results than one")
    return outs[0]


def _access(o: Obligations, map: Map) -> Access:  # noqa: A002 - MLIR's name
    if map.symbols:
        o.refuse("an indexing map with symbols")
    return lambda point: map.apply(o, point, ())


def generic(  # noqa: PLR0913 - the operation's operands and attributes
    o: Obligations, inputs: Inputs, outs: Outs, *, indexing_maps: Maps, iterator_types: Texts, body: Body
) -> SymbolicTensor:
    """Compute what a region says at each point, each operand read through a map."""
    out = _only(o, outs)
    dimensions = len(iterator_types)
    if len(indexing_maps) != len(inputs) + 1 or any(m.dimensions != dimensions for m in indexing_maps):
        o.refuse("another number of maps or of dimensions")
    if not set(iterator_types) <= {"parallel", "reduction"}:
        o.refuse("an iterator that is neither parallel nor a reduction")
    accesses = [_access(o, m) for m in indexing_maps]
    folded = [k for k, kind in enumerate(iterator_types) if kind == "reduction"]
    operands = list(zip(inputs, accesses[:-1], strict=True))
    return compute(o, operands, (out, accesses[-1]), dimensions=dimensions, folded=folded, apply=body.apply)


def _identity(point: Indices) -> Indices:
    return point


def _cell_by_cell(
    o: Obligations,
    inputs: Sequence[tuple[SymbolicTensor, Access]],
    out: SymbolicTensor,
    apply: Callable[..., tuple[SymbolicTensor, ...]],
) -> SymbolicTensor:
    return compute(o, inputs, (out, _identity), dimensions=out.rank, folded=(), apply=apply)


def map_(o: Obligations, inputs: Inputs, outs: Outs, *, body: Body) -> SymbolicTensor:
    """Apply a function to corresponding cells."""
    out = _only(o, outs)

    def apply(*cells: SymbolicTensor) -> tuple[SymbolicTensor, ...]:
        return body.apply(*cells[:-1])

    return _cell_by_cell(o, [(tensor, _identity) for tensor in inputs], out, apply)


def reduce(o: Obligations, inputs: Inputs, outs: Outs, *, dimensions: Ints, body: Body) -> SymbolicTensor:
    """Fold axes into what the result is written over."""
    out = _only(o, outs)
    source = _only(o, inputs)
    if sorted(set(dimensions)) != list(dimensions) or not all(0 <= d < source.rank for d in dimensions):
        o.refuse("dimensions that are not in order, or none of the operand")
    if not dimensions:
        o.refuse("a reduction over no dimension")

    def kept(point: Indices) -> Indices:
        return tuple(index for axis, index in enumerate(point) if axis not in dimensions)

    def apply(cell: SymbolicTensor, running: SymbolicTensor) -> tuple[SymbolicTensor, ...]:
        return body.apply(running, cell)

    operands = [(source, _identity)]
    return compute(o, operands, (out, kept), dimensions=source.rank, folded=dimensions, apply=apply)


def fill(o: Obligations, inputs: Inputs, outs: Outs) -> SymbolicTensor:
    """Give every cell one value."""
    out, value = _only(o, outs), _only(o, inputs)
    if value.rank:
        o.refuse("a fill with a tensor")
    _require_type(o, value, out)
    return out.with_cells(out.shape, lambda _: value.value())


def transpose(o: Obligations, inputs: Inputs, outs: Outs, *, permutation: Ints) -> SymbolicTensor:
    """Permute axes: axis ``k`` of the result is axis ``permutation[k]`` of the operand."""
    out, source = _only(o, outs), _only(o, inputs)
    if sorted(permutation) != list(range(source.rank)) or out.rank != source.rank:
        o.refuse("no permutation of the axes")

    def access(point: Indices) -> Indices:
        return tuple(point[permutation.index(axis)] for axis in range(source.rank))

    return _cell_by_cell(o, [(source, access)], out, lambda x, _: (x,))


def broadcast(o: Obligations, inputs: Inputs, outs: Outs, *, dimensions: Ints) -> SymbolicTensor:
    """Repeat along the axes of the result that ``dimensions`` names."""
    out, source = _only(o, outs), _only(o, inputs)
    added = set(dimensions)
    if len(added) != len(dimensions) or not added <= set(range(out.rank)) or source.rank + len(added) != out.rank:
        o.refuse("dimensions that do not lead from one shape to the other")

    def access(point: Indices) -> Indices:
        return tuple(index for axis, index in enumerate(point) if axis not in added)

    return _cell_by_cell(o, [(source, access)], out, lambda x, _: (x,))


def index(o: Obligations, *, dim: int, space: Extents) -> SymbolicTensor:
    """Return the position in a dimension of the iteration space around."""
    if not 0 <= dim < len(space):
        o.refuse("a dimension that the operation around does not have")
    return SymbolicTensor(space, "i64", lambda point: terms.index(point[dim], "i64"), Strength.WEAK)


# -- products


def _multiplied(o: Obligations, a: SymbolicTensor, b: SymbolicTensor, running: SymbolicTensor) -> SymbolicTensor:
    if not a.dtype == b.dtype == running.dtype or a.dtype == "bool":
        o.refuse("a product of operands of different types, or of truth values")

    def cell(point: Indices) -> Term:
        product = arithmetic_cell("mul", a.at(point), b.at(point))
        return terms.apply("add", running.at(point), product)

    return running.with_cells(running.shape, cell)


def _product(o: Obligations, inputs: Inputs, outs: Outs, accesses: Sequence[Access], dimensions: int) -> SymbolicTensor:
    out = _only(o, outs)
    if len(inputs) != 2:  # noqa: PLR2004 - a product of two
        o.refuse("another number of operands than two")
    kept = _walked(accesses[-1], dimensions)
    folded = [k for k in range(dimensions) if k not in kept]
    operands = list(zip(inputs, accesses[:-1], strict=True))

    def apply(a: SymbolicTensor, b: SymbolicTensor, running: SymbolicTensor) -> tuple[SymbolicTensor, ...]:
        return (_multiplied(o, a, b, running),)

    return compute(o, operands, (out, accesses[-1]), dimensions=dimensions, folded=folded, apply=apply)


def contract(o: Obligations, inputs: Inputs, outs: Outs, *, indexing_maps: Maps) -> SymbolicTensor:
    """Add products of two operands, read through maps, to what the result is written over."""
    if len(indexing_maps) != 3 or len({m.dimensions for m in indexing_maps}) != 1:  # noqa: PLR2004 - two and the result
        o.refuse("another number of maps, or of dimensions")
    return _product(o, inputs, outs, [_access(o, m) for m in indexing_maps], indexing_maps[0].dimensions)


def named(spec: str) -> Callable[..., SymbolicTensor]:
    """Return the meaning of a product by the subscripts of its operands and of its result: ``ik,kj->ij``.

    A subscript is a letter, or a sum of two: ``i+k``.
    """
    left, _, right = spec.partition("->")
    operands = [[axis for axis in side.split(" ") if axis] for side in (*left.split(","), right)]
    letters = sorted({letter for side in operands for axis in side for letter in axis if letter.isalpha()})

    def access(axes: Sequence[str]) -> Access:
        def indices(point: Indices) -> Indices:
            values = dict(zip(letters, point, strict=True))
            return tuple(sum((values[x] for x in axis.split("+")), Affine(0)) for axis in axes)

        return indices

    def meaning(o: Obligations, inputs: Inputs, outs: Outs) -> SymbolicTensor:
        return _product(o, inputs, outs, [access(axes) for axes in operands], len(letters))

    return meaning
