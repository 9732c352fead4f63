"""Functions of NumPy that a few others make up, by definitions: of pairs, spreads, windows, borders, triangles, axes.

Each is the text of a body that the reader reads in place of a call, as in ``definitions.py``; a template names what a
call states in braces, and ``{along}`` is the axis as an argument, where there is one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.python.defining import (
    Function,
    axis_of,
    common_dtype,
    extents_of,
    loops,
    new_array,
    replaced,
    require_array,
    slices,
    spelled_dtype,
)
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import accumulator
from tensorlift.ops.c_types import DOUBLE, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.frontends.python.defining import Given

    Body = Callable[[Mapping[str, Given], Mapping[str, Any]], str]


def _written(parameters: str, body: str, stated: Mapping[str, object] | None = None) -> Function:
    """Make a function of a template."""

    def text(_: Mapping[str, Given], given: Mapping[str, Any]) -> str:
        return body.format(along=_along(given), **given)

    return Function((*parameters.split(), *(stated or {})), stated or {}, text)


def _along(stated: Mapping[str, Any]) -> str:
    keeps = ", keepdims=True" if stated.get("keepdims") else ""
    return keeps if stated.get("axis") is None else f", axis={stated['axis']}{keeps}"


_DECIMALS = 15
_AXES = {"axis": None, "keepdims": False}


def _real(array: Given, name: str = "a") -> str:
    """Write an array in floating point."""
    return name if isinstance(array.dtype, FloatType) or not array.rank else f"{name}.astype(np.float64)"


# -- without what is no number


def _without_nan(name: str, of_numbers: str) -> Function:
    """Make a reduction that leaves out what is no number; ``v`` is zero there, ``n`` counts the others."""

    def body(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
        array = given["a"]
        require_array(name, array)
        if not isinstance(array.dtype, FloatType):
            return f"return np.{name.removeprefix('nan')}(a{_along(stated)})"
        zero, one = (f"{spelled_dtype(array.dtype)}({number})" for number in (0, 1))
        around = "" if stated["axis"] is None else f", axis={stated['axis']}, keepdims=True"
        return "\n".join(
            [
                "m = np.isnan(a)",
                f"v = np.where(m, {zero}, a)",
                *([f"n = np.sum(np.where(m, {zero}, {one}){_along(stated)})"] if "/ n" in of_numbers else []),
                *(_around_mean(zero, one, around) if "d * d" in of_numbers else []),
                f"return {of_numbers.format(along=_along(stated))}",
            ]
        )

    return Function(("a", *_AXES), _AXES, body)


def _around_mean(zero: str, one: str, around: str) -> list[str]:
    mean = f"np.sum(v{around}) / np.sum(np.where(m, {zero}, {one}){around})"
    return [f"d = np.where(m, {zero}, a - {mean})"]


def _extreme_without_nan(name: str) -> Function:
    """Make an extreme that leaves out what is no number; of nothing else it is the first element."""

    def body(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
        array, axis = given["a"], stated["axis"]
        require_array(f"nan{name}", array)
        along = _along(stated)
        if not isinstance(array.dtype, FloatType):
            return f"return np.{name}(a{along})"
        far = f"{spelled_dtype(array.dtype)}({'-' if name == 'max' else ''}np.inf)"
        found = f"np.{name}(np.where(np.isnan(a), {far}, a){along})"
        if axis is None:
            first = ", ".join("0" * array.rank)
            return f"s = {found}\nreturn a[{first}] if np.all(np.isnan(a)) else s"
        first = slices(array.rank, axis_of(f"nan{name}", array, axis), "0:1" if stated["keepdims"] else "0")
        return f"return np.where(np.all(np.isnan(a){along}), a[{first}], {found})"

    return Function(("a", *_AXES), _AXES, body)


# -- statistics


def _average(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    array = given["a"]
    if "weights" not in given:
        return f"return np.mean(a{_along(stated)})"
    weights = given["weights"]
    w = "weights"
    if weights.rank != array.rank:
        axis = axis_of("average", array, stated["axis"])
        if weights.rank != 1:
            raise RefusedError("arguments", "`np.average` with weights of another shape")
        w += f"[:{', None' * (array.rank - 1 - axis)}]"
    checked = f"assert a.shape[{stated['axis'] or 0}] == weights.shape[0]\n" if weights.rank == 1 else ""
    total = f"np.sum({_real(weights, w)}{_along(stated) if weights.rank == array.rank else ''})"
    return f"{checked}return np.sum({_real(array)} * {w}{_along(stated)}) / {total}"


def _spread_matrix(name: str) -> Function:
    """Make the covariances of rows, or of columns, or of two vectors, or their correlations."""

    def body(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
        first, *others = given
        arrays = [given[name] for name in given]
        if [array.rank for array in arrays] not in ([2], [1, 1]):
            raise RefusedError("arguments", f"`np.{name}` is lifted for one matrix, or two vectors")
        rows = f"np.stack(({first}, {others[0]}))" if others else first if stated["rowvar"] else f"{first}.T"
        if any(array.dtype != DOUBLE for array in arrays):
            raise RefusedError("arguments", f"`np.{name}` is lifted for `float64`")
        lines = [
            f"v = {rows}",
            "assert v.shape[1] >= 1",
            "d = v - np.mean(v, axis=1)[:, None]",
            "c = d @ d.T" + (" / (v.shape[1] - 1)" if name == "cov" else ""),
        ]
        if name == "corrcoef":
            lines += ["s = np.sqrt(np.sum(d * d, axis=1))", "c = c / (s[:, None] * s)"]
        return "\n".join([*lines, "return c"])

    first, other = ("m", "y") if name == "cov" else ("x", "y")
    return Function((first, other, "rowvar"), {"rowvar": True}, body, (other,))


def _trapezoid(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    array = given["y"]
    axis = axis_of("trapezoid", array, stated["axis"])
    sums = " + ".join(f"y[{slices(array.rank, axis, entry)}]" for entry in ("1:", ":-1"))
    width = "dx" if "dx" in given else "1.0"
    if "x" in given:
        if given["x"].rank != 1:
            raise RefusedError("arguments", "`np.trapezoid` is lifted for places in one dimension")
        width = f"(x[1:] - x[:-1])[:{', None' * (array.rank - 1 - axis)}]"
    return f"return np.sum({width} * ({sums}) / 2.0, axis={axis})"


def _gradient(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    array = given["f"]
    axis = axis_of("gradient", array, stated["axis"])
    if "varargs" in given and given["varargs"].rank:
        raise RefusedError("arguments", "`np.gradient` is lifted for one distance between all places")
    at = [slices(array.rank, axis, entry) for entry in ("2:", ":-2", "1:-1", "0", "1", "-1", "-2")]
    after, before, inner, first, second, last, other = at
    width = " / varargs" if "varargs" in given else ""
    twice = " / (2.0 * varargs)" if "varargs" in given else " / 2.0"
    dtype = spelled_dtype(array.dtype if isinstance(array.dtype, FloatType) else DOUBLE)
    return "\n".join(
        [
            f"assert f.shape[{axis}] >= 2",
            f"v = {_real(array, 'f')}",
            f"r = np.empty(({', '.join(extents_of(array, 'f'))},), dtype={dtype})",
            f"r[{inner}] = (v[{after}] - v[{before}]){twice}",
            f"r[{first}] = (v[{second}] - v[{first}]){width}",
            f"r[{last}] = (v[{last}] - v[{other}]){width}",
            "return r",
        ]
    )


def _polyval(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
    places = given["x"]
    if given["p"].rank != 1:
        raise RefusedError("arguments", "`np.polyval` is lifted for coefficients in one dimension")
    dtype = common_dtype("polyval", [given["p"], places])
    cell = f"x[{', '.join(f'i{axis}' for axis in range(places.rank))}]" if places.rank else "x"
    fold = [f"s = {spelled_dtype(dtype)}(0)", "for c in p:", f"    s = s * {cell} + c"]
    if not places.rank:
        return "\n".join([*fold, "return s"])
    shape = extents_of(places, "x")
    bounds = [(f"i{axis}", extent) for axis, extent in enumerate(shape)]
    nest = loops(bounds, [*fold, f"r[{', '.join(variable for variable, _ in bounds)}] = s"])
    return "\n".join([f"r = np.empty(({', '.join(shape)},), dtype={spelled_dtype(dtype)})", *nest, "return r"])


# -- windows and borders


def _convolved(name: str, mode: str) -> Function:
    """Make a convolution, or a correlation: products with a window that moves over an array with zeros around it."""

    def body(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
        if any(array.rank != 1 for array in given.values()):
            raise RefusedError("arguments", f"`np.{name}` of arrays with more than one dimension")
        dtype = spelled_dtype(common_dtype(name, [*given.values()]))
        lines = ["n = a.shape[0]", "m = v.shape[0]", "assert n >= 1", "assert m >= 1"]
        if stated["mode"] != "full":
            lines.append("assert n >= m")
        match stated["mode"]:
            case "valid":
                lines += ["count = n - m + 1", "p = a"]
            case "full":
                lines += [
                    "count = n + m - 1",
                    f"p = np.zeros(n + 2 * (m - 1), dtype={dtype})",
                    "p[m - 1 : m - 1 + n] = a",
                ]
            case "same":
                before = ["count = n", "h = m // 2", f"p = np.zeros(n + m - 1, dtype={dtype})"]
                lines += [*before, "p[h : h + n] = a"]
            case other:
                raise RefusedError("arguments", f"the mode `{other}` of `np.{name}`")
        own = "m - 1 - k" if name == "convolve" else "k"
        lines += [
            f"r = np.empty(count, dtype={dtype})",
            "for i in range(count):",
            f"    s = {dtype}(0)",
            "    for k in range(m):",
            f"        s += p[i + k] * v[{own}]",
            "    r[i] = s",
        ]
        return "\n".join([*lines, "return r"])

    return Function(("a", "v", "mode"), {"mode": mode}, body)


def _pad(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    array = given["array"]
    require_array("pad", array)
    borders = _borders(array, [name for name in given if name.startswith("pad_width")])
    own = extents_of(array, "array")
    extents = [f"{before} + {extent} + {after}" for (before, after), extent in zip(borders, own, strict=True)]
    if any(value.rank for name, value in given.items() if name != "array"):
        raise RefusedError("arguments", "`np.pad` is lifted for widths that are written as numbers")
    if stated["mode"] == "constant":
        fill = f"{spelled_dtype(array.dtype)}({stated['constant_values']!r})"
        inner = ", ".join(f"{before} : {before} + {extent}" for (before, _), extent in zip(borders, own, strict=True))
        shape = f"({', '.join(extents)},)"
        return f"r = np.full({shape}, {fill}, dtype={spelled_dtype(array.dtype)})\nr[{inner}] = array\nreturn r"
    places = {
        "edge": "min(max(i{axis} - {before}, 0), {extent} - 1)",
        "wrap": "(i{axis} - {before}) % {extent}",
        "reflect": "({extent} - 1) - abs(({extent} - 1) - abs(i{axis} - {before}))",
    }
    if stated["mode"] not in places:
        raise RefusedError("arguments", f"the mode `{stated['mode']}` of `np.pad`")
    lines: list[str] = []
    cells: list[str] = []
    for axis, ((before, after), extent) in enumerate(zip(borders, own, strict=True)):
        lines.append(f"assert {extent} >= 1")
        if stated["mode"] == "reflect":
            lines += [f"assert {before} < {extent}", f"assert {after} < {extent}"]
        cells.append(places[stated["mode"]].format(axis=axis, before=before, extent=extent))
    return "\n".join([*lines, new_array(extents, array.dtype, f"array[{', '.join(cells)}]")])


def _borders(array: Given, widths: Sequence[str]) -> list[tuple[str, str]]:
    """Give the widths before and after each axis: one for all, two for all, or two for each."""
    match widths:
        case [one]:
            return [(one, one)] * array.rank
        case ["pad_width_0", "pad_width_1"]:
            return [("pad_width_0", "pad_width_1")] * array.rank
    pairs = list(zip(widths[::2], widths[1::2], strict=len(widths) % 2 == 0))
    if len(pairs) != array.rank:
        raise RefusedError("arguments", "`np.pad` is lifted for one width, two, or two for each axis")
    return pairs


# -- parts and orders of axes


def _triangle(name: str, comparison: str) -> Function:
    def body(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
        array = given["m"]
        if array.rank < 2:  # noqa: PLR2004 - the last two axes are a matrix
            raise RefusedError("arguments", f"`np.{name}` is lifted for matrices")
        index = [f"i{axis}" for axis in range(array.rank)]
        row, column = index[-2:]
        bound = f"{row} + k" if "k" in given else row
        cell = f"m[{', '.join(index)}] if {column} {comparison} {bound} else {spelled_dtype(array.dtype)}(0)"
        return new_array(extents_of(array, "m"), array.dtype, cell)

    return Function(("m", "k"), {}, body, ("k",))


def _cross(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
    first, second = given["a"], given["b"]
    require_array("cross", first)
    require_array("cross", second)
    larger = "a" if first.rank >= second.rank else "b"
    shape = extents_of(given[larger], larger)[:-1]
    dtype = spelled_dtype(common_dtype("cross", [first, second]))
    lines = [f"assert {name}.shape[{given[name].rank - 1}] == 3" for name in ("a", "b")]
    lines.append(f"r = np.empty(({', '.join([*shape, '3'])},), dtype={dtype})")
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        lines.append(f"r[..., {k}] = a[..., {i}] * b[..., {j}] - a[..., {j}] * b[..., {i}]")
    return "\n".join([*lines, "return r"])


def _rot90(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    if given["m"].rank != 2:  # noqa: PLR2004 - a matrix
        raise RefusedError("arguments", "`np.rot90` is lifted for matrices")
    return f"return {('m', 'm.T[::-1]', 'm[::-1, ::-1]', 'm.T[:, ::-1]')[stated['k'] % 4]}"


def _expand_dims(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    rank = given["a"].rank
    require_array("expand_dims", given["a"])
    axis = stated["axis"]
    if not isinstance(axis, int) or not -rank - 1 <= axis <= rank:
        raise RefusedError("axis", f"`np.expand_dims` along the axis `{axis}`")
    return f"return a[{slices(rank + 1, axis % (rank + 1), 'None')}]"


def _accumulated(name: str) -> Function:
    def body(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
        array = given["array"]
        axis = axis_of(f"{name}.accumulate", array, stated["axis"])
        index = [f"i{place}" for place in range(array.rank)]
        here, before = ", ".join(index), ", ".join(replaced(index, axis, f"i{axis} - 1"))
        extents = extents_of(array, "array")
        bounds = [(f"i{place}", f"1, {extent}" if place == axis else extent) for place, extent in enumerate(extents)]
        step = f"r[{here}] = np.{name}(r[{before}], array[{here}])"
        return "\n".join(["r = array.copy()", *loops(bounds, [step]), "return r"])

    return Function(("array", "axis"), {"axis": 0}, body)


def _in_steps(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    step = stated["step"]
    if not isinstance(step, int) or step < 1 or any(isinstance(value.dtype, FloatType) for value in given.values()):
        raise RefusedError("arange", "arange")
    return new_array(
        [f"(stop - start + {step - 1}) // {step}"], accumulator(given["start"].dtype), f"start + i0 * {step}"
    )


def _rounded(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    decimals = stated["decimals"]
    if not isinstance(given["a"].dtype, FloatType) or not isinstance(decimals, int) or not 0 <= decimals <= _DECIMALS:
        raise RefusedError("arguments", f"`np.round` is lifted for floats, to at most {_DECIMALS} decimals")
    return f"return np.rint(a * {10.0**decimals}) / {10.0**decimals}"


def _zero_one(text: str) -> Body:
    """Write a template in which ``0`` and ``1`` are numbers of the common type of the arguments."""

    def body(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
        dtype = common_dtype("heaviside", [value for value in given.values() if value.rank] or [*given.values()])
        return text.format(*(f"{spelled_dtype(dtype)}({number})" for number in (0, 1)))

    return body


_LOG_OF_SUM = "np.maximum(x1, x2) + np.log1p(np.exp(-np.abs(x1 - x2)))"
_CLOSE = "(np.abs(a - b) <= {atol} + {rtol} * np.abs(b)) & np.isfinite(b) | (a == b)"
_TOLERANCES = {"rtol": 1e-05, "atol": 1e-08}
COMPOSED: dict[str, Function] = {
    "nansum": _without_nan("nansum", "np.sum(v{along})"),
    "nanmean": _without_nan("nanmean", "np.sum(v{along}) / n"),
    "nanvar": _without_nan("nanvar", "np.sum(d * d{along}) / n"),
    "nanstd": _without_nan("nanstd", "np.sqrt(np.sum(d * d{along}) / n)"),
    "nanmax": _extreme_without_nan("max"),
    "nanmin": _extreme_without_nan("min"),
    "ptp": _written("a", "return np.max(a{along}) - np.min(a{along})", _AXES),
    "average": Function(("a", "axis", "weights"), {"axis": None}, _average, ("weights",)),
    "cov": _spread_matrix("cov"),
    "corrcoef": _spread_matrix("corrcoef"),
    "trapezoid": Function(("y", "x", "dx", "axis"), {"axis": -1}, _trapezoid, ("x", "dx")),
    "trapz": Function(("y", "x", "dx", "axis"), {"axis": -1}, _trapezoid, ("x", "dx")),
    "gradient": Function(("f", "varargs", "axis"), {"axis": None}, _gradient, ("varargs",)),
    "polyval": Function(("p", "x"), {}, _polyval),
    "logaddexp": _written("x1 x2", f"return np.where(x1 == x2, x1 + {math.log(2)}, {_LOG_OF_SUM})"),
    "heaviside": Function(("x1", "x2"), {}, _zero_one("return np.where(x1 < 0, {0}, np.where(x1 > 0, {1}, x2))")),
    "isclose": _written("a b", f"return {_CLOSE}", _TOLERANCES),
    "allclose": _written("a b", f"return bool(np.all({_CLOSE}))", _TOLERANCES),
    "logical_xor": _written("x1 x2", "return (x1 != 0) != (x2 != 0)"),
    "convolve": _convolved("convolve", "full"),
    "correlate": _convolved("correlate", "valid"),
    "pad": Function(
        ("array", "pad_width", "mode", "constant_values"), {"mode": "constant", "constant_values": 0}, _pad
    ),
    "tril": _triangle("tril", "<="),
    "triu": _triangle("triu", ">="),
    "cross": Function(("a", "b"), {}, _cross),
    "rot90": Function(("m", "k"), {"k": 1}, _rot90),
    "expand_dims": Function(("a", "axis"), {"axis": None}, _expand_dims),
    "ediff1d": _written("ary", "return np.diff(ary)"),
    "logspace": _written("start stop", "return 10.0 ** np.linspace(start, stop, {num})", {"num": 50}),
    "round to decimals": Function(("a", "decimals"), {"decimals": 0}, _rounded),
    "arange by steps": Function(("start", "stop", "step"), {"step": 1}, _in_steps),
    **{f"{name}.accumulate": _accumulated(name) for name in ("maximum", "minimum")},
    "add.accumulate": _written("array", "return np.cumsum(array{along})", {"axis": 0}),
    "multiply.accumulate": _written("array", "return np.cumprod(array{along})", {"axis": 0}),
    **{
        f"{name}.outer": _written("A B", f"return A[:, None] {operator} B")
        for name, operator in (("add", "+"), ("subtract", "-"), ("multiply", "*"), ("divide", "/"))
    },
    **{
        f"{name}.reduce": _written("array", f"return np.{function}(array{{along}})", {"axis": 0, "keepdims": False})
        for name, function in (("add", "sum"), ("maximum", "max"), ("minimum", "min"), ("multiply", "prod"))
    },
}
