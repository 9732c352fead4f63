"""Arrays at places that arrays of integers say: ``np.take``, subscripts and stores, ``np.add.at``, by definitions.

The index of an array is a tuple of entries, one for each of its axes: ``:``, or the name of a parameter that is a
number or an array of places.  Arrays of places have one shape, whose indices stand where the entries stand.  Stores are
one after the other, so that of several at one place the last one stays, as NumPy has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.python.defining import Function, axis_of, extents_of, loops, new_array
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.ops.c_types import BOOL, FloatType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.frontends.python.defining import Given

Entries = tuple[str, ...]

_UPDATES = {
    "add": "{old} + {new}", "subtract": "{old} - {new}", "multiply": "{old} * {new}",
    "maximum": "np.maximum({old}, {new})", "minimum": "np.minimum({old}, {new})",
}  # fmt: skip


def _indexed(name: str, given: Mapping[str, Given], entries: Entries) -> tuple[list[str], list[str], str]:
    """Give lines that check shapes, the shape of the part of ``a`` at its places, and a cell of it by its indices."""
    taken = [axis for axis, entry in enumerate(entries) if entry != ":"]
    arrays = [entry for entry in entries if entry != ":" and given[entry].rank]
    if taken != list(range(taken[0], taken[-1] + 1)):
        raise RefusedError("places", f"{name} with arrays as indices before and after a slice")
    whole = [
        not isinstance(given[entries[axis]].dtype, FloatType) and given[entries[axis]].dtype != BOOL for axis in taken
    ]
    if not (arrays and all(whole)):
        raise RefusedError("places", f"{name} with other indices than arrays of integers")
    if len({given[entry].rank for entry in arrays}) > 1:
        raise RefusedError("places", f"{name} with indices that have different numbers of dimensions")
    first, *others = arrays
    rank = given[first].rank
    own = extents_of(given["a"])
    shape = [*own[: taken[0]], *extents_of(given[first], first), *own[taken[-1] + 1 :]]
    lines = [f"assert {first}.shape[{axis}] == {other}.shape[{axis}]" for other in others for axis in range(rank)]
    indices = [f"i{axis}" for axis in range(len(shape))]
    at = ", ".join(indices[taken[0] : taken[0] + rank])
    before, after = iter(indices[: taken[0]]), iter(indices[taken[0] + rank :])
    cells: list[str] = []
    for axis, entry in enumerate(entries):
        if entry == ":":
            cells.append(next(before) if axis < taken[0] else next(after))
        else:
            cells.append(f"{entry}[{at}]" if given[entry].rank else entry)
    return lines, shape, f"a[{', '.join(cells)}]"


def _read(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    lines, shape, cell = _indexed("a subscript", given, stated["entries"])
    return "\n".join([*lines, new_array(shape, given["a"].dtype, cell)])


def _stored(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    return _changed("a store", given, stated["entries"], "{new}")


def _changed(name: str, given: Mapping[str, Given], entries: Entries, update: str) -> str:
    """Write what stores into the cells of ``a`` at places, numbers or the cells of an array ``v``."""
    lines, shape, cell = _indexed(name, given, entries)
    value = given["v"]
    if value.rank > len(shape):
        raise RefusedError("shape", "the value has more dimensions than the target")
    fits = zip(extents_of(value, "v"), shape[len(shape) - value.rank :], strict=True)
    lines += [f"assert {mine} == {extent}" for mine, extent in fits]
    kept = [entry for entry in entries if entry != ":" and given[entry].rank and given[entry].dtype == given["a"].dtype]
    kept += ["v"] * (value.rank > 0)
    lines += [f"{own} = {own}.copy()" for own in kept]  # they may lie in `a` itself
    at = ", ".join(f"i{axis}" for axis in range(len(shape) - value.rank, len(shape)))
    new = update.format(old=cell, new=f"v[{at}]" if value.rank else "v")
    bounds = [(f"i{axis}", bound) for axis, bound in enumerate(shape)]
    return "\n".join([*lines, *loops(bounds, [f"{cell} = {new}"])])


def _take(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    """Give the items at some places along an axis."""
    axis = axis_of("take", given["a"], stated["axis"])
    entries = tuple("indices" if place == axis else ":" for place in range(given["a"].rank))
    return _read(given, {"entries": entries})


def _updated_at(name: str, update: str) -> Function:
    def body(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
        places = [parameter for parameter in given if parameter.startswith("indices")]
        if len(places) > given["a"].rank:
            raise RefusedError("rank", f"`np.{name}.at` has {len(places)} indices for {given['a'].rank} dimensions")
        entries = (*places, *[":"] * (given["a"].rank - len(places)))
        return _changed(f"`np.{name}.at`", given, entries, update)

    return Function(("a", "indices", "v"), {}, body)


def entries_of(parts: Sequence[object]) -> Entries:
    """Name the entries of an index, of which those are None that take a whole axis."""
    return tuple(":" if part is None else f"p{place}" for place, part in enumerate(parts))


AT_PLACES = {
    "take": Function(("a", "indices", "axis"), {"axis": None}, _take),
    **{f"{name}.at": _updated_at(name, update) for name, update in _UPDATES.items()},
}
STORING = AT_PLACES.keys() - {"take"}
SUBSCRIPTS = {
    "a[k]": Function(("a",), {"entries": ()}, _read),
    "a[k] = v": Function(("a", "v"), {"entries": ()}, _stored),
}
BY_ELEMENTS = AT_PLACES.keys() | SUBSCRIPTS.keys()  # they read elements of all arguments but `a`
