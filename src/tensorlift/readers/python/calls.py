"""Calls: of builtins, of functions of math and NumPy, of methods of arrays, and of functions around the one read.

A function of the same file is read where it is called, with names of its own: its types may be others at each call.

Arrays and lists that are made: filled, counted up, written out, or given item by item by a comprehension.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.python.constant_arguments import texts_of, with_constants
from tensorlift.frontends.python.defining import Given
from tensorlift.frontends.python.definitions import FUNCTIONS, METHODS, METHODS_OF_ONE, call_of, definition
from tensorlift.frontends.python.masked import MASKED
from tensorlift.frontends.python.places import BY_ELEMENTS
from tensorlift.frontends.python.scalars import DTYPES, common_type, holds
from tensorlift.frontends.python.shapes import RESHAPING
from tensorlift.frontends.python.syntax import (
    OPERATORS,
    REDUCING_METHODS,
    REDUCTIONS,
    cells_of,
    given_arguments,
    named_arguments,
    spelled_type,
)
from tensorlift.ops.c_types import DOUBLE, LONG, UNSIGNED_LONG
from tensorlift.readers.python.arrays import (
    allocate,
    element,
    element_type,
    elementwise,
    in_memory,
    require_extents,
    store,
)
from tensorlift.readers.python.evaluation import RULES, array, as_size, evaluate, number, size
from tensorlift.readers.python.expressions import DEFINED, is_none, length, not_negative, operated
from tensorlift.readers.python.functions import extreme_of, function_of_numbers
from tensorlift.readers.python.loops import over
from tensorlift.readers.python.numbers import binary, counted, floating, integer
from tensorlift.readers.python.reductions import OF_ARRAYS, reduce_numpy, total
from tensorlift.readers.python.values import Number, Rule, Several, View

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from tensorlift.frontends.python.state import Module
    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import CNumber, Operand, Size

    Maker = Callable[[Context, ast.Call], Operand]

_FILLED = {"zeros": 0, "empty": None, "ones": 1, "full": None}


def _filled(name: str) -> Maker:
    kind, is_like = name.removesuffix("_like"), name.endswith("_like")
    parameters = ["a" if is_like else "shape", *["fill_value"] * (kind == "full"), "dtype"]

    def make(ctx: Context, node: ast.Call) -> Operand:
        arguments = named_arguments(node, parameters)
        model = array(ctx, arguments["a"]) if is_like else None
        extents = model.extents if model is not None else _shape(ctx, arguments["shape"])
        value = number(ctx, arguments["fill_value"]) if "fill_value" in arguments else None
        of_type: CNumber = DOUBLE
        if "dtype" in arguments:
            of_type = dtype(ctx, arguments["dtype"])
        elif model is not None:
            of_type = element_type(ctx, model)
        elif value is not None:
            of_type = value.ctype
        if kind == "empty":
            return Rule(extents, None, frozenset(), of_type)
        filled = ctx.cast(value or integer(_FILLED[kind] or 0), of_type)
        return Rule(extents, lambda _: filled, frozenset(), of_type)

    return make


def dtype(ctx: Context, node: ast.expr) -> CNumber:
    """Read an element type: ``np.float32``, ``'float32'``, ``float`` or ``x.dtype``."""
    if isinstance(node, ast.Attribute) and node.attr == "dtype":
        return element_type(ctx, array(ctx, node.value))
    return DTYPES[spelled_type(node, ctx.scope.module.imports)]


def _shape(ctx: Context, node: ast.expr) -> tuple[Size, ...]:
    found = evaluate(ctx, node)
    items = found.items if isinstance(found, Several) else (found,)
    extents = tuple(as_size(ctx, item) for item in items)
    require_extents(ctx, extents)
    return extents


def _arange(ctx: Context, node: ast.Call) -> Operand:
    bounds = [size(ctx, argument) for argument in node.args]
    start = bounds[0] if len(bounds) > 1 else 0
    extent = not_negative(ctx, ctx.combined("-", bounds[-1], start))
    return Rule((extent,), lambda i: Number(ctx.combined("+", i[0], start), LONG), frozenset(), LONG)


def _eye(name: str) -> Maker:
    parameters = ["N", *["M"] * (name == "eye"), "dtype"]

    def make(ctx: Context, node: ast.Call) -> Operand:
        arguments = named_arguments(node, parameters)
        extents = [size(ctx, arguments[side]) for side in ("N", "M") if side in arguments]
        of_type = dtype(ctx, arguments["dtype"]) if "dtype" in arguments else DOUBLE

        def at(indices: Sequence[Size]) -> Number:
            row, column = (ctx.size(index) for index in indices)
            is_same = ctx.comparison("==", row, column, LONG)
            arms = ctx.constant(1, of_type), ctx.constant(0, of_type)
            return Number(ctx.operation("arith.select", (is_same, *arms), arms[0].type), of_type)

        return Rule((extents[0], extents[-1]), at, frozenset(), of_type)

    return make


def _array(ctx: Context, node: ast.Call) -> Operand:
    """Give a copy as an array of NumPy, of a list too."""
    arguments = named_arguments(node, ["object", "dtype"])
    value = _with_rows(ctx, array(ctx, arguments["object"]))
    return _converted(ctx, value, dtype(ctx, arguments["dtype"]) if "dtype" in arguments else None)


def _converted(ctx: Context, value: View | Rule, of_type: CNumber | None) -> Rule:
    def at(indices: Sequence[Size]) -> Number:
        own = element(ctx, value, indices)
        return replace(own, weak=False) if of_type is None else ctx.cast(own, of_type)

    return Rule(value.extents, at, value.reads, of_type or value.element)


def as_type(ctx: Context, node: ast.Call, value: View | Rule) -> Operand:
    """Give what ``.astype`` does."""
    return _converted(ctx, value, dtype(ctx, named_arguments(node, ["dtype"])["dtype"]))


def copied(ctx: Context, value: View | Rule) -> Rule:
    """Give what ``.copy`` does."""
    return Rule(value.extents, lambda i: element(ctx, value, i), value.reads, value.element, value.is_list)


def listed(ctx: Context, node: ast.Call) -> Operand:
    """Give what ``list`` does."""
    return replace(copied(ctx, array(ctx, node.args[0])), is_list=True)


def _same(ctx: Context, node: ast.Call) -> Operand:
    value = _with_rows(ctx, array(ctx, node.args[0]))
    return _converted(ctx, value, None) if value.is_list else value


def _with_rows(ctx: Context, value: View | Rule) -> View | Rule:
    """Raise where lists of lists have no rows: an array of them has fewer dimensions."""
    for extent in value.extents[:-1] if value.is_list else ():
        if not isinstance(extent, int):
            has_rows = ctx.comparison(">", extent, ctx.constant(0, LONG), LONG)
            ctx.require(has_rows, "`np.array` takes a list without rows")
    return value


MAKERS: dict[str, Maker] = {
    **{f"{name}{like}": _filled(f"{name}{like}") for name in _FILLED for like in ("", "_like")},
    "arange": _arange,
    "eye": _eye("eye"),
    "identity": _eye("identity"),
    "array": _array,
    "copy": _array,
    "asarray": _same,
}


# -- lists


def _list(ctx: Context, node: ast.List) -> Operand:
    """Give a list of numbers, or of lists of numbers of one length."""
    cells = [(place, number(ctx, item)) for place, item in cells_of(node)]
    extents = tuple(max(along) + 1 for along in zip(*(place for place, _ in cells), strict=True))
    values = [value for _, value in cells]
    if not all(value.is_truth for value in values):
        values = [counted(ctx, value) for value in values]
    ctype, weak = common_type(values)
    made = allocate(ctx, ctx.temporary(), ctype, extents, is_list=True)
    for (place, _), value in zip(cells, values, strict=True):
        store(ctx, made, place, replace(ctx.cast(value, ctype), weak=weak))
    return replace(made, is_new=True)


def keep_items(ctx: Context, target: View, index: Size, item: Operand) -> None:
    """Store an item of a list: a number, or a list that is just made."""
    if isinstance(item, Number):
        store(ctx, target, (index,), item)
    else:
        assert isinstance(item, View | Rule)
        row = in_memory(ctx, item) if isinstance(item, Rule) and target.base in item.reads else item
        over(ctx, row.extents, lambda i: store(ctx, target, (index, *i), element(ctx, row, i)))


RULES[ast.List] = _list


# How a generator is reduced, and the body of a function is read: filled in by what reads statements.
GENERATED: list[Callable[[Context, str, ast.GeneratorExp | ast.ListComp], Number]] = []
INLINED: list[Callable[[Context, ast.FunctionDef, Module, dict[str, Operand]], Operand]] = []


def _call(ctx: Context, node: ast.Call) -> Operand:
    module, name = ctx.inferred.callees[node]
    if name in MASKED:
        return _under_mask(ctx, node, name)
    if module == "." and isinstance(node.func, ast.Attribute) and name in METHODS | METHODS_OF_ONE:
        call = ast.copy_location(ast.Call(node.func, [node.func.value, *node.args], node.keywords), node)
        return _numpy(ctx, name, call) or _of_numbers(ctx, "numpy", name, call)
    if module == "." and isinstance(node.func, ast.Attribute):
        return _method(ctx, node, array(ctx, node.func.value), name)
    if module == "":
        is_own = name in ctx.scope.module.functions
        return own_function(ctx, node, name) if is_own else _builtin(ctx, name, node)
    found = _numpy(ctx, name, node) if module == "numpy" else None
    return _of_numbers(ctx, module, name, node) if found is None else found


def _under_mask(ctx: Context, node: ast.Call, name: str) -> Operand:
    """Reduce the elements of an array for which a mask holds: of the only argument, or of what a method is of."""
    taken = node.args[0] if node.args else node.func.value if isinstance(node.func, ast.Attribute) else None
    assert isinstance(taken, ast.Subscript)
    base, mask = array(ctx, taken.value), array(ctx, taken.slice)
    for mine, other in zip(base.extents, mask.extents, strict=False):
        ctx.require_equal(mine, other)
    return _by_definition(ctx, node, name, {"a": base, "m": mask}, {})


def _numpy(ctx: Context, name: str, node: ast.Call) -> Operand | None:
    """Read a call of a function of NumPy that makes or takes arrays; None for any other."""
    if name in MAKERS:
        return MAKERS[name](ctx, node)
    if name in FUNCTIONS:
        return _defined(ctx, node, name)
    if name in OF_ARRAYS:
        return OF_ARRAYS[name](ctx, node)
    if name in REDUCTIONS:
        return reduce_numpy(ctx, name, array(ctx, node.args[0]), node, node.args[1:])
    if name in RESHAPING:
        return _reshaped(ctx, node, array(ctx, node.args[0]))
    return _operated(ctx, OPERATORS[name](), node) if name in OPERATORS else None


def _operated(ctx: Context, op: ast.operator, node: ast.Call) -> Operand:
    """Apply an operator as the function of NumPy does that has its name: what it gives is NumPy's own."""
    left, right = node.args
    first = _of_numpy(evaluate(ctx, left))
    found = operated(ctx, op, first, _of_numpy(evaluate(ctx, right)))
    return replace(found, weak=False) if isinstance(found, Number) else found


def _of_numpy(value: Operand) -> Operand:
    """Give a truth value as NumPy takes it."""
    return replace(value, weak=False) if isinstance(value, Number) and value.is_truth else value


def _of_numbers(ctx: Context, module: str, name: str, node: ast.Call) -> Operand:
    match module, name, node.args[0]:
        case "numpy", "uint64", ast.Constant(value=int(stated)) if holds(UNSIGNED_LONG, stated):
            return Number(stated, UNSIGNED_LONG)
    values = [evaluate(ctx, argument) for argument in node.args]
    apply = function_of_numbers(module, name)
    return elementwise(ctx, apply, [_of_numpy(v) for v in values] if module == "numpy" else values)


def _builtin(ctx: Context, name: str, node: ast.Call) -> Operand:
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    match name, arguments:
        case "len", [one]:
            return length(array(ctx, one).extents[0])
        case "list", [_]:
            return listed(ctx, node)
        case "float", [ast.Constant(value=str(text))]:
            return floating(float(text))
        case "pow", [base, exponent]:
            left = evaluate(ctx, base)
            return operated(ctx, ast.Pow(), left, evaluate(ctx, exponent))
        case "divmod", [dividend, divisor]:
            left = number(ctx, dividend)
            right = number(ctx, divisor)
            return Several(tuple(binary(ctx, op, left, right) for op in (ast.FloorDiv(), ast.Mod())))
        case (("sum" | "min" | "max" | "any" | "all"), [_, *_]):
            return _folded(ctx, name, arguments)
    return _of_numbers(ctx, "", name, node)


def _folded(ctx: Context, name: str, arguments: list[ast.expr]) -> Operand:
    """Reduce the items of one argument, those and a number to start from, or several arguments."""
    if len(arguments) == 1:
        return _reduced(ctx, name, arguments[0])
    if name == "sum":
        start = number(ctx, arguments[1])
        return binary(ctx, ast.Add(), start, _reduced(ctx, name, arguments[0]))
    found, *others = [number(ctx, argument) for argument in arguments]
    for other in others:
        found = extreme_of(name, ctx, (found, other))
    return found


def _reduced(ctx: Context, name: str, items: ast.expr) -> Number:
    """Reduce items as a builtin does."""
    if isinstance(items, ast.GeneratorExp | ast.ListComp):
        return GENERATED[0](ctx, name, items)
    return total(ctx, name, array(ctx, items), of_python=True)


def _reshaped(ctx: Context, node: ast.Call, value: View | Rule) -> Operand:
    return _by_definition(ctx, node, "reshape", {"a": value}, {"groups": ctx.inferred.shapes[node]})


def _method(ctx: Context, node: ast.Call, value: View | Rule, name: str) -> Operand:
    if name == "copy":
        return copied(ctx, value)
    if name in RESHAPING:
        return _reshaped(ctx, node, value)
    if value.is_list:
        raise ctx.refusal(f"the method `{name}` of a list")
    if name in REDUCING_METHODS:
        return reduce_numpy(ctx, name, value, node, node.args)
    if name == "astype":
        return as_type(ctx, node, value)
    return operated(ctx, ast.MatMult(), value, evaluate(ctx, node.args[0]))


# -- functions around the one that is read


def own_function(ctx: Context, node: ast.Call, name: str) -> Operand:
    """Read a function in the place of its call."""
    function = ctx.scope.module.functions[name]
    given = given_arguments(node, function)
    assert given is not None
    arguments, home = given[0] | given[1], ctx.scope.module.home_of(function.name)
    texts = texts_of(arguments)
    function = with_constants(function, texts)
    missing = {parameter: "None" for parameter, argument in arguments.items() if is_none(ctx, argument)}
    missing |= {parameter: repr(text) for parameter, text in texts.items()}
    values = {
        parameter: evaluate(ctx, argument) for parameter, argument in arguments.items() if parameter not in missing
    }
    return _called(ctx, function, replace(home, imports={**home.imports, **missing}) if missing else home, values)


def _defined(ctx: Context, node: ast.Call, name: str) -> Operand:
    """Read the definition of a function of NumPy in the place of its call."""
    call = call_of(name, node)
    values = {parameter: evaluate(ctx, argument) for parameter, argument in call.values.items()}
    return _by_definition(ctx, node, name, values, call.stated)


def _by_definition(
    ctx: Context, node: ast.expr, name: str, given: Mapping[str, Operand], stated: Mapping[str, object]
) -> Operand:
    values = {parameter: _taken(ctx, value) for parameter, value in given.items()}
    function = definition(name, {parameter: _kind_of(ctx, value) for parameter, value in values.items()}, stated)
    return _called(ctx, function, ctx.scope.module.within(node), values, _read_by_elements(name, values))


def _read_by_elements(name: str, values: Mapping[str, Operand]) -> set[str]:
    """Name the arguments of which a definition reads single elements, which nothing changes meanwhile."""
    whole, rules = values.get("a"), {p: value for p, value in values.items() if isinstance(value, Rule)}
    if name in MASKED:
        return {*rules}
    if name not in BY_ELEMENTS or not isinstance(whole, View):
        return set()
    return {parameter for parameter, value in rules.items() if whole.base not in value.reads}


def _taken(ctx: Context, value: Operand) -> Operand:
    """Give a value as an argument of NumPy: a list as an array."""
    return _converted(ctx, value, None) if isinstance(value, View | Rule) and value.is_list else value


def _kind_of(ctx: Context, value: Operand) -> Given:
    if isinstance(value, View | Rule):
        return Given(len(value.extents), element_type(ctx, value))
    assert isinstance(value, Number)
    return Given(0, value.ctype)


def _called(
    ctx: Context,
    function: ast.FunctionDef,
    module: Module,
    values: dict[str, Operand],
    as_rules: Collection[str] = (),
) -> Operand:
    """Read a function with its arguments, in memory unless it reads elements of them as they are computed."""
    kept: dict[str, Operand] = {
        p: in_memory(ctx, v, p) if isinstance(v, Rule) and p not in as_rules else v for p, v in values.items()
    }
    return INLINED[0](ctx, function, module, kept)


RULES[ast.Call] = _call
DEFINED.append(_by_definition)
