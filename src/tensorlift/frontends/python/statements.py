"""Statements: blocks, conditions, loops, what is returned, and functions of the same file in place of their calls.

A name that a block binds is bound after it where that is the block of a condition and the other one binds it too.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.python.arrays import keep_shown, named_memory
from tensorlift.frontends.python.assignments import alias, assign, augment, copy_refilled, declare, result_array
from tensorlift.frontends.python.calls import INLINED, callee
from tensorlift.frontends.python.constant_arguments import texts_of, with_constants
from tensorlift.frontends.python.defining import Given
from tensorlift.frontends.python.definitions import definition
from tensorlift.frontends.python.expressions import DEFINED, condition, evaluate, is_none, told_by_none
from tensorlift.frontends.python.iteration import append, looped
from tensorlift.frontends.python.places import STORING
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import Scalar, cast, choose
from tensorlift.frontends.python.state import LOCAL, Inference, Module, Scope
from tensorlift.frontends.python.syntax import always_returns, appended, arguments_of, given_arguments
from tensorlift.frontends.python.values import Array, NoItems, Operand, Sizes
from tensorlift.ir import nodes
from tensorlift.ops.c_types import BOOL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.frontends.python.scalars import Number
    from tensorlift.frontends.python.state import Binding

_EVALUATING = (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr)


def read_body(ctx: Inference, statements: Sequence[ast.stmt]) -> None:
    """Read the statements of a block."""
    for position, statement in enumerate(statements):
        if isinstance(statement, ast.If) and _skips(statement):
            with ctx.placed(statement):
                condition(ctx, statement.test)
                _arm(ctx, statements[position + 1 :])
            return
        told = told_by_none(ctx, statement.test) if isinstance(statement, ast.If) else None
        if told is not None and isinstance(statement, ast.If):
            read_body(ctx, arm := statement.body if told else statement.orelse)
            if always_returns(arm):
                return
            continue
        ctx.following = statements[position + 1 :]
        ctx.whole = getattr(statement, "value", None) if isinstance(statement, _EVALUATING) else None
        with ctx.placed(statement):
            _statement(ctx, statement)


def _skips(statement: ast.If) -> bool:
    """Whether a statement is ``if c: continue``, so that what follows is under the other condition."""
    return not statement.orelse and len(statement.body) == 1 and isinstance(statement.body[0], ast.Continue)


def _for(ctx: Inference, node: ast.For) -> None:
    if node.orelse:
        raise RefusedError("statement", "for ... else")
    looped(ctx, node, lambda: read_body(ctx, node.body))


def _while(ctx: Inference, node: ast.While) -> None:
    if node.orelse:
        raise RefusedError("statement", "while ... else")
    condition(ctx, node.test)
    _arm(ctx, node.body)


def _if(ctx: Inference, node: ast.If) -> None:
    condition(ctx, node.test)
    then, otherwise = _arm(ctx, node.body), _arm(ctx, node.orelse)
    ctx.scope.environment |= {name: LOCAL for name in then if then[name] is otherwise.get(name) is LOCAL}


def _annotated(ctx: Inference, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(ctx, [node.target], node.value)


def _expression(ctx: Inference, node: ast.Expr) -> None:
    """Read a call whose value nobody uses, or a text."""
    call, grown = node.value, appended(node)
    if isinstance(call, ast.Constant):
        return
    if grown is not None:
        append(ctx, *grown)
        return
    if not isinstance(call, ast.Call):
        raise _unknown(node)
    module, name = callee(ctx, call)
    if module == "numpy" and name in STORING:
        evaluate(ctx, call)
        return
    if module or name not in ctx.module.functions:
        raise RefusedError("call", ast.unparse(call.func))
    _inlined(ctx, call, name)


def _refuse_inner(node: ast.FunctionDef) -> None:
    raise RefusedError("inner", node.name)


def _unknown(node: ast.stmt) -> RefusedError:
    return RefusedError("statement", ast.unparse(node).splitlines()[0])


def _statement(ctx: Inference, node: ast.stmt) -> None:
    rule = _STATEMENTS.get(type(node))
    if rule is None:
        raise _unknown(node)
    rule(ctx, node)


def _arm(ctx: Inference, statements: Sequence[ast.stmt]) -> dict[str, Binding]:
    """Read a block, and give what names are at its end."""
    with ctx.block():
        read_body(ctx, statements)
        return ctx.scope.environment


def _assert(ctx: Inference, test: ast.expr) -> None:
    """Note what a test says; extents that are equal are one from here on."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            _assert(ctx, value)
        return
    equal = _equal_sizes(ctx, test) if not ctx.depth else None
    if equal is None:
        condition(ctx, test)
        ctx.written.append(None)
        return
    for left, right in equal:
        ctx.require_equal(ctx.extent(left), ctx.extent(right))


def _equal_sizes(ctx: Inference, test: ast.expr) -> list[tuple[Scalar, Scalar]] | None:
    """Give the pairs of integers that a comparison says to be equal, those of shapes too; None where it is none."""
    if not isinstance(test, ast.Compare) or not all(isinstance(op, ast.Eq) for op in test.ops):
        return None
    mentioned = set(ctx.mentioned)
    sides = [evaluate(ctx, side) for side in (test.left, *test.comparators)]
    if any(isinstance(node, ast.Call) and ast.unparse(node.func) != "len" for node in ast.walk(test)):
        return None
    found: list[tuple[Scalar, Scalar]] = []
    for left, right in pairwise(side.items if isinstance(side, Sizes) else (side,) for side in sides):
        if len(left) != len(right):
            return None
        pairs = zip(left, right, strict=True)
        found += [(one, other) for one, other in pairs if isinstance(one, Scalar) and isinstance(other, Scalar)]
    if not all(ctx.polynomial(ctx.extent(side)) is not None for pair in found for side in pair):
        return None
    ctx.mentioned = mentioned
    return found


# -- results


def _returned(ctx: Inference, value: ast.expr | None) -> None:
    if ctx.scope.returned is not None:  # by a function in place of its call
        if value is None:
            raise RefusedError("return", f"`{ctx.scope.function.name}` does not return a value in all cases")
        ctx.scope.returned.append(evaluate(ctx, value))
        return
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return
    items = value.elts if isinstance(value, ast.Tuple) else [value]
    found = [evaluate(ctx, item) for item in items]
    if len(found) == 1 and isinstance(found[0], Scalar) and not isinstance(value, ast.Tuple):
        _return_scalar(ctx, found[0])
        return
    names = [f"result_{position + 1}" for position in range(len(items))] if isinstance(value, ast.Tuple) else ["result"]
    returns = [node for node in ast.walk(ctx.scope.function) if isinstance(node, ast.Return)]
    if len(returns) > 1 or ctx.depth:
        _return_one_of(ctx, names, found, returns)
    else:
        _return_items(ctx, names, items, found)


def _return_scalar(ctx: Inference, value: Scalar) -> None:
    ctx.result = ctx.joined("return", "return", value)
    cast(value, ctx.result)
    ctx.returns[""] = _kind_of_number(*ctx.facts.type_of("return"))


def _kind_of_number(ctype: Number, weak: bool) -> str:  # noqa: FBT001 - a type with its mark
    """Say whose number Python gives back; ``weak`` marks Python's own."""
    if ctype == BOOL:
        return "truth" if weak else "numpy_truth"
    return "python" if weak else "numpy"


def _return_items(ctx: Inference, names: Sequence[str], items: Sequence[ast.expr], values: Sequence[Operand]) -> None:
    """Give arrays, and numbers of which the last is the result, at the end of the function."""
    for position, (name, item, value) in enumerate(zip(names, items, values, strict=True)):
        if not isinstance(value, Scalar):
            _return_array(ctx, item, value, name)
        elif position == len(items) - 1:
            _return_scalar(ctx, value)
        else:
            wanted = item.id if isinstance(item, ast.Name) and item.id not in ctx.returns else name
            of_others = ctx.taken | ctx.results.keys() | {*ctx.display.values()}
            wanted = wanted if wanted not in of_others else _free(ctx, name)
            ctx.results[wanted] = Array((), value)
            ctx.returns[wanted] = _kind_of_number(value.ctype, value.weak)


def _return_one_of(
    ctx: Inference, names: Sequence[str], values: Sequence[Operand], returns: Sequence[ast.Return]
) -> None:
    """Give new arrays in one of several places, in all of which they have one shape and type."""
    arrays = [value for value in values if isinstance(value, Array)]
    is_whole = always_returns(ctx.scope.function.body) and all(node.value is not None for node in returns)
    written = any(value.view is not None and value.view.is_given and value.view.written for value in arrays)
    if len(arrays) < len(values) or ctx.scope.active or not is_whole or written:
        raise RefusedError("return", "a tuple, or an array that is written, is returned in one of several places")
    if not ctx.returns:
        for name, value in zip(names, arrays, strict=True):
            made = _free(ctx, name)
            result_array(ctx, made, value)
            ctx.returns[made] = _kind_of_array(value)
        return
    known = [ctx.results[name] for name in ctx.returns if name in ctx.results]
    kinds = [*ctx.returns.values()]
    if len(known) < len(arrays) or kinds != [_kind_of_array(value) for value in arrays]:
        raise RefusedError("return", "other things are returned in one place than in another")
    for first, other in zip(known, arrays, strict=True):
        if first.rank != other.rank or first.element != other.element:
            raise RefusedError("return", "arrays of different types or ranks are returned in several places")
        for mine, given in zip(first.extents, other.extents, strict=True):
            if isinstance(mine, nodes.Integer) or isinstance(given, nodes.Integer):
                raise RefusedError("return", "arrays of different lengths are returned in several places")
            ctx.require_equal(mine, given)


def _kind_of_array(value: Array) -> str:
    return "list" if value.is_list else "array"


def _return_array(ctx: Inference, item: ast.expr, value: Operand, name: str) -> None:
    bound = ctx.scope.environment.get(item.id) if isinstance(item, ast.Name) else None
    if isinstance(bound, Array) and bound.is_whole and bound.memory is not None:
        memory = bound.memory
        owned = memory.is_given and (memory.written or memory.name in ctx.results)
        if owned and memory.name not in ctx.returns:
            ctx.returns[memory.name] = _kind_of_array(bound)
            return
    if not isinstance(value, Array):
        raise RefusedError("return", f"`{ast.unparse(item)}` is returned")
    made = _free(ctx, name)
    result_array(ctx, made, value)
    ctx.returns[made] = _kind_of_array(value)


def _free(ctx: Inference, name: str) -> str:
    return name if name not in ctx.taken | ctx.results.keys() | ctx.scope.stores.keys() else ctx.fresh(name)


# -- functions of the same file


def _inlined(ctx: Inference, node: ast.Call, name: str) -> Operand:
    """Read the body of a function in place of its call."""
    function, home = ctx.module.functions[name], ctx.module.home_of(name)
    ctx.count_call(function.name)
    home.check_decorators(function)
    is_whole, before = node is ctx.whole, (len(ctx.memories), len(ctx.written))
    given = _given(node, function)
    texts = texts_of(given)
    function = with_constants(function, texts)
    missing = {parameter: "None" for parameter, argument in given.items() if is_none(ctx, argument)}
    missing |= {parameter: repr(text) for parameter, text in texts.items()}
    values = {parameter: evaluate(ctx, argument) for parameter, argument in given.items() if parameter not in missing}
    home = replace(home, imports={**home.imports, **missing}) if missing else home
    found = _called(ctx, function, home, values)
    own_memories = ctx.memories[before[0] :]
    if not is_whole and any(memory not in own_memories for memory in ctx.written[before[1] :]):
        raise RefusedError("effect", ast.unparse(node))
    return found


def _defined(
    ctx: Inference, node: ast.expr, name: str, given: Mapping[str, Operand], stated: Mapping[str, object]
) -> Operand:
    """Read the definition of a function of NumPy in place of an expression."""
    values = {parameter: _taken(value) for parameter, value in given.items()}
    function = definition(name, {parameter: _kind_of(name, value) for parameter, value in values.items()}, stated)
    return _called(ctx, function, ctx.module.within(node), values)


def _taken(value: Operand) -> Operand:
    """Give a value as an argument of NumPy: a list as an array."""
    if isinstance(value, Array) and value.is_list:
        return Array(value.extents, cast(value.item, value.element))
    return replace(value, shows=None) if isinstance(value, Array) else value


def _kind_of(name: str, value: Operand) -> Given:
    if isinstance(value, Sizes | NoItems):
        raise RefusedError("arguments", f"`np.{name}` of a tuple or an empty list")
    return Given(value.rank, value.element) if isinstance(value, Array) else Given(0, value.ctype)


def _called(ctx: Inference, function: ast.FunctionDef, home: Module, values: Mapping[str, Operand]) -> Operand:
    """Read the body of a function with its arguments, which have the names of parameters."""
    outer = ctx.module, ctx.scope
    ctx.module, ctx.scope = home, Scope.of(home, function)
    ctx.calling.append(function.name)
    try:
        for parameter, value in values.items():
            _argument(ctx, parameter, value)
        copy_refilled(ctx, function)
        return _body_of(ctx, function)
    finally:
        ctx.module, ctx.scope = outer
        ctx.calling.pop()


def _given(node: ast.Call, function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Give the arguments of a call by parameter, defaults included, in the order in which Python evaluates them."""
    found = given_arguments(node, function)
    if found is None:
        plain = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        count = len(arguments_of(function))
        raise RefusedError("arguments", f"`{function.name}` takes {count} arguments, {', '.join(plain)}")
    given, defaults = found
    if not all(isinstance(value, ast.Constant) for value in defaults.values()):
        raise RefusedError("arguments", f"a default of `{function.name}` is no number")
    return given | defaults


def _argument(ctx: Inference, name: str, value: Operand) -> None:
    if isinstance(value, Array):
        keep_shown(ctx, value, made := value if value.view is not None else named_memory(ctx, value))
        alias(ctx, name, replace(made, shows=None))
    elif isinstance(value, Scalar) and name in ctx.scope.stores:
        declare(ctx, name, value)
    else:
        ctx.scope.environment[name] = value


def _body_of(ctx: Inference, function: ast.FunctionDef) -> Operand:
    statements = function.body
    if isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Constant):
        statements = statements[1:]
    last = statements[-1] if statements else None
    if any(isinstance(n, ast.Return) for s in statements for n in ast.walk(s) if n is not last):
        expression = _as_expression(statements)
        if expression is not None:
            return evaluate(ctx, expression)
        if not always_returns(statements):
            raise RefusedError("return", f"`{function.name}` does not return a value in all cases")
        ctx.scope.returned = []
        read_body(ctx, statements)
        return reduce(_either, ctx.scope.returned)
    read_body(ctx, statements[:-1] if isinstance(last, ast.Return) else statements)
    if not isinstance(last, ast.Return) or last.value is None:
        return Sizes(())
    ctx.whole = last.value
    return evaluate(ctx, last.value)


def _either(one: Operand, other: Operand) -> Operand:
    """Give what is returned in one of two places."""
    if not isinstance(one, Scalar) or not isinstance(other, Scalar):
        raise RefusedError("return", "an array or a tuple is returned in one of several places")
    return choose(one, other)


def _as_expression(statements: Sequence[ast.stmt]) -> ast.expr | None:
    """Read a chain of ``if`` and ``return`` as one conditional expression; None where it is more than that."""
    if not statements:
        return None
    first, rest = statements[0], statements[1:]
    if isinstance(first, ast.Return):
        return first.value
    if not isinstance(first, ast.If):
        return None
    then, otherwise = _as_expression(first.body), _as_expression([*first.orelse, *rest])
    if then is None or otherwise is None:
        return None
    return ast.copy_location(ast.IfExp(first.test, then, otherwise), first)


_STATEMENTS: dict[type[ast.stmt], Callable[[Inference, Any], object]] = {
    ast.Assign: lambda ctx, node: assign(ctx, node.targets, node.value),
    ast.AnnAssign: _annotated,
    ast.AugAssign: lambda ctx, node: augment(ctx, node.target, node.op, node.value),
    ast.For: _for,
    ast.While: _while,
    ast.If: _if,
    ast.Return: lambda ctx, node: _returned(ctx, node.value),
    ast.Expr: _expression,
    ast.Assert: lambda ctx, node: _assert(ctx, node.test),
    ast.Raise: lambda ctx, _: ctx.written.append(None),
    ast.FunctionDef: lambda _, node: _refuse_inner(node),
    ast.Pass: lambda _, __: None,
    ast.Break: lambda _, __: None,
    ast.Continue: lambda _, __: None,
}
INLINED.append(_inlined)
DEFINED.append(_defined)
