"""What definitions of functions of NumPy are written with: what is known of arguments, and pieces of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import DTYPES, promoted
from tensorlift.ops.c_types import BOOL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.frontends.python.scalars import Number


@dataclass(frozen=True, slots=True)
class Given:
    """What is known of an argument: a number of rank 0, or an array."""

    rank: int
    dtype: Number


@dataclass(frozen=True, slots=True)
class Function:
    """A function: its parameters, which of them the source must state, the text of its body, what may be left out."""

    parameters: tuple[str, ...]
    stated: Mapping[str, object]  # with their defaults
    body: Callable[[Mapping[str, Given], Mapping[str, Any]], str]
    optional: tuple[str, ...] = ()


# -- pieces of text


def require_array(name: str, array: Given) -> None:
    """Refuse a number, such as a parameter of which no use tells a rank, where a definition is for arrays."""
    if not array.rank:
        raise RefusedError("of-number", name)


def axis_of(name: str, array: Given, axis: object) -> int:
    """Give an axis that is stated, the only one where none is."""
    require_array(name, array)
    if axis is None and array.rank == 1:
        return 0
    if not isinstance(axis, int) or not -array.rank <= axis < array.rank:
        what = "without an axis" if axis is None else f"along the axis `{axis}`"
        raise RefusedError("axis", f"`np.{name}` {what} of an array with {array.rank} dimensions")
    return axis % array.rank


def spelled_dtype(dtype: Number) -> str:
    """Spell an element type as NumPy does."""
    spelled = next(name for name, known in DTYPES.items() if known == dtype)
    return f"np.{spelled}"


def common_dtype(name: str, arrays: Sequence[Given]) -> Number:
    """Give the element type of arrays that become one."""
    first, *others = arrays
    found = first.dtype
    for other in others:
        if (other.dtype == BOOL) != (found == BOOL):
            raise RefusedError("arguments", f"`np.{name}` of truth values and numbers")
        found = found if other.dtype == found else promoted(found, False, other.dtype, False)[0]  # noqa: FBT003 - arrays
    return found


def loops(bounds: Sequence[tuple[str, str]], body: Sequence[str]) -> list[str]:
    """Write a nest of loops, each a variable and its bound, around lines."""
    heads = [f"{'    ' * depth}for {variable} in range({bound}):" for depth, (variable, bound) in enumerate(bounds)]
    return [*heads, *(f"{'    ' * len(bounds)}{line}" for line in body)]


def slices(rank: int, axis: int, entry: str) -> str:
    """Write an index that takes an entry along one axis, and all along the others before it."""
    return ", ".join([":"] * axis + [entry]) if rank else entry


def new_array(shape: Sequence[str], dtype: Number, cell: str) -> str:
    """Write a new array whose cells are an expression of their indices, ``i0``, ``i1``, ..."""
    index = ", ".join(f"i{axis}" for axis in range(len(shape)))
    bounds = [(f"i{axis}", bound) for axis, bound in enumerate(shape)]
    return "\n".join(
        [
            f"r = np.empty(({', '.join(shape)},), dtype={spelled_dtype(dtype)})",
            *loops(bounds, [f"r[{index}] = {cell}"]),
            "return r",
        ]
    )


def extents_of(array: Given, name: str = "a") -> list[str]:
    """Write the extents of an array."""
    return [f"{name}.shape[{axis}]" for axis in range(array.rank)]


def replaced(items: Sequence[str], place: int, *others: str) -> list[str]:
    """Give items with others in place of one of them."""
    return [*items[:place], *others, *items[place + 1 :]]
