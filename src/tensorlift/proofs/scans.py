"""Reading ``lax.scan`` over the function before it, and the stores of what it stacks behind it, as a loop.

    def step(state, cells):                  for i in range(lo, hi):
        h, y_before = state                      x_i = x[i]
        x_i, z_i = cells                         z_i = z[i + 1]
        ...                                      y_before = y[i - 1]
        y_i = ...                                ...
        return (h, y_i), y_i                     y_i = ...
                                                 y = y.at[i].set(y_i)
    (h, last), ys = lax.scan(
        step, (h, y[lo - 1]), (x[lo:hi], z[lo + 1 : hi + 1]))
    y = y.at[lo:hi].set(ys)

Where all of ``y`` is stored, ``y`` stands in the place of ``ys``, and there is no store behind.

Both do the same where each slice has as many cells as the loop has iterations, which `loops` asks, where the body does
not mention ``y``, and where ``y_i`` is of the type and the shape of its cells, which `execute` asks.  What is carried
from the cell before the first that is stored, and left as what an iteration stores, is the cell before.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.proofs.traced import CellStore, Scan, names_beside, names_of, statements_of, targets_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_SCAN_ARGUMENTS = 3
_PAIR = 2  # of what is carried and what is taken cell by cell


class _Call(NamedTuple):
    """A scan: names and values of what is carried, of the cells that are taken, of the cells that are given."""

    carried: tuple[str, ...]
    first: Sequence[ast.expr]
    left: tuple[str, ...]
    cells: tuple[str, ...]
    slices: Sequence[ast.expr]
    given: tuple[str, ...]
    stacked: tuple[str, ...]
    packed: tuple[str, ...]
    body: list[ast.stmt]


class _Stores(NamedTuple):
    """The arrays that are stored into behind a scan, the bounds of the slice, and the statements."""

    arrays: tuple[str, ...]
    lower: ast.expr
    upper: ast.expr
    statements: Sequence[ast.stmt]

    def cells(self) -> list[ast.expr]:
        """Return the cells of each array that are stored, all of it where no statement says which."""
        ends = (self.lower, self.upper) if self.statements else (None, None)
        return [ast.Subscript(ast.Name(array, ast.Load()), ast.Slice(*ends), ast.Load()) for array in self.arrays]


def scan_of(function: ast.stmt, call: ast.stmt, behind: list[ast.stmt]) -> Scan | None:
    """Return the loop that a scan and the stores ``behind`` are, which are taken out; None where it is not read."""
    if not isinstance(function, ast.FunctionDef) or (parts := _call(function, call)) is None:
        return None
    stores = _stores(parts, behind)
    if not _is_apart(function.name, parts, stores):
        return None
    state = {name for name, first in zip(parts.carried, parts.first, strict=True) if isinstance(first, ast.Name)}
    previous = _previous(parts, stores)
    taken = [_taken(expression, stores, state) for expression in parts.slices]
    variable = f"each {function.lineno}"  # which no text can name
    if previous is None or names_beside(parts.body, variable) is None:
        return None
    body: list[ast.stmt] = []
    for name, place in [*zip(parts.cells, taken, strict=True), *previous.items()]:
        if place is None:
            return None
        body.append(_read(name, *place, variable))
    places = stores.statements or [call] * len(stores.arrays)
    stored = {(given,): (array, s) for given, array, s in zip(parts.given, stores.arrays, places, strict=True)}
    for statement in parts.body:
        body.append(statement)
        given = names_of(statement.targets[0]) if isinstance(statement, ast.Assign) else ()
        if given in stored:
            array, store = stored[given]
            body += [ast.copy_location(_store(array, *given, variable), store), _read(*given, array, 0, variable)]
    counts = ast.Call(ast.Name("range", ast.Load()), [stores.lower, stores.upper], [])
    loop = Scan(ast.Name(variable, ast.Store()), counts, body, [])
    bound = {t.id for t in targets_of(parts.body) if isinstance(t, ast.Name)}
    loop.own = {function.name, *parts.packed, *parts.carried, *parts.cells, *parts.stacked, *bound}
    loop.own -= {*state, *stores.arrays}
    loop.beside = set()
    loop.slices = [*parts.slices, *stores.cells()]
    loop.starts = [first.value for first in parts.first if isinstance(first, ast.Subscript)]
    del behind[: len(stores.statements)]
    return ast.fix_missing_locations(ast.copy_location(loop, function))


def _call(function: ast.FunctionDef, statement: ast.stmt) -> _Call | None:
    """Take ``carried, stacked = lax.scan(function, first, slices)`` and the function apart."""
    call = statement.value if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "lax.scan" or call.keywords:
        return None
    if len(call.args) != _SCAN_ARGUMENTS or names_of(call.args[0]) != (function.name,):
        return None
    parameters, last = [p.arg for p in function.args.args], function.body[-1]
    heading = f"def {function.name}({', '.join(parameters)}):"
    if len(parameters) != _PAIR or ast.unparse(function).partition("\n")[0] != heading:
        return None
    assert isinstance(statement, ast.Assign)
    target, result = statement.targets[0], last.value if isinstance(last, ast.Return) else None
    pairs = [pair.elts for pair in (target, result) if isinstance(pair, ast.Tuple) and len(pair.elts) == _PAIR]
    if len(pairs) != _PAIR:
        return None
    (target_carried, target_stacked), (result_left, result_given) = pairs
    first, slices, body = _listed(call.args[1]), _listed(call.args[2]), function.body[:-1]
    packed: list[str] = []
    names: list[tuple[str, ...]] = []
    for parameter, values in zip(parameters, (first, slices), strict=True):
        if len(values) == 1:
            names.append((parameter,))
            continue
        unpacked = body.pop(0) if body else None
        if (
            not isinstance(unpacked, ast.Assign)
            or len(unpacked.targets) != 1
            or names_of(unpacked.value) != (parameter,)
        ):
            return None
        names.append(names_of(unpacked.targets[0]))
        packed.append(parameter)
    carried, cells = names
    left, given, stacked = names_of(result_left), names_of(result_given), names_of(target_stacked)
    is_whole = names_of(target_carried) == carried and len(carried) == len(first) == len(left)
    is_whole = is_whole and len(cells) == len(slices) and len(given) == len(stacked) > 0
    if not is_whole or any(isinstance(s, ast.For | ast.With | ast.FunctionDef) for s in statements_of(body)):
        return None
    return _Call(carried, first, left, cells, slices, given, stacked, tuple(packed), body)


def _listed(expression: ast.expr) -> list[ast.expr]:
    """Return the values of a tuple of several, or a value alone."""
    return expression.elts if isinstance(expression, ast.Tuple) and len(expression.elts) > 1 else [expression]


def _stores(parts: _Call, behind: Sequence[ast.stmt]) -> _Stores:
    """Return what ``y = y.at[lo:hi].set(ys)``, one for each of what is stacked, store into, or what is bound whole."""
    found = [_stored(store, name) for name, store in zip(parts.stacked, behind, strict=False)]
    first = found[0] if found else None
    if first is not None:
        same = [f[0] for f in found if f is not None and ast.unparse(f[1]) == ast.unparse(first[1])]
        if len(same) == len(parts.stacked) and first[1].upper is not None:
            lower = first[1].lower or ast.Constant(0)
            return _Stores(tuple(same), lower, first[1].upper, behind[: len(same)])
    extent = ast.parse(f"{parts.stacked[0]}.shape[0]", mode="eval").body
    return _Stores(parts.stacked, ast.Constant(0), extent, ())


def _stored(store: ast.stmt, stacked: str) -> tuple[str, ast.Slice] | None:
    """Return the array and the slice in ``y = y.at[lo:hi].set(ys)``."""
    value = store.value if isinstance(store, ast.Assign) and len(store.targets) == 1 else None
    at = value.func.value if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else None
    if not isinstance(at, ast.Subscript) or not isinstance(at.slice, ast.Slice) or at.slice.step is not None:
        return None
    assert isinstance(store, ast.Assign)
    name = "".join(names_of(store.targets[0]))
    is_store = ast.unparse(store) == f"{name} = {name}.at[{ast.unparse(at.slice)}].set({stacked})"
    return (name, at.slice) if is_store else None


def _is_apart(function: str, parts: _Call, stores: _Stores) -> bool:
    """Tell whether names mean one thing each, and the body mentions no array that is stored and binds cells once."""
    stacked = parts.stacked if stores.statements else ()
    listed = (function, *parts.packed, *parts.carried, *parts.cells, *parts.given, *stacked, *stores.arrays)
    mentioned = {node.id for s in parts.body for node in ast.walk(s) if isinstance(node, ast.Name)}
    bound = [target.id for target in targets_of(parts.body) if isinstance(target, ast.Name)]
    alone = [names_of(s.targets[0]) for s in parts.body if isinstance(s, ast.Assign) and len(s.targets) == 1]
    once = all(bound.count(name) == 1 and alone.count((name,)) == 1 for name in parts.given)
    hidden = {function, *parts.packed, *parts.stacked, *stores.arrays}
    return len(set(listed)) == len(listed) and once and not mentioned & hidden and not set(bound) & set(parts.cells)


def _previous(parts: _Call, stores: _Stores) -> dict[str, tuple[str, int]] | None:
    """Return what carries cells that earlier iterations stored: of which array, and what is added to the variable.

    None where what is carried is neither that nor what it was called before.
    """
    found: dict[str, tuple[str, int]] = {}
    for name, first, left in zip(parts.carried, parts.first, parts.left, strict=True):
        if isinstance(first, ast.Name):
            if first.id != name or left != name:
                return None
            continue
        start = _constant(stores.lower)
        place = _constant(first.slice) if isinstance(first, ast.Subscript) else None
        array = "".join(names_of(first.value)) if isinstance(first, ast.Subscript) else ""
        if place is None or start is None or not 0 <= place < start or array not in stores.arrays:
            return None
        found[name] = array, place - start
    given = dict(zip(stores.arrays, parts.given, strict=True))
    bound = {target.id for target in targets_of(parts.body) if isinstance(target, ast.Name)}
    for name, left in zip(parts.carried, parts.left, strict=True):
        if name in found:
            array, offset = found[name]
            is_last = offset == -1 and left == given[array]
            if name in bound or not (is_last or found.get(left) == (array, offset + 1)):
                return None
    return found


def _taken(expression: ast.expr, stores: _Stores, state: set[str]) -> tuple[str, int] | None:
    """Return the array of which an iteration takes a cell, and what is added to the variable.

    Of an array that is stored it is the cell at the variable, which is the old one until it is stored.
    """
    name, cells = names_of(expression), ast.Slice()
    if isinstance(expression, ast.Subscript) and isinstance(expression.slice, ast.Slice):
        name, cells = names_of(expression.value), expression.slice
    if len(name) != 1 or cells.step is not None or name[0] in state:
        return None
    begin = cells.lower or ast.Constant(0)
    offset = 0 if ast.dump(begin) == ast.dump(stores.lower) else None
    first, start = _constant(begin), _constant(stores.lower)
    if first is not None and start is not None:
        offset = first - start
    if offset is None or (name[0] in stores.arrays and offset):
        return None
    return name[0], offset


def _constant(expression: ast.expr) -> int | None:
    """Return a number that is written, none below zero: those count from the end."""
    value = expression.value if isinstance(expression, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _read(name: str, array: str, offset: int, variable: str) -> ast.stmt:
    """Return ``name = array[variable + offset]``."""
    place: ast.expr = ast.Name(variable, ast.Load())
    if offset:
        sign = ast.Add() if offset > 0 else ast.Sub()
        place = ast.BinOp(place, sign, ast.Constant(abs(offset)))
    return ast.Assign([ast.Name(name, ast.Store())], ast.Subscript(ast.Name(array, ast.Load()), place, ast.Load()))


def _store(array: str, given: str, variable: str) -> CellStore:
    """Return ``array = array.at[variable].set(given)``."""
    at = ast.Attribute(ast.Name(array, ast.Load()), "at", ast.Load())
    cell = ast.Subscript(at, ast.Name(variable, ast.Load()), ast.Load())
    value = ast.Call(ast.Attribute(cell, "set", ast.Load()), [ast.Name(given, ast.Load())], [])
    return CellStore([ast.Name(array, ast.Store())], value)
