"""Whether a rewritten C file means what it meant: its syntax trees, with the calls of parts expanded again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.commands.rewrite import generated
from tensorlift.diagnostics import LiftError
from tensorlift.frontends.c.outline.unit import Unit, trees_of
from tensorlift.targets.c.naming import ORIGINAL, PROGRAM

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.commands.rewrite import Replaced
    from tensorlift.frontends.c.outline.trees import Tree

_CALL, _NAME = "CALL_EXPR", "DECL_REF_EXPR"


def differing(before: Unit, text: str, filename: str, arguments: Sequence[str], replaced: Sequence[Replaced]) -> str:
    """Say what is not the same in a rewritten text; nothing where all is."""
    try:
        after = Unit(text, filename, arguments)
        return _parts(after, replaced) or _rest(before, after, replaced) or _programs(after, replaced)
    except LiftError as refusal:
        return refusal.diagnostics[0].message


def _parts(after: Unit, replaced: Sequence[Replaced]) -> str:
    """Compare the statements of each part with those in the function that it became."""
    for one in replaced:
        if one.part is None:
            continue
        read = after.statements(f"{one.name}{ORIGINAL}")
        if read[len(one.part.before) : len(read) - len(one.part.after)] != trees_of(one.part.stretch):
            return f"the statements of {one.name}"
    return ""


def _rest(before: Unit, after: Unit, replaced: Sequence[Replaced]) -> str:
    """Compare all that was in the file before."""
    made = {name for one in replaced for name in generated(one.name)} | {"apart"}
    parts = {one.name: trees_of(one.part.stretch) for one in replaced if one.part is not None}
    renamed = {f"{one.name}{ORIGINAL}": one.name for one in replaced if one.part is None}
    old = [tree for name, tree in before.trees({}) if _defines(tree)]
    new = [
        _expanded(_renamed(tree, renamed), parts)
        for name, tree in after.trees({})
        if _defines(tree) and (name not in made or name in renamed)
    ]
    for one, other in zip(old, new, strict=False):
        if one != other:
            return f"the declaration of {one[1]}"
    return "" if len(old) == len(new) else "another number of declarations"


def _programs(after: Unit, replaced: Sequence[Replaced]) -> str:
    """Compare each program with what it is on its own."""
    for one in replaced:
        alone = Unit(one.program, "program.c", ())
        for name in ("apart", f"{one.name}{PROGRAM}", one.name):
            if name == "apart" and "apart(" not in one.body:
                continue
            if _definition(after, name) != _definition(alone, name):
                return f"the program {name}"
    return ""


def _definition(unit: Unit, name: str) -> Tree | None:
    return next((tree for known, tree in unit.trees({}) if known == name and _defines(tree)), None)


def _defines(tree: Tree) -> bool:
    """Tell whether a declaration makes anything: it is no assertion, and no function without a body."""
    if tree[0] == "STATIC_ASSERT":
        return False
    return tree[0] != "FUNCTION_DECL" or any(isinstance(part, tuple) and part[0] == "COMPOUND_STMT" for part in tree)


def _renamed(tree: Tree, names: Mapping[str, str]) -> Tree:
    if tree[0] == "FUNCTION_DECL" and tree[1] in names:
        return (tree[0], names[str(tree[1])], *tree[2:])
    return tree


def _expanded(tree: Tree, parts: Mapping[str, tuple[Tree, ...]]) -> Tree:
    """Put statements in the place of the calls of the functions that they became."""
    found: list[object] = []
    for part in tree:
        called = _called(part) if isinstance(part, tuple) else ""
        if called in parts:
            found += parts[called]
        else:
            found.append(_expanded(part, parts) if isinstance(part, tuple) else part)
    return tuple(found)


def _called(tree: Tree) -> str:
    """Name the function that an expression calls; nothing for any other expression."""
    if tree[0] != _CALL:
        return ""
    while tree[0] != _NAME:
        inner = [part for part in tree if isinstance(part, tuple)]
        if not inner:
            return ""
        tree = inner[0]
    return str(tree[1])
