"""Guards of an emitted function, read back: each may only raise, and together they are exactly the wanted ones."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tensorlift.contract.language import INTEGER, NUMBER, OPPOSITE, Compare, Inside, IsArray, IsScalar, Separate
from tensorlift.contract.notation import comparison_of, parse_condition, relation_of
from tensorlift.proofs.failure import GUARD, CheckFailure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.contract.language import Condition
    from tensorlift.proofs.parse import ProgramText

_NEEDED = {"np", "isinstance", "int", "ValueError"}  # names that guards use
_LEAST_WORK = 1  # no work at all would compare the bounds of memory only


def check_guards(program: ProgramText, entry: str, wanted: Sequence[Condition]) -> None:
    """Demand that the guards of a function are the wanted ones, no more and no fewer, in any order.

    Raises:
        CheckFailure: where a guard is missing, wrong, of unknown meaning, or stands in another function.

    """
    for name, function in program.functions.items():
        if name != entry and function.guards:
            raise _failure(function.guards[0], "a guard outside of the function that is called")
    function = program.functions[entry]
    hidden = _NEEDED & (function.local_names | program.functions.keys())
    if function.guards and (hidden or "np" not in program.modules):
        raise _failure(function.guards[0], f"a guard needs the name {min(hidden, default='np')}")
    found: dict[Condition, ast.If] = {}
    for guard in function.guards:
        condition = read_guard(guard)
        if condition not in wanted or condition in found:
            raise _failure(guard, f"a guard that is not asked for, that {condition}")
        found[condition] = guard
    missing = [condition for condition in wanted if condition not in found]
    if missing:
        raise CheckFailure(GUARD, f"no guard checks that {missing[0]}")


def read_guard(guard: ast.If) -> Condition:
    """Read the condition that a guard checks; raises CheckFailure where it may do anything but raise a ValueError."""
    match guard:
        case ast.If(
            body=[ast.Raise(exc=ast.Call(func=ast.Name(id="ValueError"), args=[message], keywords=[]), cause=None)],
            orelse=[],
        ) if isinstance(message, ast.Constant) and isinstance(message.value, str):
            condition = _type(guard.test) or _memory(guard.test) or _places(guard.test) or _relation(guard.test)
            if condition is not None:
                return condition
    raise _failure(guard, "a guard of unknown meaning")


def _type(test: ast.expr) -> Condition | None:
    """Read a guard of a type."""
    match test:
        case ast.UnaryOp(
            op=ast.Not(),
            operand=ast.BoolOp(
                op=ast.And(),
                values=[
                    ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kind], keywords=[]),
                    ast.Compare(ops=[ast.Eq()], left=element, comparators=[dtype]),
                    ast.Compare(ops=[ast.Eq()], left=dimensions, comparators=[ast.Constant(value=int(rank))]),
                ],
            ),
        ):
            read = (ast.unparse(kind), ast.unparse(element), ast.unparse(dimensions), ast.unparse(dtype)[:3])
            if read == ("np.ndarray", f"{name}.dtype", f"{name}.ndim", "np.") and isinstance(dtype, ast.Attribute):
                return IsArray(name, dtype.attr.removesuffix("_"), rank)
        case ast.UnaryOp(
            op=ast.Not(),
            operand=ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kinds], keywords=[]),
        ) if ast.unparse(kinds) == "(int, np.integer)":
            return IsScalar(name, INTEGER)
        case ast.Compare(
            ops=[ast.NotEq()],
            left=ast.Call(func=function, args=[ast.Name(id=name)], keywords=[]),
            comparators=[ast.Constant(value=0)],
        ) if ast.unparse(function) == "np.ndim":
            return IsScalar(name, NUMBER)
    return None


def _memory(test: ast.expr) -> Condition | None:
    """Read a guard of shared memory, with or without the exception for the same elements."""
    or_same = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and not test.values[2:]
    overlap = test.values[0] if or_same and isinstance(test, ast.BoolOp) else test
    match overlap:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="np"), attr="may_share_memory"),
            args=[ast.Name(id=array), ast.Name(id=other)],
            keywords=[ast.keyword(arg="max_work", value=ast.Constant(value=int(work)))],
        ) if type(work) is int and work >= _LEAST_WORK:
            if not or_same:
                return Separate(array, (other,))
            apart = f"({array}.ctypes.data, {array}.strides) != ({other}.ctypes.data, {other}.strides)"
            if isinstance(test, ast.BoolOp) and ast.unparse(test.values[1]) == apart:
                return Separate(array, (other,), or_same=True)
    return None


def _places(test: ast.expr) -> Condition | None:
    """Read a guard of places: it raises where one is below zero or not below an extent."""
    match test:
        case ast.Call(
            func=ast.Attribute(
                value=ast.BinOp(
                    op=ast.BitOr(),
                    left=ast.Compare(left=place, ops=[ast.Lt()], comparators=[ast.Constant(value=0)]),
                    right=ast.Compare(left=again, ops=[ast.GtE()], comparators=[limit]),
                ),
                attr="any",
            ),
            args=[],
            keywords=[],
        ) if ast.unparse(place) == ast.unparse(again):
            condition = parse_condition(f"0 <= {ast.unparse(place)} < {ast.unparse(limit)}")
            return condition if isinstance(condition, Inside) else None
    return None


def _relation(test: ast.expr) -> Condition | None:
    """Read a relation between sizes, which raises where the opposite holds; or a choice, where it does not hold."""
    try:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return relation_of(test.operand)
        found = comparison_of(test)
    except ValueError:
        return None
    return Compare(found.left, OPPOSITE[found.relation], found.right)


def _failure(guard: ast.If, reason: str) -> CheckFailure:
    return CheckFailure(GUARD, reason, guard.lineno)
