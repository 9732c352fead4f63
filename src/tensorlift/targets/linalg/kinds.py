"""Kinds of operands and attributes of the operations around Linalg."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.tensor import Strength, SymbolicTensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.comprehension.tensor import Obligations
    from tensorlift.ops.dtypes import DType

# The kinds of arguments: a row's meaning names them in its annotations, and the checker converts accordingly.
Scalar = SymbolicTensor  # a number, or numbers at all points of the iteration space of a body
Scalars = tuple[SymbolicTensor, ...]
Inputs = tuple[SymbolicTensor, ...]
Outs = tuple[SymbolicTensor, ...]
Number = SymbolicTensor  # one that the text spells
Predicate = str
Ints = tuple[int, ...]
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
