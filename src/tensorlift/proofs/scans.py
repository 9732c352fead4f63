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

Where all of ``y`` is stored, ``y`` stands in the place of ``ys``, and there is no store behind.  It may be a row: then
``y[k, lo - 1]``, ``z[k, lo + 1 : hi + 1]`` and ``y.at[k, lo:hi]`` stand there, with leads that are sizes.

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
    """The arrays that are stored into behind a scan, what leads to their rows, the bounds, and the statements."""

    arrays: dict[str, Sequence[ast.expr]]
    lower: ast.expr
    upper: ast.expr
    statements: Sequence[ast.stmt]

    def cells(self) -> list[ast.expr]:
        """Return the cells of each array that are stored, all of it where no statement says which."""
        ends = (self.lower, self.upper) if self.statements else (None, None)
        return [_cell(ast.Name(array, ast.Load()), lead, ast.Slice(*ends)) for array, lead in self.arrays.items()]


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
    known = [place for place in taken if place is not None]
    leads = [*stores.arrays.values(), *(lead for _, lead, _ in known)]
    rows = [(lead, stores.arrays[array], offset) for array, lead, offset in known if array in stores.arrays]
    if any(offset < 0 and _are_alike(lead, stored) for lead, stored, offset in rows):
        return None
    if previous is None or names_beside(parts.body, variable) is None or not _are_fixed(leads, parts, stores):
        return None
    body: list[ast.stmt] = []
    before = {name: (array, stores.arrays[array], offset) for name, (array, offset) in previous.items()}
    for name, place in [*zip(parts.cells, taken, strict=True), *before.items()]:
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
            lead = stores.arrays[array]
            body += [ast.copy_location(_store(array, lead, *given, variable), store)]
            body.append(_read(*given, array, lead, 0, variable))
    counts = ast.Call(ast.Name("range", ast.Load()), [stores.lower, stores.upper], [])
    loop = Scan(ast.Name(variable, ast.Store()), counts, body, [])
    bound = {t.id for t in targets_of(parts.body) if isinstance(t, ast.Name)}
    loop.own = {function.name, *parts.packed, *parts.carried, *parts.cells, *parts.stacked, *bound}
    loop.own -= {*state, *stores.arrays}
    loop.beside = set()
    loop.slices = [*parts.slices, *stores.cells()]
    firsts = [(first.value, _split(first)[0]) for first in parts.first if isinstance(first, ast.Subscript)]
    loop.starts = [_cell(value, lead[:-1], lead[-1]) if lead else value for value, lead in firsts]
    loop.leads = [item for lead in leads for item in lead]
    loop.apart = [(lead, stored) for lead, stored, _ in rows if not _are_alike(lead, stored)]
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
        same = {f[0]: f[1] for f in found if f is not None and ast.unparse(f[2]) == ast.unparse(first[2])}
        if len(same) == len(parts.stacked) and first[2].upper is not None:
            lower = first[2].lower or ast.Constant(0)
            return _Stores(same, lower, first[2].upper, behind[: len(same)])
    extent = ast.parse(f"{parts.stacked[0]}.shape[0]", mode="eval").body
    return _Stores(dict.fromkeys(parts.stacked, ()), ast.Constant(0), extent, ())


def _stored(store: ast.stmt, stacked: str) -> tuple[str, Sequence[ast.expr], ast.Slice] | None:
    """Return the array, what leads to its row, and the slice in ``y = y.at[lo:hi].set(ys)``."""
    value = store.value if isinstance(store, ast.Assign) and len(store.targets) == 1 else None
    at = value.func.value if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else None
    lead, cells = _split(at) if isinstance(at, ast.Subscript) else ((), None)
    if not isinstance(at, ast.Subscript) or not isinstance(cells, ast.Slice) or cells.step is not None:
        return None
    assert isinstance(store, ast.Assign)
    name = "".join(names_of(store.targets[0]))
    is_store = ast.unparse(store) == f"{name} = {ast.unparse(_cell(at.value, lead, cells))}.set({stacked})"
    return (name, lead, cells) if is_store and ast.unparse(at.value) == f"{name}.at" else None


def _split(subscript: ast.Subscript) -> tuple[Sequence[ast.expr], ast.expr]:
    """Take the last item of a subscript apart from those that lead to it."""
    items = subscript.slice.elts if isinstance(subscript.slice, ast.Tuple) else [subscript.slice]
    return items[:-1], items[-1]


def _cell(value: ast.expr, lead: Sequence[ast.expr], last: ast.expr) -> ast.Subscript:
    """Return a subscript of some items."""
    return ast.Subscript(value, ast.Tuple([*lead, last], ast.Load()) if lead else last, ast.Load())


def _are_alike(lead: Sequence[ast.expr], other: Sequence[ast.expr]) -> bool:
    return list(map(ast.dump, lead)) == list(map(ast.dump, other))


def _are_fixed(leads: Sequence[Sequence[ast.expr]], parts: _Call, stores: _Stores) -> bool:
    """Tell whether leads are sums of names that an iteration does not bind."""
    nodes = [node for lead in leads for item in lead for node in ast.walk(item)]
    bound = {target.id for target in targets_of(parts.body) if isinstance(target, ast.Name)}
    bound |= {*parts.packed, *parts.carried, *parts.cells, *parts.stacked, *stores.arrays}
    are_sums = all(isinstance(n, ast.BinOp | ast.operator | ast.Name | ast.Constant | ast.expr_context) for n in nodes)
    return are_sums and bound.isdisjoint(node.id for node in nodes if isinstance(node, ast.Name))


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
        lead, last = _split(first) if isinstance(first, ast.Subscript) else ((), first)
        place = _constant(last) if isinstance(first, ast.Subscript) else None
        array = "".join(names_of(first.value)) if isinstance(first, ast.Subscript) else ""
        if place is None or start is None or not 0 <= place < start or array not in stores.arrays:
            return None
        if not _are_alike(lead, stores.arrays[array]):
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


def _taken(expression: ast.expr, stores: _Stores, state: set[str]) -> tuple[str, Sequence[ast.expr], int] | None:
    """Return the array of which an iteration takes a cell, what leads to its row, and what is added to the variable.

    What is stored of an array has to lie elsewhere, or to be stored by a later iteration or at the end of this one.
    """
    part = expression if isinstance(expression, ast.Subscript) else ast.Subscript(expression, ast.Slice())
    name, (lead, cells) = names_of(part.value), _split(part)
    if not isinstance(cells, ast.Slice) or len(name) != 1 or cells.step is not None or name[0] in state:
        return None
    begin = cells.lower or ast.Constant(0)
    offset = 0 if ast.dump(begin) == ast.dump(stores.lower) else None
    first, start = _constant(begin), _constant(stores.lower)
    if first is not None and start is not None:
        offset = first - start
    return None if offset is None else (name[0], lead, offset)


def _constant(expression: ast.expr) -> int | None:
    """Return a number that is written, none below zero: those count from the end."""
    value = expression.value if isinstance(expression, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _read(name: str, array: str, lead: Sequence[ast.expr], offset: int, variable: str) -> ast.stmt:
    """Return ``name = array[lead, variable + offset]``."""
    place: ast.expr = ast.Name(variable, ast.Load())
    if offset:
        sign = ast.Add() if offset > 0 else ast.Sub()
        place = ast.BinOp(place, sign, ast.Constant(abs(offset)))
    return ast.Assign([ast.Name(name, ast.Store())], _cell(ast.Name(array, ast.Load()), lead, place))


def _store(array: str, lead: Sequence[ast.expr], given: str, variable: str) -> CellStore:
    """Return ``array = array.at[lead, variable].set(given)``."""
    at = ast.Attribute(ast.Name(array, ast.Load()), "at", ast.Load())
    cell = _cell(at, lead, ast.Name(variable, ast.Load()))
    value = ast.Call(ast.Attribute(cell, "set", ast.Load()), [ast.Name(given, ast.Load())], [])
    store = CellStore([ast.Name(array, ast.Store())], value)
    store.axes = len(lead) + 1
    return store
