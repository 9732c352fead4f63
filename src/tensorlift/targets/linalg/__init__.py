"""The Linalg target: operations on tensors of open extents, with those of the dialects around it.

Programs take tensors and give new ones; upstream's passes put them into memory.

Every operation that an emitted program may use, one row each.

What operations around Linalg are tried on to find out what they compute: arguments of each kind, of one type.

A region applies an operation on two numbers; what an operation is written over is read as any operand.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.tensor import array
from tensorlift.diagnostics import LiftError
from tensorlift.ir.cost import Costs
from tensorlift.poly.affine import Affine
from tensorlift.targets.linalg import rows_named, rows_scalar, rows_tensor
from tensorlift.targets.linalg.rows_scalar import PREDICATES
from tensorlift.targets.linalg.rows_scalar import ROWS as SCALARS
from tensorlift.targets.linalg.writer import COMBINERS, operation
from tensorlift.targets.mlir_text.rows import Body, StatedTypes
from tensorlift.targets.target import Target, by_spelling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import OpRow


_EXTENT = Affine.var("n")
_RANKS = (0, 1, 2)
_MOST_INPUTS = 2
_SELECTED = 3  # numbers, the first of which is a truth value


def probes(row: OpRow, o: Obligations, dtype: DType) -> Iterator[dict[str, Any]]:
    """Yield arguments by name; those of a kind that is not known here are never all given."""
    numbers = [p.name for p in row.parameters if p.kind == "Scalar"]
    types: list[DType] = [dtype] * len(numbers)
    if len(numbers) == _SELECTED:
        types[0] = "bool"
    given = {name: _tensor(name, 1, own) for name, own in zip(numbers, types, strict=True)}
    others = [p for p in row.parameters if p.kind != "Scalar"]
    for values in itertools.product(*(list(_values(p.kind, o, dtype)) for p in others)):
        yield {**given, **dict(zip((p.name for p in others), values, strict=True))}


def _values(kind: str, o: Obligations, dtype: DType) -> Iterator[Any]:
    if kind == "Predicate":
        yield from PREDICATES
    elif kind == "Inputs":
        for count in range(1, _MOST_INPUTS + 1):
            for ranks in itertools.product(_RANKS, repeat=count):
                yield tuple(_tensor(f"input{k}", rank, dtype) for k, rank in enumerate(ranks))
    elif kind == "Outs":
        yield from ((_tensor("out", rank, dtype),) for rank in _RANKS)
    elif kind == "Ints":
        yield (0,)
    elif kind == "Body":
        yield from _bodies(o, dtype)


def _bodies(o: Obligations, dtype: DType) -> Iterator[Body]:
    """Yield a region for each way to fold."""
    rows = {row.spelling: row for row in SCALARS}
    for op in COMBINERS.values():
        try:
            row = rows[operation(op, dtype)]
        except LiftError:
            continue
        yield Body(lambda *cells, row=row: (row.meaning(o, *cells),), (True, True))


def _tensor(name: str, rank: int, dtype: DType) -> SymbolicTensor:
    return array(name, (_EXTENT,) * rank, dtype)


_LISTED = (*rows_named.ROWS, *rows_tensor.ROWS, *rows_scalar.ROWS)
ROWS = by_spelling(replace(row, probe=probes) for row in _LISTED)


TARGET = Target(
    name="linalg",
    takes_empty=True,
    short_windows=True,
    rows=ROWS,
    types=StatedTypes(),
    emitter="tensorlift.targets.linalg.emit:emit",
    changes_arrays=False,
    library="linalg",
    costs=Costs(operation=75, view=0, cell=0.48, function=10, product=0.5, loose_product=0.14, in_place=0.48),
    language="mlir",
    has_numbers=True,
    is_signless=True,
    segmented=frozenset({"pairs"}),
    orders_stores=True,
    loops=("scf.for", "scf.while"),
    dialects=(
        "tensorlift.targets.linalg.dialect:LINALG",
        "tensorlift.targets.linalg.dialect:AFFINE",
        "tensorlift.targets.linalg.dialect:ARITH",
        "tensorlift.targets.linalg.dialect:MATH",
        "xdsl.dialects.scf:Scf",
        "xdsl.dialects.tensor:Tensor",
    ),
)
