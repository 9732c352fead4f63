"""Arrays that statements make: `allocate`, and pointers that are let point to an array."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.frontends.fortran.uses import path_of, uses_of
from tensorlift.ops.c_types import INT
from tensorlift.readers.fortran.arrays import assign, reference
from tensorlift.readers.fortran.declared import begin, bounds_of
from tensorlift.readers.fortran.expressions import put, size, value
from tensorlift.readers.fortran.values import Number, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.readers.fortran.context import Context, Frame

_STRAIGHT = {"Block_Construct", "Associate_Construct"}  # constructs whose statements always run


def branch(ctx: Context, read: Callable[[], None]) -> None:
    """Read what may not run: what is allocated in it is so in it alone."""
    bound = ctx.frame.bound
    before = {*bound}
    read()
    for name in [*bound]:
        symbol = ctx.frame.scope.find(name) if name not in before else None
        if symbol is not None and symbol.is_unmade:
            del bound[name]


def deallocate(ctx: Context, node: Any) -> None:
    """End a local array, where that always happens; elsewhere nobody knows whether it is there."""
    told = _options(node.children[1])
    if not told.keys() <= {"stat"}:
        raise ctx.refusal("statement", node)
    _succeeds(ctx, told)
    for one in node.children[0].children:
        symbol = ctx.symbol(path_of(one), node)
        for leaf in symbol.leaves():
            if _always(ctx, node) and not (symbol.is_dummy or symbol.is_outside):
                ctx.frame.bound.pop(leaf.name, None)
            else:
                ctx.unsure.add(leaf)


def _always(ctx: Context, node: Any) -> bool:
    """Whether a statement runs whenever its procedure does, unless that ends before."""
    place = node.parent
    while kind_of(place) in _STRAIGHT:
        place = place.parent
    return kind_of(place) == "Execution_Part" and not ctx.frame.labels


def point(ctx: Context, node: Any) -> None:
    """Let a local pointer point to an array or a section, where that always happens."""
    target, bounds, source = node.children
    name = path_of(target)
    symbol = ctx.symbol(name, target)
    is_own = "pointer" in symbol.attributes and not (symbol.is_dummy or symbol.is_outside) and symbol.above is None
    if not (is_own and symbol.bounds and _always(ctx, node)):
        raise ctx.refusal("statement", node)
    named = ctx.frame.scope.find(path_of(source)) if kind_of(source) in {"Name", "Part_Ref", "Data_Ref"} else None
    if bounds is not None or named is None or named.derived is not None:
        raise ctx.refusal("statement", node)
    found = ctx.binding(path_of(source), source)
    if kind_of(source) != "Name" and isinstance(found, View):
        found = reference(ctx, found, source, lambda subscript: value(ctx, subscript))  # type: ignore[assignment]  # a view
    if not isinstance(found, View) or len(found.extents) != len(symbol.bounds) or found.ctype != symbol.ctype:
        raise ctx.refusal("statement", node)
    home = ctx.frame
    while home.scope is not symbol.home and home.outer is not None:
        home = home.outer
    home.bound[symbol.name] = replace(found, key=ctx.temporary())


def allocate(ctx: Context, node: Any) -> None:
    """Make an allocatable array of the procedure's own, outside of loops."""
    told = _options(node.children[2])
    if not told.keys() <= {"source", "stat", "mold"}:
        raise ctx.refusal("statement", node)
    _succeeds(ctx, told)
    source = value(ctx, told["source"]) if "source" in told else None
    for one in node.children[1].children:
        name = path_of(one.children[0] if kind_of(one) == "Allocation" else one)
        symbol = ctx.symbol(name, node)
        home: Frame | None = ctx.frame
        while home is not None and home.scope is not symbol.variable.home:
            home = home.outer
        is_own = home is not None and not (symbol.is_dummy or symbol.is_outside)
        leaves = [leaf for leaf in symbol.leaves() if leaf in uses_of(ctx.frame.procedure).used]
        is_made = home is None or any(leaf.name in home.bound for leaf in leaves)
        if kind_of(one) != "Allocation" or not is_own or ctx.frame.loops or is_made or not symbol.is_deferred:
            raise ctx.refusal("allocate", node, f"`{name}` is allocated here")
        lower, extents = [], []
        for spec in one.children[1].children:
            low = 1 if spec.children[0] is None else size(ctx, spec.children[0])
            high = size(ctx, spec.children[1])
            lower.append(low)
            extents.append(ctx.combined("+", ctx.combined("-", high, low), 1))
        for leaf in leaves:
            ctx.check_type(leaf, node)
            assert leaf.ctype is not None
            own = bounds_of(ctx, leaf)[len(extents) :]
            shape = [*extents, *(extent for _, extent in own if extent is not None)]
            if len(shape) < len(leaf.bounds) or (source is not None and leaf is not symbol):
                raise ctx.refusal("allocate", node, f"`{name}` is allocated here")
            made = ctx.array(leaf.hint, shape, leaf.ctype, [*lower, *(low for low, _ in own)])
            assert home is not None
            home.bound[leaf.name] = made
            begin(ctx, home, leaf)
            if source is not None:
                assign(ctx, made, source, node)


def _options(listed: Any) -> dict[str, Any]:
    """List the options of an `allocate` or `deallocate`."""
    return {str(one.children[0]).lower(): one.children[1] for one in getattr(listed, "children", ()) or ()}


def _succeeds(ctx: Context, told: dict[str, Any]) -> None:
    """Set the variable that tells whether all is well."""
    if "stat" in told:
        put(ctx, ctx.binding(path_of(told["stat"]), told["stat"]), Number(0, INT), told["stat"])
