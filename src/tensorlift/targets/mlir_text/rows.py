"""Kinds of parameters of operations of MLIR dialects that are read by their form, and what a row says of them.

Types of results where the text states every type: operands of an operation are of one type, and nothing converts.

Kinds of operands and attributes of the operations around Linalg.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.tensor import Shape, Strength, SymbolicTensor
from tensorlift.ops.dtypes import DType, is_float
from tensorlift.poly.affine import Affine
from tensorlift.targets.arrays.promotion import ArrayTypes, Operand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.tensor import Obligations
    from tensorlift.targets.target import OpRow


class StatedTypes(ArrayTypes):
    """Type rules of a dialect whose operations do not convert."""

    of_negative_reals = "a negative real becomes zero as an unsigned integer"

    def common(self, o: Obligations, operands: Sequence[Operand]) -> DType:
        """Return the only type of the operands."""
        first = operands[0].dtype
        if any(operand.dtype != first for operand in operands):
            o.refuse("operands of different element types")
        return first

    def float_type(self, o: Obligations, dtype: DType) -> DType:
        """Return the type, which must be one of reals."""
        if not is_float(dtype):
            o.refuse(f"a function of reals on values of the type {dtype}")
        return dtype

    def function_strength(self, o: Obligations, tensors: Sequence[SymbolicTensor]) -> Strength:  # noqa: ARG002 - all count alike
        """Return how much the type of a result counts."""
        return Strength.STRONG

    def filled_type(self, o: Obligations, value: SymbolicTensor) -> DType:  # noqa: ARG002 - every value has a type
        """Return the type of a value."""
        return value.dtype

    def real_type(self, o: Obligations) -> DType:
        """Refuse: every type is stated."""
        return o.refuse("an element type that is not stated")


Ints = tuple[int, ...]
Labels = tuple[str, ...]
Precisions = tuple[str, ...]
Pairs = tuple[tuple[int, int], ...]
Ranges = tuple[tuple[int, int, int], ...]  # start, limit and step for each axis
ElementType = DType  # of a result whose shape the operands tell
Region = Callable[..., SymbolicTensor]  # applies the region of an operation to its arguments


class ResultType(NamedTuple):
    """The type of a result that the operands do not tell; the text states it, every extent as a number."""

    shape: Shape
    dtype: DType


_OPERANDS = ("Tensor", "Tensors")
_GIVEN = ("ResultType", "ElementType", "Region")


def operands_of(row: OpRow) -> tuple[str, ...]:
    """Return the names of the operands, in order; one that stands for several ends the list."""
    return tuple(p.name for p in row.parameters if p.kind in _OPERANDS)


def attributes_of(row: OpRow) -> dict[str, str]:
    """Return the attributes by name, with their kinds."""
    return {p.name: p.kind for p in row.parameters if p.kind not in (*_OPERANDS, *_GIVEN)}


def given_to(row: OpRow, kind: str) -> str:
    """Return the parameter that takes the type of the result, its element type or the region, nothing without one."""
    return next((p.name for p in row.parameters if p.kind == kind), "")


# The kinds of arguments: a row's meaning names them in its annotations, and the checker converts accordingly.
Scalar = SymbolicTensor  # a number, or numbers at all points of the iteration space of a body
Scalars = tuple[SymbolicTensor, ...]
Inputs = tuple[SymbolicTensor, ...]
Outs = tuple[SymbolicTensor, ...]
Number = SymbolicTensor  # one that the text spells
Predicate = str
Texts = tuple[str, ...]
Mixed = tuple[Affine, ...]  # sizes, of which the text spells some and names the others
Extents = tuple[Affine, ...]  # those of the iteration space around
Open = tuple[Affine, ...]  # sizes where the type leaves extents open


class Result(NamedTuple):
    """The type that the text states for the result: extents that it leaves open are None."""

    dtype: DType
    extents: tuple[int | None, ...] = ()
    is_index: bool = False
    is_tensor: bool = False


class Map(NamedTuple):
    """An affine map; ``apply`` gives its results for values of the dimensions and of the symbols."""

    dimensions: int
    symbols: int
    apply: Callable[[Obligations, Sequence[Affine], Sequence[Affine]], tuple[Affine, ...]]


Maps = tuple[Map, ...]
Groups = tuple[tuple[int, ...], ...]  # axes of the result that an axis of the operand becomes


class Body(NamedTuple):
    """A region: ``apply`` gives what it yields for values of its arguments, at all points of an iteration space.

    ``uses`` tells of each argument whether anything reads it.
    """

    apply: Callable[..., tuple[SymbolicTensor, ...]]
    uses: tuple[bool, ...]


def is_index(value: SymbolicTensor) -> bool:
    """Tell whether a value is of type ``index``, which is exact."""
    return value.strength is Strength.WEAK
