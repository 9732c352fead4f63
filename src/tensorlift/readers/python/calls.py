"""Calls: of builtins, of functions of math and NumPy, of methods of arrays, and of functions around the one read.

A function of the same file is read where it is called, with names of its own: its types may be others at each call.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.python.syntax import OPERATORS, given_arguments
from tensorlift.readers.python.arrays import elementwise, in_memory
from tensorlift.readers.python.creation import MAKERS, as_type, copied, listed
from tensorlift.readers.python.evaluation import RULES, array, evaluate, number
from tensorlift.readers.python.expressions import length, module_of, operated
from tensorlift.readers.python.functions import extreme_of, function_of_numbers
from tensorlift.readers.python.numbers import binary, floating
from tensorlift.readers.python.reductions import OF_ARRAYS, REDUCTIONS, reduce_numpy, total
from tensorlift.readers.python.values import Number, Rule, Several, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import Operand

_TWO = 2
_METHODS = {"sum", "mean", "prod", "min", "max", "any", "all", "var", "std"}

# How a generator is reduced, and the body of a function is read: filled in by what reads statements.
GENERATED: list[Callable[[Context, str, ast.GeneratorExp | ast.ListComp], Number]] = []
INLINED: list[Callable[[Context, ast.FunctionDef, dict[str, Operand]], Operand]] = []


def _call(ctx: Context, node: ast.Call) -> Operand:
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        raise ctx.refusal("`*` in a call")
    match node.func:
        case ast.Name(id=name) if name in ctx.scope.names or name in ctx.scope.bound:
            pass
        case ast.Name(id=name) if name in ctx.scope.module.functions:
            return own_function(ctx, node, name)
        case ast.Name(id=name) if name not in ctx.scope.module.rebound:
            module, _, original = ctx.scope.module.imports.get(name, f".{name}").rpartition(".")
            return _known(ctx, "" if module == "numba" else module, original, node)
        case ast.Attribute(value=value, attr=name):
            home = module_of(ctx, value)
            return _method(ctx, node, array(ctx, value), name) if home is None else _known(ctx, home, name, node)
    raise ctx.refusal(f"a call of `{ast.unparse(node.func)}`")


def _known(ctx: Context, module: str, name: str, node: ast.Call) -> Operand:
    """Evaluate a function of the tables."""
    if module == "":
        return _builtin(ctx, name, node)
    if module == "numpy":
        if name in MAKERS:
            return MAKERS[name](ctx, node)
        if name in OF_ARRAYS:
            return OF_ARRAYS[name](ctx, node)
        if name in REDUCTIONS:
            return reduce_numpy(ctx, name, array(ctx, node.args[0]), node, node.args[1:])
        if name in OPERATORS and len(node.args) == _TWO and not node.keywords:
            return _operated(ctx, OPERATORS[name](), node)
    return _of_numbers(ctx, module, name, node)


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
    found = function_of_numbers(module, name)
    if found is None or node.keywords or len(node.args) != found[0]:
        raise ctx.refusal(f"a call of `{ast.unparse(node.func)}` with these arguments")
    values = [evaluate(ctx, argument) for argument in node.args]
    return elementwise(ctx, found[1], [_of_numpy(v) for v in values] if module == "numpy" else values)


def _builtin(ctx: Context, name: str, node: ast.Call) -> Operand:
    if node.keywords and not (name == "sum" and [k.arg for k in node.keywords] == ["start"]):
        raise ctx.refusal(f"`{name}` with these arguments")
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
    if name == "sum" and len(arguments) == _TWO:
        start = number(ctx, arguments[1])
        return binary(ctx, ast.Add(), start, _reduced(ctx, name, arguments[0]))
    if name not in {"min", "max"}:
        raise ctx.refusal(f"`{name}` with these arguments")
    found, *others = [number(ctx, argument) for argument in arguments]
    for other in others:
        found = extreme_of(name, ctx, (found, other))
    return found


def _reduced(ctx: Context, name: str, items: ast.expr) -> Number:
    """Reduce items as a builtin does."""
    if isinstance(items, ast.GeneratorExp | ast.ListComp):
        return GENERATED[0](ctx, name, items)
    value = array(ctx, items)
    if len(value.extents) != 1:
        raise ctx.refusal(f"`{name}` of an array of several dimensions")
    return total(ctx, name, value, of_python=True)


def _method(ctx: Context, node: ast.Call, value: View | Rule, name: str) -> Operand:
    if name == "copy" and not node.args and not node.keywords:
        return copied(ctx, value)
    if value.is_list:
        raise ctx.refusal(f"the method `{name}` of a list")
    if name in _METHODS:
        return reduce_numpy(ctx, name, value, node, node.args)
    if name == "astype":
        return as_type(ctx, node, value)
    if name == "dot" and len(node.args) == 1:
        return operated(ctx, ast.MatMult(), value, evaluate(ctx, node.args[0]))
    raise ctx.refusal(f"the method `{name}`")


# -- functions around the one that is read


def own_function(ctx: Context, node: ast.Call, name: str) -> Operand:
    """Read a function in the place of its call."""
    function = ctx.scope.module.functions[name]
    if function in ctx.calling:
        raise ctx.refusal(f"`{name}`, which calls itself,")
    given = _given(ctx, node, function)
    values = {parameter: evaluate(ctx, argument) for parameter, argument in given.items()}
    return INLINED[0](ctx, function, {p: in_memory(ctx, v, p) if isinstance(v, Rule) else v for p, v in values.items()})


def _given(ctx: Context, node: ast.Call, function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Give the arguments of a call by parameter, in the order in which Python evaluates them."""
    found, defaults = given_arguments(node, function) or (None, {})
    if found is None or not all(isinstance(value, ast.Constant) for value in defaults.values()):
        raise ctx.refusal(f"`{function.name}` with these arguments")
    return found | defaults


RULES[ast.Call] = _call
