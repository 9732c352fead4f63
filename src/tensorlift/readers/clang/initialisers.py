"""Initialisers: which expression of a list is the first value of which element or member."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.member_facts import fields, structures_inside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.readers.clang.context import Context


def items_of(
    ctx: Context, initial: Any, of_type: Any, names: Sequence[str], lengths: list[int]
) -> list[tuple[int, Any]]:
    """List the expressions that initialise a variable, or a member of it, with the positions of their elements."""
    if lengths and initial.kind is not CursorKind.INIT_LIST_EXPR:
        raise ctx.refusal("initialiser", initial, initial.spelling)
    if not names:
        return initialisers(ctx, initial, lengths) if lengths else [(0, initial)]
    inside, listed = structures_inside(of_type), libclang.children(initial)
    if inside is not None:
        own = prod(lengths[1:])
        found = [(k * own, items_of(ctx, item, inside, names, lengths[1:])) for k, item in enumerate(listed)]
        return [(start + position, item) for start, items in found for position, item in items]
    position, field = next((k, field) for k, field in enumerate(fields(of_type)) if field.spelling == names[0])
    if initial.kind is not CursorKind.INIT_LIST_EXPR or field.semantic_parent != of_type.get_declaration():
        raise ctx.refusal("initialiser", initial, f"the member `{field.spelling}`")
    if any(child.kind is CursorKind.MEMBER_REF for item in listed for child in libclang.children(item)):
        raise ctx.refusal("initialiser", initial, "a designator")
    return items_of(ctx, listed[position], field.type, names[1:], lengths) if position < len(listed) else []


def initialisers(ctx: Context, cursor: Any, lengths: list[int], start: int = 0) -> list[tuple[int, Any]]:
    """List the expressions of an initialiser with the positions of their elements."""
    inner = 1
    for length in lengths[1:]:
        inner *= length
    found: list[tuple[int, Any]] = []
    for number, item in enumerate(libclang.children(cursor)):
        position = start + number * inner
        if item.kind is CursorKind.INIT_LIST_EXPR and len(lengths) > 1:
            found += initialisers(ctx, item, lengths[1:], position)
        elif item.kind is CursorKind.INIT_LIST_EXPR or len(lengths) > 1:
            raise ctx.refusal("initialiser", item, "braces that do not follow the dimensions")
        elif item.kind is CursorKind.UNEXPOSED_EXPR and len(libclang.children(item)) != 1:
            raise ctx.refusal("initialiser", item, "a designator")
        elif item.kind is CursorKind.STRING_LITERAL:
            raise ctx.refusal("string", item)
        else:
            found.append((position, item))
    return found
