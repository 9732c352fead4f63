"""Reductions of the elements, or rows, for which a mask holds, as ``x[x > 0].mean()``, by definitions.

How many elements there are depends on data, so no array of them is made.  Of none the greatest is below all numbers,
where NumPy raises.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.python.defining import Function, extents_of, loops, spelled_dtype
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import accumulator
from tensorlift.frontends.python.syntax import reduces_rows
from tensorlift.ops.c_types import BOOL, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.frontends.python.defining import Given


def _over(given: Mapping[str, Given], *body: str, rank: int = 0) -> list[str]:
    """Write loops over the elements for which the mask holds, which may be one of rows; or over its own of a rank."""
    array, mask = given["a"], given["m"]
    if array.rank < mask.rank or array.dtype == BOOL:
        raise RefusedError("places", "a mask of more dimensions than the array, or truth values under one,")
    indices = [f"i{axis}" for axis in range(rank or array.rank)]
    bounds = list(zip(indices, extents_of(array), strict=False))
    inner = [f"    {line.replace('@', ', '.join(indices))}" for line in body]
    return loops(bounds, [f"if m[{', '.join(indices[: mask.rank])}]:", *inner])


def _sum(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
    return "\n".join([f"s = {spelled_dtype(accumulator(given['a'].dtype))}(0)", *_over(given, "s += a[@]"), "return s"])


def _count(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
    return "\n".join(["n = 0", *_over(given, "n += 1", rank=given["m"].rank), "return n"])


def _float(given: Mapping[str, Given]) -> str:
    dtype = given["a"].dtype
    return spelled_dtype(dtype) if isinstance(dtype, FloatType) else "np.float64"


def _mean(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
    start = ["n = 0", f"s = {_float(given)}(0)"]
    return "\n".join([*start, *_over(given, "n += 1", "s += a[@]"), "return s / n"])


def _spread(result: str) -> Callable[[Mapping[str, Given], Mapping[str, Any]], str]:
    def body(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
        mean = ["n = 0", f"s = {_float(given)}(0)", *_over(given, "n += 1", "s += a[@]"), "mean = s / n"]
        around = [f"t = {_float(given)}(0)", *_over(given, "t += (a[@] - mean) * (a[@] - mean)")]
        return "\n".join([*mean, *around, f"return {result}"])

    return body


def _extreme(name: str, start: str) -> Callable[[Mapping[str, Given], Mapping[str, Any]], str]:
    def body(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
        if not isinstance(given["a"].dtype, FloatType):
            raise RefusedError("places", f"`{name}` of integers under a mask")
        return "\n".join([f"s = {_float(given)}({start})", *_over(given, f"s = np.{name}imum(s, a[@])"), "return s"])

    return body


def _rows(name: str) -> Callable[[Mapping[str, Given], Mapping[str, Any]], str]:
    """Reduce the rows for which a mask of one dimension holds."""

    def body(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
        array, is_mean = given["a"], name == "mean"
        if given["m"].rank != 1 or array.rank == 1:
            raise RefusedError("places", f"`{name}` of rows under a mask of several dimensions")
        dtype = _float(given) if is_mean else spelled_dtype(accumulator(array.dtype))
        indices = [f"i{axis}" for axis in range(1, array.rank)]
        added = loops(
            list(zip(indices, extents_of(array)[1:], strict=True)),
            [f"r[{', '.join(indices)}] += a[i0, {', '.join(indices)}]"],
        )
        start = [f"r = np.zeros(({', '.join(extents_of(array)[1:])},), dtype={dtype})", *["n = 0"] * is_mean]
        rows = loops(
            [("i0", "a.shape[0]")], ["if m[i0]:", *(f"    {line}" for line in (*["n += 1"] * is_mean, *added))]
        )
        return "\n".join([*start, *rows, f"return r{' / n' * is_mean}"])

    return body


REDUCED = {
    "sum": _sum,
    "len": _count,
    "mean": _mean,
    "var": _spread("t / n"),
    "std": _spread("np.sqrt(t / n)"),
    "max": _extreme("max", "-np.inf"),
    "min": _extreme("min", "np.inf"),
}
MASKED = {f"{name} under a mask": Function(("a", "m"), {}, body) for name, body in REDUCED.items()} | {
    f"{name} of rows under a mask": Function(("a", "m"), {}, _rows(name)) for name in ("sum", "mean")
}


def masked_name(name: str, node: ast.Call, rank: int) -> str:
    """Name the definition for a call that reduces an array of a rank under a mask."""
    found = f"{name} of rows under a mask" if reduces_rows(node) and rank > 1 else f"{name} under a mask"
    if found not in MASKED:
        raise RefusedError("places", f"`{ast.unparse(node)}`")
    return found
