"""Functions without inner ones: what Python says in a short way is said in plainer syntax before anything is read.

An inner function that is only called, and a lambda that has a name, stand beside the outer function afterwards: the
variables of the outer one that they read become parameters, which each call passes as they are there, as a closure
reads them.  ``x in (1, 2)`` compares with each.  Tables of the file that a function reads become variables of its own.
A loop whose variable something else binds, as ``for v in x: v = abs(v)`` does, has another one, and its body begins by
binding that.
"""

from __future__ import annotations

import ast
import builtins
import copy
from typing import TYPE_CHECKING

from tensorlift.frontends.python.selected import with_selections
from tensorlift.frontends.python.syntax import appended, arguments_of, names_in, stacked_lists, stored_in
from tensorlift.frontends.python.unrolled import unrolled
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


def plain(function: ast.FunctionDef, taken: Collection[str], tables: Mapping[str, ast.expr]) -> list[ast.FunctionDef]:
    """Give a function in plain syntax, and those that were inside of it, under names that are not ``taken``.

    What has no plainer form stays as it is, and is refused where it is read.
    """
    names = {*taken, *vars(builtins)}
    several = [with_selections(_with_lists_apart(unrolled(own, taken))) for own in _without_inner(function, names)]
    return [_with_tables(_with_own_variables(own, names), tables) for own in several]


def _with_lists_apart(function: ast.FunctionDef) -> ast.FunctionDef:
    """Let ``xs, ys = [], []`` bind one name after the other, and lists that become arrays hold lists, not tuples."""
    if not any(_lists_of(node) or isinstance(_item_of(node), ast.Tuple) for node in ast.walk(function)):
        return function
    made = copy.deepcopy(function)
    _Lists(stacked_lists(made)).visit(made)
    return ast.fix_missing_locations(made)


def _item_of(node: ast.AST) -> ast.expr | None:
    """Give the item of a list that a comprehension makes, or that a statement appends."""
    if isinstance(node, ast.ListComp):
        return node.elt
    grown = appended(node) if isinstance(node, ast.stmt) else None
    return grown[1] if grown is not None else None


def _lists_of(node: ast.AST) -> list[ast.stmt]:
    """Give the assignments that one of several is, among whose values are empty lists; none for anything else."""
    match node:
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            is_plain = len({*names}) == len(targets) and names_in(node.value).isdisjoint(names)
            if is_plain and any(isinstance(value, ast.List) and not value.elts for value in values):
                pairs = zip(targets, values, strict=True)
                return [ast.copy_location(ast.Assign([target], value), node) for target, value in pairs]
    return []


class _Lists(ast.NodeTransformer):
    def __init__(self, stacked: Collection[str | ast.AST]) -> None:
        self._stacked = stacked

    def visit_ListComp(self, node: ast.ListComp) -> ast.ListComp:
        self.generic_visit(node)
        node.elt = _as_list(node.elt) if node in self._stacked else node.elt
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        self.generic_visit(node)
        match node:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append"), [item]) as call) if name in self._stacked:
                call.args = [_as_list(item)]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        return _lists_of(node) or node


def _as_list(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.List(node.elts, ast.Load()), node) if isinstance(node, ast.Tuple) else node


def _with_own_variables(function: ast.FunctionDef, taken: Collection[str]) -> ast.FunctionDef:
    """Let each loop have variables of its own: none that its body binds again, or that is bound before it."""
    if not any(_shared(function, loop) for loop in _loops(function)):
        return function
    made = copy.deepcopy(function)
    names = {*taken, *names_in(made), *(argument.arg for argument in arguments_of(made))}
    for loop in _loops(made):
        for name in sorted(_shared(made, loop)):
            own = unused(f"{name}_", names)
            for target in ast.walk(loop.target):
                if isinstance(target, ast.Name) and target.id == name:
                    target.id = own
            bound = ast.Assign([ast.Name(name, ast.Store())], ast.Name(own, ast.Load()))
            for node in ast.walk(bound):
                ast.copy_location(node, loop.target)
            loop.body.insert(0, bound)
    return made


def _loops(function: ast.FunctionDef) -> list[ast.For]:
    """List the loops over items, outer ones before inner ones."""
    return [node for node in ast.walk(function) if isinstance(node, ast.For)]


def _shared(function: ast.FunctionDef, loop: ast.For) -> set[str]:
    """Tell which variables of a loop are others', too: those that something but a loop binds in it, or before it."""
    others = {argument.arg for argument in arguments_of(function)}
    targets = {id(node) for other in _loops(function) for node in ast.walk(other.target)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in targets:
            others |= {node.id} if (node.lineno, node.col_offset) < (loop.lineno, loop.col_offset) else set()
    return {*stored_in([loop.target])} & {*others, *stored_in(loop.body)}


def _with_tables(function: ast.FunctionDef, tables: Mapping[str, ast.expr]) -> ast.FunctionDef:
    """Let a function begin with the tables that it reads."""
    bound = {*(argument.arg for argument in arguments_of(function)), *stored_in(function.body)}
    read = sorted((names_in(function) & tables.keys()) - bound)
    if not read:
        return function
    made, first = copy.copy(function), isinstance(function.body[0], ast.Expr)
    assigned: list[ast.stmt] = []
    for name in read:
        assignment = ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(tables[name]))
        for node in ast.walk(assignment):
            ast.copy_location(node, function)
        assigned.append(assignment)
    made.body = [*function.body[:first], *assigned, *function.body[first:]]
    return made


def _without_inner(function: ast.FunctionDef, taken: Collection[str]) -> list[ast.FunctionDef]:
    if not any(_is_short(node) for statement in function.body for node in ast.walk(statement)):
        return [function]
    made = ast.fix_missing_locations(_Comparisons().visit(copy.deepcopy(function)))
    inner = {own.name: own for own in map(_defined, made.body) if own is not None and _is_only_called(own, made)}
    if not inner:
        return [made]
    made.body = [node for node in made.body if (own := _defined(node)) is None or own.name not in inner]
    free = _free(made, inner)
    names = {name: name if name not in taken else f"{made.name}_{name}" for name in inner}
    for own in (made, *inner.values()):
        for call in [node for node in ast.walk(own) if isinstance(node, ast.Call)]:
            if isinstance(call.func, ast.Name) and call.func.id in inner:
                passed = [ast.keyword(name, ast.Name(name, ast.Load())) for name in free[call.func.id]]
                call.keywords += [ast.copy_location(keyword, call) for keyword in passed]
                call.func.id = names[call.func.id]
    for name, own in inner.items():
        own.name = names[name]
        own.args.kwonlyargs += [ast.arg(variable) for variable in free[name]]
        own.args.kw_defaults += [None] * len(free[name])
    return [ast.fix_missing_locations(own) for own in (made, *inner.values())]


def _is_short(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.Lambda | ast.In | ast.NotIn)


class _Comparisons(ast.NodeTransformer):
    """Rewrites ``x in (a, b)`` as ``x == a or x == b``."""

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Compare(
                left=ast.Name() | ast.Subscript() | ast.Attribute() as left,
                ops=[ast.In() | ast.NotIn() as op],
                comparators=[ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items)],
            ) if items and ast.dump(left) not in map(ast.dump, items):  # a NaN is in what holds itself
                is_in = isinstance(op, ast.In)
                tests: list[ast.expr] = [ast.Compare(left, [ast.Eq() if is_in else ast.NotEq()], [i]) for i in items]
                found = ast.BoolOp(ast.Or() if is_in else ast.And(), tests) if len(tests) > 1 else tests[0]
                return ast.copy_location(found, node)
        return node


def _defined(node: ast.stmt) -> ast.FunctionDef | None:
    """Give the function that a statement defines: a ``def``, or a lambda with a name."""
    match node:
        case ast.FunctionDef(decorator_list=[]):
            return node
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=args, body=body)):
            returned = ast.copy_location(ast.Return(body), body)
            made = ast.FunctionDef(name, args, [returned], [])
            return ast.copy_location(made, node)
    return None


def _is_only_called(inner: ast.FunctionDef, outer: ast.FunctionDef) -> bool:
    """Whether a name is that of one function, which is called and not used otherwise."""
    called = {id(node.func) for node in ast.walk(outer) if isinstance(node, ast.Call)}
    uses = [node for node in ast.walk(outer) if isinstance(node, ast.Name) and node.id == inner.name]
    loads = [node for node in uses if isinstance(node.ctx, ast.Load)]
    definitions = [own for own in map(_defined, outer.body) if own is not None and own.name == inner.name]
    is_lambda = len(uses) - len(loads)
    nested = [node for statement in inner.body for node in ast.walk(statement) if _is_scope(node)]
    is_parameter = any(argument.arg == inner.name for argument in arguments_of(outer))
    return (
        len(definitions) == 1 >= is_lambda
        and not (nested or is_parameter)
        and inner.name not in names_in(ast.Module(inner.body, []))
        and all(id(node) in called for node in loads)
    )


def _is_scope(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.Lambda | ast.Nonlocal | ast.Global | ast.Yield | ast.YieldFrom)


def _free(outer: ast.FunctionDef, inner: dict[str, ast.FunctionDef]) -> dict[str, list[str]]:
    """List the variables of the outer function that inner ones read, themselves or by calling each other."""
    bound = {*(argument.arg for argument in arguments_of(outer)), *stored_in(outer.body)}
    read: dict[str, set[str]] = {}
    for name, own in inner.items():
        mine = {*(argument.arg for argument in arguments_of(own)), *stored_in(own.body)}
        read[name] = names_in(ast.Module(own.body, [])) - mine - _of_comprehensions(own)
    for _ in inner:
        for name in inner:
            read[name] |= {variable for other in read[name] & inner.keys() for variable in read[other]}
    return {name: sorted(read[name] & bound) for name in inner}


def _of_comprehensions(function: ast.FunctionDef) -> set[str]:
    """Collect the variables of comprehensions, which are their own."""
    targets = [node.target for node in ast.walk(function) if isinstance(node, ast.comprehension)]
    return {name for target in targets for name in names_in(target)}
