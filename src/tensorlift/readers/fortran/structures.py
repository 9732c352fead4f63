"""Assignments of whole structures, which are those of all components; arrays of structures are arrays of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import arguments_of
from tensorlift.frontends.fortran.symbols import PART
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.frontends.fortran.uses import bound_procedure, path_of
from tensorlift.readers.fortran.arrays import assign, in_memory, prefixed
from tensorlift.readers.fortran.expressions import put, read_of, value
from tensorlift.readers.fortran.values import Number, View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.frontends.fortran.symbols import Procedure, Symbol
    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.values import Binding, Operand


_CALLS = {"Structure_Constructor", "Part_Ref", "Function_Reference"}


def assign_structure(ctx: Context, target: Symbol, node: Any, right: Any, statement: Any) -> None:
    """Assign to all components of a structure, or of each one of an array: what is assigned is read whole before."""
    if any("pointer" in leaf.attributes for leaf in target.leaves()):
        raise ctx.refusal("derived", node, path_of(node))
    values = _components(ctx, target, right, statement)
    for leaf in target.leaves():
        own = leaf.name[len(target.name) :]
        _store(ctx, _place(ctx, node, path_of(node) + own), values[own], statement)


def _place(ctx: Context, node: Any, name: str) -> Binding:
    """Give where a component of what a reference chooses lies."""
    bound = ctx.binding(name, node)
    if isinstance(bound, View) and kind_of(node) != "Name":
        return prefixed(ctx, bound, node, lambda subscript: value(ctx, subscript))
    return bound


def _store(ctx: Context, place: Binding, found: Operand, node: Any) -> None:
    if isinstance(place, View) and place.extents:
        assign(ctx, place, found, node)
    else:
        put(ctx, place, found, node)


def _returned(ctx: Context, target: Symbol, procedure: Procedure, right: Any) -> Mapping[str, Operand]:
    """Read the components of what a function gives."""
    from tensorlift.readers.fortran.calls import called  # noqa: PLC0415 - a call reads statements, which read this

    result = procedure.scope.names.get(procedure.result)
    if result is None or result.derived is None or result.derived is not target.derived or result.bounds:
        raise ctx.refusal("derived", right, str(right))
    frame = called(ctx, procedure, right)
    found: dict[str, Operand] = {}
    for leaf in result.leaves():
        if leaf.name not in frame.bound:
            raise ctx.refusal("derived", right, str(right))
        found[leaf.name[len(result.name) :]] = read_of(ctx, frame.bound[leaf.name])
    return found


def _called_by(right: Any) -> Any:
    return right.children[0] if kind_of(right) in _CALLS else right


def _kept(ctx: Context, found: Operand, node: Any) -> Operand:
    """Give a value that later stores do not change."""
    return found if isinstance(found, Number) else in_memory(ctx, found, node)


def _components(ctx: Context, target: Symbol, right: Any, node: Any) -> Mapping[str, Operand]:
    """Read all components of a structure, by their names with what leads to them."""
    source = ctx.frame.scope.find(path_of(right)) if kind_of(right) in {"Name", "Part_Ref", "Data_Ref"} else None
    if source is not None and source.derived is target.derived:
        names = [leaf.name[len(source.name) :] for leaf in source.leaves()]
        return {own: read_of(ctx, _place(ctx, right, path_of(right) + own)) for own in names}
    name = path_of(right.children[0]) if kind_of(right) in _CALLS else path_of(right)
    procedure = ctx.frame.scope.procedure(name) or bound_procedure(ctx.frame.scope, _called_by(right))
    if procedure is not None:
        return _returned(ctx, target, procedure, right)
    is_call = kind_of(right) in _CALLS
    derived = ctx.frame.scope.derived(str(right.children[0]).lower()) if is_call else None
    if derived is None or derived is not target.derived:
        raise ctx.refusal("derived", node, str(right))
    given = arguments_of(right)
    found: dict[str, Operand] = {}
    for position, (keyword, argument) in enumerate(given):
        name = keyword or [*derived.components][position]
        part = target.part(name)
        if part is None or part.derived is not None:
            raise ctx.refusal("derived", node, str(right))
        found[f"{PART}{name}"] = _kept(ctx, value(ctx, argument), argument)
    for name, component in derived.components.items():
        if f"{PART}{name}" not in found:
            if component.value is None:
                raise ctx.refusal("arguments", right, derived.name)
            found[f"{PART}{name}"] = _kept(ctx, value(ctx, component.value), right)
    return found
