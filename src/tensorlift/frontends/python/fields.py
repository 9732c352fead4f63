"""Parameters that are objects: a function of what it reads of them, as of ``self`` in a method.

``self.u[i] * p.grid.dx`` becomes ``self_u[i] * p_grid_dx`` of parameters of these names.  Numbers that are bound, as by
``self.t += dt``, are returned beside what the function returns; who calls it binds them.
"""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import refuse
from tensorlift.frontends.python.syntax import arguments_of, without_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.diagnostics import Location

Path = tuple[str, ...]


class Field(NamedTuple):
    """What a function reads of a parameter, by attributes of attributes; ``name`` is the parameter that it becomes.

    One that is bound by ``+=`` and the like alone ``is_augmented``: an array stays the one that it is.
    """

    owner: str
    path: Path
    name: str
    is_bound: bool = False
    is_augmented: bool = False


def paths_of(function: ast.FunctionDef) -> dict[str, list[Path]]:
    """Give the attributes, and attributes of these, that a function asks of each parameter."""
    found: dict[str, list[Path]] = {argument.arg: [] for argument in arguments_of(function)}
    inner = {node.value for node in ast.walk(function) if isinstance(node, ast.Attribute)}
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node not in inner:
            root, path = _path(node)
            if root in found:
                found[root].append(path)
    return found


def _path(node: ast.expr) -> tuple[str, Path]:
    """Take a chain of attributes apart: the name at its root, empty where that is none, and the attributes."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    return node.id if isinstance(node, ast.Name) else "", tuple(path)


def bound_paths(function: ast.FunctionDef) -> dict[tuple[str, Path], bool]:
    """Collect the attributes that a function binds, with their owners, and whether by ``+=`` and the like alone."""
    stored = [n for n in ast.walk(function) if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)]
    augmented = {id(node.target) for node in ast.walk(function) if isinstance(node, ast.AugAssign)}
    found: dict[tuple[str, Path], bool] = {}
    for node in stored:
        found[_path(node)] = found.get(_path(node), True) and id(node) in augmented
    return found


def of_fields(
    function: ast.FunctionDef, fields: Sequence[Field], locate: Callable[[ast.AST], Location]
) -> ast.FunctionDef:
    """Give a function of the fields of its parameters in place of these.

    Raises LiftError for an object that is used otherwise than by its fields.
    """
    owners = {field.owner for field in fields}
    made = _Fields({(field.owner, field.path): field.name for field in fields}).visit(copy.deepcopy(function))
    for node in ast.walk(ast.Module(made.body, [])):
        if isinstance(node, ast.Name) and node.id in owners:
            message = f"the object `{node.id}` is used otherwise than by numbers and arrays that it holds"
            raise refuse("TL520", message, locate(node), f"use what it holds, as in `{node.id}.x`")
    made = without_parameters(made, owners)
    place = made.args.args[0] if made.args.args else made
    given = [ast.copy_location(ast.arg(field.name), place) for field in fields]
    made.args.kwonlyargs = [*given, *made.args.kwonlyargs]
    made.args.kw_defaults = [*([None] * len(given)), *made.args.kw_defaults]
    bound = [field.name for field in fields if field.is_bound]
    return _returning(made, bound, locate) if bound else made


def _returning(
    function: ast.FunctionDef, names: Sequence[str], locate: Callable[[ast.AST], Location]
) -> ast.FunctionDef:
    """Let a function return variables beside what it returns at its end."""
    last = function.body[-1]
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    if [node for node in returns if node is not last]:
        message = f"`{function.name}` binds attributes, and returns before its end"
        raise refuse("TL520", message, locate(function), "return at the end of the method alone")
    value = last.value if isinstance(last, ast.Return) else None
    items = list(value.elts) if isinstance(value, ast.Tuple) else [value] * (value is not None)
    own = [ast.Name(name, ast.Load()) for name in names]
    made = ast.copy_location(ast.Return(ast.Tuple([*(i for i in items if i), *own], ast.Load())), last)
    function.body = [*(function.body[:-1] if returns else function.body), made]
    return ast.fix_missing_locations(function)


class _Fields(ast.NodeTransformer):
    """Names fields by the parameters that they become."""

    def __init__(self, names: Mapping[tuple[str, Path], str]) -> None:
        self._names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        name = self._names.get(_path(node))
        if name is None:
            self.generic_visit(node)
            return node
        return ast.copy_location(ast.Name(name, node.ctx), node)
