"""Calls: builtins, functions of math and numpy, reductions, methods of arrays."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from tensorlift.frontends.python.arrays import count_of, in_memory, transposed
from tensorlift.frontends.python.definitions import FUNCTIONS, METHODS, METHODS_OF_ONE, NAMED_BY_ARGUMENTS, call_of
from tensorlift.frontends.python.expressions import (
    DEFINED,
    KNOWN_MODULES,
    RULES,
    array,
    elementwise,
    evaluate,
    module_of,
    operated,
    scalar,
)
from tensorlift.frontends.python.made_arrays import MAKERS, copied_array, kept, matrix_product, take
from tensorlift.frontends.python.masked import REDUCED, masked_name
from tensorlift.frontends.python.numeric import extreme, function_of_numbers
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import (
    NOWHERE,
    Scalar,
    accumulator,
    binary,
    cast,
    choose,
    floating,
    holds,
    join,
    of_numpy,
    promoted,
    size_of,
    truth,
)
from tensorlift.frontends.python.shapes import RESHAPING, grouped
from tensorlift.frontends.python.syntax import (
    OPERATORS,
    REDUCING_METHODS,
    REDUCTIONS,
    masked,
    reduction,
    takes_list,
)
from tensorlift.frontends.python.values import Array, Operand, Sizes
from tensorlift.ir import nodes
from tensorlift.ops.c_types import BOOL, LONG, UNSIGNED_LONG, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.frontends.python.scalars import Number
    from tensorlift.frontends.python.state import Inference
    from tensorlift.poly.polynomial import Polynomial

_EXTREMES = {"min", "max", "minimum", "maximum", "fmin", "fmax"}
_REDUCING = {"sum", "min", "max", "any", "all"}  # builtins
_TESTING = {"any", "all"}
_OF_OPERATORS = {"at", "accumulate", "outer", "reduce"}  # methods of functions of NumPy
_AVERAGING = {"mean", "var", "std"}
_KNOWN_REASONS = {
    **dict.fromkeys(
        ("median", "nanmedian", "percentile", "quantile", "sort", "argsort", "unique", "partition"), "sorts"
    ),
    **dict.fromkeys(("searchsorted", "digitize"), "sorted"),
    "interp": "interp",
}
_METHODS = {*REDUCING_METHODS, "dot"}
_TWO = 2

# How a generator is reduced, and the body of a function is read: filled in by what reads statements.
GENERATED: list[Callable[[Inference, str, ast.GeneratorExp | ast.ListComp], Scalar]] = []
INLINED: list[Callable[[Inference, ast.Call, str], Operand]] = []


def callee(ctx: Inference, node: ast.Call) -> tuple[str, str]:
    """Give the module (empty for builtins and own functions, ``.`` for methods) and the name of what is called."""
    module, name = _callee(ctx, node)
    if module.startswith("numpy."):
        module, name = "numpy", f"{module.removeprefix('numpy.')}.{name}"
    if module == "numpy":
        name = NAMED_BY_ARGUMENTS.get((name, len(node.args) + len(node.keywords)), name)
        name = "array" if name in {"stack", "vstack"} and takes_list(node, ctx.scope.stacked) else name
    found = ctx.callees[node] = module, name
    return found


def _callee(ctx: Inference, node: ast.Call) -> tuple[str, str]:
    scope = ctx.scope
    match node.func:
        case ast.Name(id=name) if name in scope.environment or name in scope.stores:
            pass
        case ast.Name(id=name) if name not in ctx.module.rebound:
            module, _, original = ctx.module.imports.get(name, f".{name}").rpartition(".")
            return ("" if module == "numba" else module), original
        case ast.Attribute(value=ast.Name(id=base), attr=name) if (home := module_of(ctx, base)) is not None:
            return home, name
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id=base), attr=inner), attr=name) if module_of(
            ctx, base
        ) == "numpy" and (inner == "linalg" or name in _OF_OPERATORS):
            return f"numpy.{inner}", name
        case ast.Attribute(value=ast.Name(id=base)) if base in ctx.module.rebound - scope.environment.keys():
            pass
        case ast.Attribute(attr=name):
            return ".", name
    raise ctx.refusal("call", ast.unparse(node.func), node)


def _call(ctx: Inference, node: ast.Call) -> Operand:
    module, name = callee(ctx, node)
    if name in REDUCED and (found := _under_mask(ctx, node, module, name)) is not None:
        return found
    if module == "." and isinstance(node.func, ast.Attribute):
        return _method(ctx, node, node.func, name)
    if module == "" and name in ctx.module.functions:
        return INLINED[0](ctx, node, name)
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        raise RefusedError("arguments", "`*` in a call is not lifted")
    found = _builtin(ctx, name, node) if module == "" else None
    if module == "numpy":
        found = _of_arrays(ctx, name, node)
    if found is None and name in _EXTREMES and (module == "numpy" or (module == "" and name in {"min", "max"})):
        found = _extreme(ctx, module, name, node)
    if found is None and module in {"", *KNOWN_MODULES}:
        found = _of_numbers(ctx, module, name, node)
    if found is None:
        raise RefusedError(_KNOWN_REASONS.get(name, "call") if module == "numpy" else "call", ast.unparse(node.func))
    return found


def _under_mask(ctx: Inference, node: ast.Call, module: str, name: str) -> Operand | None:
    """Reduce the elements of an array for which a mask holds; None where a call does something else."""
    part = masked(node, module, name)
    if part is None or (isinstance(part.slice, ast.Name) and not _is_mask(ctx.scope.environment.get(part.slice.id))):
        return None
    base, mask = evaluate(ctx, part.value), evaluate(ctx, part.slice)
    if not isinstance(base, Array) or not _is_mask(mask) or base.is_list:
        return None
    name = masked_name(name, node, base.rank)
    for mine, other in zip(base.extents, mask.extents, strict=False):
        ctx.require_equal(mine, other)
    ctx.callees[node] = "numpy", name
    return DEFINED[0](ctx, node, name, {"a": base, "m": mask}, {})


def _is_mask(value: object) -> TypeGuard[Array]:
    return isinstance(value, Array) and value.element == BOOL


def _of_arrays(ctx: Inference, name: str, node: ast.Call) -> Operand | None:
    """Evaluate a function of numpy that makes or takes arrays; None where there is none."""
    if name in MAKERS:
        return MAKERS[name](ctx, node, name)
    if name in FUNCTIONS:
        return _defined(ctx, node, name)
    if name in REDUCTIONS:
        return _reduce(ctx, name, node)
    if name in RESHAPING - {"flatten"} and node.args:
        return _reshaped(ctx, node, name, node.args[0], node.args[1:])
    if name in OPERATORS:
        take(node, _TWO)
        left, right = (_taken_by_numpy(ctx, argument) for argument in node.args)
        found = operated(ctx, OPERATORS[name](), left, right)
        return _strong(found) if isinstance(found, Scalar) else found
    return _OF_ARRAYS[name](ctx, node) if name in _OF_ARRAYS else None


def _defined(ctx: Inference, node: ast.Call, name: str) -> Operand:
    """Evaluate a function of NumPy by its definition."""
    call = call_of(name, node)
    values = {parameter: evaluate(ctx, argument) for parameter, argument in call.values.items()}
    return DEFINED[0](ctx, node, name, values, call.stated)


def _strong(value: Scalar) -> Scalar:
    """Give a number the type of NumPy, whose functions never give Python's own."""
    return replace(value, weak=False, mixed=False, loose=False)


def _length(ctx: Inference, node: ast.Call) -> Scalar:
    take(node, 1)
    value = evaluate(ctx, node.args[0])
    if not isinstance(value, Array):
        raise RefusedError("unknown-rank", ast.unparse(node.args[0]))
    ctx.mention(value.extents[0])
    return size_of(value.extents[0])


def _one_dimension(ctx: Inference, name: str, node: ast.expr) -> Array:
    value = array(ctx, node)
    if value.rank != 1:
        raise RefusedError("several-dimensions", name)
    return value


def _list(ctx: Inference, node: ast.Call) -> Array:
    take(node, 1)
    return replace(_one_dimension(ctx, "list", node.args[0]), memory=None, is_new=False, is_list=True)


def _divided(ctx: Inference, node: ast.Call) -> Sizes:
    take(node, _TWO)
    sides = [scalar(ctx, argument) for argument in node.args]
    found = [operated(ctx, op, *sides) for op in (ast.FloorDiv(), ast.Mod())]
    return Sizes(tuple(value for value in found if isinstance(value, Scalar)))


def _power(ctx: Inference, node: ast.Call) -> Operand:
    take(node, _TWO)
    base, exponent = (evaluate(ctx, argument) for argument in node.args)
    return operated(ctx, ast.Pow(), base, exponent)


_BUILTINS: dict[str, Callable[[Inference, ast.Call], Operand]] = {
    "len": _length,
    "list": _list,
    "divmod": _divided,
    "pow": _power,
}


def _builtin(ctx: Inference, name: str, node: ast.Call) -> Operand | None:
    """Evaluate a builtin that takes arrays or gives several numbers; None for any other."""
    if name in _BUILTINS:
        return _BUILTINS[name](ctx, node)
    if name == "float" and node.args and ast.unparse(node.args[0]).strip("'-+").lower() in {"inf", "infinity", "nan"}:
        return floating(float(ast.literal_eval(node.args[0])))
    if name == "sum" and (start := _start_of_sum(node)) is not None:
        rest = _call(ctx, ast.copy_location(ast.Call(node.func, node.args[:1], []), node))
        return operated(ctx, ast.Add(), scalar(ctx, start), rest)
    if name in _REDUCING and len(node.args) == 1 and not node.keywords:
        (items,) = node.args
        if isinstance(items, ast.GeneratorExp | ast.ListComp):
            return GENERATED[0](ctx, name, items)
        return builtin_total(ctx, name, _one_dimension(ctx, name, items))
    if name in _REDUCING - _EXTREMES:
        raise RefusedError("arguments", f"`{name}` is lifted for one array or generator")
    return None


def _start_of_sum(node: ast.Call) -> ast.expr | None:
    """Give what ``sum`` starts from, where the call says so."""
    given = [*node.args[1:], *(keyword.value for keyword in node.keywords if keyword.arg == "start")]
    return given[0] if len(given) == 1 == len(node.args) + len(node.keywords) - 1 else None


def _of_numbers(ctx: Inference, module: str, name: str, node: ast.Call) -> Operand | None:
    row = function_of_numbers(module, name)
    if row is None:
        return None
    count, apply = row
    take(node, count)
    match name, node.args:
        case "uint64", [ast.Constant(value=int(value))] if not holds(LONG, value) and holds(UNSIGNED_LONG, value):
            return Scalar(UNSIGNED_LONG, node=nodes.Integer(value, UNSIGNED_LONG, NOWHERE))

    def applied(values: Sequence[Scalar]) -> Scalar:
        result = apply(values)
        is_new = any(isinstance(v.ctype, FloatType) or not holds(LONG, v.ctype.maximum) for v in values)
        if is_new or (name == "abs" and any(value.is_any for value in values)):
            ctx.note_growth(result)
        return result

    return elementwise(ctx, applied, [evaluate(ctx, argument) for argument in node.args])


def _extreme(ctx: Inference, module: str, name: str, node: ast.Call) -> Operand:
    """Evaluate the least or greatest of several numbers."""
    if len(node.args) < _TWO:
        raise RefusedError("arguments", f"`{name}` is lifted for several numbers, or for one array")
    if node.keywords or (module and len(node.args) != _TWO):
        raise RefusedError("arguments", f"`{name}` is lifted for plain numbers or arrays")
    take_one = _taken_by_numpy if module == "numpy" else scalar
    found, *others = (take_one(ctx, argument) for argument in node.args)

    def apply(values: Sequence[Scalar]) -> Scalar:
        chosen = extreme(*values, keeps_type=not module)
        return _strong(chosen) if module == "numpy" else chosen

    for other in others:
        found = elementwise(ctx, apply, [found, other])
    return found


def _taken_by_numpy(ctx: Inference, node: ast.expr) -> Operand:
    """Evaluate an argument of a function of NumPy, which takes truth values of Python for its own."""
    value = evaluate(ctx, node)
    return of_numpy(value) if isinstance(value, Scalar) else value


# -- reductions


def builtin_total(ctx: Inference, name: str, value: Array) -> Scalar:
    """Reduce items as Python's builtin does: in their own type, and truths to Python's ``bool``."""
    if name in {"any", "all"}:
        return replace(_total(ctx, name, value), weak=True)
    if name == "sum":
        ctx.note_growth(value.item)
    summed = value.element if name != "sum" or value.element != BOOL else LONG
    return replace(_total(ctx, name, value, summed), weak=value.item.weak)


def _reduce(ctx: Inference, name: str, node: ast.Call) -> Operand:
    """Reduce a whole array, or some axes of it, as NumPy does."""
    how = reduction(name, node, node.args[1:])
    value = array(ctx, node.args[0])
    rank = value.rank
    if how.axes is None and not how.keeps:
        return replace(_total(ctx, name, value), weak=False)
    stated = [evaluate(ctx, axis) for axis in how.axes or ()]
    axes = [int(v.integer) for v in stated if isinstance(v, Scalar) and v.integer is not None]
    places = {axis % rank for axis in axes}
    if len(axes) < len(stated) or len(places) < len(axes) or not all(-rank <= axis < rank for axis in axes):
        along = ", ".join(map(ast.unparse, how.axes or ()))
        raise RefusedError("arguments", f"`{name}` along axis {along} is not lifted")
    if rank == 1 and not how.keeps:
        return replace(_total(ctx, name, value), weak=False)
    return _along_axes(ctx, name, value, places if how.axes else set(range(rank)), keeps=how.keeps)


def _along_axes(ctx: Inference, name: str, value: Array, axes: set[int], *, keeps: bool) -> Operand:
    """Reduce along axes; ``keeps`` puts axes of one position in their places."""
    ctx.mention(*value.extents)
    item = truth(weak=False) if name in _TESTING else Scalar(LONG) if name == "count_nonzero" else _folded(name, value)
    if name in _AVERAGING:
        counted = count_of(tuple(value.extents[axis] for axis in sorted(axes)))
        found = operated(ctx, ast.Div(), item, counted)
        assert isinstance(found, Scalar)
        item = found
    if keeps:
        one = nodes.Integer(1, LONG, NOWHERE)
        return Array(tuple(one if axis in axes else extent for axis, extent in enumerate(value.extents)), item)
    extents = tuple(extent for axis, extent in enumerate(value.extents) if axis not in axes)
    return ctx.made(ctx.fresh("w"), item.ctype, extents) if extents else item


def _folded(name: str, value: Array) -> Scalar:
    return Scalar(value.element if name.endswith(("max", "min")) else accumulator(value.element))


def _total(ctx: Inference, name: str, value: Array, summed: Number | None = None) -> Scalar:
    """Reduce all elements to one number; sums are of the type ``summed``, or the one in which NumPy sums."""
    ctx.mention(*value.extents)
    if name in {*_TESTING, "count_nonzero"}:
        return Scalar(LONG, weak=True) if name == "count_nonzero" else truth(weak=True)
    element = summed or accumulator(value.element)
    if name in _AVERAGING:
        if name != "mean":
            in_memory(ctx, value)
        found = operated(ctx, ast.Div(), Scalar(element), count_of(value.extents))
        assert isinstance(found, Scalar)
        return found
    if name in {"sum", "prod"}:
        return Scalar(element)
    found = replace(value.item, node=None)
    extreme(found, value.item)
    return found


# -- functions and methods of arrays


def _reshaped(ctx: Inference, node: ast.Call, name: str, taken: ast.expr, lengths: Sequence[ast.expr]) -> Operand:
    """Give the elements of an array in another shape: a copy, which may show the array."""
    value = array(ctx, taken)
    if node.keywords or bool(lengths) is not (name == "reshape"):
        raise RefusedError("arguments", f"`{ast.unparse(node.func)}` is lifted with a shape alone")
    stated = evaluate(ctx, lengths[0]) if len(lengths) == 1 else Sizes(tuple(evaluate(ctx, one) for one in lengths))
    given = stated.items if isinstance(stated, Sizes) else (stated,)
    target: list[Polynomial | None] = [None] if name != "reshape" else []
    for length in given if name == "reshape" else ():
        wanted = ctx.polynomial(ctx.extent(length)) if isinstance(length, Scalar) and length.is_integer else None
        if wanted is None:
            raise RefusedError("reshape", ast.unparse(node.func))
        target.append(None if wanted.constant_value == -1 else wanted)
    source = [own for own in map(ctx.polynomial, value.extents) if own is not None]
    groups = grouped(source, target) if len(source) == value.rank and target.count(None) <= 1 else None
    if groups is None:
        raise RefusedError("reshape", ast.unparse(node.func))
    ctx.shapes[node] = tuple(groups)
    found = DEFINED[0](ctx, node, "reshape", {"a": value}, {"groups": tuple(groups)})
    assert isinstance(found, Array)
    return found if value.view is None or name == "flatten" else replace(found, shows=value.view)


def _where(ctx: Inference, node: ast.Call) -> Operand:
    take(node, 3)
    test = evaluate(ctx, node.args[0])
    given = [_taken_by_numpy(ctx, argument) for argument in node.args[1:]]

    def apply(values: Sequence[Scalar]) -> Scalar:
        _, then, otherwise = values
        if not (then.is_truth and otherwise.is_truth):  # an array has one type, in which NumPy takes either
            then, otherwise, _ = join(then, otherwise)
        return replace(choose(then, otherwise), weak=False, mixed=False)

    return elementwise(ctx, apply, [test, *given])


def _same_array(ctx: Inference, node: ast.Call) -> Operand:
    """Give an array itself, and a list as an array."""
    take(node, 1)
    value = array(ctx, node.args[0])
    return Array(value.extents, cast(value.item, value.element)) if value.is_list else value


def _matrix_product(ctx: Inference, node: ast.Call) -> Operand:
    take(node, _TWO)
    left, right = (array(ctx, argument) for argument in node.args)
    return matrix_product(ctx, left, right)


def _vectors(ctx: Inference, node: ast.Call) -> list[Array]:
    """Give the two arguments, which must be arrays of one dimension."""
    take(node, _TWO)
    values = [kept(ctx, array(ctx, argument)) for argument in node.args]
    if any(value.rank != 1 for value in values):
        raise RefusedError("rank", f"`{ast.unparse(node.func)}` of arrays with more than one dimension")
    return values


def _outer(ctx: Inference, node: ast.Call) -> Array:
    left, right = _vectors(ctx, node)
    element = promoted(left.element, False, right.element, False)[0]  # noqa: FBT003 - neither is weak
    return Array((*left.extents, *right.extents), cast(binary("*", left.item, right.item), element))


def _transposed(ctx: Inference, node: ast.Call) -> Array:
    take(node, 1)
    return transposed(in_memory(ctx, array(ctx, node.args[0])))


def _diagonal(ctx: Inference, node: ast.Call) -> Array:
    """Give the diagonal of a square matrix."""
    take(node, 1)
    value = array(ctx, node.args[0])
    if value.rank != _TWO:
        raise RefusedError("rank", f"`{ast.unparse(node.func)}` is lifted for two dimensions")
    ctx.require_equal(*value.extents)
    return Array(value.extents[:1], value.item, shows=value.view)


def _diagonal_or_matrix(ctx: Inference, node: ast.Call) -> Array:
    """Give the diagonal of a square matrix, or the matrix of a diagonal."""
    take(node, 1)
    value = array(ctx, node.args[0])
    if value.rank != 1:
        return _diagonal(ctx, node)
    return Array(value.extents * 2, cast(replace(value.item, weak=False), value.element))


_OF_ARRAYS: dict[str, Callable[[Inference, ast.Call], Operand]] = {
    "array": copied_array,
    "copy": copied_array,
    "asarray": _same_array,
    "where": _where,
    "dot": _matrix_product,
    "matmul": _matrix_product,
    "inner": lambda ctx, node: matrix_product(ctx, *_vectors(ctx, node)),
    "vdot": lambda ctx, node: matrix_product(ctx, *_vectors(ctx, node)),
    "outer": _outer,
    "diag": _diagonal_or_matrix,
    "transpose": _transposed,
    "trace": lambda ctx, node: _total(ctx, "sum", _diagonal(ctx, node)),
}


def _method(ctx: Inference, node: ast.Call, function: ast.Attribute, name: str) -> Operand:
    """Evaluate a method of an array."""
    func = ast.copy_location(ast.Name(name, ast.Load()), node) if name in _METHODS else node.func
    with_array = ast.copy_location(ast.Call(func, [function.value, *node.args], node.keywords), node)
    if name == "dot":
        return _matrix_product(ctx, with_array)
    if name in REDUCING_METHODS:
        return _reduce(ctx, name, with_array)
    if name == "astype":
        return copied_array(ctx, with_array)
    if name in METHODS:
        return _defined(ctx, with_array, name)
    if name in METHODS_OF_ONE:
        found = _of_arrays(ctx, name, with_array) or _of_numbers(ctx, "numpy", name, with_array)
        assert found is not None
        return found
    if name in RESHAPING:
        return _reshaped(ctx, node, name, function.value, node.args)
    if name != "copy":
        raise RefusedError("attribute", name)
    value = array(ctx, function.value)
    if value.is_list and value.rank > 1:
        raise RefusedError("index", f"the rows in the copy `{ast.unparse(node)}` are shared")
    return replace(value, memory=None, is_new=False, is_whole=False, shows=None)


RULES[ast.Call] = _call
