"""Parameters that are objects: a function of what it reads of them, as of ``self`` in a method.

``self.u[i] * p.grid.dx`` becomes ``self_u[i] * p_grid_dx`` of parameters of these names, and so do items of tuples and
of dicts, as ``p["w"]``; a tuple that is used as a whole is written out.  Numbers that are bound, as by
``self.t += dt``, are returned beside what the function returns; who calls it binds them.
"""

from __future__ import annotations

import ast
import copy
import re
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import refuse
from tensorlift.frontends.python.syntax import arguments_of, without_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from tensorlift.diagnostics import Location

Path = tuple[str, ...]


class Field(NamedTuple):
    """What a function reads of a parameter, by attributes of attributes; ``name`` is the parameter that it becomes.

    Items are in a path as they are written, as ``['w']``.

    One that is bound by ``+=`` and the like alone ``is_augmented``: an array stays the one that it is.
    From the step ``spread`` on the path leads through tuples that the function uses as a whole.
    """

    owner: str
    path: Path
    name: str
    is_bound: bool = False
    is_augmented: bool = False
    spread: int | None = None


def paths_of(function: ast.FunctionDef) -> dict[str, list[Path]]:
    """Give the attributes and items, and those of these, that a function asks of each parameter; none where of all."""
    found: dict[str, list[Path]] = {argument.arg: [] for argument in arguments_of(function)}
    body = [node for statement in function.body for node in ast.walk(statement)]
    inner = {node.value for node in body if isinstance(node, ast.Attribute | ast.Subscript) and _step(node)}
    for node in body:
        if (isinstance(node, ast.Name) or (isinstance(node, ast.expr) and _step(node))) and node not in inner:
            root, path = _path(node)
            if root in found:
                found[root].append(path)
    return {root: sorted(paths, key=bool) for root, paths in found.items()}


def _path(node: ast.expr) -> tuple[str, Path]:
    """Take a chain of attributes and items apart: the name at its root, empty where that is none, and the steps."""
    path: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript) and (step := _step(node)):
        path.insert(0, step)
        node = node.value
    return node.id if isinstance(node, ast.Name) else "", tuple(path)


def _step(node: ast.expr) -> str:
    """Spell an attribute, or an item whose index or key is written; empty for all else."""
    match node:
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=int() | str() as key)) if not isinstance(key, bool):
            return f"[{key!r}]"
    return ""


def asked_fields(
    function: ast.FunctionDef,
    objects: Collection[str],
    found: Callable[[str, Path], list[Path]],
    taken: Collection[str],
) -> list[Field]:
    """List what is read of parameters that are objects, under names that are not ``taken``.

    ``found`` gives what a path leads through to a number or an array, or the paths to all that a tuple holds.
    """
    bound, names = bound_paths(function), {*taken}
    asked = [(owner, path) for owner, paths in paths_of(function).items() if owner in objects for path in paths]
    made: dict[tuple[str, Path], Field] = {}
    for owner, start in asked:
        for path in found(owner, start):
            name, key = _name_of(owner, path), (owner, path)
            while key not in made and name in names:
                name += "_"
            known = made.get(key) or Field(owner, path, name, key in bound, bound.get(key, False))
            made[key] = known._replace(spread=len(start)) if len(path) > len(start) else known
            names.add(name)
    return [*made.values()]


def returning_values(function: ast.FunctionDef) -> tuple[ast.FunctionDef, tuple[str, ...]]:
    """Let a function that ends with a dict return its values as a tuple, and give its keys; else no keys."""
    last = function.body[-1]
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    match last:
        case ast.Return(ast.Dict(keys, values)) if returns == [last] and all(isinstance(k, ast.Constant) for k in keys):
            named = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        case _:
            return function, ()
    if not keys or len({*named}) < len(keys):
        return function, ()
    made, value = copy.copy(function), ast.copy_location(ast.Tuple(values, ast.Load()), last)
    made.body = [*function.body[:-1], ast.copy_location(ast.Return(value), last)]
    return made, tuple(named)


def _name_of(owner: str, path: Path) -> str:
    return "_".join([owner, *(re.sub(r"\W+", "_", step).strip("_") for step in path)])


def bound_paths(function: ast.FunctionDef) -> dict[tuple[str, Path], bool]:
    """Collect the attributes that a function binds, with their owners, and whether by ``+=`` and the like alone."""
    asked = [n for n in ast.walk(function) if isinstance(n, ast.Attribute | ast.Subscript) and _step(n)]
    stored = [n for n in asked if not isinstance(n.ctx, ast.Load)]
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
    made = _Fields(fields).visit(copy.deepcopy(function))
    for node in ast.walk(ast.Module(made.body, [])):
        if isinstance(node, ast.Name) and node.id in owners:
            message = f"the object `{node.id}` is used otherwise than by numbers and arrays that it holds"
            step = next(field.path[0] for field in fields if field.owner == node.id)
            spelled = f"{node.id}{step}" if step.startswith("[") else f"{node.id}.x"
            raise refuse("TL520", message, locate(node), f"use what it holds, as in `{spelled}`")
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

    def __init__(self, fields: Sequence[Field]) -> None:
        self._names = {(field.owner, field.path): field.name for field in fields}
        spread = [field for field in fields if field.spread is not None]
        self._tuples = {(f.owner, f.path[:end]) for f in spread for end in range(f.spread or 0, len(f.path))}

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._named(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._named(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        made = self._named(node)
        match made:
            case ast.Subscript(ast.Tuple(elts=items), ast.UnaryOp(ast.USub(), ast.Constant(int(count)))):
                return items[-count] if count <= len(items) else made
            case ast.Subscript(ast.Tuple(elts=[_, *_] as items), ast.Name() | ast.BinOp(), ast.Load()):  # as of a list
                made.value = ast.copy_location(ast.List(items, ast.Load()), made.value)
        return made

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("len"), [ast.Tuple(elts=items)], []):
                return ast.copy_location(ast.Constant(len(items)), node)
        return node

    def _named(self, node: ast.Attribute | ast.Subscript | ast.Name) -> ast.expr:
        root, path = _path(node)
        if isinstance(node.ctx, ast.Load) or (root, path) in self._names:
            made = self._written(root, path)
            if made is not None:
                return ast.fix_missing_locations(_as(made, node))
        self.generic_visit(node)
        return node

    def _written(self, root: str, path: Path) -> ast.expr | None:
        """Write the parameter at the end of a path, or a tuple of what is held there; None where neither is."""
        if (root, path) in self._names:
            return ast.Name(self._names[root, path], ast.Load())
        if (root, path) not in self._tuples:
            return None
        steps = [p[len(path)] for owner, p in self._names if owner == root and p[: len(path)] == path]
        items = [self._written(root, (*path, step)) for step in dict.fromkeys(steps)]
        return ast.Tuple([item for item in items if item is not None], ast.Load())


def _as(made: ast.expr, node: ast.Attribute | ast.Subscript | ast.Name) -> ast.expr:
    for own in ast.walk(made):
        ast.copy_location(own, node)
    if isinstance(made, ast.Name):
        made.ctx = node.ctx
    return made
