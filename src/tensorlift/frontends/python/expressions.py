"""Types of expressions: names, arithmetic with floor division, comparisons, conditions.

Everything works on arrays too, element by element.
"""

from __future__ import annotations

import ast
import operator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import (
    DTYPES,
    NOWHERE,
    Scalar,
    binary,
    cast,
    check_wrapping,
    choose,
    compare,
    differ_in_kind,
    floating,
    integer,
    join,
    joined_node,
    name_of,
    number,
    of_type,
    promoted,
    truth,
    truth_of,
)
from tensorlift.frontends.python.state import Inference, Local
from tensorlift.frontends.python.syntax import COMPARISONS, CONSTANTS, MODULES, PLAIN, none_test
from tensorlift.frontends.python.values import Array, NoItems, Operand, Sizes
from tensorlift.ir import nodes
from tensorlift.ops.c_types import BOOL, DOUBLE, LONG, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.frontends.python.values import Extents

    Rule = Callable[[Inference, Any], Operand]

_BITS: dict[type[ast.operator], str] = {
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_EXACT: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_GROWING = (ast.Add, ast.Sub, ast.Mult, ast.Pow, ast.LShift)
_LARGEST_POWER = 8
_INT64 = 1 << 63
KNOWN_MODULES = {"math", "numpy"}

# How the definition of a function of NumPy is read in place of an expression, for arguments and what the source
# states: filled in by what reads statements.
DEFINED: list[Callable[[Inference, ast.expr, str, Mapping[str, Operand], Mapping[str, object]], Operand]] = []
RULES: dict[type[ast.expr], Rule] = {}  # of all kinds of expressions; files of rules fill it


def evaluate(ctx: Inference, node: ast.expr) -> Operand:
    """Find what an expression is."""
    with ctx.placed(node):
        rule = RULES.get(type(node))
        if rule is None:
            raise _unsupported(node)
        return rule(ctx, node)


def _unsupported(node: ast.expr) -> RefusedError:
    match node:
        case ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return RefusedError("comprehension", "a comprehension")
        case ast.Lambda():
            return RefusedError("comprehension", "a lambda")
        case ast.Starred() | ast.Await() | ast.Yield() | ast.YieldFrom():
            return RefusedError("operator", f"`{ast.unparse(node)}` is not lifted")
        case _:
            return RefusedError("literal", f"`{ast.unparse(node)}`")


def scalar(ctx: Inference, node: ast.expr) -> Scalar:
    """Find the type of an expression that must be a number."""
    value = evaluate(ctx, node)
    if not isinstance(value, Scalar):
        raise ctx.refusal("rank", f"`{ast.unparse(node)}` is an array where a number is needed", node)
    return value


def whole_number(ctx: Inference, node: ast.expr) -> Scalar:
    """Evaluate an expression that must be an integer."""
    value = scalar(ctx, node)
    if not value.is_integer or value.is_truth:
        raise ctx.refusal("index", f"`{ast.unparse(node)}` is not known to be an integer", node)
    with ctx.placed(node):
        return cast(value, LONG) if value.ctype != LONG else value


def array(ctx: Inference, node: ast.expr) -> Array:
    """Evaluate an expression that must be an array."""
    value = evaluate(ctx, node)
    if not isinstance(value, Array):
        raise ctx.refusal("unknown-rank", ast.unparse(node), node)
    return value


def condition(ctx: Inference, node: ast.expr) -> Scalar:
    """Evaluate a condition."""
    if not isinstance(node, ast.BoolOp | ast.Compare) and not _is_not(node):
        value = scalar(ctx, node)
        with ctx.placed(node):
            return truth_of(value)
    with ctx.placed(node):
        found = _logic(ctx, node)
    if not isinstance(found, Scalar):
        raise ctx.refusal("condition", "", node)
    return found


def _is_not(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


# -- names


def _constant(_ctx: Inference, node: ast.Constant) -> Scalar:
    return stated(node.value)


def stated(value: object) -> Scalar:
    """Give a number that the source states."""
    match value:
        case bool():
            return truth(weak=True)
        case int() if -_INT64 <= value < _INT64:
            return integer(value)
        case float() if value == value and abs(value) != float("inf"):  # noqa: PLR0124 - false for NaN alone
            return floating(value)
        case int():
            raise RefusedError("large", f"{value}"[:40])
    raise RefusedError("literal", f"`{str(value)[:40]}`")


def _name(ctx: Inference, node: ast.Name) -> Operand:
    return named(ctx, node.id)


def named(ctx: Inference, name: str) -> Operand:
    """Give what a name stands for."""
    found = ctx.scope.environment.get(name)
    match found:
        case Local():
            known, latest = ctx.facts.scalar_of(ctx.key(name)), ctx.latest.get(ctx.key(name))
            if name in ctx.scope.straight and known.ctype == LONG and latest is not None:
                is_number = latest.is_integer and not latest.is_truth
                return replace(latest, node=None, ctype=LONG, is_any=known.is_any) if is_number else known
            return known
        case Scalar() if found.node is not None:
            ctx.mention(found.node)
            return found
        case Array():
            return replace(found, is_whole=False)
    if found is not None:
        return found
    if name in ctx.scope.stores:
        raise RefusedError("inside" if name in ctx.scope.arrays else "unbound", name)
    if name in ctx.module.constants:
        return stated(ctx.module.constants[name])
    raise RefusedError("name", name)


def module_of(ctx: Inference, base: str) -> str | None:
    """Give the module that a name stands for; None where it stands for anything else."""
    if base in ctx.scope.environment or base in ctx.module.rebound:
        return None
    return ctx.module.imports.get(base, MODULES.get(base, base))


def named_constant(ctx: Inference, node: ast.Attribute) -> Scalar | None:
    """Give a constant of a module, such as ``math.pi``."""
    if not isinstance(node.value, ast.Name) or module_of(ctx, node.value.id) not in KNOWN_MODULES:
        return None
    if node.attr in CONSTANTS:
        return floating(CONSTANTS[node.attr])
    raise RefusedError("attribute", ast.unparse(node))


def _tuple(ctx: Inference, node: ast.Tuple) -> Sizes:
    return Sizes(tuple(evaluate(ctx, item) for item in node.elts))


# -- operators


def _unary(ctx: Inference, node: ast.UnaryOp) -> Operand:
    if _is_not(node):
        return _logic(ctx, node)
    return elementwise(ctx, lambda operands: _signed(ctx, node.op, operands[0]), [evaluate(ctx, node.operand)])


def _signed(ctx: Inference, op: ast.unaryop, value: Scalar) -> Scalar:
    operand = number(value)
    if operand.mixed and not operand.weak:
        raise RefusedError("truths", "a sign before a value that may be a truth value of NumPy")
    if operand.ctype == BOOL:
        if not isinstance(op, ast.Invert):
            raise RefusedError("truths", "a sign before a truth value of NumPy")
        return truth(weak=False)
    if isinstance(op, ast.UAdd):
        return operand
    if isinstance(op, ast.Invert):
        if not operand.is_integer:
            raise RefusedError("operator", "`~` of a number that is no integer")
        return of_type(operand.ctype, (operand,), weak=operand.weak)
    if operand.integer is not None:
        return replace(integer(-int(operand.integer)), weak=operand.weak)
    known = check_wrapping(integer(0), operand, operator.sub)
    negated = nodes.Negated(operand.node, operand.ctype, NOWHERE) if operand.node is not None else None
    result = of_type(operand.ctype, (operand,), negated if operand.is_stable else None, weak=operand.weak)
    if operand.is_any:
        ctx.note_growth(result)
    return replace(result, loose=operand.loose, known=known)


def operated(ctx: Inference, op: ast.operator, left: Operand, right: Operand) -> Operand:
    """Apply a binary operator, element by element if an operand is an array."""
    return elementwise(ctx, lambda operands: _arithmetic(ctx, op, *operands), [left, right])


def _arithmetic(ctx: Inference, op: ast.operator, left: Scalar, right: Scalar) -> Scalar:
    counts = any(side.is_truth or side.integer is not None for side in (left, right))
    if left.is_truth and right.is_truth and (found := _of_truths(op, left, right)) is not None:
        return found
    may_be_truths = all(side.is_truth or side.mixed for side in (left, right))
    if may_be_truths and (left.mixed or right.mixed) and not (left.weak and right.weak):
        raise RefusedError("truths", "arithmetic of truth values that are Python's or NumPy's, or numbers")
    left, right = number(left), number(right)
    if left.ctype == right.ctype == BOOL:
        left, right = (cast(side, DTYPES["int8"]) for side in (left, right))
    for loose, other in ((left, right), (right, left)):
        is_float = isinstance(loose.ctype, FloatType)
        if loose.loose and is_float and other.is_integer and not (other.weak or isinstance(op, ast.Div)):
            detail = "a number of NumPy with one that is a float or, where data decides so, an integer of Python"
            raise RefusedError("type", f"arithmetic of {detail}")
    known = None if isinstance(op, ast.Div) else check_wrapping(left, right, _EXACT.get(type(op)))
    result = _result(op, left, right)
    if left.may_be_integer and right.may_be_integer and not isinstance(op, ast.Div):
        result = replace(result, loose=not (result.weak and result.is_integer), known=known)
    if isinstance(op, ast.FloorDiv | ast.Mod | ast.RShift) and (right.integer or 0) > 1:
        return replace(result, is_any=False)  # a part, which is not as large
    is_moved = isinstance(op, ast.FloorDiv) or (counts and isinstance(op, ast.Add | ast.Sub))
    if (left.is_any or right.is_any) if is_moved else isinstance(op, _GROWING):
        ctx.note_growth(result)
    return result


def _of_truths(op: ast.operator, left: Scalar, right: Scalar) -> Scalar | None:
    """Apply an operator to two truth values that gives another one; None where it gives a number.

    Python's alone are numbers but for bits; one of NumPy makes the sum and the product of both truth values again.
    """
    is_numpy = any(not side.weak and not side.mixed for side in (left, right))
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        mixed = not is_numpy and (left.mixed or right.mixed)
        return truth(weak=not is_numpy and not mixed, mixed=mixed)
    if not is_numpy or isinstance(op, ast.Div | ast.LShift | ast.RShift):
        return None
    if not isinstance(op, ast.Add | ast.Mult):
        raise RefusedError("truths", "this operator is not lifted for two truth values of NumPy")
    return truth(weak=False)


def _result(op: ast.operator, left: Scalar, right: Scalar) -> Scalar:
    """Give the type of what an operator makes of two numbers."""
    match op:
        case ast.Add() | ast.Sub() | ast.Mult():
            return binary(PLAIN[type(op)], left, right)
        case ast.Div():
            return _quotient(left, right)
        case ast.FloorDiv() | ast.Mod():
            a, b, weak = join(left, right)
            node = joined_node("//" if isinstance(op, ast.FloorDiv) else "%", a, b)
            return of_type(a.ctype, (a, b), None if isinstance(a.ctype, FloatType) else node, weak=weak)
        case ast.Pow():
            return _power(left, right)
        case _ if type(op) in _BITS and left.is_integer and right.is_integer and join(left, right)[0].is_integer:
            return binary(_BITS[type(op)], left, right)
    raise RefusedError("operator", "this operator is not lifted for these operands")


def _power(base: Scalar, exponent: Scalar) -> Scalar:
    """Multiply out a small power."""
    if base.is_truth and not base.weak:
        raise RefusedError("truths", "a power of a truth value of NumPy")
    times = exponent.integer
    ctype, weak = promoted(base.ctype, base.weak, exponent.ctype, exponent.weak)
    if times == 0 and not (weak and base.is_integer):
        return Scalar(ctype, weak)
    if times is not None and 0 <= times <= _LARGEST_POWER:
        base = base if base.ctype == ctype else cast(base, ctype)
        result = integer(1) if times == 0 else base
        for _ in range(int(times) - 1):
            result = binary("*", result, base)
        return result
    if times is not None and -_LARGEST_POWER <= times < 0:
        if base.is_integer and not base.weak:
            raise RefusedError("type", f"a negative power of the type {name_of(base.ctype)}")
        return _quotient(integer(1), _power(base, replace(exponent, node=integer(-int(times)).node)))
    if not isinstance(ctype, FloatType):
        raise RefusedError("power")
    return Scalar(ctype, weak)


def _quotient(left: Scalar, right: Scalar) -> Scalar:
    """Divide as ``/`` does: in floating point."""
    ctype, weak = promoted(left.ctype, left.weak, right.ctype, right.weak)
    return Scalar(ctype if isinstance(ctype, FloatType) else DOUBLE, weak)


# -- conditions


def is_none(ctx: Inference, node: ast.expr) -> bool:
    """Whether an expression is ``None``, or the name of a parameter that is and that nothing has bound."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Constant) and node.value is None
    name, scope = node.id, ctx.scope
    if name in scope.environment or ctx.module.imports.get(name) != "None":
        return False
    if name in scope.stores and (scope.depth or name in scope.ever):  # another run, or iteration, may have bound it
        raise RefusedError("unbound", name)
    return True


def told_by_none(ctx: Inference, test: ast.expr) -> bool | None:
    """Give what a comparison of a name with ``None`` gives; None for other tests."""
    found = none_test(test)
    if found is None:
        return None
    assert isinstance(test, ast.Compare)
    name, holds = found
    if not is_none(ctx, test.left):
        named(ctx, name)
        return not holds
    return holds


def _logic(ctx: Inference, node: ast.expr) -> Operand:
    """Find the type of ``not``, ``and`` or ``or`` as a condition, and of comparisons."""
    if isinstance(node, ast.UnaryOp):
        condition(ctx, node.operand)
        return truth(weak=True)
    if told_by_none(ctx, node) is not None:
        return truth(weak=True)
    if isinstance(node, ast.BoolOp):
        return _chained([condition(ctx, value) for value in node.values])
    assert isinstance(node, ast.Compare)
    sides = [evaluate(ctx, side) for side in (node.left, *node.comparators)]
    if any(type(op) not in COMPARISONS for op in node.ops):
        raise RefusedError("membership", ast.unparse(node))
    if len(node.ops) > 1 and not all(isinstance(side, Scalar) for side in sides):
        raise RefusedError("truths", "an array is no condition, which a chain of comparisons needs")

    def apply(operands: Sequence[Scalar]) -> Scalar:
        return _chained([compare(a, b) for a, b in pairwise(operands)])

    return elementwise(ctx, apply, sides)


def _chained(values: Sequence[Scalar]) -> Scalar:
    return truth(weak=all(value.weak for value in values), mixed=differ_in_kind(values))


def _one_of(ctx: Inference, node: ast.BoolOp) -> Scalar:
    """Find what ``a and b`` or ``a or b`` is where no condition is asked for: one of its operands."""
    values = [scalar(ctx, value) for value in node.values]
    if all(value.is_truth for value in values):
        return _chained(values)
    found = values[-1]
    for value in reversed(values[:-1]):
        arms = (found, value) if isinstance(node.op, ast.And) else (value, found)
        found = choose(*arms)
    return found


def _conditional(ctx: Inference, node: ast.IfExp) -> Operand:
    told = told_by_none(ctx, node.test)
    if told is not None:
        return evaluate(ctx, node.body if told else node.orelse)
    condition(ctx, node.test)
    return choose(scalar(ctx, node.body), scalar(ctx, node.orelse))


# -- element by element


def elementwise(ctx: Inference, apply: Callable[[Sequence[Scalar]], Scalar], operands: Sequence[Operand]) -> Operand:
    """Apply a function of numbers, element by element if an operand is an array."""
    numbers = [operand for operand in operands if isinstance(operand, Scalar)]
    if len(numbers) == len(operands):
        return apply(numbers)
    values = [_operand(operand) for operand in operands]
    extents = _common_extents(ctx, [value for value in values if isinstance(value, Array)])
    return Array(extents, apply([value if isinstance(value, Scalar) else value.item for value in values]))


def _operand(operand: Operand) -> Scalar | Array:
    if isinstance(operand, Array):
        return without_lists(operand)
    if isinstance(operand, Sizes | NoItems):
        raise RefusedError("operator", "a tuple or a list has no arithmetic")
    return operand


def without_lists(value: Array) -> Array:
    """Give an array; a list has no arithmetic."""
    if value.is_list:
        named = f"`{value.view.name}` is a list, which" if value.view is not None else "a list"
        raise RefusedError("list", named)
    return value


def _common_extents(ctx: Inference, values: Sequence[Array]) -> Extents:
    """Give the extents of the result; extents of the literal 1 are stretched, others must be equal."""
    rank = max(value.rank for value in values)
    extents: list[nodes.Expression] = []
    for axis in range(-rank, 0):
        found = [value.extents[axis] for value in values if value.rank >= -axis]
        found = [extent for extent in found if not is_one(extent)] or found
        for other in found[1:]:
            ctx.require_equal(found[0], other)
        extents.append(found[0])
    return tuple(extents)


def is_one(extent: nodes.Expression) -> bool:
    """Tell whether an extent is the literal one, which is stretched."""
    return isinstance(extent, nodes.Integer) and extent.value == 1


RULES.update(
    {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Tuple: _tuple,
        ast.UnaryOp: _unary,
        ast.Compare: _logic,
        ast.BoolOp: _one_of,
        ast.IfExp: _conditional,
    }
)
