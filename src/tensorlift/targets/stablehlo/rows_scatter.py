"""The operation that writes or adds parts of an array at places that an array of index vectors tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Indices, Obligations, SymbolicTensor, affine_of, pieces, scalar_value
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.arithmetic import cell as arithmetic_cell
from tensorlift.targets.arrays.compaction import dropped
from tensorlift.targets.arrays.scatter import updated
from tensorlift.targets.stablehlo.rows_fold import operation_of
from tensorlift.targets.stablehlo.rows_shape import named_axes
from tensorlift.targets.target import Flag, Slice, Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.arrays.scatter import Hits
    from tensorlift.targets.mlir_text.rows import Ints, Region


class ScatterDimensions(NamedTuple):
    """Which axes a scatter walks, as its dimension numbers say."""

    update_window_dims: Ints = ()
    inserted_window_dims: Ints = ()
    input_batching_dims: Ints = ()
    scatter_indices_batching_dims: Ints = ()
    scatter_dims_to_operand_dims: Ints = ()
    index_vector_dim: int = 0


def index_vector(o: Obligations, vectors: SymbolicTensor, indices: Indices, name: str) -> Indices:
    """Return the index vector at an index, which stands along the last axis; its numbers must be affine."""
    found = []
    for axis in range(vectors.shape[-1].constant):
        value = affine_of(vectors.at((*indices, Affine(axis))))
        if value is None:
            o.refuse(f"a {name} by indices that are not affine")
        found.append(value)
    return tuple(found)


def _scatter(  # noqa: PLR0913 - the attributes of the operation
    o: Obligations,
    inputs: Tensor,
    scatter_indices: Tensor,
    updates: Tensor,
    *,
    update_computation: Region,
    scatter_dimension_numbers: ScatterDimensions,
    indices_are_sorted: Flag = False,
    unique_indices: Flag = False,
) -> SymbolicTensor:
    """Whole windows of the axes that are not indexed, at index vectors that are in range, but for those of compaction.

    Vectors that are affine in their place are shown to be no two the same where that matters.
    """
    numbers, indexed = scatter_dimension_numbers, scatter_dimension_numbers.scatter_dims_to_operand_dims
    named_axes(o, indexed, inputs.rank)
    named_axes(o, numbers.update_window_dims, updates.rank)
    windows = tuple(axis for axis in range(inputs.rank) if axis not in indexed)
    wanted = ScatterDimensions(
        tuple(sorted(numbers.update_window_dims)), tuple(sorted(indexed)), (), (), indexed, scatter_indices.rank - 1
    )
    is_whole = len(numbers.update_window_dims) == len(windows)
    if numbers != wanted or not is_whole or not indexed or not scatter_indices.rank:
        o.refuse("a scatter of other parts than whole windows of the axes that are not indexed")
    if indices_are_sorted:
        o.refuse("a scatter that promises sorted indices")
    if scatter_indices.shape[-1] != len(indexed) or scatter_indices.dtype not in ("i32", "i64"):
        o.refuse("index vectors of another length or type")
    if updates.rank != len(windows) + scatter_indices.rank - 1 or updates.dtype != inputs.dtype:
        o.refuse("updates of another rank or element type")
    op = _combining(o, update_computation, inputs.dtype)
    names = tuple(fresh("u") for _ in scatter_indices.shape[:-1])
    if op not in (None, "sum") or any(
        affine_of(column.at(tuple(map(Affine.var, names)))) is None for column in _columns(scatter_indices)
    ):
        if unique_indices:
            o.refuse("a scatter that promises that places which depend on data are unique")
        return _where_data_say(o, inputs, scatter_indices, updates, numbers, op)
    places, accumulates = _Places(o, inputs, scatter_indices, updates, numbers), op is not None
    if unique_indices or not accumulates:
        places.require_unique()
        return inputs.with_cells(inputs.shape, lambda index: places.written(index, accumulates=accumulates))
    return inputs.with_cells(inputs.shape, places.summed)


def _combining(o: Obligations, body: Region, dtype: DType) -> Reducer | None:
    """Return the operation by which a region combines the old cell with the update; None where it gives the update."""
    old, new = (terms.scalar(fresh("argument"), dtype) for _ in range(2))
    result = body(scalar_value(old), scalar_value(new)).value()
    return None if result is new else operation_of(o, body, dtype)


def _columns(vectors: SymbolicTensor) -> list[SymbolicTensor]:
    """Return the index array of each axis."""

    def column(number: int) -> SymbolicTensor:
        return vectors.with_cells(vectors.shape[:-1], lambda at: vectors.at((*at, Affine(number))))

    return [column(number) for number in range(vectors.shape[-1].constant)]


def _where_data_say(  # noqa: PLR0913, PLR0917 - what a scatter is made of
    o: Obligations,
    inputs: SymbolicTensor,
    vectors: SymbolicTensor,
    updates: SymbolicTensor,
    numbers: ScatterDimensions,
    op: Reducer | None,
) -> SymbolicTensor:
    """Update at index vectors of which data say what they are; equal ones come in no certain order.

    Where what a mask drops goes behind the end of the array, the others have their places one after the other.
    """
    indexed, rank = numbers.scatter_dims_to_operand_dims, vectors.rank - 1
    first, last = indexed[0], indexed[-1] + 1
    behind = range(first + rank, inputs.rank - len(indexed) + rank)
    if indexed != tuple(range(first, last)) or numbers.update_window_dims != (*range(first), *behind):
        o.refuse("a scatter where data say, into axes that are no neighbours or with updates in another order")
    whole = (*inputs.shape[:first], *vectors.shape[:-1], *inputs.shape[last:])
    for extent, wanted in zip(updates.shape, whole, strict=True):
        o.require("a scatter has an update for each index vector", equal(extent, wanted))
    columns = _columns(vectors)
    if op is None and inputs.rank == rank == 1:
        place = terms.unconverted(columns[0].at((Affine.var(fresh("u")),)))
        if terms.applies(place, "select") and affine_of(terms.unconverted(place.args[2])) == inputs.shape[0]:
            return dropped(o, inputs, (columns[0],), updates, "drop")

    def combine(hits: Hits, old: Term) -> Term:
        return hits.last(o, old, is_ordered=False) if op is None else hits.fold(op, old)

    return updated(o, inputs, (*(Slice() for _ in range(first)), *columns), updates, combine)


class _Places:
    """The cells that a scatter writes: those at the index vectors, each with its window."""

    def __init__(
        self,
        o: Obligations,
        inputs: SymbolicTensor,
        vectors: SymbolicTensor,
        updates: SymbolicTensor,
        numbers: ScatterDimensions,
    ) -> None:
        self.o = o
        self.inputs = inputs
        self.vectors = vectors
        self.updates = updates
        self.indexed = numbers.scatter_dims_to_operand_dims
        self.windows = [axis for axis in range(inputs.rank) if axis not in self.indexed]
        self.spread = numbers.update_window_dims
        self.scattered = [axis for axis in range(updates.rank) if axis not in self.spread]
        self.shape = vectors.shape[:-1]
        for axis, extent in zip(self.scattered, self.shape, strict=True):
            o.require("a scatter has an update for each index vector", equal(updates.shape[axis], extent))
        for axis, mine in zip(self.spread, self.windows, strict=True):
            o.require("the window of a scatter is whole", equal(updates.shape[axis], inputs.shape[mine]))
        _, box, places = self._walk()
        for axis, place in zip(self.indexed, places, strict=True):
            o.require("a scatter is in range", at_least(place, 0), less(place, inputs.shape[axis]), over=box)

    def require_unique(self) -> None:
        """Demand that no two index vectors are the same."""
        first, box, here = self._walk()
        second, other, there = self._walk()
        same = Domain.of(*(equal(mine, theirs) for mine, theirs in zip(here, there, strict=True)))
        equals = (equal(mine, theirs) for mine, theirs in zip(first, second, strict=True))
        self.o.require("the index vectors of a scatter are unique", *equals, over=box & other & same)

    def written(self, index: Indices, *, accumulates: bool) -> Term:
        """Return a cell of the result where the index vectors are unique."""
        names, domain = self._writers(index)
        reached = domain.project_out(*names)
        value, steps = self._update(index, names)
        for name, step in reversed(steps.items()):
            value = terms.single(name, step, value) if name in value.free else value
        old = self.inputs.at(index)
        value = arithmetic_cell("add", old, value) if accumulates else value
        return pieces((reached, value), (reached.complement(), old))

    def summed(self, index: Indices) -> Term:
        """Return a cell of the result to which all updates for it are added."""
        names, domain = self._writers(index)
        if not names:
            return self.written(index, accumulates=True)
        update = self._update_at(index, tuple(map(Affine.var, names)))
        return arithmetic_cell("add", self.inputs.at(index), terms.reduce("sum", names, domain, update))

    def _walk(self) -> tuple[tuple[str, ...], Domain, Indices]:
        """Return new names for the axes of the index vectors, their box, and the index vector there."""
        names = tuple(fresh("u") for _ in self.shape)
        vector = index_vector(self.o, self.vectors, tuple(map(Affine.var, names)), "scatter")
        return names, Domain.box(names, self.shape), vector

    def _writers(self, index: Indices) -> tuple[tuple[str, ...], Domain]:
        """Return which index vectors lead to a cell."""
        names, box, places = self._walk()
        meets = Domain.of(*(equal(index[axis], place) for axis, place in zip(self.indexed, places, strict=True)))
        return names, box & meets

    def _update_at(self, index: Indices, vector: Indices) -> Term:
        """Return the update for a cell from the index vector at an index."""
        place = dict(zip(self.scattered, vector, strict=True))
        place |= {axis: index[mine] for axis, mine in zip(self.spread, self.windows, strict=True)}
        return self.updates.at(tuple(place[axis] for axis in range(self.updates.rank)))

    def _update(self, index: Indices, names: Sequence[str]) -> tuple[Term, dict[str, Domain]]:
        """Return the update for a cell from the only index vector that leads there, with what says which that is."""
        places = index_vector(self.o, self.vectors, tuple(map(Affine.var, names)), "scatter")
        found = {name: ZERO for name, extent in zip(names, self.shape, strict=True) if extent == ONE}
        steps: dict[str, Domain] = {}
        pairs = [(index[axis], place) for axis, place in zip(self.indexed, places, strict=True)]
        for _ in names:
            for cell, place in pairs:
                rest = place.substitute(found)
                unknown = [(name, factor) for name, factor in rest.terms if name in names]
                if len(unknown) != 1:
                    continue
                ((name, factor),) = unknown
                rest = rest - Affine.var(name) * factor
                if abs(factor) == 1:
                    found[name] = (cell - rest) * factor
                else:
                    found[name] = Affine.var(step := fresh("t"))
                    steps[step] = Domain.of(equal(cell, rest + found[name] * factor))
        if len(found) != len(names):
            self.o.refuse("a scatter whose index vectors do not tell their place one number at a time")
        return self._update_at(index, tuple(found[name] for name in names)), steps


def _text(numbers: str, body: str, types: str, flags: str = "") -> str:
    """Spell a scatter of ``b`` into ``a`` at ``i``; ``body`` is what the region does with ``%x`` and ``%y``."""
    given = f"{flags}scatter_dimension_numbers = #stablehlo.scatter<{numbers}>"
    region = f"({{{{\n^bb0(%x: tensor<{{a}}>, %y: tensor<{{a}}>):\n{body}\n}}}})"
    return f'"stablehlo.scatter"(%a, %i, %b) <{{{{{given}}}}}> {region} : {types}'


_STORED = "  stablehlo.return %y : tensor<{a}>"
_ADDED = "  %s = stablehlo.add %x, %y : tensor<{a}>\n  stablehlo.return %s : tensor<{a}>"
_DIAGONAL = "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1"
_ROWS = "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
_COLUMNS = (
    "update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2"
)
_TOTALS = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2"
_IN_DIAGONAL = "%i = stablehlo.iota dim = 0 : tensor<{m}x2xi64>\n"
_DIAGONAL_TYPES = "(tensor<{m}x{m+1}x{a}>, tensor<{m}x2xi64>, tensor<{m}x{a}>) -> tensor<{m}x{m+1}x{a}>"
_ODD_ROWS = """%t = stablehlo.iota dim = 0 : tensor<{m}x1xi64>
%two = stablehlo.constant dense<2> : tensor<{m}x1xi64>
%u = stablehlo.multiply %t, %two : tensor<{m}x1xi64>
%one = stablehlo.constant dense<1> : tensor<{m}x1xi64>
%i = stablehlo.add %u, %one : tensor<{m}x1xi64>
"""
_ROWS_TYPES = "(tensor<{m+m+1}x{n}x{a}>, tensor<{m}x1xi64>, tensor<{m}x{n}x{a}>) -> tensor<{m+m+1}x{n}x{a}>"
_IN_COLUMNS = (
    "%t = stablehlo.iota dim = 0 : tensor<3x1x1xi32>\n%i = stablehlo.reverse %t, dims = [0] : tensor<3x1x1xi32>\n"
)
_COLUMNS_TYPES = "(tensor<{m}x4x{a}>, tensor<3x1x1xi32>, tensor<{m}x3x1x{a}>) -> tensor<{m}x4x{a}>"
_LARGEST = "  %s = stablehlo.maximum %x, %y : tensor<{a}>\n  stablehlo.return %s : tensor<{a}>"
_PLACES = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"
_IN_PLACES = """%z = stablehlo.constant dense<0{.0}> : tensor<{m}x{a}>
%p = stablehlo.compare GT, %b, %z : (tensor<{m}x{a}>, tensor<{m}x{a}>) -> tensor<{m}xi1>
%q = stablehlo.convert %p : (tensor<{m}xi1>) -> tensor<{m}xi32>
%i = stablehlo.reshape %q : (tensor<{m}xi32>) -> tensor<{m}x1xi32>
"""
_PLACES_TYPES = "(tensor<{m+1}x{a}>, tensor<{m}x1xi32>, tensor<{m}x{a}>) -> tensor<{m+1}x{a}>"
_IN_TOTALS = "%i = stablehlo.iota dim = 0 : tensor<{m}x{n}x1xi64>\n"
_TOTALS_TYPES = "(tensor<{m+1}x{a}>, tensor<{m}x{n}x1xi64>, tensor<{m}x{n}x{a}>) -> tensor<{m+1}x{a}>"

ROWS = [
    row(
        "stablehlo.scatter",
        _scatter,
        sample(_IN_DIAGONAL + _text(_DIAGONAL, _STORED, _DIAGONAL_TYPES), 1, a="arith[m, m + 1]", b="arith[m]"),
        sample(
            _ODD_ROWS + _text(_ROWS, _STORED, _ROWS_TYPES, "unique_indices = true, "),
            1,
            a="arith[m + m + 1, n]",
            b="arith[m, n]",
        ),
        sample(_IN_COLUMNS + _text(_COLUMNS, _STORED, _COLUMNS_TYPES), 1, a="arith[m, 4]", b="arith[m, 3, 1]"),
        sample(
            _IN_DIAGONAL + _text(_DIAGONAL, _ADDED, _DIAGONAL_TYPES, "unique_indices = true, "),
            1,
            a="arith[m, m + 1]",
            b="arith[m]",
        ),
        sample(
            _IN_PLACES.replace("{.0}", ".0") + _text(_PLACES, _LARGEST, _PLACES_TYPES), 1, a="real[m + 1]", b="real[m]"
        ),
        sample(
            _IN_PLACES.replace("{.0}", "") + _text(_PLACES, _ADDED, _PLACES_TYPES),
            1,
            a="integer[m + 1]",
            b="integer[m]",
        ),
        sample(_IN_TOTALS + _text(_TOTALS, _ADDED, _TOTALS_TYPES), 1, a="arith[m + 1]", b="arith[m, n]"),
        form="",
    )
]
