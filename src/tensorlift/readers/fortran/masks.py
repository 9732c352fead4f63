"""Statements of Fortran on whole arrays: `where` and `forall`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import i1

from tensorlift.frontends.fortran.syntax import kind_of, nodes_in
from tensorlift.frontends.fortran.uses import base_of, path_of
from tensorlift.ops.c_types import BOOL
from tensorlift.readers.fortran.arrays import assign, extents_of, in_memory, reference
from tensorlift.readers.fortran.expressions import value
from tensorlift.readers.fortran.loops import concurrent
from tensorlift.readers.fortran.values import Number, Rule, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.readers.fortran.context import Context


def array_named(ctx: Context, target: Any) -> View:
    """Give the array that a reference names, which is to be written."""
    name = path_of(target)
    symbol = ctx.frame.scope.find(name)
    if symbol is None or (not symbol.bounds and name not in ctx.frame.bound):
        raise ctx.refusal("statement-function", target, name)
    bound = ctx.binding(name, target)
    if not isinstance(bound, View):
        raise ctx.refusal("rank", target, name)
    return bound


def where(ctx: Context, node: Any) -> None:
    """Read a `where` of one statement."""
    mask, action = node.children
    _masked(ctx, [(_evaluated(ctx, mask), [action])])


def where_construct(ctx: Context, node: Any) -> None:
    """Read `where`: each mask is evaluated before what it governs, and without the places of those before."""
    arms: list[tuple[View, list[Any]]] = []
    taken: View | None = None
    more = sum("Elsewhere" in kind_of(child) for child in node.children)
    for child in node.children:
        match kind_of(child):
            case "Where_Construct_Stmt" | "Masked_Elsewhere_Stmt":
                ctx.visit(child)
                _masked(ctx, arms[-1:])
                mask = _evaluated(ctx, child.children[0])
                if taken is not None:
                    mask = _both(ctx, mask, taken, node)
                arms.append((mask, []))
                taken = _neither(ctx, taken, mask, node) if more else None
                more -= 1
            case "Elsewhere_Stmt":
                _masked(ctx, arms[-1:])
                assert taken is not None
                arms.append((taken, []))
            case "End_Where_Stmt" | "Comment":
                pass
            case _:
                arms[-1][1].append(child)
    _masked(ctx, arms[-1:])


def _evaluated(ctx: Context, node: Any) -> View:
    """Compute a mask into memory of its own."""
    found = value(ctx, node)
    if isinstance(found, Number) or found.ctype is not BOOL:
        raise ctx.refusal("expression", node)
    return in_memory(ctx, found, node)


def _both(ctx: Context, mask: View, rest: View, node: Any) -> View:
    shape = extents_of(ctx, mask, node)
    both = Rule(
        shape,
        lambda p: Number(ctx.operation("arith.andi", [ctx.value(ctx.load(v, p)) for v in (mask, rest)], i1), BOOL),
        BOOL,
    )
    return in_memory(ctx, both, node)


def _neither(ctx: Context, rest: View | None, mask: View, node: Any) -> View:
    """Give the places that no mask has taken yet."""

    def at(places: Any) -> Number:
        free = ctx.operation("arith.xori", (ctx.value(ctx.load(mask, places)), ctx.constant(1, BOOL)), i1)
        if rest is not None:
            free = ctx.operation("arith.andi", (ctx.value(ctx.load(rest, places)), free), i1)
        return Number(free, BOOL)

    return in_memory(ctx, Rule(extents_of(ctx, mask, node), at, BOOL), node)


def _masked(ctx: Context, arms: Sequence[tuple[View, list[Any]]]) -> None:
    for mask, statements in arms:
        for statement in statements:
            ctx.visit(statement)
            if kind_of(statement) != "Assignment_Stmt":
                raise ctx.refusal("statement", statement)
            target, _, right = statement.children
            found = _target(ctx, target)
            assign(ctx, found, value(ctx, right), statement, mask)


def _target(ctx: Context, target: Any) -> View:
    bound = array_named(ctx, target)
    found = bound if kind_of(target) == "Name" else reference(ctx, bound, target, lambda s: value(ctx, s))
    if not isinstance(found, View):
        raise ctx.refusal("shape", target, f"`{target}` is no array")
    return found


def forall(ctx: Context, node: Any) -> None:
    """Read a `forall` of one statement."""
    header, action = node.children
    _forall_of(ctx, header, action)


def forall_construct(ctx: Context, node: Any) -> None:
    """Read a `forall` of several statements, one after the other."""
    header = node.children[0].children[1]
    for child in node.children[1:]:
        if kind_of(child) not in {"End_Forall_Stmt", "Comment"}:
            ctx.visit(child)
            _forall_of(ctx, header, child)


def _forall_of(ctx: Context, header: Any, action: Any) -> None:
    """Read an assignment for all values of its variables: what reads the array that it writes is not read."""
    if kind_of(action) != "Assignment_Stmt":
        raise ctx.refusal("statement", action)
    written = base_of(action.children[0])
    read = [action.children[2], header, action.children[0].children[1:]]
    if any(kind_of(n) == "Name" and str(n).lower() == written for n in nodes_in(read)):
        raise ctx.refusal("statement", action)
    concurrent(ctx, header, lambda: ctx.read_block(ctx, [action]))
