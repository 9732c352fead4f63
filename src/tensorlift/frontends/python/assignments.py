"""Assignments: to names, elements, parts and several targets at once.

An integer that is assigned once, from sizes and loop variables, is no variable but a name for its expression.
"""

from __future__ import annotations

import ast
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.python.arrays import (
    are_places,
    at_places,
    evaluated_indices,
    fill,
    fill_own,
    in_memory,
    keep_shown,
    named_memory,
    part,
    stores,
)
from tensorlift.frontends.python.expressions import RULES, evaluate, operated
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import (
    NOWHERE,
    Scalar,
    cast,
    choose,
    keeps_kind,
    name_of,
)
from tensorlift.frontends.python.state import LOCAL, Inference, Local
from tensorlift.frontends.python.syntax import as_stored, may_be_mask, names_in, refilled_parameters, walrus_text
from tensorlift.frontends.python.values import Array, NoItems, Operand, Sizes
from tensorlift.ir import nodes
from tensorlift.ops.c_types import BOOL, LONG, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.frontends.python.values import Memory


def assign(ctx: Inference, targets: Sequence[ast.expr], value: ast.expr) -> None:
    """Bind targets to a value."""
    before = set(ctx.mentioned)
    if len(targets) == 1 and isinstance(targets[0], ast.Tuple | ast.List):
        _unpack(ctx, targets[0].elts, value)
    else:
        _assign(ctx, targets, value)
    ctx.source = None
    names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    aliases = [isinstance(ctx.scope.environment.get(name), Scalar | Sizes) for name in names]
    if all(aliases) and not any(isinstance(n, ast.Call) and ast.unparse(n.func) != "len" for n in ast.walk(value)):
        ctx.mentioned = before  # an extent is mentioned where the name is


def _assign(ctx: Inference, targets: Sequence[ast.expr], value: ast.expr) -> None:
    value = as_stored(targets, value)
    found = evaluate(ctx, value)
    if len(targets) > 1 and isinstance(found, Array):  # one array, whose names are all of it
        found = named_memory(ctx, found)
    ctx.source = value
    for target in targets:
        _bind(ctx, target, found)


def _unpack(ctx: Inference, targets: Sequence[ast.expr], value: ast.expr) -> None:
    """Assign several targets at once: all values are computed before the first is stored."""
    if isinstance(value, ast.Tuple | ast.List):
        if len(value.elts) != len(targets):
            raise RefusedError("target", "the sides of the assignment differ in length")
        values: Sequence[Operand] = [evaluate(ctx, item) for item in value.elts]
        if _change_places(ctx, targets, value.elts):
            values = [replace(item, memory=None) if isinstance(item, Array) else item for item in values]
    else:
        values = items_of(ctx, evaluate(ctx, value), len(targets), ast.unparse(value))
    if sum(isinstance(item, Array) for item in values) > 1:
        values = [named_memory(ctx, item) if isinstance(item, Array) else item for item in values]
    for target, item in zip(targets, values, strict=True):
        _bind(ctx, target, item)


def items_of(ctx: Inference, found: Operand, count: int, text: str) -> Sequence[Operand]:
    """Give the items of a tuple, or the numbers of an array of one dimension, that is unpacked."""
    if isinstance(found, Array) and found.rank == 1:
        ctx.require_equal(found.extents[0], nodes.Integer(count, LONG, NOWHERE))
        return (replace(found.item, node=None),) * count
    if not isinstance(found, Sizes) or len(found.items) != count:
        raise RefusedError("unpack", f"`{text}` cannot be unpacked into {count} names")
    return found.items


def _change_places(ctx: Inference, targets: Sequence[ast.expr], values: Sequence[ast.expr]) -> bool:
    """Whether names that another block bound are given to each other's arrays."""
    names = [[node.id for node in side if isinstance(node, ast.Name)] for side in (targets, values)]
    is_permuted = len(names[0]) == len(targets) and sorted(names[0]) == sorted(names[1])
    return is_permuted and all(name in ctx.scope.outer for name in names[0])


def _bind(ctx: Inference, target: ast.expr, value: Operand) -> None:
    match target:
        case ast.Name(id=name) if name in ctx.scope.outer and isinstance(ctx.scope.environment[name], Array):
            _refill(ctx, target, value)
        case ast.Name(id=name):
            bind_name(ctx, name, value)
        case ast.Subscript():
            _store(ctx, target, value)
        case ast.Tuple(elts=targets) | ast.List(elts=targets) if not any(isinstance(t, ast.Starred) for t in targets):
            for one, item in zip(targets, items_of(ctx, value, len(targets), ast.unparse(target)), strict=True):
                _bind(ctx, one, item)
        case _:
            raise ctx.refusal("target", f"the target `{ast.unparse(target)}` is not lifted", target)


def _named(ctx: Inference, node: ast.NamedExpr) -> Operand:
    """Bind a name to a number in an expression."""
    value = evaluate(ctx, node.value)
    if not isinstance(value, Scalar):
        raise RefusedError("walrus-array", walrus_text(node))
    bind_name(ctx, node.target.id, value)
    return evaluate(ctx, ast.copy_location(ast.Name(node.target.id, ast.Load()), node))


RULES[ast.NamedExpr] = _named

# -- names


def declare(ctx: Inference, name: str, value: Scalar) -> None:
    """Make a local variable, with the type that all its values fit."""
    _join(ctx, name, value)
    ctx.scope.environment[name] = LOCAL


def _join(ctx: Inference, name: str, value: Scalar) -> None:
    ctx.latest[ctx.key(name)] = value
    with ctx.placed(ctx.source) if ctx.source is not None else nullcontext():
        cast(value, ctx.joined(ctx.key(name), name, value))


def bind_name(ctx: Inference, name: str, value: Operand) -> None:
    """Bind a name to a value."""
    known = ctx.scope.environment.get(name)
    ctx.scope.ever.add(name)
    ctx.scope.arrays |= {name} if isinstance(value, Array) else set()
    is_array = isinstance(known, Array | Sizes | NoItems)
    if known is not None and (is_array or not isinstance(value, Scalar)):
        if name in ctx.scope.outer:  # which of both it is depends on the run
            raise RefusedError("rebind", name)
        ctx.taken.add(name)
    if isinstance(value, Scalar):
        _bind_scalar(ctx, name, None if is_array else known, value)
    elif isinstance(value, Sizes | NoItems):
        ctx.scope.environment[name] = value
    elif value.view is not None:
        keep_shown(ctx, value, value)
        alias(ctx, name, replace(value, shows=None))
    else:
        made = _new_array(ctx, name, replace(value, shows=None))
        keep_shown(ctx, value, made)
        if name in ctx.module.tables and made.memory is not None:
            made.memory.kept = "table", name
        ctx.scope.environment[name] = replace(made, is_new=False, is_whole=True)


def copy_refilled(ctx: Inference, function: ast.FunctionDef) -> None:
    """Copy the arrays of parameters that are bound again where not every run does so."""
    for name in refilled_parameters(function):
        known = ctx.scope.environment[name]
        if isinstance(known, Array) and not known.is_list:
            copied = in_memory(ctx, replace(known, memory=None), name)
            assert copied.memory is not None
            copied.memory.kept = "rebind-changed", name
            ctx.scope.environment[name] = replace(copied, is_whole=True)


def _refill(ctx: Inference, target: ast.Name, value: Operand) -> None:
    """Bind a name again that another block bound: store into its array, of which there is no other name."""
    known = ctx.scope.environment[target.id]
    assert isinstance(known, Array)
    assert known.memory is not None
    names = _names_of(ctx, known.memory)
    is_own = known.is_whole and not known.memory.is_given and names == [target.id]
    is_kept = isinstance(value, Array) and (value.is_list or value.shows is not None or not is_given_up(ctx, value))
    if not is_own or not isinstance(value, Array) or known.is_list or is_kept:
        raise RefusedError("rebind", target.id)
    if value.element != known.element or value.rank != known.rank:
        raise RefusedError("rebind-kind", target.id)
    for mine, given in zip(known.extents, value.extents, strict=True):
        ctx.require_equal(mine, given)
    fill_own(ctx, known, value)
    ctx.refilled.add(target)
    ctx.taken.add(target.id)


def is_given_up(ctx: Inference, value: Array) -> bool:
    """Whether nothing reaches an array any more after the statement that assigns it."""
    if value.view is None:
        return True
    names = _names_of(ctx, value.view)
    if not names and not value.view.is_given:
        return True
    later = {name for statement in ctx.following for name in names_in(statement)}
    is_whole = isinstance(ctx.source, ast.Name) and names == [ctx.source.id]
    return is_whole and not value.view.is_given and not later & {*names} and not {*names} & ctx.scope.outer.keys()


def _names_of(ctx: Inference, memory: Memory) -> list[str]:
    """List the names that are bound to an array, or a part of it."""
    bound = ctx.scope.environment.items()
    return [name for name, value in bound if isinstance(value, Array) and value.memory is memory]


def alias(ctx: Inference, name: str, value: Array) -> None:
    """Name a part of an array."""
    ctx.scope.environment[name] = replace(value, is_whole=False)


def _new_array(ctx: Inference, name: str, value: Array) -> Array:
    """Make the array that a name is bound to; one that is returned belongs to the caller."""
    is_once = ctx.scope.stores[name] - ctx.scope.augmented[name] == 1 and name not in ctx.kinds
    is_result = is_once and name in ctx.returned_names and ctx.depth == 0 and len(ctx.calling) == 1
    if not is_result:
        return in_memory(ctx, value, name)
    return result_array(ctx, name, value)


def result_array(ctx: Inference, name: str, value: Array) -> Array:
    """Store an array into one that the caller gets."""
    made = in_memory(ctx, replace(value, memory=None), name)
    assert made.memory is not None
    made.memory.is_given = True
    ctx.results[name] = made
    return made


def _bind_scalar(ctx: Inference, name: str, known: object, value: Scalar) -> None:
    if isinstance(known, Local):
        _join(ctx, name, value)
    elif isinstance(known, Scalar):
        raise RefusedError("rebind", name)
    elif ctx.scope.stores.get(name, 0) == 1 and value.is_integer and not value.is_truth and value.is_stable:
        _name_extent(ctx, name, value)
        ctx.scope.environment[name] = value
    else:
        declare(ctx, name, value)


def _name_extent(ctx: Inference, name: str, value: Scalar) -> None:
    """Show an extent by the name that the function gives to it."""
    if not isinstance(value.node, nodes.Name) or len(ctx.calling) > 1 or ctx.depth:
        return
    if value.node.variable.name in ctx.extents:
        ctx.display.setdefault(value.node.variable.name, name)


# -- elements and parts


def _store(ctx: Inference, target: ast.Subscript, value: Operand) -> None:
    if isinstance(value, Sizes | NoItems):
        raise RefusedError("target", "a tuple or an empty list is stored into an array")
    mask = _mask(ctx, target)
    if mask is not None:
        _store_where(ctx, mask, target, lambda _: value)
        return
    base, indices = _base(ctx, target), evaluated_indices(ctx, target)
    if are_places(base, indices):
        at_places(ctx, base, target, indices, value)
        return
    view = part(ctx, base, target, indices, is_target=True)
    if view.rank:
        if view.is_list:
            raise RefusedError("target", f"a part of the list `{_list_name(view)}` is replaced")
        fill(ctx, view, value)
    elif isinstance(value, Scalar):
        _put_item(ctx, view, value)
    else:
        raise RefusedError("rank", "an array is stored into one element")


def _list_name(view: Array) -> str:
    return view.memory.name if view.memory is not None else ""


def _mask(ctx: Inference, target: ast.Subscript) -> Array | None:
    """Evaluate the index of a target that is an array of truth values; None for any other index."""
    index = target.slice
    known = ctx.scope.environment.get(index.id) if isinstance(index, ast.Name) else None
    if not may_be_mask(index) or (isinstance(index, ast.Name) and not (isinstance(known, Array) and known.is_whole)):
        return None
    found = evaluate(ctx, index)
    return found if isinstance(found, Array) and found.element == BOOL else None


def _base(ctx: Inference, target: ast.Subscript) -> Array:
    base = evaluate(ctx, target.value)
    if not isinstance(base, Array) or base.view is None:
        raise ctx.refusal("target", f"`{ast.unparse(target.value)}` is no array", target)
    return base


def _store_where(ctx: Inference, mask: Array, target: ast.Subscript, value: Callable[[Scalar], Operand]) -> None:
    """Store a number into all elements of an array for which a mask holds."""
    base = evaluate(ctx, target.value)
    if not isinstance(base, Array) or base.view is None or base.is_list or base.rank != mask.rank:
        raise ctx.refusal("target", f"`{ast.unparse(target)}` is no array under a mask of its shape", target)
    new = value(base.item)
    for mine, other in zip(base.extents, mask.extents, strict=True):
        ctx.require_equal(mine, other)
    if not isinstance(new, Scalar):
        raise RefusedError("target", "an array is stored under a mask")
    fill(ctx, base, choose(cast(new, base.element), base.item))


def augment(ctx: Inference, target: ast.expr, op: ast.operator, value: ast.expr) -> None:
    """Bind ``target op= value``."""
    given = evaluate(ctx, value)
    view: Array | None = None
    if isinstance(target, ast.Subscript):
        mask = _mask(ctx, target)
        if mask is not None:
            _store_where(ctx, mask, target, lambda old: _updated(ctx, old, op, given))
            return
        base, indices = _base(ctx, target), evaluated_indices(ctx, target)
        if are_places(base, indices):
            changed = _changed(ctx, at_places(ctx, base, target, indices), op, given)
            at_places(ctx, base, target, indices, changed)
            return
        view = part(ctx, base, target, indices, is_target=True)
    elif isinstance(target, ast.Name):
        found = evaluate(ctx, target)
        if isinstance(found, Scalar):
            result = operated(ctx, op, found, given)
            if not isinstance(result, Scalar):
                raise RefusedError("rank", f"`{target.id}` would become an array")
            bind_name(ctx, target.id, result)
            return
        view = found if isinstance(found, Array) and found.view is not None else None
    if view is None:
        raise ctx.refusal("target", f"the target `{ast.unparse(target)}` is not lifted", target)
    _augment_view(ctx, view, op, given)


def _updated(ctx: Inference, old: Scalar, op: ast.operator, given: Operand) -> Operand:
    """Compute what `op=` makes of an element in place."""
    result = operated(ctx, op, old, given)
    if isinstance(result, Scalar):
        _check_kind(result, old)
    return result


def _check_kind(found: Scalar, target: Scalar) -> None:
    if not keeps_kind(found.ctype, target.ctype):
        detail = f"an array of {name_of(target.ctype)} cannot take {name_of(found.ctype)} in place"
        raise RefusedError("type", detail)


def _augment_view(ctx: Inference, view: Array, op: ast.operator, given: Operand) -> None:
    if not view.rank:
        result = operated(ctx, op, view.item, given)
        if not isinstance(result, Scalar):
            raise RefusedError("rank", "an array is stored into one element")
        _put_item(ctx, view, result)
        return
    if view.is_list:
        raise RefusedError("target", f"the list `{_list_name(view)}` is extended")
    fill(ctx, view, replace(_changed(ctx, view, op, given), extents=view.extents))


def _changed(ctx: Inference, view: Operand, op: ast.operator, given: Operand) -> Array:
    """Compute what `op=` makes of a part of an array."""
    changed = operated(ctx, op, view, given)
    assert isinstance(changed, Array)
    assert isinstance(view, Array)
    _check_kind(changed.item, view.item)
    if changed.rank != view.rank:
        raise RefusedError("shape", "the value has more dimensions than the target")
    return changed


def _put_item(ctx: Inference, view: Array, value: Scalar) -> None:
    """Store into one element; a list keeps the number as it is, so its items must be of a type that holds it."""
    stores(ctx, view)
    memory, ctype = view.memory, view.element
    assert memory is not None
    if view.is_list:
        ctype = ctx.joined(memory.key, memory.name, value) if memory.key else ctype
        if not memory.key and not (isinstance(ctype, FloatType) or value.is_integer):
            raise RefusedError("list-type", f"the list `{memory.name}` of integers would hold a float")
        if ctype == BOOL and not value.is_truth:
            raise RefusedError("list-of-truths", f"the list `{memory.name}` of truth values would hold a number")
    cast(value, ctype)
