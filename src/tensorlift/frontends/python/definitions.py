"""Functions of NumPy by their definitions: loops in Python, which are read in place of a call like a user's function.

A definition is text, made by the ranks and element types of the arguments and by what the call states: an axis, the
subscripts of ``einsum``.  It says what NumPy does, up to the order of sums.  NaN has no order, so ``argmin`` compares
as a user's loop does.  What is a view in NumPy is one here, too.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.python.composed import COMPOSED
from tensorlift.frontends.python.defining import (
    Function,
    Given,
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
from tensorlift.frontends.python.masked import MASKED
from tensorlift.frontends.python.places import AT_PLACES, SUBSCRIPTS
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import DTYPES, accumulator
from tensorlift.frontends.python.shapes import RESHAPED
from tensorlift.frontends.python.syntax import named_arguments
from tensorlift.ops.c_types import BOOL, DOUBLE, FloatType

if TYPE_CHECKING:
    from collections.abc import Mapping

_INTEGERS = [DTYPES[name] for name in ("int64", "int32", "int16", "uint8")]


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a call, those that are evaluated and those that the source states."""

    name: str
    values: Mapping[str, ast.expr]
    stated: Mapping[str, object]


def definition(name: str, given: Mapping[str, Given], stated: Mapping[str, object]) -> ast.FunctionDef:
    """Give a function for arguments of some kinds, one and the same for the same kinds."""
    return _definition(name, tuple(given.items()), tuple(stated.items()))


def call_of(name: str, node: ast.Call) -> Call:
    """Tell the arguments of a call of a function of the table apart."""
    function = FUNCTIONS[name]
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        raise RefusedError("arguments", "`*` in a call is not lifted")
    if name == "einsum" and node.args:
        first, *operands = node.args
        node = ast.copy_location(ast.Call(node.func, [first, ast.Tuple(operands, ast.Load())], node.keywords), node)
    given = named_arguments(node, function.parameters)
    values: dict[str, ast.expr] = {}
    stated = {parameter: default for parameter, default in function.stated.items() if parameter not in given}
    for parameter, value in given.items():
        if parameter in function.stated:
            stated[parameter] = _stated(value)
        elif isinstance(value, _SEVERAL.get(parameter, ())):
            assert isinstance(value, ast.Tuple | ast.List)
            items = _flat(value) if parameter == "pad_width" else value.elts
            values |= {f"{parameter}_{place}": item for place, item in enumerate(items)}
        elif parameter in {"arrays", "range"}:
            raise RefusedError("arguments", f"`np.{name}` is lifted for a tuple as its `{parameter}`")
        else:
            values[parameter] = value
    missing = [p for p in function.parameters if p not in given and p not in (*function.stated, *function.optional)]
    if missing or not values:
        raise RefusedError("arguments", f"`np.{name}` is lifted with {', '.join(function.parameters)}")
    return Call(name, values, stated)


_SEVERAL: dict[str, tuple[type[ast.Tuple | ast.List], ...]] = {
    **dict.fromkeys(("arrays", "operands", "range", "pad_width"), (ast.Tuple, ast.List)),
    "indices": (ast.Tuple,),
}


def _flat(node: ast.expr) -> list[ast.expr]:
    return [inner for item in node.elts for inner in _flat(item)] if isinstance(node, ast.Tuple | ast.List) else [node]


def _stated(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        text = ast.unparse(node)
        if text.rpartition(".")[2] == "inf":
            return "-inf" if text.startswith("-") else "inf"
        raise RefusedError("arguments", f"the argument `{ast.unparse(node)}` is no constant") from None


@lru_cache(maxsize=256)
def _definition(
    name: str, given: tuple[tuple[str, Given], ...], stated: tuple[tuple[str, object], ...]
) -> ast.FunctionDef:
    function = (FUNCTIONS | SUBSCRIPTS | RESHAPED | MASKED)[name]
    lines = function.body(dict(given), dict(stated)).splitlines()
    text = "\n".join([f"def f({', '.join(parameter for parameter, _ in given)}):", *(f"    {line}" for line in lines)])
    (made,) = ast.parse(text).body
    assert isinstance(made, ast.FunctionDef)
    made.name = f"np.{name}"
    return made


# -- arrays from arrays


def _flip(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    rank, axis = given["a"].rank, stated["axis"]
    require_array("flip", given["a"])
    axes = range(rank) if axis is None else [axis_of("flip", given["a"], axis)]
    return f"return a[{', '.join('::-1' if place in axes else ':' for place in range(rank))}]"


def _flipped(name: str, axis: int) -> Function:
    def body(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
        return _flip(given, {"axis": axis_of(name, given["a"], axis)})

    return Function(("a",), {}, body)


def _roll(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    array = given["a"]
    axis = axis_of("roll", array, stated["axis"])
    if given["shift"].rank or given["shift"].dtype.spelling == "double":
        raise RefusedError("arguments", "`np.roll` is lifted for one integer as its shift")
    along = f"(i{axis} - shift) % max(a.shape[{axis}], 1)"
    index = replaced([f"i{place}" for place in range(array.rank)], axis, along)
    return new_array(extents_of(array), array.dtype, f"a[{', '.join(index)}]")


def _diff(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    array = given["a"]
    axis, order = axis_of("diff", array, stated["axis"]), stated["n"]
    if not isinstance(order, int) or not 0 <= order <= 4:  # noqa: PLR2004 - each is a line
        raise RefusedError("arguments", "`np.diff` is lifted for an order up to 4")
    operator = "!=" if array.dtype == BOOL else "-"
    names = [f"d{place}" if place else "a" for place in range(order + 1)]
    after, before = (slices(array.rank, axis, entry) for entry in ("1:", ":-1"))
    lines = [f"{new} = {old}[{after}] {operator} {old}[{before}]" for old, new in pairwise(names)]
    return "\n".join([*lines, f"return {names[-1]}"])


def _joined(name: str, arrays: Mapping[str, Given], axis: int) -> str:
    """Write arrays that follow one another along an axis."""
    first, *_ = arrays.values()
    require_array(name, first)
    if any(array.rank != first.rank for array in arrays.values()):
        raise RefusedError("arguments", f"`np.{name}` of arrays with different numbers of dimensions")
    ends = [f"n{place}" for place in range(len(arrays))]
    lines = [f"n0 = {next(iter(arrays))}.shape[{axis}]"]
    for (before, end), own in zip(pairwise(ends), [*arrays][1:], strict=True):
        lines.append(f"{end} = {before} + {own}.shape[{axis}]")
    shape = replaced(extents_of(first, next(iter(arrays))), axis, ends[-1])
    lines.append(f"r = np.empty(({', '.join(shape)},), dtype={spelled_dtype(common_dtype(name, [*arrays.values()]))})")
    for own, before, end in zip(arrays, ["", *ends], [*ends[:-1], ""], strict=False):
        lines.append(f"r[{slices(first.rank, axis, f'{before}:{end}')}] = {own}")
    return "\n".join([*lines, "return r"])


def _stacked(name: str, arrays: Mapping[str, Given], axis: object) -> str:
    """Write arrays of one shape along a new axis."""
    first, *_ = arrays.values()
    require_array(name, first)
    if any(array.rank != first.rank for array in arrays.values()):
        raise RefusedError("arguments", f"`np.{name}` of arrays with different numbers of dimensions")
    place = axis_of(name, Given(first.rank + 1, first.dtype), axis)
    own = extents_of(first, next(iter(arrays)))
    shape = [*own[:place], str(len(arrays)), *own[place:]]
    lines = [f"r = np.empty(({', '.join(shape)}), dtype={spelled_dtype(common_dtype(name, [*arrays.values()]))})"]
    lines += [f"r[{slices(len(shape), place, str(k))}] = {array}" for k, array in enumerate(arrays)]
    return "\n".join([*lines, "return r"])


def _concatenate(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    first, *_ = given.values()
    return _joined("concatenate", given, axis_of("concatenate", first, stated["axis"]))


def _append(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
    """Write two arrays of one dimension, or numbers, one after the other."""
    if any(array.rank > 1 for array in given.values()):
        raise RefusedError("arguments", "`np.append` of arrays with several dimensions")
    lengths = [f"{name}.shape[0]" if array.rank else "1" for name, array in given.items()]
    before = lengths[0]
    dtype = spelled_dtype(common_dtype("append", [*given.values()]))
    parts = [f"r[{part}] = {name}" for part, name in zip((f":{before}", f"{before}:"), given, strict=True)]
    return "\n".join([f"r = np.empty({' + '.join(lengths)}, dtype={dtype})", *parts, "return r"])


def _stack(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    return _stacked("stack", given, stated["axis"])


def _side_by_side(name: str, new_axis: int | None, axis: int) -> Function:
    """Join arrays: those of one dimension along a new axis, if there is one, others along an axis."""

    def body(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
        first, *_others = given.values()
        if first.rank > 1:
            return _joined(name, given, axis)
        return _joined(name, given, 0) if new_axis is None else _stacked(name, given, new_axis)

    return Function(("arrays",), {}, body)


def _linspace(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    if any(array.rank or array.dtype == DTYPES["float32"] for array in given.values()):
        raise RefusedError("arguments", "`np.linspace` is lifted between two numbers of 64 bits")
    count = "num" if "num" in given else "50"
    parts = f"max({count} - 1, 1)" if stated["endpoint"] else f"max({count}, 1)"
    lines = ["start_ = float(start)", "stop_ = float(stop)", f"step = (stop_ - start_) / {parts}"]
    cell = f"start_ + i0 * step{f' if i0 < {parts} else stop_' if stated['endpoint'] else ''}"  # not as rounding has it
    return "\n".join([*lines, new_array([count], DOUBLE, cell)])


# -- places, and running folds


def _extreme_place(name: str) -> Function:
    operator = "<" if name == "argmin" else ">"

    def body(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
        array = given["a"]
        axis = axis_of(name, array, stated["axis"])
        own = [f"i{place}" for place in range(array.rank)]
        here, best = ", ".join(own), ", ".join(replaced(own, axis, "k"))
        lines = [
            f"for i{axis} in range(1, a.shape[{axis}]):",
            f"    if a[{here}] {operator} a[{best}]:",
            f"        k = i{axis}",
        ]
        if array.rank == 1:
            return "\n".join(["assert a.shape[0] >= 1", "k = 0", *lines, "return np.int64(k)"])
        others = [place for place in range(array.rank) if place != axis]
        shape = ", ".join(f"a.shape[{place}]" for place in others)
        result = ", ".join(f"i{place}" for place in others)
        nest = loops([(f"i{place}", f"a.shape[{place}]") for place in others], ["k = 0", *lines, f"r[{result}] = k"])
        return "\n".join(
            [f"assert a.shape[{axis}] >= 1", f"r = np.empty(({shape},), dtype=np.int64)", *nest, "return r"]
        )

    return Function(("a", "axis"), {"axis": None}, body)


def _running(name: str, operator: str, start: int) -> Function:
    def body(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
        array = given["a"]
        axis, dtype = axis_of(name, array, stated["axis"]), accumulator(array.dtype)
        others = [(f"i{place}", f"a.shape[{place}]") for place in range(array.rank) if place != axis]
        index = ", ".join(f"i{place}" for place in range(array.rank))
        step = [f"s = s {operator} a[{index}]", f"r[{index}] = s"]
        inner = [f"s = {spelled_dtype(dtype)}({start})", *loops([(f"i{axis}", f"a.shape[{axis}]")], step)]
        made = f"r = np.empty(({', '.join(extents_of(array))},), dtype={spelled_dtype(dtype)})"
        return "\n".join([made, *loops(others, inner), "return r"])

    return Function(("a", "axis"), {"axis": None}, body)


# -- sums of products


def _norm(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    array, order, axis = given["x"], stated["ord"], stated["axis"]
    require_array("linalg.norm", array)
    if axis is None and order is not None and array.rank > 1 and order != "fro":
        raise RefusedError("arguments", f"`np.linalg.norm` of a matrix is lifted without its order `{order}`")
    if isinstance(axis, tuple) and order not in {None, "fro"}:
        raise RefusedError("arguments", f"`np.linalg.norm` along two axes is lifted without its order `{order}`")
    value = "x" if isinstance(array.dtype, FloatType) else "x.astype(np.float64)"
    along = f"{'' if axis is None else f', axis={axis}'}{', keepdims=True' if stated['keepdims'] else ''}"
    match order:
        case None | 2 | "fro":
            return f"v = {value}\nreturn np.sqrt(np.sum(v * v{along}))"
        case 1:
            return f"return np.sum(np.abs({value}){along})"
        case "inf" | "-inf":
            return f"return np.{'min' if order == '-inf' else 'max'}(np.abs({value}){along})"
        case 0:
            dtype = spelled_dtype(array.dtype if isinstance(array.dtype, FloatType) else DOUBLE)
            return f"v = {value}\nreturn np.sum(np.where(v != 0, {dtype}(1), {dtype}(0)){along})"
    raise RefusedError("arguments", f"`np.linalg.norm` of the order `{order}`")


def _einsum(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    subscripts = stated["subscripts"]
    if not isinstance(subscripts, str):
        raise RefusedError("arguments", "`np.einsum` is lifted with its subscripts as a text")
    left, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = left.split(",")
    letters = "".join(inputs)
    if not arrow:
        output = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    fits = [len(own) == array.rank for own, array in zip(inputs, given.values(), strict=False)]
    if not (letters + output).isalpha() or len(inputs) != len(given) or not all(fits) or not set(output) <= {*letters}:
        raise RefusedError("arguments", f"the subscripts `{subscripts}` do not fit the arrays of `np.einsum`")
    if len(set(output)) < len(output) or any(array.dtype == BOOL for array in given.values()):
        raise RefusedError("arguments", f"`np.einsum` of truth values, or with one subscript twice in `{output}`")
    if len(inputs) == 1 and {*output} == {*letters}:
        return _seen(letters, output, *given)
    bounds: dict[str, str] = {}
    lines: list[str] = []
    for own, name in zip(inputs, given, strict=True):
        for axis, letter in enumerate(own):
            extent = f"{name}.shape[{axis}]"
            if bounds.setdefault(letter, extent) != extent:
                lines.append(f"assert {bounds[letter]} == {extent}")
    common = common_dtype("einsum", [*given.values()])
    dtype = spelled_dtype(common)
    cells = [f"{name}[{', '.join(own)}]" if own else name for own, name in zip(inputs, given, strict=True)]
    adapted = [array.dtype == common for array in given.values()]
    product = " * ".join(cell if fits else f"{dtype}({cell})" for cell, fits in zip(cells, adapted, strict=True))
    inner = [(letter, bounds[letter]) for letter in bounds if letter not in output]
    fold = [f"s_ = {dtype}(0)", *loops(inner, [f"s_ = s_ + {product}"])]
    if not output:
        return "\n".join([*lines, *fold, "return s_"])
    lines.append(f"r_ = np.empty(({', '.join(bounds[letter] for letter in output)},), dtype={dtype})")
    nest = loops([(letter, bounds[letter]) for letter in output], [*fold, f"r_[{', '.join(output)}] = s_"])
    return "\n".join([*lines, *nest, "return r_"])


def _seen(letters: str, output: str, name: str) -> str:
    """Write the view that one array is where nothing is added up."""
    if output not in {letters, letters[::-1]}:
        raise RefusedError("arguments", f"`np.einsum` that gives a view of one array by `{letters}->{output}`")
    return f"return {name}{'' if letters == output else '.T'}"


# -- counts


def _bincount(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
    if "minlength" not in given:
        raise RefusedError("length-of-data", "`np.bincount` without `minlength`")
    require_array("bincount", given["x"])
    if given["x"].rank != 1 or isinstance(given["x"].dtype, FloatType):
        raise RefusedError("arguments", "`np.bincount` is lifted for integers in one dimension")
    if "weights" not in given:
        lines = ["r = np.zeros(minlength, dtype=np.int64)", "for v in x:", "    r[v] += 1"]
        return "\n".join([*lines, "return r"])
    lines = ["assert x.shape[0] == weights.shape[0]", "r = np.zeros(minlength)"]
    return "\n".join([*lines, "for i in range(x.shape[0]):", "    r[x[i]] += weights[i]", "return r"])


def _histogram(given: Mapping[str, Given], _: Mapping[str, Any]) -> str:
    """Count in bins of one width, the last of which is closed; what rounding puts beside an edge is put right."""
    array, bins = given["a"], "bins" if "bins" in given else "10"
    require_array("histogram", array)
    if array.dtype not in {DOUBLE, *_INTEGERS} or any(own.rank for name, own in given.items() if name != "a"):
        raise RefusedError("arguments", "`np.histogram` is lifted for numbers of 64 bits, a number of bins and a range")
    ends = "range_0, range_1" if "range_0" in given else "np.min(a), np.max(a)"
    bounds = [f"lo, hi = {ends}", "lo, hi = float(lo), float(hi)", "if lo == hi:", "    lo, hi = lo - 0.5, hi + 0.5"]
    index = ", ".join(f"i{axis}" for axis in range(array.rank))
    count = [
        f"v = np.float64(a[{index}])",
        f"k = min(int(np.floor((v - lo) / (hi - lo) * {bins})), {bins} - 1)",
        "if v < k * step + lo:",
        "    k = k - 1",
        f"elif v >= (k + 1) * step + lo and k != {bins} - 1:",
        "    k = k + 1",
        f"if k >= 0 and k < {bins} and v >= lo and v <= hi:",
        "    counts[k] += 1",
    ]
    made = [f"counts = np.zeros({bins}, dtype=np.int64)", f"edges = np.empty({bins} + 1)"]
    edges = [*loops([("i", bins)], ["edges[i] = i * step + lo"]), f"edges[{bins}] = hi"]
    nest = loops([(f"i{axis}", f"a.shape[{axis}]") for axis in range(array.rank)], count)
    return "\n".join([*bounds, f"step = (hi - lo) / {bins}", *made, *edges, *nest, "return counts, edges"])


FUNCTIONS: dict[str, Function] = {
    "histogram": Function(("a", "bins", "range"), {}, _histogram, ("bins", "range")),
    "flip": Function(("a", "axis"), {"axis": None}, _flip),
    "fliplr": _flipped("fliplr", 1),
    "flipud": _flipped("flipud", 0),
    "roll": Function(("a", "shift", "axis"), {"axis": None}, _roll),
    "diff": Function(("a", "n", "axis"), {"n": 1, "axis": -1}, _diff),
    "append": Function(("arr", "values"), {}, _append),
    "concatenate": Function(("arrays", "axis"), {"axis": 0}, _concatenate),
    "stack": Function(("arrays", "axis"), {"axis": 0}, _stack),
    "hstack": _side_by_side("hstack", None, 1),
    "vstack": _side_by_side("vstack", 0, 0),
    "column_stack": _side_by_side("column_stack", 1, 1),
    **AT_PLACES,
    **COMPOSED,
    "linspace": Function(("start", "stop", "num", "endpoint"), {"endpoint": True}, _linspace, ("num",)),
    "argmin": _extreme_place("argmin"),
    "argmax": _extreme_place("argmax"),
    "cumsum": _running("cumsum", "+", 0),
    "cumprod": _running("cumprod", "*", 1),
    "linalg.norm": Function(("x", "ord", "axis", "keepdims"), {"ord": None, "axis": None, "keepdims": False}, _norm),
    "einsum": Function(("subscripts", "operands"), {"subscripts": None}, _einsum),
    "bincount": Function(("x", "weights", "minlength"), {}, _bincount, ("weights", "minlength")),
}
NAMED_BY_ARGUMENTS = {("arange", 3): "arange by steps", ("round", 2): "round to decimals"}  # how many a call has
METHODS_OF_ONE = {"clip", "trace", "transpose"}  # functions with other rules, whose methods do the same
METHODS = {"argmin", "argmax", "cumsum", "cumprod", "take"}
